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
    /// The last place where a segment is full; a segment that becomes full before is not divided, and has several roots.
    private(set) var full: Full?

    /// Begins after the lines of a tree.
    init(after tree: SegmentTree) { self.tree = tree }

    /// Adds a line, without its line feed.
    mutating func append(line: [UInt8]) {
        tree.append(leaf: MerkleTree.leaf(line))
        bytes += line
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
