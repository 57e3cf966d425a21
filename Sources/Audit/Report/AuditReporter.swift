package import Platform

/// Stores the records of one process: in the log where it may, else in the user's spool, with a duplicate in the system's
/// own log, from where the user cannot take it away.
///
/// No call blocks for longer than 5 s. Equal override attempts, and equal writes that were refused because policy is
/// unknown, within 10 s are joined; ``flush()`` before the process ends stores what was counted. What a process counted
/// and did not flush, because it was killed, is lost with it; the first of the attempts is not.
package final class AuditReporter: Sendable {
    /// What changes from call to call.
    private struct State {
        /// The attempts that are being counted.
        var coalescer = AttemptCoalescer()
        /// The newest thing that people have to be told about the log.
        var alarm: String?
    }

    /// How long the log is waited for; a second of the 5 is left for the spool.
    private static let logSeconds = 4.0
    /// How long the spool is waited for.
    private static let spoolSeconds = 1.0

    /// The root that the log belongs to.
    private let root: Root
    /// The user's spool, if there is a place for it.
    private let spool: Spool?
    /// Whether the spool is in the home that the user database names.
    private let isHomeKnown: Bool
    /// Where this process is; `nil` if its own names and ids say it.
    private let origin: RecordOrigin?
    /// What changes from call to call.
    private let state = Guarded(State())

    /// Makes a reporter; nothing is opened or made yet.
    ///
    /// - Parameters:
    ///   - root: the root whose policy was consulted.
    ///   - stateDirectory: `.local/state/managed-defaults` in the user's home, as a path under the root.
    ///   - isHomeKnown: whether that is the home of the user database; if not, records in the spool say so.
    ///   - origin: where this process is; `nil` if its own names and ids say it.
    package init(root: Root, stateDirectory: String?, isHomeKnown: Bool = true, origin: RecordOrigin? = nil) {
        self.root = root
        self.isHomeKnown = isHomeKnown
        self.origin = origin
        spool = stateDirectory.map { Spool(root: root, directory: $0) }
    }

    /// The newest thing that people have to be told about the log, as a sentence.
    package func alarm() -> String? {
        state.withLock { $0.alarm }
    }

    /// Stores or counts a record, filling in what the kernel says of this process.
    package func report(_ record: AuditRecord) -> Delivery {
        var record = record
        record.src = record.src ?? .client
        // The rest is filled in when the record is stored: an attempt that is only counted costs no file access.
        record.uid = record.uid ?? CurrentProcess.uid
        let time = record.time ?? Clock.now()
        record.time = time
        // What was written, and not what was found, may come as often as a program likes.
        guard record.kind == .override || record.via != nil else { return deliver([record]).last ?? .counted }
        let attempt = record
        let decision = state.withLock { state in
            state.coalescer.take(attempt, time: time, monotonic: Clock.monotonicMicroseconds())
        }
        let deliveries = deliver(decision.records)
        return decision.isCounted ? .counted : deliveries.last ?? .counted
    }

    /// Stores records of other kinds than attempts at once, which costs hardly more than to store one.
    package func report(_ records: [AuditRecord]) -> [Delivery] {
        let time = Clock.now()
        return deliver(
            records.map { record in
                var record = record
                (record.src, record.uid) = (record.src ?? .client, record.uid ?? CurrentProcess.uid)
                record.time = record.time ?? time
                return record
            })
    }

    /// Stores the counts of all attempts that were joined.
    package func flush() -> [Delivery] {
        deliver(state.withLock { $0.coalescer.flush() })
    }

    /// Whether this process is the one that writes the log: root, or the owner of the folder.
    private var mayWriteLog: Bool {
        let user = CurrentProcess.euid
        return user == 0 || user == root.owner
    }

    /// Stores records, each somewhere.
    private func deliver(_ records: [AuditRecord]) -> [Delivery] {
        if records.isEmpty { return [] }
        let records = records.map { record in
            var record = record
            record.fillInProcess()
            if let origin { record.place(in: origin) }
            record.fillInMachine(root: root)
            return record
        }
        var reason: String?
        if mayWriteLog {
            do throws(AuditError) {
                let result = try AuditLog(root: root).append(records, waiting: AuditReporter.logSeconds)
                if let alarm = result.alarm { state.withLock { $0.alarm = alarm } }
                if let sequences = result.sequences { return sequences.map(Delivery.stored) }
            } catch {
                reason = "The audit log could not be written: \(error)."
            }
        }
        if let reason { state.withLock { $0.alarm = reason } }
        return records.map { deliver($0, after: reason) }
    }

    /// Keeps a record in the spool, and a duplicate in the system's log.
    private func deliver(_ record: AuditRecord, after reason: String?) -> Delivery {
        var record = record
        let isDuplicated = SystemLog(root: root).send(record)
        if !isDuplicated { record.note = AuditRecord.notDuplicated(record.note) }
        let delivery = keep(record, after: reason)
        guard isDuplicated, case .lost(let why) = delivery else { return delivery }
        return .lost(why + " The log service of the system has a duplicate.")
    }

    /// Keeps a record in the spool.
    private func keep(_ record: AuditRecord, after reason: String?) -> Delivery {
        guard let spool else {
            return .lost(reason ?? "This process may not write the audit log, and has no directory for a spool.")
        }
        let before = reason.map { $0 + " " } ?? ""
        var record = record
        if !isHomeKnown { record.note = AuditRecord.note(record.note, with: AuditRecord.homeOfEnvironment) }
        do {
            if try spool.keep(record, waiting: AuditReporter.spoolSeconds) { return .spooled(root.display(spool.path)) }
            return .lost("\(before)The spool \(root.display(spool.path)) is full; the attempt is only counted there.")
        } catch {
            return .lost("\(before)The spool could not be written: \(error).")
        }
    }
}
