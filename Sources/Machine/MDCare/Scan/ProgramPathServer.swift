import MDAuditClient
package import MDPlatform
import MDTools

/// Tells the audit service which program a process runs: the link is for root to read.
///
/// It takes descriptors of processes, reads one link for each, and hands over its bytes. Nothing that a user wrote is
/// parsed. A connection that says anything else is closed.
package final class ProgramPathServer: Sendable {
    /// The most connections; the service needs one.
    private static let capacity = 8

    /// The root of the machine.
    private let root: Root
    /// The user of the service; only this user may ask.
    private let user: UInt32
    /// The socket.
    private let listener: MessageListener

    /// A connection of the service.
    private final class Peer {
        /// The connection.
        let socket: MessageSocket

        /// Takes over a connection.
        init(_ socket: consuming MessageSocket) { self.socket = socket }
    }

    /// Listens where the service of a machine asks.
    ///
    /// - Parameters:
    ///   - root: the root of the machine.
    ///   - user: the user of the service.
    /// - Returns: the server, which answers once it is started.
    /// - Throws: if there is no folder for the socket, or another process listens there.
    package static func listen(root: Root, user: UInt32) throws(SystemError) -> ProgramPathServer {
        let listener = try MessageListener.bind(ProgramPath.socketPath, under: root, mode: 0o600)
        try root.changeOwner(ofSocket: ProgramPath.socketPath, user: user)
        return ProgramPathServer(root, user, listener)
    }

    private init(_ root: Root, _ user: UInt32, _ listener: consuming MessageListener) {
        (self.root, self.user) = (root, user)
        self.listener = listener
    }

    /// The user of the audit service of a machine; `nil` if it has none.
    package static func user(of root: Root) -> UInt32? {
        root.isSystem ? AccountDatabase(root: root).account(named: ProgramPath.account)?.uid : root.owner
    }

    /// Answers on a thread of its own as long as the process runs.
    ///
    /// - Returns: whether the system grants one.
    package func start() -> Bool { BackgroundThread.run("program-paths") { self.run() } }

    /// Removes the socket.
    package func end() { try? root.remove(ProgramPath.socketPath) }

    /// Answers.
    private func run() {
        guard let poller = try? Poller(), (try? poller.add(listener.raw)) != nil else { return }
        var peers: [Int32: Peer] = [:]
        while true {
            for event in poller.wait(milliseconds: nil) {
                if event.raw == listener.raw {
                    accept(&peers, poller)
                } else if let peer = peers[event.raw], !ProgramPathServer.answer(peer) {
                    // Closing the descriptor ends the watch.
                    peers[event.raw] = nil
                }
            }
        }
    }

    /// Accepts a connection, if it is the service's.
    private func accept(_ peers: inout [Int32: Peer], _ poller: borrowing Poller) {
        switch listener.accept() {
        case .nothing: return
        case .shortage: Clock.pause(microseconds: 10_000)
        case .connection(let socket):
            let peer = Peer(socket)
            guard peer.socket.peerUser == user, peers.count < ProgramPathServer.capacity,
                (try? poller.add(peer.socket.raw)) != nil
            else { return }
            peers[peer.socket.raw] = peer
        }
    }

    /// Answers a question.
    ///
    /// - Returns: whether the connection stays.
    private static func answer(_ peer: Peer) -> Bool {
        var process: ProcessHandle?
        switch peer.socket.receive(limit: ProgramPath.question.count, with: &process) {
        case .nothing: return true
        case .closed, .tooLong: return false
        case .message(let message):
            guard message == ProgramPath.question, let process else { return false }
            return peer.socket.sendIfPossible(ProgramPath.answer(process.programLink()).span) == 0
        }
    }
}
