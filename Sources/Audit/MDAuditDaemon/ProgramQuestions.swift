import MDAuditClient
import MDPlatform
import MDTools

/// Asks the part of root which program a process of another user runs.
///
/// The service waits for an answer, but not for long, and not again soon after it waited in vain.
final class ProgramQuestions {
    /// The longest wait for an answer, in milliseconds.
    private static let patience = 50
    /// The time without questions after one had no answer, in microseconds.
    private static let silence: Int64 = 10_000_000
    /// The time without questions after no process listened, in microseconds.
    private static let absence: Int64 = 1_000_000

    /// A connection.
    private final class Link {
        /// The socket.
        let socket: MessageSocket

        /// Takes over a socket.
        init(_ socket: consuming MessageSocket) { self.socket = socket }
    }

    /// The root of the machine.
    private let root: Root
    /// The connection; `nil` before the first question and after a failure.
    private var link: Link?
    /// When the next question may be asked, on the monotonic clock.
    private var next: Int64 = 0

    /// Makes a part that is not connected yet.
    init(root: Root) {
        self.root = root
    }

    /// The path of the program of the process that made a connection.
    ///
    /// - Parameters:
    ///   - peer: the connection.
    ///   - now: the time on the monotonic clock.
    /// - Returns: `nil` if the part of root does not say, or the process has ended.
    func program(of peer: borrowing MessageSocket, now: Int64) -> String? {
        guard now >= next else { return nil }
        guard let process = ProcessHandle(peerOf: peer) else { return nil }
        link = link ?? connect()
        guard let link else {
            next = now + ProgramQuestions.absence
            return nil
        }
        if link.socket.send(ProgramPath.question, with: process),
            link.socket.wait(milliseconds: ProgramQuestions.patience),
            case .message(let answer) = link.socket.receive(limit: ProgramPath.longestAnswer)
        {
            return ProgramPath.path(in: answer)
        }
        // An answer that comes later must not be taken for that to another question.
        self.link = nil
        next = now + ProgramQuestions.silence
        return nil
    }

    /// Connects to the part of root.
    private func connect() -> Link? {
        do throws(SystemError) {
            let link = Link(try MessageSocket.connect(ProgramPath.socketPath, under: root))
            // Another process may have made the socket in a folder given as root.
            guard let user = link.socket.peerUser, user == 0 || user == root.owner else { return nil }
            return link
        } catch {
            // Without the part of root a record has the claim of its sender.
            return nil
        }
    }
}
