import MDPlatform
import MDPropertyList
import Synchronization

/// The connection of one process to the audit service of one root, with the counts of what did not get through.
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

        /// The number so far, which begins anew.
        func take() -> Int { number.exchange(0, ordering: .relaxed) }

        /// Adds to the number.
        func add(_ count: Int) {
            if count != 0 { number.add(count, ordering: .relaxed) }
        }
    }

    /// One connection, from its begin to its end.
    private final class Line: Sendable {
        /// The socket.
        let socket: MessageSocket
        /// The number of attempts that were sent, and of unsent ones that the service was told of.
        let sent = Atomic<Int>(0)
        /// The part of that number that the service has confirmed.
        let confirmed = Atomic<Int>(0)
        /// The number of the last request.
        let number = Atomic<Int>(0)
        /// What was not confirmed, of all connections that have ended.
        private let unconfirmed: Tally

        /// Begins with a connected socket.
        init(_ socket: consuming MessageSocket, _ unconfirmed: Tally) {
            self.socket = socket
            self.unconfirmed = unconfirmed
        }

        deinit {
            // No thread sends any more.
            unconfirmed.add(sent.load(ordering: .relaxed) - confirmed.load(ordering: .relaxed))
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
    /// The connection; `nil` if there is none.
    private let line = Guarded<Line?>(nil)
    /// The number of attempts that could not be sent, and that the service was not told of.
    let unsent = Tally()
    /// The number of attempts that were sent, and not confirmed before their connection ended.
    let unconfirmed = Tally()
    /// Held by the thread that waits for an answer.
    private let asking = Guarded(UInt8(0))

    /// Makes a connection that is not open yet.
    init(root: Root) {
        self.root = root
    }

    /// Whether there is a connection.
    var isOpen: Bool { line.withLock { $0 != nil } }

    /// Whether something was sent that is not confirmed.
    var awaitsConfirmation: Bool {
        guard let line = line.withLock({ $0 }) else { return false }
        return line.sent.load(ordering: .relaxed) != line.confirmed.load(ordering: .relaxed)
    }

    /// Connects, unless there is a connection; opens a socket and never waits.
    ///
    /// - Returns: whether there is a connection.
    @discardableResult
    func open() -> Bool {
        if isOpen { return true }
        guard let socket = try? MessageSocket.connect(ServiceProtocol.socketPath, under: root) else { return false }
        let new = Line(socket, unconfirmed)
        line.withLock { line in
            // Another thread may have connected meanwhile.
            if line == nil { line = new }
        }
        return true
    }

    /// Closes the connection of the process that forked this one off; its counts are that process's.
    func abandon() {
        _ = line.tryWithLock { $0 = nil }
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
        let error = line.socket.sendIfPossible(message.span)
        if error == 0 {
            line.sent.add(weight + before, ordering: .relaxed)
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
        _ = line.socket.sendIfPossible(message.span)
    }

    /// Waits until there is room for another message.
    ///
    /// - Parameter milliseconds: the longest wait.
    /// - Returns: whether there is.
    func waitForRoom(milliseconds: Int) -> Bool {
        guard let line = line.withLock({ $0 }) else { return false }
        return line.socket.wait(for: .room, milliseconds: milliseconds)
    }

    /// Asks the service for something and waits for its answer.
    ///
    /// - Parameters:
    ///   - content: the request.
    ///   - milliseconds: the longest wait.
    /// - Returns: the answer; `nil` if there is no connection or no answer.
    func ask(_ content: ServiceRequest.Content, milliseconds: Int) -> ServiceAnswer.Result? {
        asking.withLock { _ -> ServiceAnswer.Result? in
            guard let line = line.withLock({ $0 }) else { return nil }
            let end = Clock.monotonicMicroseconds() + Int64(milliseconds) * 1_000
            let sent = line.sent.load(ordering: .relaxed)
            let number = line.number.add(1, ordering: .relaxed).newValue
            let message = ServiceRequest(number: number, content).encoded
            guard message.count <= ServiceProtocol.longestMessage else { return nil }
            /// The milliseconds that are left.
            func rest() -> Int { Int(max(end - Clock.monotonicMicroseconds(), 0) / 1_000) }
            while true {
                let error = line.socket.sendIfPossible(message.span)
                if error == 0 { break }
                guard ServiceConnection.isFull(error), line.socket.wait(for: .room, milliseconds: rest()) else {
                    if !ServiceConnection.isFull(error) { close(line) }
                    return nil
                }
            }
            while true {
                switch line.socket.receive(limit: ServiceProtocol.longestMessage) {
                case .message(let bytes):
                    guard let answer = try? ServiceAnswer(bytes), answer.number == number else { continue }
                    // An answer comes after everything that was sent before it is durable.
                    line.confirmed.max(sent, ordering: .relaxed)
                    return answer.result
                case .tooLong: continue
                case .closed:
                    close(line)
                    return nil
                case .nothing:
                    let left = rest()
                    guard left > 0, line.socket.wait(milliseconds: left) else { return nil }
                }
            }
        }
    }

    /// Has the service confirm what was sent.
    ///
    /// - Parameter milliseconds: the longest wait.
    /// - Returns: whether it did.
    @discardableResult
    func confirm(milliseconds: Int) -> Bool {
        if case .health? = ask(.health, milliseconds: milliseconds) { true } else { false }
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
