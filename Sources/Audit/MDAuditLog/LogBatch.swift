import MDAuditRecord
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
    /// The tree of all lines, after ``hash()``.
    private(set) var tree: SegmentTree
    /// The fingerprints of the lines (``Digest/fingerprint``), after ``hash()``.
    private(set) var fingerprints: [Int64] = []
    /// The last place where a segment is full; a segment that becomes full before is not divided, and has several roots.
    private(set) var full: Full?
    /// Where each line begins and where it ends, two numbers a line.
    private var places: [Int] = []

    /// Begins after the lines of a tree, with room for lines of so many bytes.
    init(after tree: SegmentTree, bytes count: Int) {
        self.tree = tree
        bytes.reserveCapacity(count)
    }

    /// The number of the next line.
    var next: Int { tree.size + places.count / 2 + 1 }

    /// Adds a line, without its line feed.
    mutating func append(line: [UInt8]) {
        let start = bytes.count
        bytes += line
        endLine(from: start)
    }

    /// The most bytes that a line has before the fields that are added.
    static let longestHead = 40

    /// Adds the line of a record that lacks only its number.
    ///
    /// - Parameter fields: the fields after the number, with the brace that ends the line.
    mutating func append(fields: ArraySlice<UInt8>) {
        let start = bytes.count
        bytes += AuditRecord.lineHead
        bytes += String(next).utf8
        bytes.append(UInt8(ascii: ","))
        bytes += fields
        endLine(from: start)
    }

    /// Ends the line that begins at a place.
    private mutating func endLine(from start: Int) {
        places.append(start)
        places.append(bytes.count)
        bytes.append(0x0a)
    }

    /// Hashes the lines, which is faster for all of them than for one after the other, and adds them to the tree.
    mutating func hash() {
        let leaves = MerkleTree.leaves(bytes, places)
        fingerprints += leaves.map(\.fingerprint)
        let all = tree.size + leaves.count
        let whole = all - all % tree.count - tree.size
        if whole > 0 {
            tree.append(leaves: Array(leaves[..<whole]))
            full = Full(bytes: places[2 * whole - 1] + 1, tree: tree)
            tree.append(leaves: Array(leaves[whole...]))
        } else {
            tree.append(leaves: leaves)
        }
        places = []
    }

    /// The tree of all lines, without the subtrees of the segment that was full.
    func tree(after full: Full) -> SegmentTree {
        var tree = tree
        tree.forgetSubtrees()
        return tree
    }
}
