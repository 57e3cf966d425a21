import MDAuditClient
import MDPlatform
import MDPropertyList

/// Accepting and closing connections.
extension AuditService {
    /// Accepts the connections that wait.
    ///
    /// - Returns: whether more may wait: a process that connects again and again must not keep others waiting.
    @discardableResult
    func acceptAll() -> Bool {
        for _ in 0..<256 {
            switch listener.accept() {
            case .nothing: return false
            case .connection(let socket): accept(socket)
            case .shortage:
                guard let idle = connections.idlest() else {
                    // Nothing of this service holds descriptors; the kernel keeps who waits.
                    Clock.pause(microseconds: 1_000)
                    return false
                }
                retire(idle)
            }
        }
        return true
    }

    /// Takes over a connection, and closes idle ones if there are too many.
    private func accept(_ socket: consuming MessageSocket) {
        guard var peer = try? PeerStamp(of: socket) else { return }
        let isRoot = peer.uid == 0 || (!root.isSystem && peer.uid == root.owner)
        let owner = names.owner(of: peer.uid)
        if limits.limitsRoot || !isRoot {
            while connections.count(of: owner) >= limits.connectionsOfUser, let idle = connections.idlest(of: owner) {
                retire(idle)
            }
        }
        while connections.all.count >= mostConnections, let idle = connections.idlest() { retire(idle) }
        if !limits.readsPrograms { peer.executable = nil }
        let stamp = RecordStamp(peer: peer, user: names.name(of: peer.uid), owner: owner, isRoot: isRoot)
        let connection = Connection(socket, stamp: stamp, now: Clock.monotonicMicroseconds())
        guard (try? poller.add(connection.socket.raw)) != nil else { return }
        connections.insert(connection)
    }

    /// Closes a connection after everything that arrived over it was handled.
    private func retire(_ connection: Connection) {
        connection.socket.endReceiving()
        drain(connection)
        if connection.waiting > 0 { commit(now: Clock.monotonicMicroseconds()) }
        close(connection)
    }

    /// Handles everything that arrived over a connection that receives nothing more.
    func drain(_ connection: Connection) {
        while !connection.isClosed, read(connection, limit: AuditService.messagesAtOnce) {}
    }

    /// Closes a connection.
    func close(_ connection: Connection) {
        guard !connection.isClosed else { return }
        connection.isClosed = true
        connections.remove(connection)
        // An object that waits for the disk holds the descriptor open for a moment longer.
        poller.remove(connection.socket.raw)
        connection.socket.endReceiving()
    }

    /// Handles messages of a connection.
    ///
    /// - Returns: whether more may have arrived.
    @discardableResult
    func read(_ connection: Connection, limit: Int) -> Bool {
        for _ in 0..<limit {
            switch connection.socket.receive(limit: ServiceProtocol.longestMessage) {
            case .nothing: return false
            case .closed:
                if connection.waiting > 0 { commit(now: Clock.monotonicMicroseconds()) }
                close(connection)
                return false
            case .tooLong:
                // Its number is unknown, and so is what the sender believes of it.
                count(1, .invalid, connection)
                if connection.waiting > 0 { commit(now: Clock.monotonicMicroseconds()) }
                close(connection)
                return false
            case .message(let message): handle(message, of: connection)
            }
            if batch.records.count >= limits.batch { commit(now: Clock.monotonicMicroseconds()) }
        }
        return true
    }
}

/// Requests.
extension AuditService {
    /// Handles a message.
    private func handle(_ message: [UInt8], of connection: Connection) {
        let now = Clock.monotonicMicroseconds()
        connection.lastUse = now
        let (head, stamp) = (MessageHead(message), connection.stamp)
        connection.received += head.attempts
        let isLimited = limits.limitsRoot || !stamp.isRoot
        if isLimited {
            let isInRate =
                head.isAttempts
                ? attemptTokens.take(max(head.records, 1), of: stamp.owner, now: now)
                : questionTokens.take(1, of: stamp.owner, now: now)
            if !isInRate { return drop(head, .rate, connection) }
            if head.records > 0, volume.isUsedUp(by: stamp.login, at: Clock.now()) {
                return drop(head, .volume, connection)
            }
            if head.records > 0, store.isFull { return drop(head, .full, connection) }
        }
        let request: ServiceRequest
        do {
            request = try ServiceRequest(message)
        } catch {
            return reject(head, error.description, connection)
        }
        switch request.content {
        case .attempts(let lines, let unsent):
            guard unsent <= MessageHead.mostAttempts else {
                return reject(head, "it has a number that is none", connection)
            }
            addAttempts(lines, of: connection, request.number, head, now: now)
        case .identity:
            let peer = stamp.peer
            guard let groups = peer.groups else {
                return answer(connection, request.number, .unavailable("the kernel does not say which groups"))
            }
            let account = names.account(of: peer.uid)
            answer(
                connection, request.number,
                .identity(
                    ServiceIdentity(
                        uid: peer.uid, gid: peer.gid, loginUID: peer.loginUID, groups: groups, name: account?.name,
                        home: account?.home)))
        case .marks(let marks, let remembers):
            handle(marks, remembers: remembers, of: connection, request.number, now: now)
        case .opened(let domains):
            let isWhole = opened.add(domains, of: stamp)
            answer(connection, request.number, isWhole ? .done : .dropped("full"))
        case .health:
            coalescer.markAwaited(
                uid: stamp.peer.uid, pid: stamp.peer.pid > 0 ? stamp.peer.pid : nil, start: stamp.peer.startTime)
            batch.add(.init(connection: connection, number: request.number, kind: .health), now: now)
        }
    }

    /// Says which marks are remembered; remembers all, and stores a record of each new one, if that is asked for.
    private func handle(
        _ marks: [ServiceMark], remembers: Bool, of connection: Connection, _ number: Int, now: Int64
    ) {
        if remembers { connection.askForProgram(programs, now: now) }
        let (stamp, peer) = (connection.stamp, connection.stamp.peer)
        // The ids that a user may hand out in namespaces are not users, and would need no end of files.
        guard peer.loginUID == nil || peer.loginUID == peer.uid || stamp.isRoot else {
            let reason = "the process runs as another user than the one who logged in"
            return answer(connection, number, .unavailable(reason))
        }
        let known: [Bool]
        do {
            let remembered = try self.marks.marks(of: peer.uid)
            known = marks.map { remembered.contains($0) }
        } catch {
            return answer(connection, number, .unavailable("\(error)"))
        }
        guard remembers, known.contains(false) else { return answer(connection, number, .marks(known)) }
        let time = Clock.now()
        var request = PendingBatch.Request(connection: connection, number: number, kind: .marks(marks, known: known))
        for (mark, isKnown) in zip(marks, known) where !isKnown {
            var record = AuditRecord(remembered: mark)
            stamp.apply(to: &record, machine: machine, time: time, monotonic: now)
            request.records.append(batch.records.count)
            batch.records.append(record)
            volume.add(mark.line.count + 256, of: stamp.login)
        }
        batch.add(request, now: now)
    }

    /// Remembers marks whose records are on disk, and answers.
    func remember(_ marks: [ServiceMark], _ known: [Bool], for request: PendingBatch.Request) {
        let connection = request.connection
        do {
            let isWhole = try self.marks.remember(marks, of: connection.stamp.peer.uid)
            answer(connection, request.number, isWhole ? .marks(known) : .dropped("full"))
        } catch {
            answer(connection, request.number, .unavailable("\(error)"))
        }
    }

    /// Adds attempts to the batch, all or none.
    private func addAttempts(
        _ lines: [[UInt8]], of connection: Connection, _ number: Int, _ head: MessageHead, now: Int64
    ) {
        var records: [AuditRecord] = []
        for line in lines {
            let record: AuditRecord
            do {
                record = try AuditRecord(claim: line)
            } catch {
                return reject(head, error.description, connection)
            }
            if let objection = connection.stamp.objection(to: record) { return reject(head, objection, connection) }
            records.append(record)
        }
        connection.askForProgram(programs, now: now)
        let (stamp, time) = (connection.stamp, Clock.now())
        countUnsent(head, connection)
        var request = PendingBatch.Request(connection: connection, number: number, kind: .attempts)
        for (record, line) in zip(records, lines) {
            var record = record
            stamp.apply(to: &record, machine: machine, time: time, monotonic: now)
            let count = record.count ?? 1
            // Only writes can repeat as fast as a program likes.
            let decision =
                record.kind == .override || record.via != nil
                ? coalescer.add(record, time: time, monotonic: now, isAwaited: number > 0)
                : AttemptCoalescer.Decision(records: [record], isCounted: false)
            if decision.isCounted {
                request.countedAttempts += count
                batch.add(counts: decision.records, now: now)
                continue
            }
            batch.add(counts: Array(decision.records.dropLast()), now: now)
            request.records.append(batch.records.count)
            request.storedAttempts += count
            batch.records.append(record)
            volume.add(line.count + 256, of: stamp.login)
        }
        batch.add(request, now: now)
    }

    /// Refuses a message, and counts its attempts if the sender wants no answer.
    private func reject(_ head: MessageHead, _ reason: String, _ connection: Connection) {
        // Even a message without any record is one attempt to have something stored.
        let attempts = max(head.attempts, head.isAttempts && head.unsent == 0 ? 1 : 0)
        connection.received += attempts - head.attempts
        count(attempts, .invalid, connection)
        answer(connection, head.number, .invalid(reason.split(separator: "\n").joined(separator: " ")))
    }

    /// Counts a message without parsing it.
    private func drop(_ head: MessageHead, _ reason: DropReason, _ connection: Connection) {
        countUnsent(head, connection)
        count(head.attempts, reason, connection)
        answer(connection, head.number, .dropped(reason.rawValue))
    }

    /// Counts attempts that arrived and are not stored.
    private func count(_ attempts: Int, _ reason: DropReason, _ connection: Connection) {
        connection.dropped += attempts
        drops.add(attempts, reason, of: connection.stamp.peer.uid, at: Clock.now())
    }

    /// Counts attempts that did not arrive.
    private func countUnsent(_ head: MessageHead, _ connection: Connection) {
        drops.add(head.unsent, .unsent, of: connection.stamp.peer.uid, at: Clock.now())
    }
}
