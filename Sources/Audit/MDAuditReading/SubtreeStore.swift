import MDAuditLog
import MDPlatform

/// The roots of parts of a log's tree, from the noted roots of segments and from the lines themselves.
struct SubtreeStore {
    /// The root that the log is under.
    private let root: Root
    /// The segments that are noted.
    private let noted: SegmentRoots
    /// The files after them, with the number of records before each.
    private var later: [(before: Int, path: String)] = []
    /// The files of the log.
    private let files: LogFiles
    /// The roots of all complete subtrees of the size of a segment.
    private var subtrees: [Digest]
    /// The digests of the lines of single subtrees, by their place.
    private var leaves: [Int: [Digest]] = [:]

    /// Reads the roots and what is after the noted segments.
    init(root: Root, files: LogFiles, origin: String, limits: LogLimits) throws(SystemError) {
        (self.root, self.files) = (root, files)
        let found = try SegmentRoots(root: root, path: files.roots)
        let noted =
            found.flatMap { $0.origin == origin ? $0 : nil } ?? SegmentRoots(origin: origin, size: limits.segment)
        self.noted = noted
        subtrees = noted.segments.flatMap(\.roots)
        var paths = try LogParts(root: root, files: files).segments.filter { $0.first > noted.records }.map(\.path)
        let log = try LogFiles.ifPresent { () throws(SystemError) in try root.status(files.log, followingLinks: true) }
        if log != nil { paths.append(files.log) }
        for path in paths {
            later.append((subtrees.count * noted.size, path))
            var rest = SegmentTree(subtreesOf: noted.size)
            try ReadFile(root: root, path: path).forEachLine { line in rest.append(leaf: line.leaf) }
            subtrees += rest.subtrees
        }
    }

    /// The largest power of two below a number of leaves, where RFC 6962 divides them.
    static func split(_ count: Int) -> Int {
        1 << (Int.bitWidth - 1 - (count - 1).leadingZeroBitCount)
    }

    /// The root of a range of leaves.
    ///
    /// Complexity: O(n) in the subtrees of the log; the lines of one subtree are read if the range is not made of whole
    /// ones.
    mutating func root(_ range: Range<Int>) throws(ProofError) -> Digest { try tree(range).root }

    /// The tree of a range of leaves.
    mutating func tree(_ range: Range<Int>) throws(ProofError) -> MerkleTree {
        var tree = MerkleTree()
        var place = range.lowerBound
        while place < range.upperBound {
            let (index, offset) = place.quotientAndRemainder(dividingBy: noted.size)
            if offset == 0, place + noted.size <= range.upperBound, index < subtrees.count {
                tree.append(subtree: subtrees[index], size: noted.size)
                place += noted.size
                continue
            }
            let leaves = try leaves(of: index)
            let end = min(range.upperBound - index * noted.size, noted.size)
            guard leaves.count >= end else { throw .altered }
            for leaf in leaves[offset..<end] { tree.append(leaf: leaf) }
            place = index * noted.size + end
        }
        return tree
    }

    /// The digests of the lines of a subtree.
    private mutating func leaves(of index: Int) throws(ProofError) -> [Digest] {
        if let leaves = leaves[index] { return leaves }
        let start = index * noted.size
        let segment = noted.segments.first { $0.first - 1 <= start && start < $0.last }
        if let segment, segment.deleted != nil { throw .deleted(segment.first...segment.last) }
        let file = segment.map { ($0.first - 1, files.segment($0.first)) } ?? later.last { $0.before <= start }
        guard let (before, path) = file else { return [] }
        var (digests, number) = ([Digest](), before)
        do throws(SystemError) {
            try ReadFile(root: root, path: path).forEachLine { line in
                if number >= start, digests.count < noted.size { digests.append(line.leaf) }
                number += 1
            }
        } catch {
            if error.isMissing { throw .altered }
            throw .system(error)
        }
        leaves[index] = digests
        return digests
    }
}
