package import Platform

/// The tamper-evident log of a root: `/var/log/managed-defaults/current.jsonl` and what stands beside it.
///
/// The value holds nothing open; each call opens, locks and releases. Any number of processes may append.
package struct AuditLog: Sendable {
    /// The path of the log under its root.
    package static let path = LogFiles.current.log

    /// The root that the log belongs to.
    let root: Root

    /// Names the log of a root; nothing is opened or made yet.
    package init(root: Root) {
        self.root = root
    }

    /// Stores records, durably, and commits to them with a new checkpoint.
    ///
    /// Fills in `seq`, and `time`, `boot`, `mono` and `host` where they are missing. Where the log turns out to be
    /// shorter than its checkpoint, or not what the checkpoint says, it is set aside and a new one is begun; where a
    /// crash tore off the last line, that is cut away. Both leave a `recover` record and, the former, an alarm.
    ///
    /// Complexity: O(log n) in the records of the log; after a crash, O(n).
    ///
    /// - Parameters:
    ///   - records: the records, in their order.
    ///   - seconds: the longest wait for another writer.
    /// - Returns: the places of the records, and what people have to be told.
    /// - Throws: `busy` after that wait; `system` where a file cannot be read or written. Nothing is stored then.
    @discardableResult
    package func append(_ records: [AuditRecord], waiting seconds: Double = 5) throws(AuditError) -> AppendResult {
        do throws(SystemError) {
            try makeDirectory()
            let lock = try root.lock(LogFiles.lock, mode: 0o600, seconds: seconds)
            defer { withExtendedLifetime(lock) {} }
            var writer = try LogWriter.open(root: root)
            return try writer.append(records)
        } catch {
            throw error.isTimeout ? .busy(path: root.display(AuditLog.path)) : .system(error)
        }
    }

    /// Makes the directory of the log; on the system, members of the group adm may read in it.
    private func makeDirectory() throws(SystemError) {
        do throws(SystemError) {
            let status = try root.status(LogFiles.directory, followingLinks: true)
            if status.kind == .directory { return }
        } catch {
            guard error.isMissing else { throw error }
        }
        let above = LogFiles.directory.split(separator: "/").dropLast().joined(separator: "/")
        try root.createDirectory("/" + above, mode: 0o755)
        guard root.isSystem, let group = AccountDatabase(root: root).groupID(named: "adm") else {
            return try root.createDirectory(LogFiles.directory, mode: 0o750)
        }
        // The set-group-ID bit hands the group on to every file that is made in the directory.
        try root.createDirectory(LogFiles.directory, mode: 0o2750)
        try root.changeOwner(ofDirectory: LogFiles.directory, user: root.owner, group: group)
    }
}
