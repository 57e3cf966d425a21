package import MDPlatform

/// The root of a growing list of lines, as RFC 6962 section 2.1 defines it.
///
/// Only the roots of the complete subtrees are stored, one for each bit of the size, so the state is O(log n).
package struct MerkleTree: Hashable, Sendable {
    /// The number of leaves.
    package private(set) var size: Int
    /// The roots of the complete subtrees, the largest first.
    package private(set) var frontier: [Digest]

    /// Makes the tree of no leaves.
    package init() {
        size = 0
        frontier = []
    }

    /// Restores a tree; `nil` if the number of roots does not match the size.
    package init?(size: Int, frontier: [Digest]) {
        guard size >= 0, size.nonzeroBitCount == frontier.count else { return nil }
        self.size = size
        self.frontier = frontier
    }

    /// The root of the whole tree; for no leaves, the digest of no bytes.
    ///
    /// Complexity: O(log n).
    package var root: Digest {
        guard var result = frontier.last else { return SHA256.hash([]) }
        for left in frontier.dropLast().reversed() { result = MerkleTree.node(left, result) }
        return result
    }

    /// Adds the digest of a leaf.
    ///
    /// Complexity: O(1), amortized.
    package mutating func append(leaf: Digest) {
        var digest = leaf
        var bits = size
        while bits & 1 == 1, let left = frontier.popLast() {
            digest = MerkleTree.node(left, digest)
            bits >>= 1
        }
        frontier.append(digest)
        size += 1
    }

    /// Adds the digests of leaves.
    ///
    /// Complexity: O(n); the nodes of a subtree that is completed by them are hashed together.
    package mutating func append(leaves: ArraySlice<Digest>) {
        var rest = leaves
        while !rest.isEmpty {
            // The largest complete subtree that the leaves fill.
            let most = 1 << (Int.bitWidth - 1 - rest.count.leadingZeroBitCount)
            let count = size == 0 ? most : min(most, 1 << min(size.trailingZeroBitCount, Int.bitWidth - 2))
            var level = Array(rest.prefix(count))
            while level.count > 1 { level = SHA256.digests(prefix: MerkleTree.nodePrefix, ofPairs: level) }
            append(subtree: level[0], size: count)
            rest = rest.dropFirst(count)
        }
    }

    /// Adds a complete subtree of a power of two of leaves; the size must be a multiple of that.
    ///
    /// Complexity: O(log n).
    package mutating func append(subtree: Digest, size count: Int) {
        var (digest, bits) = (subtree, size / count)
        while bits & 1 == 1, let left = frontier.popLast() {
            digest = MerkleTree.node(left, digest)
            bits >>= 1
        }
        frontier.append(digest)
        size += count
    }

    /// Adds the leaves of another tree, whose size is at most the power of two that the size is a multiple of.
    ///
    /// Complexity: O(log n).
    package mutating func append(_ tree: MerkleTree) {
        var rest = tree.size
        for root in tree.frontier {
            let count = 1 << (Int.bitWidth - 1 - rest.leadingZeroBitCount)
            append(subtree: root, size: count)
            rest -= count
        }
    }

    /// The tree of the leaves after the last multiple of a power of two.
    package func rest(after count: Int) -> MerkleTree {
        let size = size % count
        return MerkleTree(size: size, frontier: Array(frontier.suffix(size.nonzeroBitCount))) ?? MerkleTree()
    }

    /// Adds a line, without its line feed.
    package mutating func append(line: [UInt8]) {
        append(leaf: MerkleTree.leaf(line))
    }

    /// The digest of a leaf: of a zero byte and the line.
    package static func leaf(_ line: [UInt8]) -> Digest {
        var hash = LeafHash()
        hash.update(line[...])
        return hash.finish()
    }

    /// The digests of the leaves of lines, which are parts of some bytes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - places: where each line begins and where it ends, two numbers a line.
    /// - Returns: the digests, in the order of the lines.
    static func leaves(_ bytes: [UInt8], _ places: [Int]) -> [Digest] {
        SHA256.digests(prefix: leafPrefix, of: bytes, places)
    }

    /// The byte before a line, and the one before the digests of a node.
    fileprivate static let (leafPrefix, nodePrefix): (UInt8, UInt8) = (0x00, 0x01)

    /// The digest of an inner node: of a byte of value one and both digests below.
    package static func node(_ left: Digest, _ right: Digest) -> Digest {
        var hash = SHA256()
        hash.update(nodePrefix)
        hash.update(left)
        hash.update(right)
        return hash.finish()
    }
}

/// The digest of a leaf whose line arrives in pieces.
struct LeafHash {
    /// The hash, which begins with the zero byte that marks a leaf.
    private var hash: SHA256

    /// Begins a line.
    init() {
        hash = SHA256()
        hash.update(MerkleTree.leafPrefix)
    }

    /// Feeds the next bytes of the line.
    mutating func update(_ bytes: ArraySlice<UInt8>) {
        hash.update(bytes)
    }

    /// The digest of the leaf.
    func finish() -> Digest { hash.finish() }
}
