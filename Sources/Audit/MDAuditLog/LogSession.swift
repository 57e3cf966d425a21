package import MDAuditRecord
package import MDPlatform

/// A log as a process wrote it, by which that process finds out that another is in its place.
package struct WrittenLog: Sendable {
    /// Its name, and the tree of its records.
    package let checkpoint: Checkpoint
    /// The file of its last records.
    fileprivate let file: FileStatus?

    /// Whether the log of a root is in another file now, which an exchange and the end of a segment lead to.
    package func isElsewhere(_ root: Root) -> Bool {
        guard let file, let named = try? root.status(LogFiles.current.log, followingLinks: false) else { return true }
        return !named.isSameFile(as: file)
    }
}

/// The tamper-evident log of a root, held open by one writer for a long time.
///
/// The lock of the log is held as long as the value lives. Records are on disk when ``append(_:)`` returns; the checkpoint
/// that covers them is written by ``checkpoint()``, so that many appends share one. If the process is killed in between,
/// the next writer retains every whole record.
package struct LogSession: ~Copyable {
    /// The root that the log belongs to.
    private let root: Root
    /// The lock; `nil` only while it is taken again.
    private var lock: FileLock?
    /// The open log.
    private var writer: LogWriter
    /// How long records are retained.
    private let limits: LogLimits?

    /// Opens the log of a root as ``AuditLog/append(_:waiting:)`` does, and locks it.
    ///
    /// Complexity: O(1); after a crash, O(n) in the records after the last full segment.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - limits: how long records are retained; `nil` for what the administrator chose.
    ///   - known: the log as this process wrote it before; if another is there, that is recorded with the next records.
    ///   - seconds: the longest wait for another writer.
    /// - Returns: the log.
    /// - Throws: `busy` after that wait; `system` if a file cannot be read or written.
    package static func open(
        root: Root, limits: LogLimits? = nil, after known: WrittenLog? = nil, waiting seconds: Double = 5
    ) throws(AuditError) -> LogSession {
        do throws(SystemError) {
            try AuditLog(root: root).makeDirectory()
            let lock = try lock(root, seconds: seconds)
            var writer = try LogWriter.open(root: root, limits: limits, after: known?.checkpoint)
            writer.retainByAge(now: Clock.now())
            return LogSession(root: root, lock: lock, writer: writer, limits: limits)
        } catch {
            throw error.isTimeout ? .busy(path: root.display(AuditLog.path)) : .system(error)
        }
    }

    /// The log as it is written.
    package var written: WrittenLog {
        WrittenLog(
            checkpoint: Checkpoint(origin: writer.origin, tree: writer.tree.tree), file: try? writer.file.status())
    }

    /// The number of records in the log.
    package var size: Int { writer.tree.size }

    /// Whether the log has as many bytes as it may have, and no segment is old enough to be deleted.
    package var isFull: Bool { writer.isFull }

    /// The bytes that are free for the records of all persons.
    package var freeBytes: Int { writer.freeBytes }

    /// Whether there are records that no checkpoint covers.
    package var isCheckpointDue: Bool { writer.isCheckpointDue }

    /// Stores records, durably; fills in what ``AuditLog/append(_:waiting:)`` fills in.
    ///
    /// The log is opened and inspected again first if another process exchanged or changed its files, or if the last
    /// append failed.
    ///
    /// - Parameters:
    ///   - entries: the records.
    ///   - isWriting: called before anything is written, with the fingerprints of the records' lines, by which
    ///     ``AuditLog/stored(among:)`` finds them.
    /// - Returns: the places of the records, and an alarm for people if something was wrong with the log; only the first
    ///   ones are stored if it has a failure.
    /// - Throws: an error after which none of them is stored.
    package mutating func append(
        _ entries: LogEntries, isWriting: (ArraySlice<Int64>) -> Void = { _ in }
    ) throws(AuditError) -> AppendResult {
        do throws(SystemError) {
            if !writer.isCurrent() { try reopen() }
            return try writer.append(entries, isWriting: isWriting)
        } catch {
            throw error.isTimeout ? .busy(path: root.display(AuditLog.path)) : .system(error)
        }
    }

    /// Stores records, durably.
    package mutating func append(_ records: [AuditRecord]) throws(AuditError) -> AppendResult {
        try append(LogEntries(records))
    }

    /// Takes the lines of the last append that are on disk, to send them to the system's log too.
    package mutating func takeWritten() -> WrittenLines? { writer.takeWritten() }

    /// Writes the checkpoint that covers all records, if there are new ones; where another log is in the place of this one,
    /// that log gets the record of it, and a checkpoint of its own.
    ///
    /// - Returns: an alarm for people if another log is there, or if the checkpoint could not be written; the next one
    ///   covers the same records.
    package mutating func checkpoint() -> String? {
        writer.commit()
        guard writer.isCheckpointDue else { return nil }
        guard writer.isElsewhere else { return writer.alarm }
        do throws(SystemError) {
            try reopen()
            let alarm = try writer.append(LogEntries()).alarm
            writer.commit()
            return alarm
        } catch {
            return "The audit log was exchanged, and what is there now cannot be used: \(error)."
        }
    }

    /// Opens the log again.
    private mutating func reopen() throws(SystemError) {
        let known = written.checkpoint
        // Records that were stored since the last checkpoint must be missed where they are gone.
        writer.commitIfOwn()
        try AuditLog(root: root).makeDirectory()
        // The old lock may be one of a file that is no longer there.
        lock = nil
        lock = try LogSession.lock(root, seconds: 1)
        writer = try LogWriter.open(root: root, limits: limits, after: known)
    }

    /// Locks the log with precedence, because this process holds it longest and others wait for its answers.
    ///
    /// It waits for at most two of any number of processes that write the log themselves.
    private static func lock(_ root: Root, seconds: Double) throws(SystemError) -> FileLock {
        try root.lockInTurn(LogFiles.lock, owner: nil, seconds: seconds, hasPrecedence: true)
    }
}
