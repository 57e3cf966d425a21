import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList

/// Makes batches of a machine's log: the lines as they stand in its files, and in the place of deleted ones their roots.
struct LogSender {
    /// The bytes of lines that are tried first: packed they are rarely more than a batch may have.
    private static let usualBytes = 6 << 20
    /// How often a batch is made smaller.
    private static let mostTries = 16

    /// A batch, ready to be sent.
    struct Packed {
        /// The id of the log.
        let log: String
        /// The numbers of its first and last record.
        let first: Int
        let last: Int
        /// The time of its first record; `nil` if that was deleted, or has none.
        let since: Timestamp?
        /// The batch, packed.
        let bytes: [UInt8]
    }

    private let root: Root
    /// The newest checkpoint.
    private let newest: Checkpoint
    private var prover: LogProver

    /// Reads the log of a machine.
    ///
    /// - Throws: if the log cannot be read, or is not what its checkpoint says.
    init(_ root: Root) throws(FleetFault) {
        self.root = root
        do throws(ProofError) {
            do throws(ProofError) {
                prover = try LogProver(root: root)
            } catch {
                // A segment may have ended meanwhile.
                guard error == .altered else { throw error }
                prover = try LogProver(root: root)
            }
        } catch {
            throw LogSender.fault(error)
        }
        newest = prover.checkpoint
    }

    /// Whether the log has these records; `nil` if the ones that would show it were deleted.
    mutating func has(_ size: Int, _ digest: Digest) throws(FleetFault) -> Bool? {
        guard size <= newest.size else { return false }
        do throws(ProofError) {
            return try prover.root(at: size) == digest
        } catch {
            if case .deleted = error { return nil }
            throw LogSender.fault(error)
        }
    }

    /// Packs what follows a number of records, as much as a batch may have.
    ///
    /// - Parameters:
    ///   - size: the number of records that the collector has; fewer than the newest checkpoint covers.
    ///   - signer: the key that signs the checkpoint; `nil` for none.
    /// - Throws: if the records cannot be read, packed or signed.
    /// - Returns: the batch. If the records around its first one were deleted, it begins with the first of these.
    mutating func pack(after size: Int, signer: CheckpointSigner?) throws(FleetFault) -> Packed {
        var most = LogSender.usualBytes
        for _ in 0..<LogSender.mostTries {
            let (batch, since) = try batch(after: size, bytes: most, signer)
            let bytes = try Gzip.pack(batch.bytes)
            if bytes.count <= SpoolName.Kind.batch.limit {
                return Packed(
                    log: batch.log, first: batch.first, last: batch.last, since: since, bytes: bytes)
            }
            most = most * SpoolName.Kind.batch.limit / bytes.count * 9 / 10
        }
        throw FleetFault("record \(size + 1) of the audit log cannot be packed")
    }

    /// Makes the batch of the records after a number of them, with lines of about so many bytes.
    private mutating func batch(
        after size: Int, bytes most: Int, _ signer: CheckpointSigner?
    ) throws(FleetFault) -> (RecordBatch, since: Timestamp?) {
        var lines = BatchLines(try start(after: size), until: newest.size, bytes: most)
        let first = lines.next
        do throws(SystemError) {
            try read(&lines)
        } catch {
            throw FleetFault("the audit log could not be read: \(error)")
        }
        guard lines.next > first else {
            throw FleetFault(
                "record \(lines.next) of the audit log is missing, and nothing says that it was deleted; mdefaults audit "
                    + "verify says more")
        }
        let last = lines.next - 1
        guard try has(last, lines.tree.root) == true else {
            throw FleetFault("the audit log changed while it was read")
        }
        var checkpoint = last == newest.size ? newest : Checkpoint(origin: newest.origin, tree: lines.tree)
        if let signer {
            do throws(CheckpointSigningError) {
                checkpoint.signatures.append(try signer.signature(of: checkpoint))
            } catch {
                throw FleetFault("\(error)")
            }
        }
        return (RecordBatch(first: first, last: last, parts: lines.parts, checkpoint: checkpoint), lines.since)
    }

    /// The tree of the records before a batch; it ends before a segment that was deleted.
    private mutating func start(after size: Int) throws(FleetFault) -> MerkleTree {
        do throws(ProofError) {
            do throws(ProofError) {
                return try prover.tree(at: size)
            } catch {
                guard case .deleted(let range) = error else { throw error }
                return try prover.tree(at: range.lowerBound - 1)
            }
        } catch {
            throw LogSender.fault(error)
        }
    }

    /// Reads the files and the roots of deleted segments in the order of their records.
    private func read(_ lines: inout BatchLines) throws(SystemError) {
        // Held open, because it may become a segment meanwhile.
        let current = try LogFiles.ifPresent { () throws(SystemError) in
            try ReadFile(root: root, path: LogFiles.current.log)
        }
        let status: FileStatus?
        switch current {
        case .some(let file): status = try file.status()
        case .none: status = nil
        }
        let present = try LogParts(root: root, files: .current).segments(before: status, in: root)
        let found = try SegmentRoots(root: root, path: LogFiles.current.roots)
        let noted = found.flatMap { $0.origin == newest.origin ? $0 : nil }
        while !lines.isFull {
            let before = lines.next
            let segment = noted?.segments.first { ($0.first...$0.last).contains(before) }
            if let noted, let segment, segment.deleted != nil {
                lines.add(deleted: segment, of: noted.size)
            } else if let file = present.last(where: { $0.first <= before }),
                segment != nil || before > noted?.records ?? 0
            {
                try lines.add(ReadFile(root: root, path: file.path), from: file.first)
            }
            if lines.next == before { break }
        }
        guard !lines.isFull, case .some(let file) = current else { return }
        let head = try file.read(offset: 0, count: AuditRecord.longestLine).prefix { $0 != 0x0a }
        guard let first = (try? AuditRecord(line: head))?.seq else { return }
        try lines.add(file, from: first)
    }

    /// Why the log cannot be sent.
    private static func fault(_ error: ProofError) -> FleetFault {
        let text = error.description
        return FleetFault(text.hasSuffix(".") ? String(text.dropLast()) : text)
    }
}

/// The lines of a batch, gathered from one file after the other.
private struct BatchLines {
    /// Lines and gaps.
    private(set) var parts: [RecordBatch.Part] = []
    /// The tree of all records so far.
    private(set) var tree: MerkleTree
    /// The time of the first record.
    private(set) var since: Timestamp?
    /// The number of the last record that the checkpoint covers.
    private let end: Int
    /// The bytes that are left.
    private var left: Int

    init(_ tree: MerkleTree, until end: Int, bytes: Int) {
        (self.tree, self.end, left) = (tree, end, bytes)
    }

    /// The number of the next record.
    var next: Int { tree.size + 1 }

    /// Whether nothing more is to be added.
    var isFull: Bool { next > end || left <= 0 }

    /// Adds the roots of a segment that was deleted.
    mutating func add(deleted segment: LogSegment, of size: Int) {
        guard segment.first == next, segment.last <= end else { return }
        for root in segment.roots {
            parts.append(.deleted(first: next, last: next + size - 1, roots: [root]))
            tree.append(subtree: root, size: size)
        }
    }

    /// Adds the lines of a file whose first record has a number.
    mutating func add(_ file: borrowing ReadFile, from first: Int) throws(SystemError) {
        var (lines, number, copy): ([[UInt8]], Int, BatchLines) = ([], first, self)
        _ = try file.forEachLine { line in
            defer { number += 1 }
            guard number == copy.next, !copy.isFull, !line.isTooLong else { return }
            // The first line always finds a place.
            let cost = line.length + 1
            guard copy.left >= cost || (lines.isEmpty && copy.parts.isEmpty) else {
                copy.left = 0
                return
            }
            copy.left -= cost
            if copy.parts.isEmpty, lines.isEmpty { copy.since = (try? AuditRecord(line: line.bytes))?.time }
            lines.append(Array(line.bytes))
            copy.tree.append(leaf: line.leaf)
        }
        if !lines.isEmpty { copy.parts.append(.lines(lines)) }
        self = copy
    }
}
