package import MDAuditLog
package import MDPlatform

/// Why something could not be proven of a log.
package enum ProofError: Error, Hashable, Sendable {
    /// A file could not be read.
    case system(SystemError)
    /// There is no checkpoint, or it is damaged; the sentence has no full stop.
    case noCheckpoint(String)
    /// There are not as many records.
    case noSuchSize(Int, records: Int)
    /// The records were deleted, and only the root of all of them together is known.
    case deleted(ClosedRange<Int>)
    /// The records are not those that the checkpoint covers.
    case altered
}

extension ProofError: CustomStringConvertible {
    /// A sentence for people.
    package var description: String {
        switch self {
        case .system(let error): "The log could not be read: \(error)."
        case .noCheckpoint(let reason): "\(reason)."
        case .noSuchSize(let size, let records): "The checkpoint covers \(records) records, and \(size) is beyond them."
        case .deleted(let range):
            "The records \(range.lowerBound) to \(range.upperBound) were deleted; only the root of all of them together "
                + "is known, which proves nothing of one."
        case .altered:
            "The records are not those that the checkpoint covers; mdefaults audit verify says which."
        }
    }
}

/// Makes proofs about the records that a log's newest checkpoint covers (RFC 6962, sections 2.1.1 and 2.1.2).
///
/// It reads the records after all segments, and of segments only those that a proof needs.
package struct LogProver {
    /// The newest checkpoint.
    package let checkpoint: Checkpoint
    /// The subtrees that proofs are made of.
    private var store: SubtreeStore

    /// Reads the checkpoint, the roots and the records after them.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - files: the files of the log.
    ///   - limits: how long records are retained.
    /// - Throws: if there is no checkpoint, a file cannot be read, or the records are not those that it covers.
    package init(root: Root, files: LogFiles = .current, limits: LogLimits = LogLimits()) throws(ProofError) {
        let shown = Printable.escape(root.display(files.checkpoint))
        let text: [UInt8]?
        do {
            text = try LogFiles.ifPresent { () throws(SystemError) in
                try root.read(files.checkpoint, limit: Checkpoint.longestText).bytes
            }
        } catch {
            throw .system(error)
        }
        guard let text else { throw .noCheckpoint("There is no checkpoint \(shown)") }
        guard let checkpoint = Checkpoint(text: text) else {
            throw .noCheckpoint("The checkpoint \(shown) is not as it was written")
        }
        self.checkpoint = checkpoint
        do {
            store = try SubtreeStore(root: root, files: files, origin: checkpoint.origin, limits: limits)
        } catch {
            throw .system(error)
        }
        guard try store.root(0..<checkpoint.size) == checkpoint.root else { throw .altered }
    }

    /// The root of the first records.
    package mutating func root(at size: Int) throws(ProofError) -> Digest {
        try tree(at: size).root
    }

    /// The tree of the first records, to be continued.
    package mutating func tree(at size: Int) throws(ProofError) -> MerkleTree {
        try require(size)
        return try store.tree(0..<size)
    }

    /// The hashes that lead from a record to the root of the checkpoint, the record's sibling first.
    ///
    /// - Parameter seq: the number of the record, from 1 on.
    /// - Returns: the hashes.
    /// - Throws: if the checkpoint does not cover the record, or it was deleted.
    package mutating func inclusion(of seq: Int) throws(ProofError) -> [Digest] {
        try require(seq)
        guard seq > 0 else { throw .noSuchSize(seq, records: checkpoint.size) }
        var range = 0..<checkpoint.size
        let place = seq - 1
        var proof: [Digest] = []
        while range.count > 1 {
            let middle = range.lowerBound + SubtreeStore.split(range.count)
            if place < middle {
                proof.append(try store.root(middle..<range.upperBound))
                range = range.lowerBound..<middle
            } else {
                proof.append(try store.root(range.lowerBound..<middle))
                range = middle..<range.upperBound
            }
        }
        // A record of a deleted segment has no hash of its own any more.
        _ = try store.root(range)
        return proof.reversed()
    }

    /// The hashes that show that the tree of a size continues that of a smaller one.
    ///
    /// - Parameters:
    ///   - old: the smaller number of records.
    ///   - new: the larger number of records.
    /// - Returns: the hashes.
    /// - Throws: if the checkpoint does not cover as many records, or those that are needed were deleted.
    package mutating func consistency(from old: Int, to new: Int) throws(ProofError) -> [Digest] {
        try require(new)
        guard old <= new else { throw .noSuchSize(old, records: new) }
        guard old > 0, old < new else { return [] }
        var (range, isWhole) = (0..<new, true)
        var proof: [Digest] = []
        while old != range.upperBound {
            let middle = range.lowerBound + SubtreeStore.split(range.count)
            if old <= middle {
                proof.append(try store.root(middle..<range.upperBound))
                range = range.lowerBound..<middle
            } else {
                proof.append(try store.root(range.lowerBound..<middle))
                range = middle..<range.upperBound
                isWhole = false
            }
        }
        // The verifier knows the root of the smaller tree if that is one of the subtrees.
        if !isWhole { proof.append(try store.root(range)) }
        return proof.reversed()
    }

    /// Requires that the checkpoint covers as many records.
    private func require(_ size: Int) throws(ProofError) {
        guard (0...checkpoint.size).contains(size) else { throw .noSuchSize(size, records: checkpoint.size) }
    }
}
