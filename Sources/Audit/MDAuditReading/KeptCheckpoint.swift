import MDAuditLog
package import MDAuditRecord
package import MDPlatform

/// The checkpoint that root keeps beside the policy record, so that a log that was removed or exchanged is missed.
///
/// It is in a file of its own, because renewing it must not look like a change of policy to the readers of the record.
package enum KeptCheckpoint {
    /// The path under the root; only root writes there.
    package static let path = "/var/lib/managed-defaults/audit.checkpoint"

    /// Reads the checkpoint.
    ///
    /// - Returns: `nil` if none was kept.
    /// - Throws: `system` if it cannot be read; `badRecord` if the file is not a checkpoint.
    package static func read(_ root: Root) throws(AuditError) -> HeldCheckpoint? {
        let bytes: [UInt8]?
        do {
            bytes = try LogFiles.ifPresent { () throws(SystemError) in
                try root.read(path, limit: Checkpoint.longestText).bytes
            }
        } catch {
            throw .system(error)
        }
        guard let bytes else { return nil }
        let shown = Printable.escape(root.display(path))
        guard let checkpoint = Checkpoint(text: bytes) else {
            throw .badRecord("\(shown) is no checkpoint of a log")
        }
        return HeldCheckpoint(checkpoint, holder: shown, isNamed: false)
    }

    /// Replaces the kept checkpoint by the newest one of the log, if that continues it.
    ///
    /// A log that does not continue it is for people to look at: the checkpoint stays, and every check says so. The
    /// exception is a log that was set aside for a reason that its successor records.
    ///
    /// Complexity: O(n) in the records of one segment.
    ///
    /// - Returns: a sentence for people if the log does not continue it.
    /// - Throws: if the log cannot be read or the file not written.
    package static func renew(_ root: Root) throws(AuditError) -> String? {
        let held: HeldCheckpoint?
        do {
            held = try read(root)
        } catch {
            guard case .badRecord = error else { throw error }
            // A damaged file says nothing about the log; a new one does.
            held = nil
        }
        do throws(SystemError) {
            let text = try LogFiles.ifPresent { () throws(SystemError) in
                try root.read(LogFiles.current.checkpoint, limit: Checkpoint.longestText).bytes
            }
            guard let text, let newest = Checkpoint(text: text) else { return held.map { alarm($0, root) } }
            if let held, !newest.isSameCommitment(as: held.checkpoint) {
                let continues =
                    newest.origin == held.checkpoint.origin
                    ? try isContinued(held.checkpoint, root) : try isSetAside(held.checkpoint, root)
                switch continues {
                case .yes: break
                case .no: return alarm(held, root)
                case .unknown:
                    // It stays beside the new one: only that shows what was not compared.
                    try root.rename(path, to: "\(path).uncompared", replacing: true)
                    try root.replace(path, with: text, mode: 0o644)
                    return
                        "The checkpoint \(held.holder) of \(held.checkpoint.size) records lies among records that were "
                        + "deleted, and cannot be compared with the audit log; it is kept as \(held.holder).uncompared, "
                        + "and a new one in its place."
                }
            }
            if held?.checkpoint == newest { return nil }
            try root.replace(path, with: text, mode: 0o644)
            if root.mayExist(KeptLog.imageMark) { try root.remove(KeptLog.imageMark) }
            return nil
        } catch {
            throw .system(error)
        }
    }

    /// Whether a log continues a checkpoint.
    private enum Continuation {
        /// It has the records that the checkpoint covers, or says why it was begun again.
        case yes
        /// It has others.
        case no
        /// The records of the checkpoint's last segment were deleted, and the root of the whole segment says nothing of its
        /// parts.
        case unknown
    }

    /// Whether the records that a checkpoint covers are still those of the log.
    private static func isContinued(_ checkpoint: Checkpoint, _ root: Root) throws(SystemError) -> Continuation {
        do {
            var prover = try LogProver(root: root)
            return try prover.root(at: checkpoint.size) == checkpoint.root ? .yes : .no
        } catch {
            switch error {
            case .system(let error): throw error
            case .deleted: return .unknown
            case .noCheckpoint, .noSuchSize, .altered: return .no
            }
        }
    }

    /// Whether a log was set aside and is still there.
    private static func isSetAside(_ checkpoint: Checkpoint, _ root: Root) throws(SystemError) -> Continuation {
        let found = try LogFiles.ifPresent { () throws(SystemError) in
            try root.status(LogFiles.aside(checkpoint.logID).checkpoint, followingLinks: false)
        }
        return found == nil ? .no : .yes
    }

    /// The sentence about a log that does not continue the kept checkpoint.
    private static func alarm(_ held: HeldCheckpoint, _ root: Root) -> String {
        "The audit log does not continue the checkpoint \(held.holder) of \(held.checkpoint.size) records, which stays: "
            + "mdefaults audit verify says what is missing. Remove that file once it is known why."
    }
}
