import MDAuditRecord
package import MDPlatform

/// One line of the log, which ended in a line feed.
package struct LogLine {
    /// What the line is a part of.
    package let text: [UInt8]
    /// The place of the line in it, without the line feed; of a line that is too long, only of the beginning.
    package let place: Range<Int>
    /// The number of bytes without the line feed.
    package let length: Int
    /// The digest as a leaf of the tree.
    package let leaf: Digest

    /// The bytes without the line feed; of a line that is too long, only the first.
    package var bytes: ArraySlice<UInt8> { text[place] }
    /// Whether the line has more bytes than a record can have.
    package var isTooLong: Bool { length >= AuditRecord.longestLine }
}

extension ReadFile {
    /// The size of the pieces in which a log is read.
    private static var chunkSize: Int { 1 << 18 }

    /// Reads the file to its end and passes on each whole line, in memory that no line can exhaust.
    ///
    /// Complexity: O(n) in the bytes of the file.
    ///
    /// - Returns: the number of bytes read, and of those after the last line feed.
    @discardableResult
    package func forEachLine(_ body: (LogLine) -> Void) throws(SystemError) -> (size: Int, torn: Int) {
        var splitter = LineSplitter()
        var size = 0
        while true {
            let chunk = try read(offset: size, count: ReadFile.chunkSize)
            if chunk.isEmpty { return (size, splitter.pendingLength) }
            size += chunk.count
            splitter.feed(chunk, each: body)
        }
    }
}

/// Splits a file that arrives in pieces into lines, and digests each as a leaf.
package struct LineSplitter {
    /// The first bytes of the line that has not ended yet.
    private(set) var pending: [UInt8] = []
    /// The number of bytes of that line so far.
    package private(set) var pendingLength = 0
    /// The digest of a line that did not end in its first piece.
    private var hash = LeafHash()
    /// Where the lines that are digested together begin and end.
    private var places: [Int] = []
    /// The most lines that are digested together.
    private static let most = 256

    /// Makes a splitter at the beginning of a line.
    package init() {}

    /// Splits the next piece and passes on each line that ends in it.
    package mutating func feed(_ chunk: [UInt8], each body: (LogLine) -> Void) {
        var start = 0
        if pendingLength > 0 {
            guard let end = chunk.place(of: 0x0a, from: 0) else { return add(chunk[...]) }
            add(chunk[..<end])
            let line = LogLine(
                text: pending, place: pending.indices, length: pendingLength, leaf: hash.finish())
            (pending, pendingLength, hash, start) = ([], 0, LeafHash(), end + 1)
            body(line)
        }
        while true {
            places.removeAll(keepingCapacity: true)
            while places.count < 2 * LineSplitter.most, let end = chunk.place(of: 0x0a, from: start) {
                places.append(start)
                places.append(end)
                start = end + 1
            }
            if places.isEmpty { break }
            for (index, leaf) in MerkleTree.leaves(chunk, places).enumerated() {
                let place = places[2 * index]..<places[2 * index + 1]
                body(LogLine(text: chunk, place: place, length: place.count, leaf: leaf))
            }
        }
        add(chunk[start...])
    }

    /// Adds bytes to the line that has not ended.
    private mutating func add(_ part: ArraySlice<UInt8>) {
        hash.update(part)
        pendingLength += part.count
        pending += part.prefix(AuditRecord.longestLine - min(pending.count, AuditRecord.longestLine))
    }
}
