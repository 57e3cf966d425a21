package import MDAuditRecord
package import MDPlatform

/// The tamper-evident log of a root: `/var/log/managed-defaults/current.jsonl` and the files beside it.
///
/// Each call opens, locks and closes the files. Any number of processes may append.
///
/// The writer is part of the client because programs that root runs write the log themselves; checking and queries are
/// in MDAudit.
package struct AuditLog: Sendable {
    /// The path of the log under its root.
    package static let path = LogFiles.current.log

    /// The root that the log belongs to.
    package let root: Root
    /// How long records are retained.
    private let limits: LogLimits?

    /// Makes a value for the log of a root; no file is opened or created yet.
    package init(root: Root, limits: LogLimits? = nil) {
        (self.root, self.limits) = (root, limits)
    }

    /// Stores records, durably, commits to them with a new checkpoint, and duplicates them in the system's log.
    ///
    /// Fills in `seq`, and `time`, `boot`, `mono` and `host` if they are missing. If the log is shorter than its
    /// checkpoint, or does not match it, it is set aside and a new one is begun, with a `recover` record and an alarm. If
    /// a crash tore the last line, that line is cut away, with a `recover` record.
    ///
    /// Complexity: O(log n) in the records of the log; after a crash, O(n) in those after the last full segment.
    ///
    /// - Parameters:
    ///   - records: the records, in their order.
    ///   - seconds: the longest wait for another writer.
    /// - Returns: the places of the records, and an alarm for people if the log had to be set aside; only the first ones
    ///   are stored if it has a failure.
    /// - Throws: `busy` after that wait; `system` if a file cannot be read or written. Nothing is stored then.
    @discardableResult
    package func append(_ records: [AuditRecord], waiting seconds: Double = 5) throws(AuditError) -> AppendResult {
        try storing(waiting: seconds) { (writer: inout LogWriter) throws(SystemError) in
            try writer.append(LogEntries(records))
        }
    }

    /// Stores what a piece of work appends to the log under its lock, commits to it, and duplicates it in the system's log.
    func storing(
        waiting seconds: Double, succeeding succession: LogAnnouncement? = nil,
        _ work: (inout LogWriter) throws(SystemError) -> AppendResult
    ) throws(AuditError) -> AppendResult {
        do throws(SystemError) {
            var written: WrittenLines?
            let result = try writing(waiting: seconds, succeeding: succession) {
                (writer: inout LogWriter) throws(SystemError) in
                let result = try work(&writer)
                writer.commit()
                written = writer.takeWritten()
                return AppendResult(sequences: result.sequences, alarm: writer.alarm, failure: result.failure)
            }
            if let written {
                var log = SystemLog(root: root)
                log.duplicate(written)
            }
            return result
        } catch {
            throw error.isTimeout ? .busy(path: root.display(AuditLog.path)) : .system(error)
        }
    }

    /// Opens the log for one piece of work, under its lock and as its owner.
    func writing<Result>(
        waiting seconds: Double, succeeding succession: LogAnnouncement? = nil,
        _ work: (inout LogWriter) throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        try makeDirectory()
        // A key of pseudonyms that is made has its own owner, so it is made before this thread takes on another.
        _ = Pseudonyms.current(of: root)
        try? Hardware.publish(root)
        // The folder belongs to the audit service, if there is one.
        let owner = try root.status(LogFiles.directory, followingLinks: true).owner
        return try CurrentThread.usingFiles(as: owner) { () throws(SystemError) in
            let lock = try root.lockInTurn(LogFiles.lock, owner: nil, seconds: seconds)
            defer { withExtendedLifetime(lock) {} }
            var writer = try LogWriter.open(root: root, limits: limits, succeeding: succession)
            return try work(&writer)
        }
    }

    /// The path of a file of the log that belongs to another user than the folder's owner; `nil` if there is none.
    ///
    /// The log is written as the folder's owner, so that such a file cannot be used.
    package var foreignFile: String? {
        guard let owner = try? root.status(LogFiles.directory, followingLinks: true).owner else { return nil }
        let paths = [LogFiles.current.log, LogFiles.lock] + LogFiles.replaced.map { "\(LogFiles.directory)/\($0)" }
        return paths.first { path in
            (try? root.status(path, followingLinks: false)).map { $0.owner != owner } ?? false
        }
    }

    /// Why records find no place in the log, as a clause; `nil` if they find one, or if this process cannot tell.
    package var fullness: String? {
        // So much the audit service keeps free, and without it stores nothing.
        if let free = try? root.freeSpace(LogFiles.directory), free < AuditLog.leastSpace {
            return "its file system has less than 1 MiB left"
        }
        let (limits, now) = (limits ?? LogLimits(of: root), Clock.now())
        let segments = (try? SegmentRoots(root: root, path: LogFiles.current.roots))?.segments ?? []
        // What is old enough makes place as soon as some is needed.
        let kept = segments.reduce(0) { sum, segment in
            segment.deleted != nil || limits.judge(segment, now: now).mayGo ? sum : sum + segment.bytes
        }
        let size = (try? root.status(AuditLog.path, followingLinks: false).size) ?? 0
        guard kept + size >= limits.mostBytes(root) else { return nil }
        return "it has as many bytes as it may have, and no record is old enough to be deleted"
    }

    /// The bytes that are free where records can be stored for some time.
    private static let leastSpace = 1 << 20

    /// Creates the directory of the log; under the system's root, members of the group adm may read in it.
    func makeDirectory() throws(SystemError) {
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
        // The set-group-ID bit gives every file that is created in the directory the same group.
        try root.createDirectory(LogFiles.directory, mode: 0o2750)
        try root.changeOwner(ofDirectory: LogFiles.directory, user: root.owner, group: group)
    }
}

/// The result of appending records to the log.
package struct AppendResult: Hashable, Sendable {
    /// The places of the records in the log, in their order; `nil` if there were none.
    package let sequences: ClosedRange<Int>?
    /// A sentence for people if something was wrong with the log; `nil` in the usual case.
    package let alarm: String?
    /// Why the records after these could not be stored; `nil` if all are.
    package let failure: SystemError?

    /// Makes a result.
    package init(sequences: ClosedRange<Int>?, alarm: String?, failure: SystemError? = nil) {
        (self.sequences, self.alarm, self.failure) = (sequences, alarm, failure)
    }
}
