import MDAuditLog
package import MDAuditRecord
package import MDPlatform
import Synchronization

/// Stores the records of one process: what it claims with the audit service if that listens; else in the log if this
/// process may write it, else in the user's spool, with a duplicate in the system log, which the user cannot remove.
///
/// No call blocks for longer than 7 s: two for the service, four for the log and one for the spool. Equal override attempts,
/// and equal writes that were refused because policy is unknown, are joined within 10 s; ``flush()`` stores their counts,
/// so call it before the process ends. If the process is killed, counts that were not flushed are lost; the first
/// of the attempts is stored.
package final class AuditReporter: Sendable {
    /// The longest wait for the log.
    private static let logSeconds = 4.0
    /// The longest wait for the spool.
    private static let spoolSeconds = 1.0

    /// The root that the log belongs to.
    let root: Root
    /// The user's spool; `nil` if there is no place for it.
    private let spool: Spool?
    /// Whether the spool is in the home that the account database names.
    private let isHomeKnown: Bool
    /// The foreign user namespace of this process, if it runs in one.
    private let namespace: ForeignNamespace?
    /// The newest alarm about the log.
    private let lastAlarm = Guarded<String?>(nil)
    /// What each process has of this reporter, made where something is counted or sent first.
    private let channels = AtomicLazyReference<ProcessChannel>()

    /// Makes a reporter; no file is opened or created yet.
    ///
    /// - Parameters:
    ///   - root: the root whose policy applies.
    ///   - stateDirectory: `.local/state/managed-defaults` in the user's home, as a path under the root.
    ///   - isHomeKnown: whether the account database names that home; if not, records in the spool note it.
    ///   - namespace: the foreign user namespace of this process, if it runs in one.
    package init(root: Root, stateDirectory: String?, isHomeKnown: Bool = true, namespace: ForeignNamespace? = nil) {
        self.root = root
        self.isHomeKnown = isHomeKnown
        self.namespace = namespace
        spool = stateDirectory.map { Spool(root: root, directory: $0) }
    }

    /// The newest alarm about the log, as a sentence; `nil` if there was none.
    package func alarm() -> String? {
        lastAlarm.withLock { $0 }
    }

    /// What this process has of the reporter: the attempts that are counted, and the connection to the audit service.
    var channel: ProcessChannel { (channels.load() ?? channels.storeIfNil(ProcessChannel(root: root))).current }

    /// Stores or counts a record; the audit service, which is asked first, or this process fills in what the kernel says
    /// about it.
    package func report(_ record: AuditRecord) -> Delivery { report(record, asksService: true) }

    /// Stores or counts a record past the audit service.
    func reportHere(_ record: AuditRecord) -> Delivery { report(record, asksService: false) }

    /// Stores or counts a record.
    private func report(_ record: AuditRecord, asksService: Bool) -> Delivery {
        var record = record
        record.src = record.src ?? .client
        // The rest is filled in when the record is stored, so that an attempt that is only counted reads no file.
        record.uid = record.uid ?? CurrentProcess.uid
        let time = record.time ?? Clock.now()
        record.time = time
        // Only writes can repeat as fast as a program likes.
        guard record.kind == .override || record.via != nil else {
            return deliver([record], asksService: asksService).last ?? .counted
        }
        let (attempt, now, channel) = (WaitingAttempt(record, at: time), Clock.monotonicMicroseconds(), channel)
        var (counts, addition) = channel.windows.withLock { windows in
            // Without the service a channel's thread does that.
            let ended = asksService ? windows.close(monotonic: now).counts : []
            return (ended, windows.add(attempt, hash: AttemptWindows.hash(of: attempt), monotonic: now))
        }
        if case .separateAfter(let ended) = addition { counts.append(ended) }
        let isCounted = if case .counted = addition { true } else { false }
        let deliveries = deliver(records(of: counts) + (isCounted ? [] : [record]), asksService: asksService)
        for (ended, delivery) in zip(counts, deliveries) {
            if case .lost = delivery { channel.overflow.add(ended.weight) }
        }
        return isCounted ? .counted : deliveries.last ?? .counted
    }

    /// The records of attempts that were counted.
    private func records(of counts: [WaitingAttempt]) -> [AuditRecord] {
        counts.map { $0.attempt.record(of: $0, root: root) }
    }

    /// Stores records that are not attempts, all in one write.
    package func report(_ records: [AuditRecord]) -> [Delivery] {
        storeHere(records)
    }

    /// Stores records in the log or the spool, past the audit service, all in one write, and fills in what the kernel
    /// says about this process.
    ///
    /// - Parameters:
    ///   - records: the records.
    ///   - deadline: when to wait for the log no more; the usual time by default.
    /// - Returns: what became of each.
    func storeHere(_ records: [AuditRecord], until deadline: Deadline? = nil) -> [Delivery] {
        let time = Clock.now()
        return deliver(
            records.map { record in
                var record = record
                (record.src, record.uid) = (record.src ?? .client, record.uid ?? CurrentProcess.uid)
                record.time = record.time ?? time
                return record
            }, asksService: false, until: deadline)
    }

    /// Stores the counts of all attempts that were joined.
    package func flush() -> [Delivery] {
        guard let channel = channels.load()?.current else { return [] }
        return deliver(records(of: channel.windows.withLock { $0.close() }.counts), asksService: true)
    }

    /// Whether this process may write the log: it is root, or the owner of the root's folder.
    package var mayWriteLog: Bool {
        let user = CurrentProcess.euid
        return user == 0 || user == root.owner
    }

    /// Stores records with the audit service, else in the log; if that fails, in the spool.
    private func deliver(
        _ records: [AuditRecord], asksService: Bool, until deadline: Deadline? = nil
    ) -> [Delivery] {
        if records.isEmpty { return [] }
        // The service stores what programs claim; what administrators do is in the log at once.
        let turn = min(ServiceConnection.turn, deadline?.milliseconds ?? ServiceConnection.turn)
        if asksService, records.allSatisfy(\.isClaim), channel.connection.open(waiting: turn) {
            let (stored, rest) = ServiceDelivery.deliver(
                records, over: channel.connection,
                until: deadline ?? Deadline(milliseconds: ServiceProtocol.answerMilliseconds))
            return stored + deliver(rest, asksService: false, until: deadline)
        }
        // Records of an administrator's commands are found by the name too.
        let name =
            records.contains { $0.user == nil }
            ? AccountDatabase(root: root).account(uid: CurrentProcess.uid)?.name : nil
        let records = records.map { record in
            var record = record
            record.fillInProcess()
            if record.user == nil, record.uid == CurrentProcess.uid { record.user = name }
            if let namespace { record.fillIn(namespace) }
            record.fillInMachine(root: root)
            return record
        }
        var reason: String?
        var stored: [Delivery] = []
        if mayWriteLog {
            do throws(AuditError) {
                let result = try AuditLog(root: root).append(
                    records, waiting: deadline?.seconds ?? AuditReporter.logSeconds)
                if let alarm = result.alarm { lastAlarm.withLock { $0 = alarm } }
                stored = result.sequences?.map(Delivery.stored) ?? []
                if stored.count == records.count { return stored }
                if let failure = result.failure { reason = "The audit log could not be written: \(failure)." }
            } catch {
                reason = "The audit log could not be written: \(error)."
            }
        }
        if let reason { lastAlarm.withLock { $0 = reason } }
        // What a log service has stored cannot be made pseudonymous afterwards.
        let isOpen = !PrivacyMode(of: root).isPseudonymous
        var log = SystemLog(root: root)
        var isDuplicated: [Bool] = []
        let noted = records.dropFirst(stored.count).map { record in
            var record = record
            isDuplicated.append(isOpen && log.send(record.encoded()))
            if isOpen, isDuplicated.last == false { record.note = AuditRecord.notDuplicated(record.note) }
            if !isHomeKnown { record.note = AuditRecord.note(record.note, with: AuditRecord.homeOfEnvironment) }
            return record
        }
        return stored
            + zip(spool(noted, after: reason, until: deadline), isDuplicated).map { delivery, isDuplicated in
                guard isDuplicated, case .lost(let why) = delivery else { return delivery }
                return .lost(why + " The log service of the system has a duplicate.")
            }
    }

    /// Stores records in the spool, all in one write.
    private func spool(_ records: [AuditRecord], after reason: String?, until deadline: Deadline?) -> [Delivery] {
        guard let spool else {
            let why = reason ?? "This process may not write the audit log, and has no directory for a spool."
            return records.map { _ in .lost(why) }
        }
        let before = reason.map { $0 + " " } ?? ""
        let path = root.display(spool.path)
        // The sentence says where the records lie only to users that may take them into the log.
        let isTold = mayWriteLog
        do {
            let usual = AuditReporter.spoolSeconds
            return try spool.append(records, waiting: deadline?.seconds(until: usual) ?? usual).map { isStored in
                if isStored { return .spooled(path) }
                let name = isTold ? "The spool \(Printable.escape(path))" : "The spool"
                return .dropped("\(before)\(name) is full; the record is only counted there.")
            }
        } catch {
            let why = isTold ? error.description : error.text
            return records.map { _ in .lost("\(before)The spool could not be written: \(why).") }
        }
    }
}

/// The result of reporting a record.
package enum Delivery: Hashable, Sendable {
    /// It is in the log at this place, durably.
    case stored(Int)
    /// It equals one that is stored already; the count is stored when the window ends or at a flush.
    case counted
    /// It waits in the user's own spool, at this path.
    case spooled(String)
    /// The audit service has it and did not confirm it; what is known of it is a sentence.
    case unconfirmed(String)
    /// It is not stored, and counted in a record of kind `drop`; the reason is a sentence.
    case dropped(String)
    /// It is neither stored nor counted; the reason is a sentence.
    case lost(String)

    /// Why the record is not known to be stored, as a sentence; `nil` if it is stored, or waits.
    package var problem: String? {
        switch self {
        case .unconfirmed(let reason), .dropped(let reason), .lost(let reason): reason
        case .stored, .counted, .spooled: nil
        }
    }
}
