import Platform

/// Splits a file that arrives in pieces into lines and digests each as a leaf, in memory that no line can exhaust.
struct LineSplitter {
    /// A line that ended in a line feed.
    struct Line {
        /// Its bytes without the line feed; of a line that is too long, only the first.
        let bytes: ArraySlice<UInt8>
        /// How many bytes it has, without the line feed.
        let length: Int
        /// Its digest as a leaf.
        let leaf: Digest

        /// Whether it has more bytes than a record.
        var isTooLong: Bool { length >= AuditRecord.longestLine }
    }

    /// The size of the pieces in which files are read.
    static let chunkSize = 1 << 20

    /// The first bytes of the line that has not ended yet.
    private(set) var pending: [UInt8] = []
    /// How many bytes the line has so far.
    private(set) var pendingLength = 0
    /// The digest of a line that did not end in its first piece.
    private var hash = LeafHash()

    /// Takes the next piece and hands on each line that ends in it.
    mutating func feed<Failure: Error>(_ chunk: [UInt8], each body: (Line) throws(Failure) -> Void) throws(Failure) {
        var start = 0
        while let end = chunk[start...].firstIndex(of: 0x0a) {
            let part = chunk[start..<end]
            start = end + 1
            guard pendingLength > 0 else {
                var hash = LeafHash()
                hash.update(part)
                try body(Line(bytes: part, length: part.count, leaf: hash.finish()))
                continue
            }
            keep(part)
            let line = Line(bytes: pending[...], length: pendingLength, leaf: hash.finish())
            (pending, pendingLength, hash) = ([], 0, LeafHash())
            try body(line)
        }
        keep(chunk[start...])
    }

    /// Adds bytes to the line that has not ended.
    private mutating func keep(_ part: ArraySlice<UInt8>) {
        hash.update(part)
        pendingLength += part.count
        pending += part.prefix(AuditRecord.longestLine - min(pending.count, AuditRecord.longestLine))
    }
}
