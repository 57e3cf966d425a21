import Glibc

/// A question to the machine's name services.
package enum NameQuestion: Sendable {
    /// The user of a name.
    case user(String)
    /// The user of an id.
    case userID(UInt32)
    /// The group of a name.
    case group(String)
    /// The group of an id.
    case groupID(UInt32)
    /// The members of the group of a name, without those whose primary group it is.
    case members(of: String)
    /// The groups of the user of a name, whose primary group has an id.
    case groups(of: String, gid: UInt32)

    /// The line of the helper program.
    fileprivate var line: String {
        switch self {
        case .user(let name): "u \(name)\n"
        case .userID(let id): "U \(id)\n"
        case .group(let name): "g \(name)\n"
        case .groupID(let id): "G \(id)\n"
        case .members(let name): "l \(name)\n"
        case .groups(let name, let gid): "m \(gid) \(name)\n"
        }
    }

    /// Whether the services can be asked it.
    fileprivate var isValid: Bool {
        switch self {
        case .user(let name), .group(let name), .members(let name): Getent.isKey(name)
        case .groups(let name, let gid): Getent.isKey(name) && gid != .max
        case .userID(let id), .groupID(let id): id != .max
        }
    }
}

/// What the name services answer to one question, in their order.
package struct NameReplies: Hashable, Sendable {
    /// What one service answers.
    package enum Answer: Hashable, Sendable {
        /// The user, with the spelling of the service.
        case user(Account)
        /// The group, with the spelling of the service.
        case group(id: UInt32, name: String)
        /// The names of a group's members.
        case members([String])
        /// The ids of a user's groups, without the primary one.
        case groups([UInt32])
        /// There is nothing of that name or id.
        case none
        /// Nothing is known, and why, as a clause.
        case silent(String)
    }

    /// The answer of one service.
    package struct Reply: Hashable, Sendable {
        /// The name of the service in nsswitch.conf(5); empty if `getent` answered, which does not say.
        package let service: String
        package let answer: Answer

        package init(_ service: String, _ answer: Answer) {
            (self.service, self.answer) = (service, answer)
        }
    }

    /// The answers, those behind the service that found it left out.
    package let replies: [Reply]

    package init(_ replies: [Reply]) {
        self.replies = replies
    }

    /// The answer of the first service that found something.
    package var found: Reply? {
        replies.first { reply in
            switch reply.answer {
            case .user, .group, .members, .groups: true
            case .none, .silent: false
            }
        }
    }

    /// The services that gave no answer, each with the reason.
    package var silent: [(service: String, reason: String)] {
        replies.compactMap { reply in
            if case .silent(let reason) = reply.answer { (reply.service, reason) } else { nil }
        }
    }
}

/// Asks the name services by the helper program of this package, each service by itself.
package enum NameService {
    /// The helper program.
    ///
    /// It is a program of its own because the services are libraries, which a statically linked one cannot load.
    package static let helper = "/usr/libexec/managed-defaults/mdefaults-names"

    /// How long a service may take for one question, in milliseconds: recording policy must not hang with a directory.
    package static let patience = 250
    /// How long all questions of a recording command may take, in milliseconds.
    package static let wholePatience = 2_000
    /// How long the helper may take to start and end, in milliseconds.
    private static let margin = 500
    /// The most bytes of all answers: 40,000 users with long names.
    private static let limit = 16 << 20

    /// Asks questions.
    ///
    /// - Parameters:
    ///   - questions: the questions; those that come first are asked first.
    ///   - root: the system.
    ///   - patience: how long all of them may take, in milliseconds. What takes a service longer than ``patience`` is
    ///     asked again in the rest of the time.
    /// - Returns: the replies in the order of the questions, without those of the machine's own files; `nil` if there is
    ///   no helper.
    /// - Throws: why nothing is known.
    package static func ask(
        _ questions: [NameQuestion], root: Root, patience: Int
    ) throws(SystemError) -> [NameReplies]? {
        guard (try? root.status(helper, followingLinks: true)) != nil else { return nil }
        let services = NameServiceSwitch(root: root)
        guard services.isKnown else {
            throw SystemError(operation: "read", path: NameServiceSwitch.path, code: EIO)
        }
        let lists = [services.users, services.groups, services.memberships]
        let asked = questions.indices.filter { questions[$0].isValid && !services.list(for: questions[$0]).isEmpty }
        var replies = questions.map { _ in NameReplies([]) }
        if asked.isEmpty { return replies }
        let words = ["\(min(NameService.patience, patience))", "\(patience)"] + lists.map { $0.joined(separator: " ") }
        let result = try Subprocess.run(
            helper, words, input: Array(asked.map { questions[$0].line }.joined().utf8),
            timeoutMilliseconds: patience + margin, limit: limit)
        guard result.status == 0 else {
            throw SystemError(operation: "run", path: helper, code: EIO, reason: "it ended with an error")
        }
        var reader = NameAnswerReader(count: asked.count)
        for line in result.output.split(separator: 0x0a) {
            guard reader.read(line, { questions[asked[$0]] }) else {
                throw SystemError(operation: "run", path: helper, code: EBADMSG, reason: "its answer does not read")
            }
        }
        for (position, index) in asked.enumerated() {
            replies[index] = reader.replies(to: position, of: services.list(for: questions[index]))
        }
        return replies
    }

    /// Asks for one user or group.
    ///
    /// - Returns: the first reply that found something, else one of ``NameReplies/Answer/none``, because all services say
    ///   that there is nothing; `nil` if there is no helper.
    /// - Throws: an error if none found anything and one of them gave no answer.
    static func reply(to question: NameQuestion, root: Root) throws(SystemError) -> NameReplies.Reply? {
        guard let replies = try ask([question], root: root, patience: patience)?.first else { return nil }
        if let found = replies.found { return found }
        if let silent = replies.silent.first { throw failure(silent) }
        return NameReplies.Reply("", .none)
    }

    /// Asks for the ids of a user's groups, without the primary one.
    ///
    /// - Returns: those of all services; `nil` if there is no helper.
    /// - Throws: an error if one of them gave no answer.
    static func groups(of account: Account, root: Root) throws(SystemError) -> [UInt32]? {
        let question = NameQuestion.groups(of: account.name, gid: account.gid)
        guard let replies = try ask([question], root: root, patience: patience)?.first else { return nil }
        if let silent = replies.silent.first { throw failure(silent) }
        return replies.replies.flatMap { reply -> [UInt32] in
            if case .groups(let ids) = reply.answer { ids } else { [] }
        }
    }

    /// The error of a service that gives no answer.
    static func failure(_ silent: (service: String, reason: String)) -> SystemError {
        SystemError(
            operation: "ask", path: silent.service, code: EIO,
            reason: "the directory service gives no answer: \(silent.reason)"
        )
    }
}

extension NameServiceSwitch {
    /// The services that a question goes to.
    fileprivate func list(for question: NameQuestion) -> [String] {
        switch question {
        case .user, .userID: users
        case .group, .groupID, .members: groups
        case .groups: memberships
        }
    }
}

/// Reads what the helper program prints.
struct NameAnswerReader {
    /// The answers by question, each with its service.
    private var answers: [[(service: String, answer: NameReplies.Answer)]]
    /// The services whose library this machine lacks.
    private var absent: [String] = []

    init(count: Int) {
        answers = Array(repeating: [], count: count)
    }

    /// Reads a line; false if it is none of the helper's.
    ///
    /// - Parameters:
    ///   - line: the line.
    ///   - question: the question of a number.
    /// - Returns: whether it reads.
    mutating func read(_ line: ArraySlice<UInt8>, _ question: (Int) -> NameQuestion) -> Bool {
        guard let text = String(validating: line, as: UTF8.self) else { return false }
        let words = text.utf8.split(separator: 0x20, omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard words.count >= 3, !words[1].isEmpty else { return false }
        if words[0] == "-" {
            guard words.count == 3, words[2] == "absent" else { return false }
            absent.append(words[1])
            return true
        }
        guard let number = Int(words[0]), answers.indices.contains(number),
            let answer = NameAnswerReader.answer(Array(words.dropFirst(2)), to: question(number))
        else { return false }
        // What took too long may be answered later.
        answers[number].removeAll { $0.service == words[1] }
        answers[number].append((words[1], answer))
        return true
    }

    /// The replies to a question, in the order of the services.
    func replies(to number: Int, of services: [String]) -> NameReplies {
        var replies: [NameReplies.Reply] = []
        for service in services where !absent.contains(service) {
            let answer = answers[number].first { $0.service == service }?.answer
            replies.append(NameReplies.Reply(service, answer ?? .silent("there was no time to ask it")))
            switch answer {
            case .user?, .group?, .members?: return NameReplies(replies)
            default: continue
            }
        }
        return NameReplies(replies)
    }

    /// The answer in the words of a line; `nil` if they are none.
    private static func answer(_ words: [String], to question: NameQuestion) -> NameReplies.Answer? {
        switch (words[0], words.count, question) {
        case ("none", 1, _): return NameReplies.Answer.none
        case ("late", 1, _): return .silent("it takes too long")
        case ("cut", 1, _): return .silent("its answer is too long")
        case ("error", 2, _):
            guard let code = Int32(words[1]) else { return nil }
            return .silent(SystemError.text(of: code))
        case ("found", 6, .user), ("found", 6, .userID):
            guard let uid = id(words[1]), let gid = id(words[2]) else { return nil }
            guard let name = text(words[3]), !name.isEmpty, let home = text(words[4]) else { return unreadable }
            let comment = text(words[5]) ?? ""
            return .user(
                Account(
                    name: name, uid: uid, gid: gid,
                    fullName: String(Substring(comment.utf8.prefix { $0 != UInt8(ascii: ",") })), home: home))
        case ("found", 3, .group), ("found", 3, .groupID):
            guard let gid = id(words[1]) else { return nil }
            guard let name = text(words[2]), !name.isEmpty else { return unreadable }
            return .group(id: gid, name: name)
        case ("found", _, .members):
            let names = words.dropFirst(3).compactMap(text)
            return words.count >= 3 && names.count == words.count - 3 ? .members(names) : nil
        case ("found", _, .groups):
            let ids = words.dropFirst().compactMap(id)
            return ids.count == words.count - 1 ? .groups(ids) : nil
        default: return nil
        }
    }

    /// The answer with a text that is none.
    private static let unreadable = NameReplies.Answer.silent("its answer is not text")

    /// An id of a user or group, which is never the highest number.
    private static func id(_ word: String) -> UInt32? {
        UInt32(word).flatMap { $0 == .max ? nil : $0 }
    }

    /// The text of a word; `nil` if it is not UTF-8 without control characters.
    private static func text(_ word: String) -> String? {
        if word == "-" { return "" }
        let bytes = Array(word.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%") else {
                result.append(bytes[index])
                index += 1
                continue
            }
            guard index + 2 < bytes.count,
                let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
            else { return nil }
            result.append(byte)
            index += 3
        }
        guard !result.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return nil }
        return String(validating: result, as: UTF8.self)
    }
}
