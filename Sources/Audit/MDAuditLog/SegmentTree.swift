package import MDPlatform

/// A tree that grows leaf by leaf, and also yields the roots of the complete subtrees of one size that it passes.
package struct SegmentTree: Sendable {
    /// The number of leaves of such a subtree, a power of two.
    package let count: Int
    /// The roots of the subtrees that were completed since the value was made or ``forgetSubtrees()`` was called.
    package private(set) var subtrees: [Digest] = []
    /// The tree of all complete subtrees.
    private var whole: MerkleTree
    /// The tree of the leaves after them.
    private var rest: MerkleTree

    /// Continues a tree.
    ///
    /// - Parameters:
    ///   - tree: the tree of the leaves so far.
    ///   - count: the number of leaves of a subtree, a power of two.
    package init(_ tree: MerkleTree = MerkleTree(), subtreesOf count: Int) {
        self.count = count
        rest = tree.rest(after: count)
        let roots = Array(tree.frontier.dropLast(rest.frontier.count))
        whole = MerkleTree(size: tree.size - rest.size, frontier: roots) ?? MerkleTree()
    }

    /// The number of leaves.
    package var size: Int { whole.size + rest.size }

    /// Whether the last subtree is complete.
    package var isComplete: Bool { rest.size == 0 }

    /// The tree of all leaves.
    ///
    /// Complexity: O(log n).
    package var tree: MerkleTree {
        var tree = whole
        tree.append(rest)
        return tree
    }

    /// Adds the digest of a leaf.
    ///
    /// Complexity: O(1), amortized.
    package mutating func append(leaf: Digest) {
        rest.append(leaf: leaf)
        complete()
    }

    /// Adds the digests of leaves.
    ///
    /// Complexity: O(n).
    package mutating func append(leaves: [Digest]) {
        var left = leaves[...]
        while !left.isEmpty {
            let part = left.prefix(count - rest.size)
            rest.append(leaves: part)
            complete()
            left = left.dropFirst(part.count)
        }
    }

    /// Moves the leaves of a complete subtree to the tree of all.
    private mutating func complete() {
        guard rest.size == count, let root = rest.frontier.first else { return }
        subtrees.append(root)
        whole.append(subtree: root, size: count)
        rest = MerkleTree()
    }

    /// Begins a new list of completed subtrees.
    mutating func forgetSubtrees() { subtrees = [] }
}
