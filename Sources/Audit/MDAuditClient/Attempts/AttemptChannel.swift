package import MDAuditRecord
import MDPlatform
package import MDPropertyList
import Synchronization

/// Takes the audit records of one process without making it wait.
///
/// An attempt to set a forced key costs the caller at most one system call that never waits: it is sent to the audit
/// service. Without the service it waits in memory, at most 1,024 attempts, until another thread stores it in the log or
/// the spool (``AuditReporter``); further ones are counted. Equal attempts within 10 s are joined. ``flush()`` stores what
/// waits and every count, so call it before the process ends.
package final class AttemptChannel: Sendable {
    /// The time that attempts wait for others, in milliseconds.
    private static let storeDelay = 20
    /// The bytes that the first line of a message has at most.
    private static let headRoom = 64
    /// The time after which the service is asked to confirm, in milliseconds.
    package static let confirmDelay = 1_000
    /// The longest wait of another thread for the service, in milliseconds.
    private static let serviceWait = 1_000
    /// The longest wait for the service and the log at the end, in milliseconds.
    private static let flushWait = 2_000

    /// Stores what the service does not take.
    private let reporter: AuditReporter
    /// The part that belongs to the process that made this channel.
    private let first: ProcessChannel
    /// The threads, which live only while they have work.
    private struct Workers {
        /// Stores the waiting attempts.
        var store: DelayedWorker?
        /// Stores counts when their time is over.
        var close: DelayedWorker?
        /// Asks the service to confirm what it was sent.
        var confirm: DelayedWorker?
    }

    /// The threads.
    private let workers = Guarded(Workers())
    /// Why something was not recorded, as sentences.
    private let problems = Guarded<[String]>([])
    /// Called after a new one.
    private let problemHandler = Guarded<(@Sendable () -> Void)?>(nil)

    /// Makes a channel; nothing is opened and no thread is started yet.
    ///
    /// - Parameters:
    ///   - reporter: stores what the service does not take.
    ///   - confirmDelay: the time after which the service is asked to confirm, in milliseconds.
    package init(_ reporter: AuditReporter, confirmDelay: Int = AttemptChannel.confirmDelay) {
        self.reporter = reporter
        first = reporter.channel
        workers.withLock { workers in
            workers.store = DelayedWorker(delayMilliseconds: AttemptChannel.storeDelay) { [weak self] in
                self?.storeWaiting()
            }
            workers.close = DelayedWorker(delayMilliseconds: Int(AttemptWindows.length / 1_000) + 10) { [weak self] in
                self?.storeEnded()
            }
            workers.confirm = DelayedWorker(delayMilliseconds: confirmDelay) { [weak self] in
                self?.confirm()
            }
        }
    }

    /// What this process has of it.
    private var here: ProcessChannel { first.current }

    /// Hands over why something was not recorded, as sentences, since the last call.
    package func takeProblems() -> [String] {
        problems.withLock { problems in
            defer { problems = [] }
            return problems
        }
    }

    /// Calls a function after each new problem; it replaces the earlier one.
    package func onProblem(_ handler: @escaping @Sendable () -> Void) {
        problemHandler.withLock { $0 = handler }
    }

    /// Remembers what was not recorded.
    private func note(_ deliveries: [Delivery]) {
        let reasons = deliveries.compactMap(\.problem)
        if reasons.isEmpty { return }
        problems.withLock { problems in
            for reason in reasons where problems.count < 100 && !problems.contains(reason) { problems.append(reason) }
        }
        problemHandler.withLock { $0 }?()
    }
}

extension AttemptChannel {
    /// Records an attempt to set a forced key.
    ///
    /// Takes no lock that is held for longer than a few microseconds, opens no file, and makes at most one system call,
    /// which never waits; only the first of several attempts may also start a thread. A text, data or container of more
    /// than 64 bytes is digested first.
    ///
    /// - Parameters:
    ///   - attempt: the record but for the value.
    ///   - tried: the value.
    package func record(_ attempt: PreparedAttempt, _ tried: Value) {
        let here = here
        let waiting = WaitingAttempt(attempt: attempt, tried: ValueSummary(tried), time: Clock.now())
        let hash = AttemptWindows.hash(of: waiting)
        let now = Clock.monotonicMicroseconds()
        // If another thread has the table, the attempt is not joined.
        switch here.windows.tryWithLock({ $0.add(waiting, hash: hash, monotonic: now) }) ?? .separate {
        case .counted: return wake(\.close, here.isTimed)
        case .separate: break
        case .separateAfter(let counts):
            here.enqueue(counts)
            wake(\.store, here.isAwake)
        }
        switch AttemptChannel.send(waiting, over: here.connection) {
        case .sent: wake(\.confirm, here.isConfirming)
        case .full: break
        case .tooLong, .unconnected:
            here.enqueue(waiting)
            wake(\.store, here.isAwake)
        }
    }

    /// Sends an attempt; one whose secrecy is unknown has no line yet.
    private static func send(
        _ attempt: WaitingAttempt, over connection: ServiceConnection, countsFull: Bool = true
    ) -> ServiceConnection.Sending {
        guard let line = attempt.attempt.line else { return .unconnected }
        let isSecret = attempt.attempt.isKnownSecret
        return connection.send(attempt.weight, countsFull: countsFull) { bytes in
            line.append(attempt, isSecret: isSecret, to: &bytes)
            bytes.append(0x0a)
        }
    }

    /// Asks for a run of a thread, unless one was asked for and has not begun.
    private func wake(
        _ worker: any KeyPath<Workers, DelayedWorker?> & Sendable, _ isAsked: borrowing Atomic<Bool>
    ) {
        if isAsked.load(ordering: .relaxed) || isAsked.exchange(true, ordering: .sequentiallyConsistent) { return }
        // Without a thread it waits for the next attempt, or for the end.
        let isStarted = workers.withLock { $0[keyPath: worker] }?.ask() ?? false
        if !isStarted { isAsked.store(false, ordering: .sequentiallyConsistent) }
    }

    /// Records something else than an attempt to set a forced key: the service is sent it without waiting; without one,
    /// the log or the spool takes it on this thread.
    package func report(_ record: AuditRecord) -> Delivery {
        let here = here
        let connection = here.connection
        guard record.isClaim else { return reportHere(record, here) }
        switch connection.connect() {
        case .open: break
        case .absent: return reportHere(record, here)
        case .full:
            // Another thread waits for the turn of a connection.
            here.enqueue(WaitingAttempt(record, at: record.time ?? Clock.now()))
            wake(\.store, here.isAwake)
            return .counted
        }
        let line = record.asClaim.encoded(isForService: true)
        let sending = connection.send(record.count ?? 1) { bytes in
            bytes += line
            bytes.append(0x0a)
        }
        switch sending {
        case .sent:
            wake(\.confirm, here.isConfirming)
            return .counted
        case .full: return .counted
        case .tooLong, .unconnected: return reportHere(record, here)
        }
    }

    /// Stores or counts a record past the audit service.
    private func reportHere(_ record: AuditRecord, _ here: ProcessChannel) -> Delivery {
        let delivery = reporter.reportHere(record)
        if delivery == .counted { wake(\.close, here.isTimed) }
        return delivery
    }

    /// Connects to the service if it listens, and tells it once which domains this program opened.
    ///
    /// - Parameters:
    ///   - domains: the domains.
    ///   - engine: the version of this engine; `nil` tells none.
    package func tell(opened domains: [Key], engine: String? = nil) {
        let here = here
        let isNew = here.connection.engine.withLock { known in
            defer { known = engine }
            return known != engine
        }
        let wasOpen = here.connection.isOpen
        switch here.connection.connect() {
        case .open: break
        case .absent: return
        case .full:
            here.untold.withLock { $0 += domains }
            return wake(\.store, here.isAwake)
        }
        if isNew, wasOpen, let engine { here.connection.tell(ServiceRequest(number: 0, .engine(engine))) }
        let new = here.opened.withLock { opened in
            domains.map(\.string).filter { name in
                !name.isEmpty && name.utf8.count <= 255 && !name.utf8.contains(0x0a) && opened.insert(name).inserted
            }
        }
        guard !new.isEmpty else { return }
        here.connection.tell(ServiceRequest(number: 0, .opened(new.map { Key($0) })))
    }
}

extension AttemptChannel {
    /// Stores everything that waits and every count, and has the service confirm what it was sent.
    ///
    /// Waits 3 s at most: all of it together two for the service and the log, and one for the spool. For a service
    /// that gave no sign for 2 s it waits a moment only.
    ///
    /// - Returns: what became of the records that the service did not take.
    package func flush() -> [Delivery] {
        let here = here
        let deadline = Deadline(milliseconds: AttemptChannel.flushWait)
        for counts in here.windows.withLock({ $0.close() }).counts { here.enqueue(counts) }
        var deliveries = store(here, until: deadline)
        repeat {
            if here.connection.awaitsConfirmation, here.connection.unsent.isZero {
                here.connection.confirm(milliseconds: deadline.milliseconds)
            }
            // Another thread may have seen the connection end, and be storing what was lost with it. What is then sent to
            // the next service is to be confirmed by that one.
            here.connection.waitForAnswers(until: deadline)
            deliveries += store(here, until: deadline)
        } while !here.connection.isSettled && !here.connection.isSilent && deadline.milliseconds > 0
        let unrecorded = self.unrecorded
        if unrecorded > 0 {
            deliveries.append(
                .lost("\(unrecorded) \(unrecorded == 1 ? "attempt is" : "attempts are") recorded nowhere."))
        }
        note(deliveries)
        return deliveries
    }

    /// The number of attempts that could neither be stored nor counted so far; the next try includes them.
    package var unrecorded: Int {
        let here = here
        return here.overflow.number.load(ordering: .relaxed) + here.connection.unsent.number.load(ordering: .relaxed)
    }

    /// Stores records past the service, and counts those that could not be stored, for the next try.
    private func storeHere(_ records: [AuditRecord], _ here: ProcessChannel, until deadline: Deadline) -> [Delivery] {
        let deliveries = reporter.storeHere(records, until: deadline)
        for (record, delivery) in zip(records, deliveries) {
            if case .lost = delivery { here.overflow.add(record.count ?? 1) }
        }
        return deliveries
    }

    /// Stores what waits.
    private func storeWaiting() {
        let here = here
        here.isAwake.store(false, ordering: .sequentiallyConsistent)
        if here.untold.withLock({ !$0.isEmpty }), here.connection.open(waiting: ServiceConnection.turn) {
            let untold = here.untold.withLock { domains in
                defer { domains = [] }
                return domains
            }
            tell(opened: untold, engine: here.connection.engine.withLock { $0 })
        }
        note(store(here, until: Deadline(milliseconds: AttemptChannel.serviceWait)))
    }

    /// Stores the counts of windows that have ended.
    private func storeEnded() {
        let here = here
        here.isTimed.store(false, ordering: .sequentiallyConsistent)
        let now = Clock.monotonicMicroseconds()
        let (counts, isCounting) = here.windows.withLock { $0.close(monotonic: now) }
        for counts in counts { here.enqueue(counts) }
        if isCounting { wake(\.close, here.isTimed) }
        note(store(here, until: Deadline(milliseconds: AttemptChannel.serviceWait)))
    }

    /// Asks the service to confirm what it was sent.
    private func confirm() {
        let here = here
        here.isConfirming.store(false, ordering: .sequentiallyConsistent)
        if here.connection.awaitsConfirmation { here.connection.confirm(milliseconds: AttemptChannel.serviceWait) }
        if !here.connection.isOpen || !here.connection.unsent.isZero { storeWaiting() }
    }

    /// Takes the waiting attempts out of the queue and stores them, with those that were only counted.
    private func store(_ here: ProcessChannel, until deadline: Deadline) -> [Delivery] {
        here.storing.withLock { _ in
            var deliveries: [Delivery] = []
            let waiting = here.takeQueue()
            if !waiting.isEmpty { deliveries += deliver(waiting[...], here, until: deadline) }
            return deliveries + storeLosses(here, until: deadline)
        }
    }

    /// Sends attempts to the service, several in a message; what it does not take goes to the log or the spool.
    private func deliver(
        _ attempts: ArraySlice<WaitingAttempt>, _ here: ProcessChannel, until deadline: Deadline
    ) -> [Delivery] {
        var rest = attempts
        var local: [WaitingAttempt] = []
        let connection = here.connection
        if connection.open(waiting: min(ServiceConnection.turn, deadline.milliseconds)) {
            sending: while !rest.isEmpty {
                let (lines, weight, count) = AttemptChannel.message(of: rest)
                // An attempt whose line fills no message.
                if count == 0 {
                    local.append(rest.removeFirst())
                    continue
                }
                switch connection.send(weight, countsFull: false, { $0 += lines }) {
                case .sent: rest = rest.dropFirst(count)
                case .tooLong:
                    local += rest.prefix(count)
                    rest = rest.dropFirst(count)
                case .full:
                    let left = deadline.milliseconds
                    guard left > 0, connection.waitForRoom(milliseconds: left) else { break sending }
                case .unconnected: break sending
                }
            }
            wake(\.confirm, here.isConfirming)
        }
        local += rest
        return storeHere(local.map { $0.attempt.record(of: $0, root: reporter.root) }, here, until: deadline)
    }

    /// The lines of the first attempts, as many as a message takes, with the number of attempts that they stand for.
    private static func message(
        of attempts: ArraySlice<WaitingAttempt>
    ) -> (lines: [UInt8], weight: Int, count: Int) {
        var (lines, weight, count): ([UInt8], Int, Int) = ([], 0, 0)
        for attempt in attempts.prefix(ServiceProtocol.mostRecords) {
            attempt.attempt.findSecrecy()
            guard let line = attempt.attempt.line else { break }
            let before = lines.count
            line.append(attempt, isSecret: attempt.attempt.isKnownSecret, to: &lines)
            lines.append(0x0a)
            guard lines.count <= ServiceProtocol.longestMessage - headRoom else {
                lines.removeLast(lines.count - before)
                break
            }
            (weight, count) = (weight + attempt.weight, count + 1)
        }
        return (lines, weight, count)
    }

    /// Records attempts that could only be counted: the service gets the number; without a service, a record has it.
    private func storeLosses(_ here: ProcessChannel, until deadline: Deadline) -> [Delivery] {
        let connection = here.connection
        var records: [AuditRecord] = []
        let unconfirmed = connection.takeUnconfirmed(milliseconds: deadline.milliseconds)
        if unconfirmed > 0 {
            let record = AuditRecord(drops: unconfirmed, "unconfirmed: the audit service did not confirm them")
            let line = record.encoded()
            let isSent =
                connection.open(waiting: min(ServiceConnection.turn, deadline.milliseconds))
                && connection.send(unconfirmed, countsFull: false) { bytes in
                    bytes += line
                    bytes.append(0x0a)
                } == .sent
            if !isSent { records.append(record) }
        }
        let overflow = here.overflow.take()
        if connection.isOpen {
            connection.unsent.add(overflow)
        } else if overflow > 0 {
            records.append(AuditRecord(drops: overflow, "attempts came faster than they could be stored"))
        }
        if !connection.unsent.isZero {
            while connection.send(0, countsFull: false, { _ in }) == .full {
                let left = deadline.milliseconds
                guard left > 0, connection.waitForRoom(milliseconds: left) else { break }
            }
            let unsent = connection.unsent.take()
            if unsent > 0 { records.append(AuditRecord(drops: unsent, "the audit service did not read them")) }
        }
        return storeHere(records, here, until: deadline)
    }
}

extension AuditRecord {
    /// Makes the record of attempts that are counted and not stored.
    ///
    /// - Parameters:
    ///   - count: their number.
    ///   - reason: why, as a clause.
    init(drops count: Int, _ reason: String) {
        self.init(kind: .drop, src: .client, note: reason)
        self.count = count
    }
}
