import Platform
import PropertyList

/// What the last writer remembered, so that the next need not read the whole log: a cache, checked before it is used.
struct LogState {
    /// The most bytes of the file: 64 digests and a few numbers.
    static let limit = 8_192
    /// The first line of the file.
    private static let header = "managed-defaults log state 1"

    /// The tree of all lines.
    let tree: MerkleTree
    /// The size of the log in bytes.
    let bytes: Int
    /// The file number of the log.
    let inode: UInt64
    /// When the log was last written, in nanoseconds since 1970.
    let modified: Int64

    /// Remembers a log.
    init(tree: MerkleTree, status: FileStatus) {
        self.tree = tree
        (bytes, inode, modified) = (status.size, status.inode, status.modified)
    }

    /// Reads the file; `nil` for anything that was not written by `text`.
    init?(text: [UInt8]) {
        let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines.count >= 3, lines[0] == LogState.header, lines.last == "" else { return nil }
        let numbers = lines[1].split(separator: " ")
        let digests = lines[2..<(lines.count - 1)].compactMap { Digest(hex: $0) }
        guard numbers.count == 4, digests.count == lines.count - 3,
            let size = Int(numbers[0]), let tree = MerkleTree(size: size, frontier: digests),
            let bytes = Int(numbers[1]), let inode = UInt64(numbers[2]), let modified = Int64(numbers[3])
        else { return nil }
        (self.tree, self.bytes, self.inode, self.modified) = (tree, bytes, inode, modified)
    }

    /// The content of the file.
    var text: String {
        var text = "\(LogState.header)\n\(tree.size) \(bytes) \(inode) \(modified)\n"
        for digest in tree.frontier { text += digest.hex + "\n" }
        return text
    }

    /// Whether it still describes the log, and the log is what the checkpoint says.
    func describes(_ status: FileStatus, _ checkpoint: Checkpoint) -> Bool {
        status.size == bytes && status.inode == inode && status.modified == modified
            && tree.size == checkpoint.size && tree.root == checkpoint.root
    }
}
