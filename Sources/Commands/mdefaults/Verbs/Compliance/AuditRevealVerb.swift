import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// `audit reveal`: turns pseudonyms of the audit log back.
enum AuditRevealVerb: Verb {
    static let name = ["audit", "reveal"]
    static let summary = "say who is meant by pseudonyms of the audit log"
    static let usage = ["audit reveal [--uids FROM-TO] PSEUDONYM… [--json]"]
    static let help = """
        With {"Pseudonyms": true} in /etc/managed-defaults/audit.json, records have pseudonyms in place of people. Who can
        read their key, /var/lib/mdefaultsd/pseudonyms.key, finds out who is meant: this verb computes the pseudonym of
        every user of the account files and of the register of people, and of each uid of a range, and compares. Once the key is destroyed no pseudonym
        can be resolved, by nobody.

        PSEUDONYM is p-… for a person, n-… for a name without a known uid, u-… for a unit of a user; sessions, s-…, are not
        resolved.

        --uids FROM-TO   the uids to try; 1000-65535 without it, at most 10000000 of them

        JSON: [{"pseudonym","found":bool,"uid","user","unit"}], in the order of the arguments; what is not known is missing.

        exit codes: 0 all were resolved; 1 some were not; 2 wrong command line; 4 the key is not there, or may not be read.
        """

    /// The most uids that are tried.
    private static let mostIDs = 10_000_000
    /// The largest number of a session whose unit is tried.
    private static let mostSessions = 9_999

    /// The person or thing behind a pseudonym.
    private struct Meaning {
        /// The user's number.
        var uid: UInt32?
        /// The user's name.
        var user: String?
        /// The unit.
        var unit: String?

        /// What is meant, for people.
        var text: String {
            let person = user.map { name in uid.map { "\(name) (uid \($0))" } ?? name } ?? uid.map { "uid \($0)" }
            return [unit, person].compactMap(\.self).joined(separator: "  ")
        }
    }

    static func run(_ arguments: inout Arguments, _ context: Context) throws(Failure) -> ExitCode {
        let range = try range(&arguments)
        var words: [String] = []
        while let word = arguments.next() {
            guard PseudonymKind(of: word) != nil else {
                throw .usage("\(Printable.escape(word)) is no pseudonym, such as p-0123456789abcdef.", of: self)
            }
            words.append(word)
        }
        if words.isEmpty { throw .usage("A pseudonym is missing.", of: self) }
        let machine = try context.machine()
        guard let key = PseudonymKey(reading: machine.root) else {
            throw Failure(
                code: .inputOutput,
                message:
                    "The key of the pseudonyms, \(Printable.escape(machine.root.display(PseudonymKey.path))), is not "
                    + "there or may not be read; without it no pseudonym can be resolved.")
        }
        let found = resolve(Set(words), key, machine.accounts.accounts + machine.registered, range)
        if context.options.json {
            try context.print(document(of: words, found))
        } else {
            for word in words {
                try context.console.line("\(word)  \(found[word].map { Printable.escape($0.text) } ?? "not found")")
            }
        }
        return words.allSatisfy { found[$0] != nil } ? .success : .no
    }

    /// Computes pseudonyms until all that are looked for are found.
    private static func resolve(
        _ wanted: Set<String>, _ key: PseudonymKey, _ accounts: [Account], _ range: ClosedRange<UInt32>
    ) -> [String: Meaning] {
        var found: [String: Meaning] = [:]
        let kinds = Set(wanted.compactMap { PseudonymKind(of: $0) })
        /// Compares one pseudonym.
        func compare(_ kind: PseudonymKind, _ text: String, _ meaning: @autoclosure () -> Meaning) {
            guard kinds.contains(kind) else { return }
            let pseudonym = key.pseudonym(kind, text)
            if wanted.contains(pseudonym), found[pseudonym] == nil { found[pseudonym] = meaning() }
        }
        /// Compares what is made of a uid.
        func compare(uid: UInt32, _ user: String?) {
            compare(.person, "\(uid)", Meaning(uid: uid, user: user))
            for unit in ["user@\(uid).service", "user-\(uid).slice"] {
                compare(.unit, unit, Meaning(uid: uid, user: user, unit: unit))
            }
        }
        for account in accounts {
            compare(uid: account.uid, account.name)
            compare(.name, account.name, Meaning(uid: account.uid, user: account.name))
        }
        if kinds.contains(.unit) {
            for number in 0...mostSessions {
                let unit = "session-\(number).scope"
                compare(.unit, unit, Meaning(unit: unit))
            }
        }
        for uid in range {
            if found.count == wanted.count { break }
            compare(uid: uid, nil)
        }
        return found
    }

    /// Parses `--uids`.
    private static func range(_ arguments: inout Arguments) throws(Failure) -> ClosedRange<UInt32> {
        guard let text = try arguments.option("--uids") else { return 1_000...65_535 }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt32($0) }
        guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last, last - first < mostIDs else {
            throw .usage(
                "--uids \(Printable.escape(text)) is no range such as 1000-65535, of at most \(mostIDs) uids.", of: self
            )
        }
        return first...last
    }

    /// The result as JSON.
    private static func document(of words: [String], _ found: [String: Meaning]) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for word in words {
            json.beginObject()
            json.field("pseudonym", word)
            json.field("found", found[word] != nil)
            json.field("uid", found[word]?.uid.map(Int.init))
            json.field("user", found[word]?.user)
            json.field("unit", found[word]?.unit)
            json.endObject()
        }
        json.endArray()
        return json
    }
}
