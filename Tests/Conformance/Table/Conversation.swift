import Foundation

/// A driver's process that is asked a line at a time.
final class Conversation {
    /// Why there is no answer.
    struct Silence: Error, CustomStringConvertible {
        /// A sentence.
        let description: String
    }

    /// The process.
    private let id: pid_t
    /// Our end of the connection to its standard input and output.
    private let connection: Int32
    /// What was read and is not a whole line yet.
    private var received: [UInt8] = []
    /// Whether the process was waited for.
    private var isEnded = false

    /// Starts a driver.
    ///
    /// - Parameters:
    ///   - words: the command line with the program's path first.
    ///   - environment: the whole environment.
    ///   - errors: the file that takes standard error.
    /// - Throws: ``Silence`` if it does not start.
    init(_ words: [String], environment: [String: String], errors: String) throws {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw Silence(description: "No connection could be made: \(String(cString: strerror(errno))).")
        }
        connection = ends[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o666)
        var arguments = words.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var id: pid_t = 0
        let code = posix_spawn(&id, words[0], &actions, nil, &arguments, &variables)
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            throw Silence(description: "\(words[0]) did not start: \(String(cString: strerror(code))).")
        }
        self.id = id
    }

    deinit {
        if !isEnded {
            kill(id, SIGKILL)
            _ = wait()
        }
        close(connection)
    }

    /// Asks for one step.
    ///
    /// - Parameters:
    ///   - line: the request.
    ///   - seconds: how long the answer may take.
    /// - Returns: the answer.
    /// - Throws: ``Silence`` if the process ended or takes too long.
    func ask(_ line: String, within seconds: Double) throws -> Answer {
        var bytes = Array(line.utf8) + [10]
        while !bytes.isEmpty {
            let count = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            guard count > 0 else { throw Silence(description: ending()) }
            bytes.removeFirst(count)
        }
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            if let mark = received.firstIndex(of: 10) {
                defer { received.removeFirst(mark + 1) }
                return Answer(line: String(decoding: received[..<mark], as: UTF8.self))
            }
            let left = (end - .now) / .milliseconds(1)
            var entry = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard left > 0, poll(&entry, 1, Int32(left) + 1) > 0 else {
                throw Silence(description: "no answer within \(Int(seconds)) s")
            }
            var buffer = [UInt8](repeating: 0, count: 65536)
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { throw Silence(description: ending()) }
            received += buffer[..<count]
        }
    }

    /// Lets the process end by itself, as a program does when it returns from `main`.
    ///
    /// - Returns: the exit code, or the signal that ended it, negative.
    @discardableResult
    func finish() -> Int32 {
        shutdown(connection, Int32(SHUT_WR))
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        let status = wait()
        return status & 0x7f == 0 ? (status >> 8) & 0xff : -(status & 0x7f)
    }

    /// Ends the process at once.
    func stop() {
        kill(id, SIGKILL)
        _ = wait()
    }

    /// How the process ended, as a part of a sentence.
    private func ending() -> String {
        let status = wait()
        let signal = status & 0x7f
        guard signal != 0 else { return "the process ended with exit code \((status >> 8) & 0xff)" }
        return signal == SIGXCPU || signal == SIGKILL
            ? "the process hung and used up its time" : "the process was ended by signal \(signal)"
    }

    /// Waits for the end and gives the status.
    private func wait() -> Int32 {
        guard !isEnded else { return 0 }
        isEnded = true
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

/// What a driver answers to one step.
package enum Answer: Sendable, CustomStringConvertible {
    /// A value, or none.
    case value(Wire)
    /// It was done; the word has details, or is empty.
    case done(String)
    /// The subject raised an exception, or refused with a reason.
    case raised(String)
    /// The subject has no such member.
    case missing(String)
    /// The subject's process ended or hung; or the step is wrong.
    case failed(String)

    /// The line as a driver prints it.
    package var description: String {
        switch self {
        case .value(let value): "= \(value)"
        case .done(let word): word.isEmpty ? "done" : "done \(word)"
        case .raised(let reason): "raised \(Answer.line(reason))"
        case .missing(let name): "missing \(Answer.line(name))"
        case .failed(let reason): "failed \(Answer.line(reason))"
        }
    }

    /// Reads a line that a driver printed.
    package init(line: String) {
        var reader = WireReader(line)
        guard let word = try? reader.word() else {
            self = .failed("The driver printed an empty line.")
            return
        }
        switch word {
        case "=":
            do { self = .value(try reader.value()) } catch {
                self = .failed("The answer \(line) cannot be read: \(error)")
            }
        case "done": self = .done(reader.rest)
        case "raised": self = .raised(reader.rest)
        case "missing": self = .missing(reader.rest)
        default: self = .failed(word == "failed" ? reader.rest : line)
        }
    }

    /// Text without line ends.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
