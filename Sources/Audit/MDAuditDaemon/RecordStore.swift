import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDTools

/// The log of the service: writes batches, and goes on when the log cannot be written for some time.
///
/// A file without content beside the log reserves space. On a full disk it is given up, so that the records about the
/// failure itself can be stored; ordinary records are stored again once the space can be reserved again.
struct RecordStore: ~Copyable {
    /// The time since which the log cannot be written.
    private struct Failure {
        /// When it began.
        let since: Timestamp
        /// Why, as a clause.
        var reason: String
        /// When to try again, on the monotonic clock.
        var nextTry: Int64
        /// The number of attempts that were returned to their senders.
        var returned = 0
        /// Whether the log says that it could not be written.
        var isRecorded = false
    }

    /// The path of the file that reserves space.
    static let ballastPath = "/var/log/managed-defaults/ballast"
    /// Its size.
    private static let ballastSize = 1 << 20
    /// The longest wait for other writers at the beginning, when many may write the log themselves on a busy machine; a
    /// service manager waits for longer.
    private static let startSeconds = 30.0
    /// The longest wait for another writer; senders get their answers within 2 s.
    private static let lockSeconds = 1.0
    /// The same while the log counts as one that cannot be written: the record of that waits after the first wait.
    private static let lockSecondsOfFailure = 0.25

    /// The root of the machine.
    private let root: Root
    /// The time between attempts to write a log that could not be written.
    private let retryInterval: Int64
    /// How long records are retained; `nil` for what the administrator chose.
    private let limits: LogLimits?
    /// Whether the log had as many bytes as it may have when it was last opened.
    private(set) var isFull = false
    /// The bytes that are free for the records of all persons, less what was stored since the log was last opened.
    private(set) var freeBytes = 0
    /// What each person may have stored; charged by senders, renewed when the log is opened.
    var shares: PersonalShares
    /// The log; `nil` while it cannot be opened, and while nothing is to be stored.
    private var session: LogSession?
    /// The log as it was let go; `nil` if it never was.
    private var known: WrittenLog?
    /// The failure; `nil` if the log can be written.
    private var failure: Failure?
    /// When the log was last opened, which deletes what is too old, on the monotonic clock.
    private var lastOpening: Int64 = 0
    /// The system's log, which gets a duplicate of every record.
    private var systemLog: SystemLog
    /// The lines that it has not got yet.
    private var undelivered: [WrittenLines] = []
    /// The newest alarm about the log; `nil` after it was taken.
    private var alarm: String?

    /// Opens the log.
    ///
    /// - Returns: the log.
    /// - Throws: `busy` if another process writes it. With any other error the log counts as one that cannot be written
    ///   for some time.
    static func open(
        root: Root, retryInterval: Int64, limits: LogLimits?, persons: PersonalShares.Limits
    ) throws(AuditError) -> RecordStore {
        var store = RecordStore(root, retryInterval, limits, PersonalShares(limits: persons))
        do {
            try store.open(waiting: startSeconds)
            store.reserve()
        } catch {
            if case .busy = error { throw error }
            store.session = nil
            store.fail(error)
        }
        return store
    }

    private init(_ root: Root, _ retryInterval: Int64, _ limits: LogLimits?, _ shares: PersonalShares) {
        (self.root, self.retryInterval, self.limits, self.shares) = (root, retryInterval, limits, shares)
        systemLog = SystemLog(root: root)
        session = nil
    }

    /// The number of records in the log.
    var size: Int {
        switch session {
        case .some(let session): session.size
        case .none: known?.checkpoint.size ?? 0
        }
    }

    /// Why the log cannot be written, as a clause; `nil` if it can.
    var problem: String? { failure?.reason }

    /// Whether there are records that no checkpoint covers.
    var isCheckpointDue: Bool {
        switch session {
        case .some(let session): session.isCheckpointDue
        case .none: false
        }
    }

    /// Takes the newest alarm about the log.
    mutating func takeAlarm() -> String? {
        defer { alarm = nil }
        return alarm
    }

    /// The longest wait for another writer now.
    private var patience: Double { failure == nil ? RecordStore.lockSeconds : RecordStore.lockSecondsOfFailure }

    /// Opens the log unless it is open, so that no other process writes it before the next checkpoint.
    private mutating func hold() {
        if session == nil { try? open(waiting: patience) }
    }

    /// The time after which a log that nothing is stored in is opened, to delete what is too old, in microseconds.
    private static let retentionInterval: Int64 = 6 * 3_600 * 1_000_000

    /// Opens the log if another file has its name, so that an exchange is recorded, or if it was not opened for some hours.
    mutating func look(now: Int64) {
        guard session == nil,
            known?.isElsewhere(root) ?? false || now - lastOpening >= RecordStore.retentionInterval
        else { return }
        hold()
        guard session != nil else { return }
        // What opening the log found is recorded, and nothing else.
        _ = write(LogEntries())
        checkpoint()
        duplicate()
    }

    /// Opens the log.
    private mutating func open(waiting seconds: Double) throws(AuditError) {
        let opened = try LogSession.open(root: root, limits: limits, after: known, waiting: seconds)
        (isFull, freeBytes) = (opened.isFull, opened.freeBytes)
        shares.renew(root: root)
        lastOpening = Clock.monotonicMicroseconds()
        session = consume opened
    }

    /// Records that are on disk.
    struct Stored {
        /// The place of the first in the log.
        let first: Int
        /// How many of them there are, from the first on.
        let count: Int
    }

    /// Stores the records of senders, durably.
    ///
    /// - Parameters:
    ///   - entries: the records.
    ///   - now: the time on the monotonic clock.
    ///   - isWriting: called before anything is written, with the fingerprints of their lines.
    /// - Returns: which are stored: all, or none or the first ones after a failure.
    mutating func append(_ entries: LogEntries, now: Int64, isWriting: (ArraySlice<Int64>) -> Void) -> Stored? {
        guard let failed = failure else { return write(entries, isWriting: isWriting) }
        guard now >= failed.nextTry else { return nil }
        failure?.nextTry = now + retryInterval
        guard canReserve() else {
            recordFailure()
            return nil
        }
        var end = AuditRecord(
            kind: .gap,
            note: "The log could not be written: \(failed.reason). The count is that of the attempts that were "
                + "returned to their senders.")
        (end.count, end.first, end.last) = (failed.returned, failed.since, Clock.now())
        // Written as one, so that the gap is recorded exactly once.
        var all = entries
        all.prepend(end)
        guard let stored = write(all, isWriting: { isWriting($0.dropFirst()) }) else { return nil }
        if stored.count == all.count { failure = nil }
        return Stored(first: stored.first + 1, count: max(stored.count - 1, 0))
    }

    /// Stores records of the service itself, also on the space that was reserved.
    ///
    /// - Parameters:
    ///   - records: the records.
    ///   - isWriting: called before anything is written, with the fingerprints of their lines.
    /// - Returns: whether they are stored.
    mutating func appendOwn(
        _ records: [AuditRecord], isWriting: (ArraySlice<Int64>) -> Void = { _ in }
    ) -> Bool {
        records.isEmpty || write(LogEntries(records), isWriting: isWriting)?.count == records.count
    }

    /// Sends what was stored since the last call to the system's log, without waiting.
    mutating func duplicate() {
        for lines in undelivered { systemLog.duplicate(lines) }
        undelivered.removeAll(keepingCapacity: true)
    }

    /// Charges bytes that are to be stored; `nil` for records of the machine itself, which no person is charged for.
    mutating func charge(_ bytes: Int, to person: UInt32?) {
        freeBytes -= bytes
        if let person { shares.add(bytes, of: person, at: PersonalShares.Moment()) }
    }

    /// Counts attempts that were returned to their senders.
    mutating func countReturned(_ count: Int) {
        failure?.returned += count
    }

    /// Writes the checkpoint that covers all records, and lets go of the log, so that root's commands can write it too.
    mutating func checkpoint() {
        if let text = session?.checkpoint() { alarm = text }
        if let lines = session?.takeWritten() { undelivered.append(lines) }
        guard !isCheckpointDue else { return }
        known = session?.written ?? known
        shares.save(root: root)
        session = nil
    }

    /// Writes records.
    private mutating func write(
        _ entries: LogEntries, isWriting: (ArraySlice<Int64>) -> Void = { _ in }
    ) -> Stored? {
        do throws(AuditError) {
            if session == nil { try open(waiting: patience) }
            guard let result = try session?.append(entries, isWriting: isWriting) else { return nil }
            if let lines = session?.takeWritten() { undelivered.append(lines) }
            if let text = result.alarm { alarm = text }
            if let error = result.failure { fail(.system(error)) }
            return Stored(first: result.sequences?.lowerBound ?? size, count: result.sequences?.count ?? 0)
        } catch {
            fail(error)
            return nil
        }
    }

    /// Begins a failure, and gives up the reserved space.
    private mutating func fail(_ error: AuditError) {
        let reason: String
        switch error {
        case .system(let error): reason = error.text
        case .badRecord, .busy: reason = error.description
        }
        if failure != nil {
            failure?.reason = reason
            return
        }
        failure = Failure(
            since: Clock.now(), reason: reason, nextTry: Clock.monotonicMicroseconds() + retryInterval)
        try? root.remove(RecordStore.ballastPath)
        recordFailure()
    }

    /// Stores the record that the log could not be written, once.
    private mutating func recordFailure() {
        guard let failed = failure, !failed.isRecorded else { return }
        var record = AuditRecord(
            kind: .gap, note: "The log cannot be written since \(failed.since.rfc3339): \(failed.reason).")
        record.first = failed.since
        failure?.isRecorded = true
        if !appendOwn([record]) { failure?.isRecorded = false }
    }

    /// Reserves space; without it a full disk leaves no place for the record about itself.
    private func reserve() {
        _ = canReserve()
    }

    /// Whether the space can be reserved, or never could be.
    private func canReserve() -> Bool {
        do {
            _ = try ReservedFile.open(
                root: root, path: RecordStore.ballastPath, mode: 0o600, size: RecordStore.ballastSize)
            return true
        } catch {
            return !error.isNoSpace
        }
    }
}
