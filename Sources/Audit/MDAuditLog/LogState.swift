import MDPlatform

/// A cache of the last writer's result, so that the next one need not read the whole log; it is checked before use.
struct LogState {
    /// The most bytes of the file: 64 digests and a few numbers.
    static let limit = 8_192
    /// The first line of the file.
    private static let header = "managed-defaults log state 2"

    /// The tree of all lines, those of segments included.
    let tree: MerkleTree
    /// The number of records in segments.
    let inSegments: Int
    /// The size of the file, which has the records after all segments.
    let bytes: Int
    /// The inode of the log.
    let inode: UInt64
    /// When the log was last written, in nanoseconds since 1970.
    let modified: Int64

    /// Makes the cache of a log.
    init(tree: MerkleTree, inSegments: Int, status: FileStatus) {
        (self.tree, self.inSegments) = (tree, inSegments)
        (bytes, inode, modified) = (status.size, status.inode, status.modified)
    }

    /// Parses the file; `nil` for anything that ``text`` did not make.
    init?(text: [UInt8]) {
        let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines.count >= 3, lines[0] == LogState.header, lines.last == "" else { return nil }
        let numbers = lines[1].split(separator: " ")
        let digests = lines[2..<(lines.count - 1)].compactMap { Digest(hex: $0) }
        guard numbers.count == 5, digests.count == lines.count - 3,
            let size = Int(numbers[0]), let tree = MerkleTree(size: size, frontier: digests),
            let bytes = Int(numbers[1]), let inode = UInt64(numbers[2]), let modified = Int64(numbers[3]),
            let inSegments = Int(numbers[4]), (0...size).contains(inSegments)
        else { return nil }
        (self.tree, self.inSegments) = (tree, inSegments)
        (self.bytes, self.inode, self.modified) = (bytes, inode, modified)
    }

    /// The content of the file.
    var text: String {
        var text = "\(LogState.header)\n\(tree.size) \(bytes) \(inode) \(modified) \(inSegments)\n"
        for digest in tree.frontier { text += digest.hex + "\n" }
        return text
    }

    /// Whether the cache describes the log as it is, and the log matches its checkpoint.
    func describes(_ status: FileStatus, _ checkpoint: Checkpoint) -> Bool {
        status.size == bytes && status.inode == inode && status.modified == modified
            && tree.size == checkpoint.size && tree.root == checkpoint.root
    }
}
