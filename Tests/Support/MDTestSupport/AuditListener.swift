import Foundation
import Synchronization

/// A stand-in for the audit service: listens at the service's socket beneath a folder and keeps what it is sent.
public final class AuditListener: Sendable {
    /// Why it cannot listen.
    public struct Failure: Error {
        /// The system call.
        public let call: String
        /// The error number.
        public let code: Int32
    }

    /// What arrived.
    private struct State {
        /// The messages, in order.
        var messages: [String] = []
        /// The connections.
        var connections: [Int32] = []
        /// The number of records that were stored.
        var stored = 0
        /// Whether the thread is to close the connections.
        var isHangingUp = false
        /// Whether the thread is to end.
        var isOver = false
        /// Whether the thread has ended.
        var hasEnded = true
        /// Whether requests are answered.
        var answers = true
    }

    /// The socket that listens.
    private let socket: Int32
    /// What arrived.
    private let state = Mutex(State())

    /// Listens; nothing is accepted or read before ``read()``.
    ///
    /// - Parameter folder: the folder that is the root of the machine.
    /// - Throws: ``Failure``, or that the folder of the socket cannot be made.
    public init(folder: String) throws {
        let place = folder + "/run/mdefaultsd"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        // An address holds 107 bytes, fewer than the paths of temporary folders may have.
        let directory = Foundation.open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw Failure(call: "open", code: errno) }
        defer { close(directory) }
        unlink(place + "/audit.sock")
        socket = Foundation.socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: Array("/proc/self/fd/\(directory)/audit.sock".utf8))
        }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, listen(socket, 16) == 0 else { throw Failure(call: "bind", code: errno) }
    }

    deinit { stop() }

    /// Accepts connections, reads and answers on another thread from now on.
    public func read() {
        state.withLock { $0.hasEnded = false }
        // The thread keeps this object alive until ``stop()``.
        Thread.detachNewThread { [self] in
            while !state.withLock({ $0.isOver }) { turn() }
            state.withLock { $0.hasEnded = true }
        }
    }

    /// Whether numbered requests are answered.
    public func setAnswers(_ answers: Bool) { state.withLock { $0.answers = answers } }

    /// Accepts and reads what is there, after a short wait for it.
    private func turn() {
        if state.withLock({ $0.isHangingUp }) { closeConnections() }
        let connections = state.withLock { $0.connections }
        var entries = ([socket] + connections).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&entries, nfds_t(entries.count), 10) > 0 else { return }
        for entry in entries where entry.revents != 0 {
            if entry.fd == socket {
                let connection = accept(socket, nil, nil)
                if connection >= 0 { state.withLock { $0.connections.append(connection) } }
            } else {
                receive(entry.fd)
            }
        }
    }

    /// Reads what is there of one connection.
    private func receive(_ connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(connection, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0 && errno == EAGAIN { return }
            guard count > 0 else {
                let isKnown = state.withLock { state in
                    defer { state.connections.removeAll { $0 == connection } }
                    return state.connections.contains(connection)
                }
                if isKnown { close(connection) }
                return
            }
            let message = String(decoding: buffer[..<count], as: UTF8.self)
            let answer = state.withLock { state -> String? in
                state.messages.append(message)
                let words = message.prefix { $0 != "\n" }.split(separator: " ")
                guard words.count > 2, words[1] != "0", state.answers else { return nil }
                guard words[2] == "attempts" else { return "MD1 \(words[1]) health 0 0 0\n" }
                let lines = message.split(separator: "\n").count - 1
                state.stored += lines
                return "MD1 \(words[1]) stored \(state.stored - lines + 1) \(lines)\n"
            }
            if let answer { _ = send(connection, answer, answer.utf8.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Ends the connections, as a service that is killed does; the socket listens on.
    public func hangUp() {
        state.withLock { $0.isHangingUp = true }
        // The thread that reads closes them, because it may be using them.
        while state.withLock({ $0.isHangingUp && !$0.hasEnded }) { usleep(1_000) }
        closeConnections()
    }

    /// Closes the connections; only then is the hanging up over.
    private func closeConnections() {
        state.withLock { state in
            for connection in state.connections { close(connection) }
            (state.connections, state.isHangingUp) = ([], false)
        }
    }

    /// Ends everything.
    public func stop() {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        while !state.withLock({ $0.hasEnded }) { usleep(1_000) }
        closeConnections()
        close(socket)
    }

    /// The messages so far, in order.
    public var messages: [String] { state.withLock { $0.messages } }

    /// The lines of attempts so far, in order.
    public var lines: [String] {
        messages.filter { $0.contains(" attempts ") }.flatMap { $0.split(separator: "\n").dropFirst().map(String.init) }
    }

    /// The number of attempts that the lines count.
    public var attempts: Int {
        lines.filter { $0.contains(#""kind":"override""#) }.reduce(0) { $0 + AuditListener.count(of: $1) }
    }

    /// The number of attempts that senders said they could not send.
    public var unsent: Int {
        messages.filter { $0.contains(" attempts ") }.reduce(0) { sum, message in
            sum + (message.prefix { $0 != "\n" }.split(separator: " ").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// The number of attempts that a line counts.
    public static func count(of line: String) -> Int {
        guard let range = line.range(of: #""count":"#) else { return 1 }
        return Int(line[range.upperBound...].prefix { $0.isNumber }) ?? 1
    }
}
