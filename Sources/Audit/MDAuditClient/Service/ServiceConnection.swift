import MDPlatform
import MDPropertyList
import Synchronization

/// The connection of one process to the audit service of one root, with the counts of what did not get through: everything
/// that the process says to the service goes over it.
///
/// An attempt is sent by one system call that never waits. What could not be sent is counted, and the next message says
/// so; what was sent and not confirmed when the connection ended is recorded after the next one begins.
final class ServiceConnection: Sendable {
    /// A number that several threads add to.
    final class Tally: Sendable {
        /// The number.
        let number = Atomic<Int>(0)

        /// Whether nothing was added.
        var isZero: Bool { number.load(ordering: .relaxed) == 0 }

        /// Returns the number so far, and starts again from 0.
        func take() -> Int { number.exchange(0, ordering: .relaxed) }

        /// Adds to the number.
        func add(_ count: Int) {
            if count != 0 { number.add(count, ordering: .relaxed) }
        }
    }

    /// One connection, from its begin to its end.
    private final class Line: Sendable {
        /// The socket, and what was sent over it.
        let traffic: ServiceTraffic
        /// The number of the last request.
        let number = Atomic<Int>(0)
        /// For how long the service has owed an answer.
        let answers = Silence()
        /// For how long the service has read nothing that makes room.
        let room = Silence()
        /// The connections that have ended.
        private let ended: Guarded<[ServiceTraffic]>

        /// Begins with a connected socket.
        init(_ traffic: ServiceTraffic, _ ended: Guarded<[ServiceTraffic]>) {
            (self.traffic, self.ended) = (traffic, ended)
        }

        deinit {
            // No thread sends any more.
            if !traffic.isSettled { ended.withLock { $0.append(traffic) } }
        }
    }

    /// For how long the service has given no sign.
    ///
    /// A service that hangs is waited for once: later requests wait for a moment only, until there is a sign.
    final class Silence: Sendable {
        /// What a service that goes on needs for a sign, in milliseconds.
        private static let moment = 200
        /// When it began, on the monotonic clock; 0 if there is none.
        private let begin = Atomic<Int64>(0)

        /// The milliseconds of a wait that are left, where the wait belongs to this silence.
        func patience(_ milliseconds: Int) -> Int {
            let now = Clock.monotonicMicroseconds()
            let (isNew, old) = begin.compareExchange(expected: 0, desired: now, ordering: .relaxed)
            let passed = isNew ? 0 : Int((now - old) / 1_000)
            return min(milliseconds, max(ServiceProtocol.answerMilliseconds - passed, Silence.moment))
        }

        /// Whether the service has had its time.
        var isOver: Bool {
            let begin = begin.load(ordering: .relaxed)
            guard begin != 0 else { return false }
            return Clock.monotonicMicroseconds() - begin >= Int64(ServiceProtocol.answerMilliseconds) * 1_000
        }

        /// Ends it.
        func end() {
            if begin.load(ordering: .relaxed) != 0 { begin.store(0, ordering: .relaxed) }
        }
    }

    /// What became of a message.
    enum Sending {
        /// The kernel has it.
        case sent
        /// The service reads too slowly, or another thread was changing the connection.
        case full
        /// It has more bytes than a message can have.
        case tooLong
        /// There is no connection.
        case unconnected
    }

    /// The first bytes of a message of attempts that wants no answer; the number of unsent ones follows.
    private static let head = Array("MD1 0 attempts ".utf8)

    /// The root that the service belongs to.
    private let root: Root
    /// The generation of the process (``Fork/generation``).
    private let generation = Fork.generation
    /// The connection; `nil` if there is none.
    private let line = Guarded<Line?>(nil)
    /// The number of attempts that could not be sent, and that were not reported to the service.
    let unsent = Tally()
    /// The connections that have ended before everything sent on them was confirmed.
    private let ended = Guarded<[ServiceTraffic]>([])
    /// The version of the engine, if this is the connection of a program that opened a domain; each service is told.
    let engine = Guarded<String?>(nil)
    /// When a connection may be waited for again, on the monotonic clock.
    private let nextWait = Atomic<Int64>(0)
    /// Held by the thread that waits for an answer.
    private let asking = Guarded(UInt8(0))

    /// Makes a connection that is not open yet.
    private init(root: Root) {
        self.root = root
    }

    /// A connection that lives as long as somebody in the process uses it.
    private struct Known {
        /// The connection.
        weak var connection: ServiceConnection?
    }

    /// The connections of this process, by the paths of their roots.
    private static let known = Guarded<[String: Known]>(resettable: [:])

    /// The connection of this process to the service of a root, not open yet if nothing else uses it.
    static func shared(of root: Root) -> ServiceConnection {
        known.withLock { known in
            if let old = known[root.path]?.connection, old.generation == Fork.generation { return old }
            let new = ServiceConnection(root: root)
            known = known.filter { $0.value.connection != nil }
            known[root.path] = Known(connection: new)
            return new
        }
    }

    /// Whether there is a connection.
    var isOpen: Bool { line.withLock { $0 != nil } }

    /// Whether something was sent that is not confirmed.
    var awaitsConfirmation: Bool {
        guard let line = line.withLock({ $0 }) else { return false }
        return !line.traffic.isSettled
    }

    /// Whether everything that was sent is confirmed, or was taken from here as unconfirmed.
    var isSettled: Bool { !awaitsConfirmation && ended.withLock { $0.isEmpty } }

    /// Whether the service has answered nothing, or read nothing, for so long that no request waits for it.
    var isSilent: Bool {
        guard let line = line.withLock({ $0 }) else { return false }
        return line.answers.isOver || line.room.isOver
    }

    /// Waits until no other thread asks the service, which may have seen the connection end.
    func waitForAnswers(until deadline: Deadline) {
        while asking.tryWithLock({ _ in }) == nil, deadline.milliseconds > 0 { Clock.pause(microseconds: 1_000) }
    }

    /// The result of connecting.
    enum Opening {
        /// There is a connection.
        case open
        /// So many connect that the service has not accepted this one.
        case full
        /// No service listens.
        case absent
    }

    /// The longest wait for the turn of a connection, in milliseconds, where the caller can wait.
    static let turn = 200
    /// The time after a wait without success in which nothing waits again, in microseconds.
    private static let pause: Int64 = 1_000_000

    /// Connects, unless there is a connection.
    ///
    /// - Parameter milliseconds: the longest wait for a turn.
    /// - Returns: whether there is a connection.
    @discardableResult
    func open(waiting milliseconds: Int = 0) -> Bool { connect(waiting: milliseconds) == .open }

    /// Connects, unless there is a connection; waits only for a turn, and only if it is told to.
    func connect(waiting milliseconds: Int = 0) -> Opening {
        if isOpen { return .open }
        let now = Clock.monotonicMicroseconds()
        let patience = now < nextWait.load(ordering: .relaxed) ? 0 : min(milliseconds, ServiceConnection.turn)
        let socket: MessageSocket
        do throws(SystemError) {
            socket = try MessageSocket.connect(ServiceProtocol.socketPath, under: root, waiting: patience)
        } catch {
            guard error.isFull else { return .absent }
            if patience > 0 { nextWait.store(now + ServiceConnection.pause, ordering: .relaxed) }
            return .full
        }
        guard GenuineService.listens(at: socket, root: root) else { return .absent }
        // Before anything else, so that what is taken has its name.
        let traffic = ServiceTraffic(socket)
        traffic.sendName()
        if let engine = engine.withLock({ $0 }) {
            _ = traffic.socket.sendIfPossible(ServiceRequest(number: 0, .engine(engine)).encoded.span)
        }
        let new = Line(traffic, ended)
        line.withLock { line in
            // Another thread may have connected meanwhile.
            if line == nil { line = new }
        }
        return .open
    }

    /// Sends attempts, or the number of unsent ones alone, without waiting: one system call.
    ///
    /// - Parameters:
    ///   - weight: the number of attempts in the message.
    ///   - countsFull: whether attempts that do not get through are counted as unsent.
    ///   - append: appends their lines, each with its line feed.
    /// - Returns: what became of the message.
    func send(_ weight: Int, countsFull: Bool = true, _ append: (inout [UInt8]) -> Void) -> Sending {
        guard let found = line.tryWithLock({ $0 }) else {
            if countsFull { unsent.add(weight) }
            return .full
        }
        guard let line = found else { return .unconnected }
        let before = unsent.take()
        var message = ServiceConnection.head
        message.reserveCapacity(1_024)
        message += String(before).utf8
        message.append(0x0a)
        append(&message)
        guard message.count <= ServiceProtocol.longestMessage else {
            unsent.add(before)
            return .tooLong
        }
        let error = line.traffic.socket.sendIfPossible(message.span)
        if error == 0 {
            line.room.end()
            line.traffic.sent.add(weight + before, ordering: .relaxed)
            return .sent
        }
        unsent.add(before)
        if ServiceConnection.isFull(error) {
            if countsFull { unsent.add(weight) }
            return .full
        }
        close(line)
        return .unconnected
    }

    /// Sends a request that wants no answer; nothing counts it if it does not get through.
    func tell(_ request: ServiceRequest) {
        let message = request.encoded
        guard message.count <= ServiceProtocol.longestMessage, let line = line.withLock({ $0 }) else { return }
        _ = line.traffic.socket.sendIfPossible(message.span)
    }

    /// Waits until there is room for another message.
    ///
    /// - Parameter milliseconds: the longest wait.
    /// - Returns: whether there is.
    func waitForRoom(milliseconds: Int) -> Bool {
        guard let line = line.withLock({ $0 }) else { return false }
        return line.traffic.socket.wait(for: .room, milliseconds: line.room.patience(milliseconds))
    }

    /// What became of a request.
    enum Reply: Hashable, Sendable {
        /// The service answered.
        case answer(ServiceAnswer.Result)
        /// The service has not got it, and never will: it is the sender's.
        case unsent
        /// The service has got it, and accounts for it, but will not answer: it has ended.
        case taken
        /// The service may have got it; there was no answer in time.
        case late
    }

    /// Asks the service for something and waits for its answer.
    ///
    /// - Parameters:
    ///   - content: the request.
    ///   - attempts: the number of attempts in it.
    ///   - milliseconds: the longest wait.
    /// - Returns: the answer, or what is known without one.
    func request(_ content: ServiceRequest.Content, attempts: Int = 0, milliseconds: Int) -> Reply {
        // The time in which another thread asks is part of the wait.
        let deadline = Deadline(milliseconds: milliseconds)
        return asking.withLock { _ -> Reply in
            guard let line = line.withLock({ $0 }) else { return .unsent }
            let traffic = line.traffic
            let before = traffic.sent.load(ordering: .relaxed)
            let number = line.number.add(1, ordering: .relaxed).newValue
            let message = ServiceRequest(number: number, content).encoded
            guard message.count <= ServiceProtocol.longestMessage else { return .unsent }
            while true {
                let error = traffic.socket.sendIfPossible(message.span)
                if error == 0 { break }
                guard ServiceConnection.isFull(error),
                    traffic.socket.wait(for: .room, milliseconds: line.room.patience(deadline.milliseconds))
                else {
                    if !ServiceConnection.isFull(error) { close(line) }
                    return .unsent
                }
            }
            line.room.end()
            traffic.sent.add(attempts, ordering: .relaxed)
            while true {
                switch traffic.socket.receive(limit: ServiceProtocol.longestMessage) {
                case .message(let bytes):
                    line.answers.end()
                    guard let answer = try? ServiceAnswer(bytes), answer.number == number else { continue }
                    // An answer comes after everything that was sent before it is durable.
                    if case .unavailable = answer.result {
                        traffic.takeBack(attempts, after: before)
                    } else {
                        traffic.confirmed.max(before + attempts, ordering: .relaxed)
                    }
                    return .answer(answer.result)
                case .tooLong: continue
                case .closed:
                    close(line)
                    return traffic.settle(attempts, after: before, root: root) ? .taken : .unsent
                case .nothing:
                    let left = line.answers.patience(deadline.milliseconds)
                    guard left > 0, traffic.socket.wait(milliseconds: left) else { return .late }
                }
            }
        }
    }

    /// Asks the service for something that is not an attempt, once more if the connection ended before the answer.
    ///
    /// - Returns: the answer; `nil` if no service listens, or if there is no answer in time.
    func ask(_ content: ServiceRequest.Content) -> ServiceAnswer.Result? {
        for _ in 0..<2 where open(waiting: ServiceConnection.turn) {
            switch request(content, milliseconds: ServiceProtocol.answerMilliseconds) {
            case .answer(let result): return result
            case .late: return nil
            case .unsent, .taken: continue
            }
        }
        return nil
    }

    /// Takes the number of attempts that got lost with connections.
    ///
    /// - Parameter milliseconds: the longest wait for a service that is closing its connections.
    /// - Returns: the number of those that were sent, and that the service has neither confirmed nor taken over.
    func takeUnconfirmed(milliseconds: Int) -> Int {
        let traffics = ended.withLock { ended in
            defer { ended = [] }
            return ended
        }
        let end = Clock.monotonicMicroseconds() + Int64(milliseconds) * 1_000
        return traffics.reduce(0) { sum, traffic in
            let left = Int(max(end - Clock.monotonicMicroseconds(), 0) / 1_000)
            return sum + traffic.unconfirmed(root: root, milliseconds: left)
        }
    }

    /// Waits until the service confirms what was sent, or the time is over.
    func confirm(milliseconds: Int) {
        _ = request(.health, milliseconds: milliseconds)
    }

    /// Whether an error number of sending says that the service reads too slowly.
    private static func isFull(_ code: Int32) -> Bool { SystemError(operation: "", path: "", code: code).isFull }

    /// Ends a connection; the last thread that uses it closes the socket.
    private func close(_ old: Line) {
        line.withLock { line in
            if line === old { line = nil }
        }
    }
}
