package import MDPlatform
package import MDPropertyList

/// What a delegate asks root's part for: at most ``limit`` bytes of words, which are only compared with what is
/// installed.
///
/// No word is a path, and none is a value: a delegate frees keys, and starts what an administrator installed.
package struct DelegateRequest: Hashable, Sendable {
    /// What is asked for.
    package enum Action: Hashable, Sendable {
        /// To start the exam of an installed set.
        case startExam(String)
        /// To stop an exam, or all that the delegate started.
        case stopExam(String?)
        /// To free a key for a user.
        case grant(user: String, domain: Key, key: Key)
        /// To end that.
        case revoke(user: String, domain: Key, key: Key)
    }

    /// The most bytes of a request.
    package static let limit = 1_024
    /// How long root's part waits for the words, in milliseconds.
    package static let patience = 1_000
    /// The socket of root's part.
    package static let socket = "/run/managed-defaults/delegate.sock"

    package let action: Action
    /// The end of an exam or a grant.
    package var until: Timestamp?
    /// Why; empty without a reason.
    package var reason = ""
    /// The groups that sit the exam.
    package var groups: [String] = []
    /// The users that sit the exam.
    package var users: [String] = []
    /// Whether everybody sits it.
    package var isForEverybody = false
    /// Whether it ends with the next boot.
    package var endsWithBoot = false
    /// Whether the answer is JSON.
    package var isJSON = false

    package init(_ action: Action) { self.action = action }

    /// Whether a byte may stand in the name of a set.
    package static func isSetByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    // MARK: Words

    /// The words, each with a NUL behind it.
    package var bytes: [UInt8] {
        var words: [String]
        switch action {
        case .startExam(let set): words = ["exam", "start", set]
        case .stopExam(let set): words = ["exam", "stop", set ?? ""]
        case .grant(let user, let domain, let key): words = ["grant", user, domain.string, key.string]
        case .revoke(let user, let domain, let key): words = ["revoke", user, domain.string, key.string]
        }
        if let until { words += ["until", "\(until.microseconds)"] }
        if !reason.isEmpty { words += ["reason", reason] }
        for group in groups { words += ["group", group] }
        for user in users { words += ["user", user] }
        for (word, isSet) in [("everybody", isForEverybody), ("until-boot", endsWithBoot), ("json", isJSON)] where isSet
        {
            words += [word, ""]
        }
        return words.flatMap { Array($0.utf8) + [0] }
    }

    /// Reads a request; `nil` for anything else.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= DelegateRequest.limit, bytes.last == 0 else { return nil }
        var words: [String] = []
        for part in bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false) {
            guard let word = String(validating: part, as: UTF8.self),
                word.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else { return nil }
            words.append(word)
        }
        var rest = words[...]
        switch (rest.popFirst(), words.count) {
        case ("exam", 3...):
            let (verb, set) = (rest.removeFirst(), rest.removeFirst())
            guard set.utf8.allSatisfy(DelegateRequest.isSetByte), set.utf8.count <= 64 else { return nil }
            switch verb {
            case "start" where !set.isEmpty: action = .startExam(set)
            case "stop": action = .stopExam(set.isEmpty ? nil : set)
            default: return nil
            }
        case ("grant"?, 4...), ("revoke"?, 4...):
            let (user, domain, key) = (rest.removeFirst(), Key(rest.removeFirst()), Key(rest.removeFirst()))
            guard !user.isEmpty, !domain.string.isEmpty, !key.string.isEmpty else { return nil }
            action =
                words[0] == "grant"
                ? .grant(user: user, domain: domain, key: key) : .revoke(user: user, domain: domain, key: key)
        default: return nil
        }
        while let word = rest.popFirst() {
            guard let value = rest.popFirst() else { return nil }
            switch word {
            case "until":
                guard until == nil, let number = Int64(value) else { return nil }
                until = Timestamp(microseconds: number)
            case "reason" where reason.isEmpty && !value.isEmpty: reason = value
            case "group" where !value.isEmpty && !value.utf8.contains(UInt8(ascii: ",")): groups.append(value)
            case "user" where !value.isEmpty && !value.utf8.contains(UInt8(ascii: ",")): users.append(value)
            case "everybody" where value.isEmpty && !isForEverybody: isForEverybody = true
            case "until-boot" where value.isEmpty && !endsWithBoot: endsWithBoot = true
            case "json" where value.isEmpty && !isJSON: isJSON = true
            default: return nil
            }
        }
        guard isWhole else { return nil }
    }

    /// Whether it has what its action needs, and nothing else.
    private var isWhole: Bool {
        let hasAudience = !groups.isEmpty || !users.isEmpty || isForEverybody
        switch action {
        case .startExam: return until != nil
        case .grant: return until != nil && !reason.isEmpty && !hasAudience
        case .stopExam, .revoke: return until == nil && reason.isEmpty && !hasAudience && !endsWithBoot
        }
    }
}

/// What root's part answers: an exit code, and what a command prints.
package struct DelegateAnswer: Hashable, Sendable {
    /// The most bytes of an answer; what is longer is cut.
    package static let limit = 32_768

    /// The exit code of the command.
    package var code: UInt8
    /// What goes to standard output.
    package var output: [UInt8]
    /// What goes to standard error.
    package var messages: [UInt8]

    package init(code: UInt8, output: [UInt8] = [], messages: [UInt8]) {
        (self.code, self.output, self.messages) = (code, output, messages)
    }

    /// The code, the output, a NUL, the messages.
    package var bytes: [UInt8] { Array(([code] + output + [0] + messages).prefix(DelegateAnswer.limit)) }

    /// Reads an answer; `nil` for anything else.
    package init?(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return nil }
        let parts = bytes.dropFirst().split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        self.init(code: first, output: Array(parts.first ?? []), messages: Array(parts.dropFirst().first ?? []))
    }
}
