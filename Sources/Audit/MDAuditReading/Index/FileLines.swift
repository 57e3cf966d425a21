import MDAuditRecord
import MDPlatform

/// The lines of a file of the log with their places, without the digests that only verification needs.
enum FileLines {
    /// The size of the pieces in which a file is read.
    private static let chunkSize = 1 << 18
    /// The size of the pieces in which single lines are read.
    private static let windowSize = 1 << 14

    /// Passes on each whole line, in memory that no line can exhaust.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - body: gets what each line is a part of, its place there, which has at most as many bytes as a record may have,
    ///     its length and its offset.
    /// - Returns: the number of bytes after the last whole line.
    /// - Throws: if the file cannot be read.
    static func forEach(
        in file: borrowing ReadFile, _ body: ([UInt8], _ place: Range<Int>, _ length: Int, _ offset: Int) -> Void
    ) throws(SystemError) -> Int {
        var (pending, pendingLength, offset): ([UInt8], Int, Int) = ([], 0, 0)
        while true {
            let chunk = try file.read(offset: offset + pendingLength, count: chunkSize)
            if chunk.isEmpty { return pendingLength }
            var start = 0
            while let end = lineEnd(in: chunk, from: start) {
                if pendingLength == 0 {
                    body(chunk, start..<end, end - start, offset)
                } else {
                    append(chunk[start..<end], to: &pending)
                    body(pending, pending.indices, pendingLength + end - start, offset)
                }
                offset += pendingLength + end - start + 1
                (pendingLength, start) = (0, end + 1)
                pending.removeAll(keepingCapacity: true)
            }
            append(chunk[start...], to: &pending)
            pendingLength += chunk.count - start
        }
    }

    /// Passes on the lines at growing offsets.
    ///
    /// - Parameters:
    ///   - offsets: where the lines begin.
    ///   - file: the file.
    ///   - body: gets the bytes of each line, at most as many as a record may have, and its offset.
    /// - Throws: if the file cannot be read.
    static func forEach(
        at offsets: [Int], in file: borrowing ReadFile, _ body: (ArraySlice<UInt8>, _ offset: Int) -> Void
    ) throws(SystemError) {
        var (window, start): ([UInt8], Int) = ([], 0)
        for offset in offsets {
            var end = offset < start + window.count ? lineEnd(in: window, from: offset - start) : nil
            for size in [windowSize, AuditRecord.longestLine + 1] where end == nil {
                (window, start) = (try file.read(offset: offset, count: size), offset)
                end = lineEnd(in: window, from: 0)
            }
            body(window[(offset - start)..<(end ?? window.count)], offset)
        }
    }

    /// The number of the line that begins at an offset, counted from 1.
    static func number(of offset: Int, in file: borrowing ReadFile) throws(SystemError) -> Int {
        var (lines, place) = (1, 0)
        while place < offset {
            let chunk = try file.read(offset: place, count: min(chunkSize, offset - place))
            if chunk.isEmpty { break }
            for byte in chunk where byte == 0x0a { lines += 1 }
            place += chunk.count
        }
        return lines
    }

    /// Adds what a record may have of a line that has not ended.
    private static func append(_ part: ArraySlice<UInt8>, to pending: inout [UInt8]) {
        pending += part.prefix(AuditRecord.longestLine - min(pending.count, AuditRecord.longestLine))
    }

    /// The end of the line that goes on here; `nil` if it does not end.
    private static func lineEnd(in bytes: [UInt8], from start: Int) -> Int? {
        let span = bytes.span
        var index = start
        while index < span.count {
            if span[index] == 0x0a { return index }
            index += 1
        }
        return nil
    }
}
