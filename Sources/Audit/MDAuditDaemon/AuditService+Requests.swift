import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPolicyCore
import MDPropertyList
import MDTools

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
                    // No connection of this service holds a descriptor; the kernel keeps waiting clients in its queue.
                    Clock.pause(microseconds: 1_000)
                    return false
                }
                retire(idle)
            }
        }
        return true
    }

    /// Takes over a connection, and closes idle ones if there are too many.
    ///
    /// Each one that a person has too many takes the place of another, and counts as a question. Beyond those it is closed
    /// before anything is read of its process, so that somebody who connects again and again keeps no other waiting.
    private func accept(_ socket: consuming MessageSocket) {
        guard let uid = socket.peerUser else { return }
        let isRoot = uid == 0 || (!root.isSystem && uid == root.owner)
        let person = names.person(of: uid)
        let isSurplus = connections.count(of: person) >= limits.connectionsOfPerson
        if isSurplus, limits.limitsRoot || !isRoot {
            guard questionTokens.take(1, of: person, now: Clock.monotonicMicroseconds()) else { return }
            while connections.count(of: person) >= limits.connectionsOfPerson, let idle = connections.idlest(of: person)
            {
                retire(idle)
            }
        }
        guard var peer = try? PeerStamp(of: socket) else { return }
        while connections.all.count >= mostConnections, let idle = connections.idlest() { retire(idle) }
        if !limits.readsPrograms { peer.executable = nil }
        let stamp = RecordStamp(peer: peer, user: names.name(of: peer.uid), person: person, isRoot: isRoot)
        let connection = Connection(
            socket, stamp: stamp, ledgerNumber: ledger.open(person: person), now: Clock.monotonicMicroseconds())
        guard (try? poller.add(connection.socket.raw)) != nil else {
            return ledger.close(connection.ledgerNumber, isKept: false)
        }
        connections.insert(connection)
    }

    /// Closes a connection after everything that arrived over it was handled.
    private func retire(_ connection: Connection) {
        connection.socket.endReceiving()
        drain(connection)
        if connection.waiting > 0 { commit(now: Clock.monotonicMicroseconds()) }
        close(connection, isOwnWish: true)
    }

    /// Handles everything that arrived over a connection that receives nothing more.
    func drain(_ connection: Connection) {
        while !connection.isClosed, read(connection, limit: AuditService.messagesAtOnce, stopsAtQuestion: false) {}
    }

    /// Closes a connection.
    ///
    /// - Parameters:
    ///   - connection: the connection.
    ///   - isOwnWish: whether the client did not close it, and looks up what was taken.
    func close(_ connection: Connection, isOwnWish: Bool = false) {
        guard !connection.isClosed else { return }
        connection.isClosed = true
        connections.remove(connection)
        ledger.close(connection.ledgerNumber, isKept: isOwnWish)
        // An object that waits for the disk holds the descriptor open for a moment longer.
        poller.remove(connection.socket.raw)
        connection.socket.endReceiving()
    }

    /// Handles messages of a connection.
    ///
    /// - Parameters:
    ///   - connection: the connection.
    ///   - limit: the most messages.
    ///   - stopsAtQuestion: whether to stop after a request whose answer waits for the disk, as its client usually does.
    /// - Returns: whether more may have arrived.
    @discardableResult
    func read(_ connection: Connection, limit: Int, stopsAtQuestion: Bool = true) -> Bool {
        for _ in 0..<limit {
            switch connection.socket.receive(into: &buffer) {
            case .nothing: return false
            case .closed:
                if connection.waiting > 0 { commit(now: Clock.monotonicMicroseconds()) }
                close(connection)
                return false
            case .tooLong:
                // Its number is unknown, and so is what the sender believes of it.
                count(AttemptCount(seen: 1), .invalid, connection, settling: 0)
                if connection.waiting > 0 { commit(now: Clock.monotonicMicroseconds()) }
                close(connection)
                return false
            case .message(let length):
                let head = MessageHead(buffer, length: length)
                handle(head, length, of: connection)
                if stopsAtQuestion, connection.waiting > 0, batch.entries.count < limits.batch { return true }
            }
            if batch.entries.count >= limits.batch { commit(now: Clock.monotonicMicroseconds()) }
        }
        return true
    }
}

/// Requests.
extension AuditService {
    /// Handles a message, which is at the beginning of the buffer.
    private func handle(_ head: MessageHead, _ length: Int, of connection: Connection) {
        let now = Clock.monotonicMicroseconds()
        connection.lastUse = now
        connection.received += head.attempts.total
        // From here on this service accounts for them, or the next one.
        ledger.take(head.attempts + AttemptCount(claimed: head.unsent), from: connection.ledgerNumber)
        let isLimited = limits.limitsRoot || !connection.isRoot
        // The name of a connection comes first, and is worth less work than the connection was.
        let isName = connection.isNew && buffer[..<length].starts(with: AuditService.nameHead)
        connection.isNew = false
        var excess: DropReason?
        if isLimited, !isName {
            excess = self.excess(of: head, from: connection.person, now: now)
            if let excess, store.isFull || !hasFirst(head, length, of: connection) {
                return drop(head, excess, connection)
            }
        }
        if let start = head.lines, head.records <= ServiceProtocol.mostRecords {
            return addAttempts(lines(from: start, to: length), of: connection, head, beyond: excess, now: now)
        }
        let request: ServiceRequest
        do {
            request = try ServiceRequest(Array(buffer[..<length]))
        } catch {
            return reject(head, error.description, connection)
        }
        switch request.content {
        case .attempts: return reject(head, "it has a number that is none", connection)
        case .identity:
            let peer = connection.stamp.peer
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
        case .marks(let marks, let wish, let user):
            handle(marks, wish, of: user ?? connection.stamp.peer.uid, connection, request.number, now: now)
        case .opened(let domains):
            connection.isProgram = true
            let isWhole = opened.add(domains, of: connection.stamp)
            answer(connection, request.number, isWhole ? .done : .dropped("full"))
        case .engine(let version):
            (connection.isProgram, connection.engine) = (true, version)
            answer(connection, request.number, .done)
        case .engines: answerEngines(connection, request.number)
        case .health:
            coalescer.markAwaited(connection.sender)
            batch.add(.init(connection: connection, number: request.number, kind: .health), now: now)
        case .name(let name):
            ledger.name(connection.ledgerNumber, name)
            answer(connection, request.number, .done)
        }
    }

    /// Answers which programs have a connection, as many as a message holds.
    private func answerEngines(_ connection: Connection, _ number: Int) {
        var (programs, more, size): ([ConnectedProgram], Int, Int) = ([], 0, 64)
        for program in connections.programs(of: connection.isRoot ? nil : connection.person) {
            size += program.line.utf8.count + 1
            if size <= ServiceProtocol.longestMessage { programs.append(program) } else { more += program.count }
        }
        answer(connection, number, .engines(programs, more: more))
    }

    /// The beginning of the message that names a connection.
    private static let nameHead = Array("MD1 0 health ".utf8)

    /// The places of the lines in the buffer, without their line feeds.
    func lines(from start: Int, to end: Int) -> [Range<Int>] {
        var (lines, begin): ([Range<Int>], Int) = ([], start)
        while begin < end, let next = buffer.place(of: 0x0a, in: begin..<end) {
            lines.append(begin..<next)
            begin = next + 1
        }
        return lines
    }

    /// Answers which marks of a user are remembered; on request, remembers all and stores a record of each new one.
    private func handle(
        _ marks: [SetOnceMark], _ wish: MarkRequest, of user: UInt32, _ connection: Connection, _ number: Int,
        now: Int64
    ) {
        if wish != .ask { connection.askForProgram(programs, now: now) }
        let (stamp, peer) = (connection.stamp, connection.stamp.peer)
        guard user == peer.uid || stamp.isRoot else {
            return answer(connection, number, .unavailable("only root may speak of another user's marks"))
        }
        // The ids that a user may hand out in namespaces are not users, and would need no end of files.
        guard wish == .ask || stamp.person == peer.uid || stamp.isRoot else {
            return answer(connection, number, .unavailable("the id of the process is that of no account"))
        }
        let known: [Bool]
        do {
            let remembered = try self.marks.marks(of: user)
            known = marks.map { remembered.contains($0) }
        } catch {
            return answer(connection, number, .unavailable("\(error)"))
        }
        guard wish != .ask, known.contains(false) else { return answer(connection, number, .marks(known)) }
        let time = Clock.now()
        var request = PendingBatch.Request(
            connection: connection, number: number, kind: .marks(marks, known: known, of: user))
        for (mark, isKnown) in zip(marks, known) where !isKnown && wish == .remember {
            var record = AuditRecord(remembered: mark)
            (record.uid, record.user) = (user, names.name(of: user))
            stamp.apply(to: &record, machine: machine, time: time, monotonic: now)
            request.add(batch.add(record, .init(connection: nil)))
            charge(mark.line.count, to: connection)
        }
        batch.add(request, now: now)
    }

    /// Remembers marks of a user whose records are on disk, and answers.
    func remember(_ marks: [SetOnceMark], _ known: [Bool], of user: UInt32, for request: PendingBatch.Request) {
        let connection = request.connection
        do {
            let isWhole = try self.marks.remember(marks, of: user)
            if !isWhole, fullMarks.insert(user).inserted {
                warn("The user \(user) has as many set-once marks as are kept, so further values are not set.")
            }
            answer(connection, request.number, isWhole ? .marks(known) : .dropped("full"))
        } catch {
            answer(connection, request.number, .unavailable("\(error)"))
        }
    }

    /// A line of a message: one that needs no parsing, or the record that it is.
    private enum Claim {
        case plain(PlainAttempt)
        case record(AuditRecord)
    }

    /// Adds attempts to the batch, all or none.
    ///
    /// If there is an excess, only a message with a first attempt of the person on a key of policy is stored, with all that
    /// is in it.
    private func addAttempts(
        _ lines: [Range<Int>], of connection: Connection, _ head: MessageHead, beyond excess: DropReason?, now: Int64
    ) {
        var claims: [Claim] = []
        claims.reserveCapacity(lines.count)
        for line in lines {
            if let plain = PlainAttempt(buffer, line), !isSensitive(plain) {
                claims.append(.plain(plain))
                continue
            }
            do {
                let record = try AuditRecord(claim: Array(buffer[line]))
                if let objection = connection.stamp.objection(to: record) { return reject(head, objection, connection) }
                claims.append(.record(record))
            } catch {
                return reject(head, error.description, connection)
            }
        }
        if let excess, !takeFirsts(lines, of: connection) { return drop(head, excess, connection) }
        connection.askForProgram(programs, now: now)
        let time = Clock.now()
        moment.move(to: time, monotonic: now, on: machine)
        countUnsent(head, connection)
        batch.add(counts: coalescer.expire(monotonic: now), now: now)
        var request = PendingBatch.Request(connection: connection, number: head.number, kind: .attempts)
        for (claim, line) in zip(claims, lines) {
            switch claim {
            case .plain(let attempt):
                if add(attempt, to: &request, now: now) { break }
                // One that equals another is counted as a record.
                guard let record = try? AuditRecord(claim: Array(buffer[line])) else { break }
                add(record, line.count, to: &request, time: time, now: now)
            case .record(let record): add(record, line.count, to: &request, time: time, now: now)
            }
        }
        batch.add(request, now: now)
    }

    /// Whether the values of an attempt are to be digested.
    private func isSensitive(_ attempt: PlainAttempt) -> Bool {
        if machine.keys.sensitive.isEmpty { return false }
        guard let domain = attempt.domain else { return true }
        return machine.keys.sensitive.concern(attempt.key.map(name), of: name(domain))
    }

    /// A part of the buffer as a name.
    func name(_ part: Range<Int>) -> Key { Key(String(decoding: buffer[part], as: UTF8.self)) }

    /// Adds an attempt whose line needs no parsing.
    ///
    /// - Returns: false if it equals an earlier one, and is only to be counted.
    private func add(_ attempt: PlainAttempt, to request: inout PendingBatch.Request, now: Int64) -> Bool {
        let connection = request.connection
        let common = connection.common(claim: attempt.program.map { buffer[$0] }, machine: machine)
        let identity = AttemptIdentity(common.identity, attempt.compared, in: buffer)
        guard let ended = coalescer.addFirst(identity, of: connection.sender, monotonic: now) else { return false }
        batch.add(counts: ended, now: now)
        batch.entries.append(fields: moment.bytes, common.bytes, end: buffer[attempt.rest])
        let one = AttemptCount(seen: 1)
        batch.shares.append(.init(connection: connection.ledgerNumber, attempts: one))
        request.add(batch.entries.count - 1, one)
        charge(attempt.rest.count, to: connection)
        return true
    }

    /// Adds a record, or counts it with an earlier one.
    private func add(
        _ claim: AuditRecord, _ length: Int, to request: inout PendingBatch.Request, time: Timestamp, now: Int64
    ) {
        let connection = request.connection
        var record = claim
        connection.stamp.apply(to: &record, machine: machine, time: time, monotonic: now)
        let count = AttemptCount(lineOf: record.count ?? 1)
        // Only writes can repeat as fast as a program likes.
        if record.kind == .override || record.via != nil {
            let decision = coalescer.add(
                record, of: connection.sender, time: time, monotonic: now, isAwaited: request.number > 0)
            batch.add(counts: decision.ended, now: now)
            if decision.isCounted {
                request.countedAttempts += count
                return
            }
        }
        let share = SenderLedger.Share(connection: connection.ledgerNumber, attempts: count)
        request.add(batch.add(record, share), count)
        charge(length, to: connection)
    }

    /// Refuses a message, and counts its attempts if the sender wants no answer.
    private func reject(_ head: MessageHead, _ reason: String, _ connection: Connection) {
        var attempts = head.attempts
        // Even a message without any record is one attempt to store something.
        if head.isAttempts, head.unsent == 0 { attempts.seen = max(attempts.seen, 1) }
        connection.received += attempts.seen - head.records
        count(attempts, .invalid, connection, settling: head.records)
        countUnsent(head, connection)
        answer(connection, head.number, .invalid(reason.split(separator: "\n").joined(separator: " ")))
    }

    /// Counts a message without parsing it.
    private func drop(_ head: MessageHead, _ reason: DropReason, _ connection: Connection) {
        countUnsent(head, connection)
        count(head.attempts, reason, connection)
        answer(connection, head.number, .dropped(reason.rawValue))
    }

    /// Counts attempts that arrived and are not stored.
    private func count(
        _ attempts: AttemptCount, _ reason: DropReason, _ connection: Connection, settling settled: Int? = nil
    ) {
        connection.dropped += attempts.total
        drops.add(
            attempts, reason, of: connection.person, at: Clock.now(), from: connection.ledgerNumber,
            settling: settled)
    }

    /// Counts attempts that did not arrive.
    private func countUnsent(_ head: MessageHead, _ connection: Connection) {
        drops.add(
            AttemptCount(claimed: head.unsent), .unsent, of: connection.person, at: Clock.now(),
            from: connection.ledgerNumber)
    }
}
