import MDAuditClient
import MDAuditLog
package import MDAuditRecord
package import MDPlatform
import MDPropertyList
package import MDTools

/// The audit service: accepts connections, stamps, limits and stores what they report, and answers.
///
/// One thread does all of it, and waits in one place. Nothing wakes it but a connection, a signal, and a timer while
/// something is due.
package final class AuditService {
    /// The directory of the socket.
    private static let directory = "/run/mdefaultsd"
    /// The file whose lock one service of a machine holds as long as it runs.
    private static let lockPath = "/var/lib/mdefaultsd/lock"
    /// How many messages of a connection are read before the next one's turn.
    static let messagesAtOnce = 16

    /// The root of the machine.
    let root: Root
    /// The limits.
    let limits: ServiceLimits
    /// The most connections.
    let mostConnections: Int
    /// The service manager.
    private let manager: ServiceManager
    /// The request to end.
    private let stop: StopSignal
    /// The lock that keeps a second service of the machine from starting.
    private let lock: FileLock
    /// The socket.
    let listener: MessageListener
    /// Whether the service made the file of the socket.
    private let ownsSocket: Bool
    /// What the service waits for.
    let poller: Poller
    /// The log.
    var store: RecordStore
    /// What was taken from each sender, and settled.
    let ledger: SenderLedger
    /// What was not stored.
    var drops: DropCounters
    /// What messages are received into.
    var buffer = [UInt8](repeating: 0, count: ServiceProtocol.longestMessage)
    /// The connections.
    var connections = ConnectionTable()
    /// The limit of requests that are no attempts.
    var questionTokens: TokenBuckets
    /// Equal attempts.
    var coalescer: AttemptCoalescer
    /// What is written next.
    var batch = PendingBatch()
    /// How many requests of the batch before expected an answer.
    private var lastAwaited = 0
    /// What programs opened.
    var opened: OpenedDomains
    /// The set-once marks of users.
    var marks: RememberedMarks
    /// The users who have as many marks as are kept, of whom that was said.
    var fullMarks: Set<UInt32> = []
    /// The names of users.
    var names: UserNames
    /// The question to root which program a client runs.
    let programs: ProgramQuestions
    /// What all records have in common.
    let machine: MachineStamp
    /// The fields of the moment of the newest message with attempts.
    var moment = MomentFields()
    /// The keys of policy as it is now; looked at before messages are read.
    private let keys: Guarded<PolicyKeys>
    /// When the log was last written before this process opened it; `nil` if there is none.
    private let lastWrite: Timestamp?
    /// When the next record of what was not stored is due; `nil` if there is nothing, and was nothing the last time.
    private var dropsDue: Int64?
    /// The time between those records now.
    private var dropPause: Int64
    /// The longest such time, in microseconds.
    private static let longestDropPause: Int64 = 600_000_000
    /// When the next checkpoint is due; `nil` if there is nothing new.
    private var checkpointDue: Int64?
    /// When the service manager is notified next that the service is alive.
    private var aliveDue: Int64?
    /// When memory is given back, on the monotonic clock; `nil` if nothing was stored since.
    private var restDue: Int64?
    /// When it was last given back.
    private var lastReturn: Int64 = 0
    /// The time after which it is given back again, in microseconds.
    private static let returnInterval: Int64 = 10_000_000

    /// Opens the log, takes over the counts of the previous process, and listens.
    ///
    /// - Parameters:
    ///   - root: the root of the machine.
    ///   - limits: the limits.
    ///   - manager: the service manager, which may pass a socket.
    ///   - stop: the request to end.
    ///   - keys: the keys of policy, which the generation keeper updates.
    /// - Returns: the service.
    /// - Throws: `busy` if others write the log for too long; `system` if another service runs, or there is no socket.
    package static func open(
        root: Root, limits: ServiceLimits = ServiceLimits(), manager: ServiceManager = ServiceManager(),
        stop: StopSignal, keys: Guarded<PolicyKeys> = Guarded(PolicyKeys())
    ) throws(AuditError) -> AuditService {
        let lastWrite = (try? root.status(AuditLog.path, followingLinks: false).modified).map {
            Timestamp(microseconds: $0 / 1_000)
        }
        let lock: FileLock
        do throws(SystemError) {
            try root.createDirectory("/var/lib", mode: 0o755)
            try root.createDirectory("/var/lib/mdefaultsd", mode: 0o700)
            lock = try root.lock(AuditService.lockPath, mode: 0o600, seconds: 0)
        } catch {
            guard error.isTimeout else { throw .system(error) }
            throw .system(
                SystemError(
                    operation: "lock", path: error.path, code: error.code, reason: "another audit service runs"))
        }
        let store = try RecordStore.open(
            root: root, retryInterval: limits.retryInterval, limits: limits.log, persons: limits.persons)
        do throws(SystemError) {
            try root.createDirectory("/run", mode: 0o755)
            try root.createDirectory(AuditService.directory, mode: 0o755)
        } catch {
            throw .system(error)
        }
        let ledger = SenderLedger.open(root: root)
        let drops = DropCounters.open(root: root, ledger: ledger) { AuditLog(root: root).stored(among: $0) }
        var names = UserNames(root: root)
        let opened = OpenedDomains.open(root: root, limits: limits.openedDomains) { names.person(of: $0) }
        // A process that finds the socket must find the key of the service too.
        let machine = MachineStamp(root: root, key: HostKey.readOrMake(ofService: root))
        let passed = manager.listener()
        let ownsSocket = passed == nil
        let listener = try listener(passed, root)
        let poller = try poller(of: [listener.raw, stop.raw])
        return AuditService(
            root, limits, manager, stop, keys, lastWrite: lastWrite, lock: lock, store: store, ledger: ledger,
            drops: drops, opened: opened, names: names, machine: machine, poller: poller, listener: listener,
            ownsSocket: ownsSocket)
    }

    /// The socket that the service manager passed, or else a new one.
    private static func listener(
        _ passed: consuming MessageListener?, _ root: Root
    ) throws(AuditError) -> MessageListener {
        if let passed { return passed }
        do throws(SystemError) {
            return try MessageListener.bind(ServiceProtocol.socketPath, under: root, mode: 0o666)
        } catch {
            throw .system(error)
        }
    }

    /// Begins to wait for descriptors.
    private static func poller(of descriptors: [Int32]) throws(AuditError) -> Poller {
        do throws(SystemError) {
            let poller = try Poller()
            for raw in descriptors { try poller.add(raw) }
            return poller
        } catch {
            throw .system(error)
        }
    }

    /// Makes a service of what was opened for it.
    private init(
        _ root: Root, _ limits: ServiceLimits, _ manager: ServiceManager, _ stop: StopSignal,
        _ keys: Guarded<PolicyKeys>, lastWrite: Timestamp?, lock: FileLock,
        store: consuming RecordStore, ledger: SenderLedger, drops: consuming DropCounters,
        opened: OpenedDomains, names: UserNames, machine: MachineStamp, poller: consuming Poller,
        listener: consuming MessageListener, ownsSocket: Bool
    ) {
        (self.root, self.limits, self.manager, self.stop) = (root, limits, manager, stop)
        (self.keys, self.lastWrite, self.lock, self.names) = (keys, lastWrite, lock, names)
        (self.ledger, self.opened, self.machine, self.ownsSocket) = (ledger, opened, machine, ownsSocket)
        self.store = store
        self.drops = drops
        self.poller = poller
        self.listener = listener
        // Some descriptors are for the log and for inspecting clients that connect.
        mostConnections = max(min(limits.connections, ServiceManager.descriptorLimit - 64), 1)
        dropPause = limits.dropInterval
        questionTokens = TokenBuckets(rate: limits.persons.rate)
        coalescer = AttemptCoalescer(window: limits.window, capacity: 2_048)
        marks = RememberedMarks(root: root)
        programs = ProgramQuestions(root: root)
    }

    /// Serves until the end is requested, and ends cleanly.
    package func run() {
        begin()
        while true {
            let events = poller.wait(milliseconds: patience(now: Clock.monotonicMicroseconds()))
            if events.contains(where: { $0.raw == stop.raw }) { break }
            if !events.isEmpty { machine.keys = keys.withLock { $0 } }
            for event in events { handle(event) }
            let now = Clock.monotonicMicroseconds()
            if isCommitDue(afterEvents: !events.isEmpty, now: now) { commit(now: now) }
            doDue(now: now)
            drops.save()
        }
        end()
    }

    /// Stores the records of the beginning, and tells the service manager.
    private func begin() {
        var records: [AuditRecord] = []
        if drops.wasKilled {
            var gap = AuditRecord(
                kind: .gap,
                note: "The audit service ended without a record of its end. What was sent to it and not acknowledged "
                    + "may be lost.")
            (gap.first, gap.last) = ([drops.lastSign, lastWrite].compactMap { $0 }.max(), Clock.now())
            records.append(gap)
        }
        var note = "The audit service began."
        if let problem = AuditSettings(of: root).problem {
            note +=
                " \(root.display(AuditSettings.path)) cannot be used: \(problem). Records have pseudonyms in place of "
                + "people, and the log has its usual limits."
        }
        records.append(AuditRecord(kind: .start, note: note))
        storeOwn(records)
        drops.mark(isRunning: true)
        let now = Clock.monotonicMicroseconds()
        reportDrops(now: now)
        checkpointDue = now
        aliveDue = manager.watchdogMilliseconds.map { now + Int64($0) * 1_000 }
        manager.tell(.ready)
    }

    /// Gives memory back, if there is nothing to store.
    private func rest(now: Int64) {
        restDue = nil
        guard checkpointDue == nil else { return }
        lastReturn = now
        CurrentProcess.giveBackCode()
    }

    /// Answers everything that was received, stores all counts and the record of the end.
    private func end() {
        manager.tell(.stopping)
        machine.keys = keys.withLock { $0 }
        if ownsSocket {
            // No process can connect any more; those that have are served. A passed socket stays, with all that wait there.
            try? root.remove(ServiceProtocol.socketPath)
            while acceptAll() {}
        }
        for connection in connections.all.values { connection.socket.endReceiving() }
        for connection in connections.all.values { drain(connection) }
        let now = Clock.monotonicMicroseconds()
        batch.add(counts: coalescer.flush(), now: now)
        commit(now: now)
        for connection in connections.all.values { close(connection, isOwnWish: true) }
        reportDrops(now: now)
        storeOwn([AuditRecord(kind: .stop, note: "The audit service ended.")])
        store.checkpoint()
        drops.save()
        drops.mark(isRunning: false)
    }

    /// Handles what a descriptor is ready for.
    private func handle(_ event: Poller.Event) {
        if event.raw == listener.raw {
            acceptAll()
            return
        }
        guard let connection = connections[event.raw] else { return }
        if event.isWritable, connection.isBlocked, connection.sendUnread() {
            poller.watch(event.raw, reading: true, writing: false)
        }
        if event.isReadable, !connection.isBlocked { read(connection, limit: AuditService.messagesAtOnce) }
    }

    /// Stores records of the service itself.
    ///
    /// - Parameters:
    ///   - records: the records.
    ///   - isWriting: called before anything is written, with the fingerprints of their lines.
    /// - Returns: whether they are on disk.
    @discardableResult
    private func storeOwn(
        _ records: [AuditRecord], isWriting: (ArraySlice<Int64>) -> Void = { _ in }
    ) -> Bool {
        let isStored = store.appendOwn(records.map { own($0) }, isWriting: isWriting)
        store.duplicate()
        if isStored, checkpointDue == nil {
            checkpointDue = Clock.monotonicMicroseconds() + limits.checkpointInterval
        }
        return isStored
    }

    /// Completes a record of the service itself.
    private func own(_ record: AuditRecord) -> AuditRecord {
        var record = record
        if record.kind != .drop { record.fillInProcess() }
        record.user = record.uid.flatMap { names.name(of: $0) }
        (record.time, record.mono) = (Clock.now(), Int(Clock.monotonicMicroseconds()))
        (record.boot, record.host) = (machine.boot, machine.host)
        return record
    }

    /// Stores the counts of what was not stored.
    private func reportDrops(now: Int64) {
        if drops.isEmpty {
            (dropsDue, dropPause) = (nil, limits.dropInterval)
            return
        }
        // As long as there is more each time, the records about it become fewer: a flood must not fill the log by being
        // counted.
        dropPause = min(2 * dropPause, max(limits.dropInterval, AuditService.longestDropPause))
        dropsDue = now + dropPause
        // After a kill the counters say by their records whether those are in the log.
        if storeOwn(drops.records(), isWriting: { drops.noteRecords($0) }) {
            drops.clear()
        } else {
            drops.keep()
        }
    }
}

/// Times.
extension AuditService {
    /// How long to wait for something to happen, in milliseconds; `nil` for no limit.
    private func patience(now: Int64) -> Int? {
        if batch.awaited > 0 { return 0 }
        var due = [dropsDue, checkpointDue, restDue, aliveDue, coalescer.nextEnd].compactMap { $0 }
        if let begin = batch.begin { due.append(begin + limits.gathering) }
        return due.min().map { Int((max($0 - now, 0) + 999) / 1_000) }
    }

    /// Whether the batch is to be written now.
    ///
    /// Clients that wait are waited for no longer than others keep sending. Where as many wait as in the batch before, no
    /// more are to be expected: a lone client is answered without another look.
    private func isCommitDue(afterEvents: Bool, now: Int64) -> Bool {
        guard let begin = batch.begin else { return false }
        return batch.entries.count >= limits.batch || now - begin >= limits.gathering
            || (batch.awaited > 0 && (!afterEvents || batch.awaited >= lastAwaited))
    }

    /// Does what is due.
    private func doDue(now: Int64) {
        batch.add(counts: coalescer.expire(monotonic: now), now: now)
        if !drops.isEmpty, dropsDue == nil { dropsDue = now + limits.dropInterval }
        if let due = dropsDue, now >= due { reportDrops(now: now) }
        if store.isCheckpointDue, checkpointDue == nil { checkpointDue = now + limits.checkpointInterval }
        if let due = checkpointDue, now >= due {
            store.checkpoint()
            store.duplicate()
            checkpointDue = store.isCheckpointDue ? now + limits.checkpointInterval : nil
            if checkpointDue == nil { restDue = max(now, lastReturn + AuditService.returnInterval) }
        }
        if let due = restDue, now >= due { rest(now: now) }
        if let due = aliveDue, now >= due, let pause = manager.watchdogMilliseconds {
            manager.tell(.alive)
            aliveDue = now + Int64(pause) * 1_000
            store.look(now: now)
        }
        machine.renew(now: now)
        if let alarm = store.takeAlarm() { warn(alarm) }
    }

    /// Says something on standard error.
    func warn(_ sentence: String) {
        try? StandardStream.error.write(Array("mdefaultsd: \(sentence)\n".utf8))
    }
}

/// Writing.
extension AuditService {
    /// Writes the batch, answers the requests in it, and counts what could not be stored.
    func commit(now: Int64) {
        batch.add(counts: coalescer.takeAwaited(), now: now)
        if batch.isEmpty { return }
        let done = batch
        lastAwaited = done.awaited
        batch = PendingBatch(like: done)
        if done.entries.isEmpty {
            for request in done.requests { answer(request, storedAt: 0) }
            return
        }
        let stored = store.append(done.entries, now: now) { ledger.begin(done.shares, $0) }
        ledger.finish(stored?.count ?? 0)
        if let stored, stored.count == done.entries.count {
            for request in done.requests { answer(request, storedAt: stored.first) }
        } else {
            returnAll(done, after: stored)
        }
        // By now the waiting clients have their answers.
        store.duplicate()
    }

    /// Answers a request whose records are on disk.
    private func answer(_ request: PendingBatch.Request, storedAt first: Int) {
        let connection = request.connection
        if request.number > 0 { connection.waiting -= 1 }
        switch request.kind {
        case .attempts:
            let place = request.places.map { first + $0.lowerBound } ?? 0
            answer(connection, request.number, .stored(first: place, count: request.records))
        case .health:
            if let problem = store.problem {
                answer(connection, request.number, .unavailable("the log cannot be written: \(problem)"))
            } else {
                answer(connection, request.number, .health(connection.totals))
            }
        case .marks(let new, let known, let user): remember(new, known, of: user, for: request)
        }
    }

    /// Answers the requests of a batch that could not be stored, or not all of it, and counts the attempts whose senders
    /// want no answer.
    private func returnAll(_ batch: PendingBatch, after stored: RecordStore.Stored?) {
        let time = Clock.now()
        let reason = "the log cannot be written" + (store.problem.map { ": \($0)" } ?? "")
        let whole = stored?.count ?? 0
        // Attempts that were counted for a request that is answered are returned, not dropped.
        var (countable, returned): ([Int: AttemptCount], [Int: AttemptCount]) = ([:], [:])
        for place in batch.counts where place >= whole {
            let share = batch.shares[place]
            countable[share.connection ?? -1, default: AttemptCount()] += share.attempts
        }
        for request in batch.requests {
            let connection = request.connection
            if let stored, let places = request.places, places.upperBound <= whole {
                answer(request, storedAt: stored.first)
                continue
            }
            // Of a request that a failure divided, what is stored is not returned.
            let kept = (request.places ?? 0..<0).reduce(AttemptCount()) {
                $1 < whole && !batch.counts.contains($1) ? $0 + batch.shares[$1].attempts : $0
            }
            let open = request.storedAttempts - kept
            if request.number > 0, kept.seen == 0 {
                let counted = request.countedAttempts.limited(
                    to: countable[connection.sender, default: AttemptCount()]
                        - returned[connection.sender, default: AttemptCount()])
                connection.waiting -= 1
                connection.returned += (open + counted).total
                store.countReturned((open + counted).seen)
                returned[connection.sender, default: AttemptCount()] += counted
                // Before the answer: if a kill keeps that back, the sender finds that nothing was taken.
                ledger.giveBack((open + counted).total, to: connection.ledgerNumber)
                answer(connection, request.number, .unavailable(reason))
            } else {
                connection.dropped += open.total
                drops.add(
                    open, .storage, of: connection.person, at: time, from: connection.ledgerNumber)
                if request.number > 0 {
                    connection.waiting -= 1
                    answer(connection, request.number, .dropped(DropReason.storage.rawValue))
                }
            }
        }
        for place in batch.counts where place >= whole {
            let (record, share) = (batch.entries.record(at: place), batch.shares[place])
            let counted = returned[share.connection ?? -1, default: AttemptCount()].limited(to: share.attempts)
            returned[share.connection ?? -1, default: AttemptCount()] -= counted
            let lost = share.attempts - counted
            drops.add(lost, .storage, of: record?.uid ?? 0, at: time, from: share.connection)
            connections.all.values.first { $0.sender == share.connection }?.dropped += lost.total
        }
    }

    /// Sends an answer, and stops reading from a client that does not read its answers.
    func answer(_ connection: Connection, _ number: Int, _ result: ServiceAnswer.Result) {
        if connection.answer(number, result) { poller.watch(connection.socket.raw, reading: false, writing: true) }
    }
}
