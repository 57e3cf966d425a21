import MDAuditRecord
import MDPlatform
package import MDPropertyList

/// The limits of messages to and from the audit service, `mdefaultsd`, and the place of its socket.
package enum ServiceProtocol {
    /// The path of the socket (SOCK_SEQPACKET), under the root.
    package static let socketPath = RunFolder.serviceSocket
    /// The most bytes of a message, of either direction.
    package static let longestMessage = 4_096
    /// The most records of one message.
    package static let mostRecords = 16
    /// The most set-once marks of one message.
    package static let mostMarks = 16
    /// The milliseconds within which the service answers, if it answers at all.
    static let answerMilliseconds = 2_000
    /// The first word of each message: the version.
    static let version = "MD1"
    /// The largest number of a message, which every program represents exactly.
    static let largestNumber = AuditRecord.largestNumber

    /// Splits a message into the words of its first line, and its other lines; each line ends with a line feed.
    static func parts(of message: [UInt8]) throws(ServiceMessageError) -> (words: [String], lines: [ArraySlice<UInt8>])
    {
        guard message.count <= longestMessage else { throw .invalid("it has more than \(longestMessage) bytes") }
        guard message.last == 0x0a else { throw .invalid("it does not end with a line feed") }
        var lines = message.dropLast().split(separator: 0x0a, omittingEmptySubsequences: false)
        guard let text = String(validating: lines.removeFirst(), as: UTF8.self) else {
            throw .invalid("its first line is not UTF-8")
        }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.first == version else { throw .version }
        return (Array(words.dropFirst()), lines)
    }

    /// Parses a version of a message: printable ASCII, 32 bytes at most.
    static func version(_ text: String) throws(ServiceMessageError) -> String {
        guard (1...32).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .invalid("it has a version that is none")
        }
        return text
    }

    /// Parses a number of a message: decimal digits without a leading zero.
    static func number(_ text: String, from lowest: Int = 0) throws(ServiceMessageError) -> Int {
        guard let number = Int(text), String(number) == text, (lowest...largestNumber).contains(number) else {
            throw .invalid("it has a number that is none")
        }
        return number
    }
}

/// Why a message of the audit service's protocol is not understood.
package enum ServiceMessageError: Error, Hashable, Sendable {
    /// The message has another version, or none.
    case version
    /// The message breaks a rule of the protocol; the reason is a clause.
    case invalid(String)
}

extension ServiceMessageError: CustomStringConvertible {
    /// A clause for people.
    package var description: String {
        switch self {
        case .version: "the message is not of version \(ServiceProtocol.version)"
        case .invalid(let reason): "the message is not valid: \(reason)"
        }
    }
}

/// What a process asks of the audit service: one message.
///
/// A message is text: a line `MD1 NUMBER KIND WORDS…`, then the lines of its kind, each with its line feed. The service
/// repeats NUMBER in its answer; a request with the number 0 gets no answer.
package struct ServiceRequest: Hashable, Sendable {
    /// The kinds of requests.
    package enum Content: Hashable, Sendable {
        /// Store these records: each a line of the log as the sender claims it, without place and without time. `unsent`
        /// is the number of attempts since the last message that could not be sent.
        case attempts([[UInt8]], unsent: Int)
        /// Asks for the identity of the sender, as the kernel sees it outside of every user namespace.
        case identity
        /// Which of these set-once marks of a user are remembered, and are all to be? Without a number the user is the
        /// sender; only root's processes name another one.
        case marks([SetOnceMark], MarkRequest, of: UInt32? = nil)
        /// This program opened these domains.
        case opened([Key])
        /// This program has this version of the engine.
        case engine(String)
        /// Which programs have a connection, by the versions of their engines? Root hears of all, others of their own.
        case engines
        /// Are you well, and what became of the requests of this connection?
        case health
        /// This connection has a name, by which its client finds in ``TakenAttempts`` how much of it was taken.
        case name(Int)
    }

    /// The number that the answer repeats; 0 for no answer.
    package let number: Int
    /// What is asked.
    package let content: Content

    /// Makes a request.
    package init(number: Int, _ content: Content) {
        (self.number, self.content) = (number, content)
    }

    /// The bytes of the message; longer than ``ServiceProtocol/longestMessage`` if the content is.
    package var encoded: [UInt8] {
        let (kind, lines): (String, [[UInt8]]) =
            switch content {
            case .attempts(let records, let unsent): ("attempts \(unsent)", records)
            case .identity: ("identity", [])
            case .marks(let marks, let request, let user):
                ("marks \(request.rawValue)\(user.map { " \($0)" } ?? "")", marks.map(\.line))
            case .opened(let domains): ("opened", domains.map { Array($0.string.utf8) })
            case .engine(let version): ("engine \(version)", [])
            case .engines: ("engines", [])
            case .health: ("health", [])
            case .name(let name): ("health \(name)", [])
            }
        var bytes = Array("\(ServiceProtocol.version) \(number) \(kind)\n".utf8)
        for line in lines {
            bytes += line
            bytes.append(0x0a)
        }
        return bytes
    }

    /// Parses a message.
    ///
    /// - Throws: ``ServiceMessageError`` with the reason.
    package init(_ message: [UInt8]) throws(ServiceMessageError) {
        let (words, lines) = try ServiceProtocol.parts(of: message)
        guard words.count >= 2 else { throw .invalid("its kind is missing") }
        number = try ServiceProtocol.number(words[0])
        switch (words[1], words.count) {
        case ("attempts", 3):
            guard (0...ServiceProtocol.mostRecords).contains(lines.count) else {
                throw .invalid("it has more than \(ServiceProtocol.mostRecords) records")
            }
            content = .attempts(lines.map(Array.init), unsent: try ServiceProtocol.number(words[2]))
        case ("identity", 2) where lines.isEmpty: content = .identity
        case ("marks", 3...4):
            guard let request = MarkRequest(rawValue: words[2]) else { throw .invalid("its kind is unknown") }
            var user: UInt32?
            if words.count == 4 {
                user = UInt32(exactly: try ServiceProtocol.number(words[3]))
                if user == nil { throw .invalid("it has a number that is none") }
            }
            guard (1...ServiceProtocol.mostMarks).contains(lines.count) else {
                throw .invalid("it has no mark, or more than \(ServiceProtocol.mostMarks)")
            }
            var marks: [SetOnceMark] = []
            for line in lines { marks.append(try SetOnceMark(line: Array(line))) }
            content = .marks(marks, request, of: user)
        case ("opened", 2) where !lines.isEmpty:
            var domains: [Key] = []
            for line in lines {
                guard let text = String(validating: line, as: UTF8.self), !text.isEmpty else {
                    throw .invalid("the name of a domain is empty or not UTF-8")
                }
                domains.append(Key(text))
            }
            content = .opened(domains)
        case ("engine", 3) where lines.isEmpty: content = .engine(try ServiceProtocol.version(words[2]))
        case ("engines", 2) where lines.isEmpty: content = .engines
        case ("health", 2) where lines.isEmpty: content = .health
        case ("health", 3) where lines.isEmpty: content = .name(try ServiceProtocol.number(words[2], from: 1))
        default: throw .invalid("its kind is unknown")
        }
    }
}

/// What the audit service answers: one message.
///
/// A line `MD1 NUMBER RESULT WORDS…`; after it the lines of the result.
package struct ServiceAnswer: Hashable, Sendable {
    /// The results of requests.
    package enum Result: Hashable, Sendable {
        /// Every record is on disk: the place of the first in the log, and their number. An attempt that equals one of
        /// the last 10 s is stored with that one's count; `count` says how many have a place of their own.
        case stored(first: Int, count: Int)
        /// No record was stored, and all were counted; the reason is a word.
        case dropped(String)
        /// The service cannot do it now; the reason is a clause. The sender keeps what it wanted stored.
        case unavailable(String)
        /// The request was not understood; the reason is a clause.
        case invalid(String)
        /// The identity of the sender.
        case identity(ServiceIdentity)
        /// For each mark of the request, in its order: whether it was remembered before.
        case marks([Bool])
        /// Programs that have a connection, and how many more are not listed.
        case engines([ConnectedProgram], more: Int)
        /// The service is well; the numbers are those of this connection.
        case health(ServiceTotals)
        /// It was done, and there is nothing to say.
        case done
    }

    /// The number of the request.
    package let number: Int
    /// The result.
    package let result: Result

    /// Makes an answer.
    package init(number: Int, _ result: Result) {
        (self.number, self.result) = (number, result)
    }

    /// The bytes of the message.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64)
        bytes += ServiceProtocol.version.utf8
        bytes.append(UInt8(ascii: " "))
        bytes += String(number).utf8
        bytes.append(UInt8(ascii: " "))
        if case .stored(let first, let count) = result {
            // The usual answer, without text that would need memory of its own.
            bytes += "stored ".utf8
            bytes += String(first).utf8
            bytes.append(UInt8(ascii: " "))
            bytes += String(count).utf8
        } else {
            bytes += text.utf8
        }
        bytes.append(0x0a)
        return bytes
    }

    /// The result in words.
    private var text: String {
        switch result {
        case .stored(let first, let count): "stored \(first) \(count)"
        case .dropped(let reason): "dropped \(reason)"
        case .unavailable(let reason): "unavailable\n\(reason)"
        case .invalid(let reason): "invalid\n\(reason)"
        case .identity(let identity):
            "identity \(identity.uid) \(identity.gid) \(identity.loginUID.map { "\($0)" } ?? "-")"
                + identity.groups.map { " \($0)" }.joined() + "\n\(identity.name ?? "")\n\(identity.home ?? "")"
        case .marks(let known): "marks \(known.map { $0 ? "1" : "0" }.joined())"
        case .engines(let programs, let more): "engines \(more)" + programs.map { "\n\($0.line)" }.joined()
        case .health(let totals): "health \(totals.received) \(totals.stored) \(totals.dropped)"
        case .done: "done"
        }
    }

    /// Parses a message.
    ///
    /// - Throws: ``ServiceMessageError`` with the reason.
    package init(_ message: [UInt8]) throws(ServiceMessageError) {
        let (words, lines) = try ServiceProtocol.parts(of: message)
        guard words.count >= 2 else { throw .invalid("its result is missing") }
        number = try ServiceProtocol.number(words[0])
        let text = lines.first.flatMap { String(validating: $0, as: UTF8.self) }
        switch (words[1], words.count, lines.count) {
        case ("stored", 4, 0):
            result = .stored(first: try ServiceProtocol.number(words[2]), count: try ServiceProtocol.number(words[3]))
        case ("dropped", 3, 0): result = .dropped(words[2])
        case ("unavailable", 2, 1): result = .unavailable(text ?? "?")
        case ("invalid", 2, 1): result = .invalid(text ?? "?")
        case ("identity", 5..., 2):
            result = .identity(try ServiceIdentity(words: words.dropFirst(2), lines: lines))
        case ("marks", 3, 0):
            guard (1...ServiceProtocol.mostMarks).contains(words[2].utf8.count),
                words[2].utf8.allSatisfy({ $0 == 0x30 || $0 == 0x31 })
            else { throw .invalid("its result is unknown") }
            result = .marks(words[2].utf8.map { $0 == 0x31 })
        case ("engines", 3, _):
            var programs: [ConnectedProgram] = []
            for line in lines { programs.append(try ConnectedProgram(line: line)) }
            result = .engines(programs, more: try ServiceProtocol.number(words[2]))
        case ("health", 5, 0):
            result = .health(
                ServiceTotals(
                    received: try ServiceProtocol.number(words[2]), stored: try ServiceProtocol.number(words[3]),
                    dropped: try ServiceProtocol.number(words[4])))
        case ("done", 2, 0): result = .done
        default: throw .invalid("its result is unknown")
        }
    }
}

/// The identity of a process, as the kernel stamped its connection, and what the service's account files say of the
/// user.
package struct ServiceIdentity: Hashable, Sendable {
    /// The user id.
    package let uid: UInt32
    /// The group id.
    package let gid: UInt32
    /// The user who logged in; `nil` if there was no login.
    package let loginUID: UInt32?
    /// The supplementary group ids.
    package let groups: [UInt32]
    /// The user's name; `nil` if `/etc/passwd` has none.
    package let name: String?
    /// The user's home; `nil` if `/etc/passwd` has none.
    package let home: String?

    /// Makes an identity.
    package init(
        uid: UInt32, gid: UInt32, loginUID: UInt32?, groups: [UInt32], name: String? = nil, home: String? = nil
    ) {
        (self.uid, self.gid, self.loginUID, self.groups) = (uid, gid, loginUID, groups)
        (self.name, self.home) = (name, home)
    }

    /// Parses uid, gid, login uid or `-`, and groups; then a line with the name and one with the home, which are empty if
    /// they are unknown.
    init(words: ArraySlice<String>, lines: [ArraySlice<UInt8>]) throws(ServiceMessageError) {
        let words = Array(words)
        var ids: [UInt32?] = []
        for (index, word) in words.enumerated() {
            if index == 2, word == "-" {
                ids.append(nil)
            } else if let id = UInt32(word), String(id) == word {
                ids.append(id)
            } else {
                throw .invalid("it has an id that is none")
            }
        }
        guard ids.count >= 3, let uid = ids[0], let gid = ids[1] else { throw .invalid("it has too few ids") }
        (self.uid, self.gid, loginUID, groups) = (uid, gid, ids[2], ids.dropFirst(3).compactMap { $0 })
        let texts = lines.map { String(validating: $0, as: UTF8.self) }
        guard texts.count == 2, let name = texts[0], let home = texts[1] else { throw .invalid("it is not UTF-8") }
        self.name = name.isEmpty ? nil : name
        self.home = home.isEmpty ? nil : home
    }
}

/// What became of the attempts that one connection sent.
package struct ServiceTotals: Hashable, Sendable {
    /// The number of attempts that arrived, counts included.
    package let received: Int
    /// The number of those that are on disk, as records or in their counts.
    package let stored: Int
    /// The number of those that are only counted, in a drop record.
    package let dropped: Int

    /// Makes totals.
    package init(received: Int, stored: Int, dropped: Int) {
        (self.received, self.stored, self.dropped) = (received, stored, dropped)
    }
}
