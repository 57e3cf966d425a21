import MDPlatform
import MDPropertyList

/// A row of a table of results: what is known of a rule for a subject.
struct ResultRow {
    /// The rule's place in the table.
    let rule: Int
    let subject: ResultSubject
    let state: RequirementState
    /// What is known, in a sentence or clause.
    let words: String
    /// Since when it is required as it is; `nil` if that is unknown.
    var since: Timestamp?
    /// Further facts, by the names of ``ResultDetail``.
    var details: [(name: ResultDetail, value: String)] = []

    /// A fact; empty if there is none.
    func detail(_ name: ResultDetail) -> String { details.first { $0.name == name }?.value ?? "" }
}

/// What a row of results is about.
struct ResultSubject {
    enum Kind: String {
        case user
        case machine
        case fleet
    }

    let kind: Kind
    /// The host, or what many machines are called.
    let host: String
    /// The digest of the machine's id; empty if it has none, or for many machines.
    var machine = ""
    /// The machine's room; empty for none.
    var room = ""
    /// The user's name; empty for a machine.
    var user = ""
    var uid: UInt32?

    /// The subject in one word, which tells it from others of the table.
    var name: String { user.isEmpty ? host : user }
    /// The subject as a path.
    var path: String { user.isEmpty ? host : "\(host)/\(user)" }
    /// The same subject in letters, digits, `-` and `.`.
    var plainName: String { RuleName.name(Key(host), Key(user)) }

    /// A user of the machine.
    func user(_ name: String, _ uid: UInt32) -> ResultSubject {
        ResultSubject(kind: .user, host: host, machine: machine, room: room, user: name, uid: uid)
    }
}

/// A fact of a row beside its result; the raw value is its name in tables.
enum ResultDetail: String, CaseIterable {
    // Of a requirement of a user.
    case value
    case stored
    case policy
    case file
    case line
    // Of a machine, or of a rule over all of its users.
    case required
    case met
    case notMet = "not met"
    case unknown
    case waived
    case attempts
    case claimed
    case dropped
    case hidden
    case policyDigest = "policy digest"
    case log
    case complete
    case made
    case report
    case system
    case engine
    case source
    case signer

    /// The numbers of requirements.
    static func counts(_ counts: RequirementCounts) -> [(name: ResultDetail, value: String)] {
        [
            (.required, counts.required), (.met, counts.met), (.notMet, counts.notMet), (.unknown, counts.unknown),
            (.waived, counts.waived),
        ].map { ($0, String($1)) }
    }
}
