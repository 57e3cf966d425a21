/// The content of a text file as UTF-8, which computes line and column of each offset.
package struct SourceText: Sendable {
    /// Valid UTF-8 without a byte order mark; offsets refer to it.
    package let utf8: [UInt8]
    /// The encoding that the file had.
    let encoding: TextEncoding
    /// The offset at which each line begins.
    private let lineStarts: [Int]
    /// Whether every byte is a character.
    private let isASCII: Bool
    /// The number of scalars before each multiple of ``blockSize``, so that positions in very long lines cost no more
    /// than others.
    private let blockCounts: [Int]
    /// The bytes between two counts of scalars.
    private static let blockSize = 1 << 16

    /// Decodes a file: UTF-8 with or without a byte order mark, or UTF-16 with one.
    ///
    /// - Throws: `encoding`, at the first invalid byte.
    package init(decoding bytes: [UInt8]) throws(PropertyListError) {
        switch (bytes.first, bytes.dropFirst().first) {
        case (0xff, 0xfe): try self.init(utf16: bytes, bigEndian: false)
        case (0xfe, 0xff): try self.init(utf16: bytes, bigEndian: true)
        default:
            let content = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes
            self.init(unchecked: content)
            if !isASCII, let offset = SourceText.firstInvalidOffset(in: content) {
                throw PropertyListError(.encoding, "the byte here is not valid UTF-8", at: position(at: offset))
            }
        }
    }

    /// Uses UTF-8 without validation; offsets past its end are allowed and mean the end.
    package init(unchecked utf8: [UInt8]) {
        self.init(unchecked: utf8, encoding: .utf8)
    }

    /// Uses decoded text, and stores its original encoding.
    private init(unchecked utf8: [UInt8], encoding: TextEncoding) {
        self.encoding = encoding
        self.utf8 = utf8
        var starts: [Int] = []
        // Room for all lines of a small file.
        starts.reserveCapacity(8 + utf8.count / 64)
        starts.append(0)
        var counts: [Int] = []
        var (scalars, isASCII) = (0, true)
        // All reads are within the bytes, which are valid within the closure.
        unsafe utf8.withUnsafeBytes { bytes in
            var index = 0
            while index < bytes.count {
                if index & (SourceText.blockSize - 1) == 0 { counts.append(scalars) }
                if index & 7 == 0, bytes.count - index >= 8,
                    SourceText.isPlain(unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                {
                    (index, scalars) = (index + 8, scalars + 8)
                    continue
                }
                let byte = unsafe bytes[index]
                if byte >= 0x80 { isASCII = false }
                if byte & 0xc0 != 0x80 { scalars += 1 }
                // A lone carriage return ends a line as well; before a line feed it belongs to it.
                let isBeforeFeed = unsafe index + 1 < bytes.count && bytes[index + 1] == 0x0a
                if byte == 0x0a || (byte == 0x0d && !isBeforeFeed) { starts.append(index + 1) }
                index += 1
            }
        }
        counts.append(scalars)
        self.isASCII = isASCII
        lineStarts = starts
        blockCounts = counts
    }

    /// Whether all of eight bytes are ASCII and none ends a line.
    private static func isPlain(_ word: UInt64) -> Bool {
        let (ones, highs): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        // For a byte below 0x80, the high bit of the difference is set only if the byte is zero or follows such a byte.
        let (feeds, returns) = (word ^ (ones &* 0x0a), word ^ (ones &* 0x0d))
        return (word | (feeds &- ones) & ~feeds | (returns &- ones) & ~returns) & highs == 0
    }

    /// Decodes UTF-16 after its byte order mark.
    private init(utf16 bytes: [UInt8], bigEndian: Bool) throws(PropertyListError) {
        var text = String.UnicodeScalarView()
        var index = 2
        /// The code unit at an even offset.
        func unit(_ index: Int) -> UInt16 {
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return bigEndian ? first << 8 | second : second << 8 | first
        }
        while index < bytes.count {
            guard index + 1 < bytes.count else { throw SourceText.invalidUTF16(after: text) }
            let lead = unit(index)
            index += 2
            if let scalar = Unicode.Scalar(lead) {
                text.append(scalar)
                continue
            }
            guard UTF16.isLeadSurrogate(lead), index + 1 < bytes.count, UTF16.isTrailSurrogate(unit(index)) else {
                throw SourceText.invalidUTF16(after: text)
            }
            text.append(UTF16.decode(UTF16.EncodedScalar([lead, unit(index)])))
            index += 2
        }
        self.init(unchecked: Array(String(text).utf8), encoding: .utf16)
    }

    /// The error for a broken code unit, positioned after the text decoded so far.
    private static func invalidUTF16(after text: String.UnicodeScalarView) -> PropertyListError {
        let decoded = SourceText(unchecked: Array(String(text).utf8))
        return PropertyListError(
            .encoding, "the code unit here is not valid UTF-16", at: decoded.position(at: decoded.utf8.count))
    }

    /// The offset of the first byte that is not valid UTF-8, or `nil`.
    private static func firstInvalidOffset(in bytes: [UInt8]) -> Int? {
        var offset = 0
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        if (String(validating: bytes, as: UTF8.self)) != nil { return nil }
        while true {
            switch decoder.decode(&iterator) {
            case .scalarValue(let scalar): offset += UTF8.width(scalar)
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }
}

extension SourceText {
    /// Line and column of an offset.
    ///
    /// Complexity: O(log lines + length of the line, at most 128 KiB).
    package func position(at offset: Int) -> Position {
        let offset = min(max(offset, 0), utf8.count)
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        let start = lineStarts[low]
        let column =
            offset - start < SourceText.blockSize
            ? scalars(in: start..<offset) : scalarsBefore(offset) - scalarsBefore(start)
        return Position(line: low + 1, column: column + 1, offset: offset)
    }

    /// Line and column of an offset at or after a known position, for callers that process a text in order.
    ///
    /// Complexity: O(lines between + distance in the line).
    package func position(at offset: Int, behind last: Position) -> Position {
        let offset = min(offset, utf8.count)
        guard offset >= last.offset, lineStarts.indices.contains(last.line - 1) else { return position(at: offset) }
        var line = last.line - 1
        var (start, column) = (last.offset, last.column)
        while line + 1 < lineStarts.count, lineStarts[line + 1] <= offset {
            line += 1
            (start, column) = (lineStarts[line], 1)
        }
        return Position(line: line + 1, column: column + scalars(in: start..<offset), offset: offset)
    }

    /// The number of scalars before an offset.
    private func scalarsBefore(_ offset: Int) -> Int {
        let block = offset / SourceText.blockSize
        guard block < blockCounts.count else { return scalars(in: 0..<offset) }
        return blockCounts[block] + scalars(in: (block * SourceText.blockSize)..<offset)
    }

    /// The number of scalars that begin in a range.
    private func scalars(in range: Range<Int>) -> Int {
        isASCII ? range.count : utf8[range].reduce(0) { count, byte in byte & 0xc0 == 0x80 ? count : count + 1 }
    }
}

/// The encodings of text files that are read.
enum TextEncoding {
    /// UTF-8, ASCII included.
    case utf8
    /// UTF-16 with a byte order mark, in either byte order.
    case utf16
}
