import MDPlatform

/// Lines that are written together, and where among them a segment becomes full.
struct LogBatch {
    /// The place where a segment is full.
    struct Full {
        /// The bytes before it.
        let bytes: Int
        /// The tree of all lines before it.
        let tree: SegmentTree
    }

    /// The lines with their line feeds.
    private(set) var bytes: [UInt8] = []
    /// The tree of all lines.
    private(set) var tree: SegmentTree
    /// The fingerprints of the lines (``Digest/fingerprint``).
    private(set) var fingerprints: [Int64] = []
    /// The last place where a segment is full; a segment that becomes full before is not divided, and has several roots.
    private(set) var full: Full?

    /// Begins after the lines of a tree.
    init(after tree: SegmentTree) { self.tree = tree }

    /// Adds a line, without its line feed.
    mutating func append(line: [UInt8]) {
        let start = bytes.count
        bytes += line
        endLine(from: start)
    }

    /// Adds the line of a record that lacks only its number.
    ///
    /// - Parameter fields: the fields after the number, with the brace that ends the line.
    mutating func append(fields: ArraySlice<UInt8>) {
        let start = bytes.count
        bytes += LogBatch.head
        bytes += String(tree.size + 1).utf8
        bytes.append(UInt8(ascii: ","))
        bytes += fields
        endLine(from: start)
    }

    /// The line of a record up to its number.
    private static let head = Array("{\"v\":\(AuditRecord.formatVersion),\"seq\":".utf8)

    /// Ends the line that begins at a place.
    private mutating func endLine(from start: Int) {
        var hash = LeafHash()
        hash.update(bytes[start...])
        let leaf = hash.finish()
        tree.append(leaf: leaf)
        fingerprints.append(leaf.fingerprint)
        bytes.append(0x0a)
        if tree.isComplete { full = Full(bytes: bytes.count, tree: tree) }
    }

    /// The tree of all lines, without the subtrees of the segment that was full.
    func tree(after full: Full) -> SegmentTree {
        var tree = tree
        tree.forgetSubtrees()
        return tree
    }
}
