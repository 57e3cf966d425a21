import MDPlatform
import MDPropertyList

/// The one file of rules: what polkit answers to whom.
///
/// Known users have a row each, by name and by id, so that what holds for them stays while a directory does not
/// answer. The others are told apart by the groups that polkit finds. A user for whom polkit finds no name or no
/// groups, because no service answers, gets the strictest of all answers and nothing that frees.
///
/// All texts in it are of a fixed alphabet, because polkit skips a file with a mistake.
package struct PolkitRules: Equatable, Sendable {
    /// What polkit answers, by action.
    typealias Answers = [Key: String]

    /// A user.
    struct Row: Equatable {
        /// The name, as a text of JavaScript.
        let name: String
        let answers: Answers
    }

    /// The users, by id.
    var users: [UInt32: Row] = [:]
    /// The groups that policy names, each by all words that a name service has for it.
    var groups: [[String]] = []
    /// What a user in some of these groups gets, by the numbers of these, a bit each; without groups what users in some
    /// group get, if there are too many.
    var members: [Answers] = []

    /// The file.
    static let path = "\(folder)/00-managed-defaults.rules"
    /// The folder, which belongs to polkit's user.
    static let folder = "/etc/polkit-1/rules.d"

    // MARK: Answers

    /// The answers that polkit knows, the strictest first.
    static let words = ["no", "auth_admin", "auth_admin_keep", "auth_self", "auth_self_keep", "yes"]

    /// The strictest of what anybody gets, without what frees.
    private var strictest: Answers {
        var result: Answers = [:]
        for answers in users.values.map(\.answers) + members {
            for (action, word) in answers {
                guard let rank = PolkitRules.words.firstIndex(of: word), rank < 3 else { continue }
                let known = result[action].flatMap { PolkitRules.words.firstIndex(of: $0) } ?? .max
                if rank < known { result[action] = word }
            }
        }
        return result
    }

    // MARK: The text

    /// The text of the file.
    var bytes: [UInt8] {
        var (tables, lines): ([String: String], [String]) = ([:], [])
        func table(_ answers: Answers) -> String {
            let pairs = answers.sorted { $0.key < $1.key }.map { "\"\($0.key.string)\": \"\($0.value)\"" }
            let text = "{\(pairs.joined(separator: ", "))}"
            let name = String(SHA256.hash(Array(text.utf8)).hex.prefix(16))
            tables[name] = text
            return name
        }
        let words = groups.map { words in "[\(words.map(PolkitRules.text).joined(separator: ", "))]" }
        lines.append("var groups = [\(words.joined(separator: ", "))];")
        let told = members.count == 1 << groups.count ? members : []
        lines.append("var members = [\(told.map { "\"\(table($0))\"" }.joined(separator: ", "))];")
        lines.append("var unnamed = \"\(table(strictest))\";")
        for (uid, row) in users.sorted(by: { $0.key < $1.key }) {
            lines.append("users[\"\(uid)\"] = users[\(row.name)] = \"\(table(row.answers))\";")
        }
        lines.insert(
            contentsOf: tables.sorted { Key($0.key) < Key($1.key) }.map { "answers[\"\($0.key)\"] = \($0.value);" },
            at: 0)
        let seal = SHA256.hash(Array((lines + PolkitRules.end).joined(separator: "\n").utf8)).hex
        lines.append("\(PolkitRules.sealing)\(seal)\";")
        return Array((PolkitRules.start + lines + PolkitRules.end).joined(separator: "\n").utf8)
    }

    /// What the line of the seal begins with.
    private static let sealing = "var seal = \""

    /// What tells the text of a file from any other one; `nil` if it is no such file.
    static func seal(of bytes: [UInt8]) -> String? {
        bytes.split(separator: 0x0a).first { $0.starts(with: sealing.utf8) }.map {
            String(decoding: $0.dropFirst(sealing.utf8.count).prefix { $0 != 0x22 }, as: UTF8.self)
        }
    }

    /// A text as JavaScript has it, in a fixed alphabet.
    static func text(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f:
                result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)"
            }
        }
        return result + "\""
    }

    // MARK: Reading

    /// The users of a file as it was written.
    static func users(in bytes: [UInt8]) -> [UInt32: Row] {
        var (tables, users): ([Key: Answers], [UInt32: Row]) = ([:], [:])
        for line in bytes.split(separator: 0x0a) {
            // Between quotation marks, and nothing in them needs another one.
            let texts = line.split(separator: 0x22, omittingEmptySubsequences: false).enumerated().compactMap {
                $0.offset % 2 == 1 ? String(decoding: $0.element, as: UTF8.self) : nil
            }
            if line.starts(with: "answers[".utf8), let name = texts.first {
                let pairs = texts.dropFirst()
                tables[Key(name)] = Dictionary(
                    zip(pairs, pairs.dropFirst()).enumerated().compactMap {
                        $0.offset % 2 == 0 ? (Key($0.element.0), $0.element.1) : nil
                    }
                ) { $1 }
            } else if line.starts(with: "users[".utf8), texts.count == 3, let uid = UInt32(texts[0]),
                let answers = tables[Key(texts[2])]
            {
                users[uid] = Row(name: "\"\(texts[1])\"", answers: answers)
            }
        }
        return users
    }

    /// The same with users of a file as it was written, unless they are here.
    ///
    /// - Parameters:
    ///   - isKept: the users of that file that stay.
    ///   - bytes: that file; `nil` if there is none.
    ///   - isAdding: whether users that are not in it come in.
    /// - Returns: the rules.
    func keeping(_ isKept: (UInt32) -> Bool, of bytes: [UInt8]?, addingUsers isAdding: Bool) -> PolkitRules {
        let last = PolkitRules.users(in: bytes ?? [])
        var rules = self
        if !isAdding, bytes != nil { rules.users = users.filter { last[$0.key] != nil } }
        rules.users.merge(last.filter { isKept($0.key) }) { own, _ in own }
        return rules
    }

    // MARK: What does not change

    private static let start = [
        "// Written from policy by ManagedDefaults; what is changed here is undone.", "(function () {",
        "\"use strict\";",
        "var answers = Object.create(null), users = Object.create(null);",
    ]

    /// The detail of a question by which root asks whether this text is in force, and whether it decides.
    static let detail = "org.manageddefaults"

    private static let end = [
        """
        polkit.addRule(function (action, subject) {
            var table = users[subject.user], mask = 0, i, answer, asked;
            // Without a name service a user has a number for a name, and no groups.
            if (table === undefined && (subject.groups.length === 0 || /^[0-9]+$/.test(subject.user))) table = unnamed;
            if (table === undefined) {
                for (i = 0; i < groups.length; i++)
                    if (groups[i].some(function (name) { return subject.isInGroup(name); })) mask |= 1 << i;
                table = members.length > 0 ? members[mask] : unnamed;
            }
            answer = answers[table][action.id];
            if (typeof answer !== "string") answer = null;
            asked = action.lookup("\(detail)");
            if (asked === seal + "?") return "auth_admin";
            return asked === seal || asked && asked === answer ? "no" : answer;
        });
        })();

        """
    ]
}
