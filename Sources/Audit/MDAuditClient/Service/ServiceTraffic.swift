import MDPlatform
import Synchronization

/// The socket of one connection to the audit service, and what was sent over it.
final class ServiceTraffic: Sendable {
    /// The socket.
    let socket: MessageSocket
    /// The name by which the number of attempts that were taken from the connection is found.
    private let name = Int.random(in: TakenAttempts.names)
    /// The number of attempts that were sent and not taken back, and of unsent ones that were reported to the service.
    let sent = Atomic<Int>(0)
    /// The part of that number that the service has confirmed.
    let confirmed = Atomic<Int>(0)

    /// Takes over a connected socket, which a child that fork(2) makes closes.
    init(_ socket: consuming MessageSocket) {
        self.socket = socket
        Fork.closeInChild(self.socket.raw)
    }

    deinit {
        Fork.keepInChild(socket.raw)
    }

    /// Whether nothing was sent that is not confirmed.
    var isSettled: Bool { sent.load(ordering: .relaxed) == confirmed.load(ordering: .relaxed) }

    /// Tells the service the name.
    func sendName() {
        _ = socket.sendIfPossible(ServiceRequest(number: 0, .name(name)).encoded.span)
    }

    /// Takes a request back that the service has returned: it counts as not sent.
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts in the request.
    ///   - before: the number of those that were sent before it, which are settled.
    func takeBack(_ attempts: Int, after before: Int) {
        sent.subtract(attempts, ordering: .relaxed)
        confirmed.max(before, ordering: .relaxed)
    }

    /// Settles the last request over a connection that the service has closed; one that was not taken is taken back.
    ///
    /// What was sent before it is another matter, and remains open: see ``unconfirmed(root:milliseconds:)``.
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts in the request.
    ///   - before: the number of those that were sent before it.
    ///   - root: the root that the service belongs to.
    /// - Returns: whether the service had taken it.
    func settle(_ attempts: Int, after before: Int, root: Root) -> Bool {
        let taken = TakenAttempts.count(ofConnection: name, root: root) ?? 0
        if taken >= before + attempts { return true }
        sent.subtract(attempts, ordering: .relaxed)
        return false
    }

    /// Counts what got lost with the connection, once that has ended.
    ///
    /// - Parameters:
    ///   - root: the root that the service belongs to.
    ///   - milliseconds: the longest wait for the service, which reads what has arrived before it closes the connection.
    /// - Returns: the number of attempts that were sent and neither confirmed nor taken.
    func unconfirmed(root: Root, milliseconds: Int) -> Int {
        let end = Clock.monotonicMicroseconds() + Int64(milliseconds) * 1_000
        waiting: while true {
            switch socket.receive(limit: ServiceProtocol.longestMessage) {
            case .message, .tooLong: continue
            case .closed: break waiting
            case .nothing:
                let left = Int(max(end - Clock.monotonicMicroseconds(), 0) / 1_000)
                guard left > 0, socket.wait(milliseconds: left) else { break waiting }
            }
        }
        let known = max(
            confirmed.load(ordering: .relaxed), TakenAttempts.count(ofConnection: name, root: root) ?? 0)
        return max(sent.load(ordering: .relaxed) - known, 0)
    }
}
