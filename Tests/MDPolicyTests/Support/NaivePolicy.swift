import MDPropertyList

/// A key of a domain.
struct NaivePlace: Hashable {
    /// The domain.
    let domain: String
    /// The key.
    let key: String

    /// A place that no file names.
    static let nowhere = NaivePlace(domain: "", key: "")
}

/// The users and machines that a file is for; `nil` is a clause that was not given.
struct NaiveClauses {
    /// User names.
    var users: [String]?
    /// Group names.
    var groups: [String]?
    /// Globs in lower case.
    var hosts: [String]?
    /// Words of the machine's tags file.
    var tags: [String]?
}

/// The users, machines and times that a file or a waiver is for, times in seconds since 1970.
struct NaiveTarget {
    /// What must match.
    var include = NaiveClauses()
    /// The clauses that exclude.
    var except = NaiveClauses()
    /// The first second.
    var notBefore = Int.min
    /// The first second behind the last.
    var notAfter = Int.max

    /// Whether it names users or groups.
    var asksForUser: Bool { [include, except].contains { $0.users != nil || $0.groups != nil } }
    /// The same for every user.
    var withoutUser: NaiveTarget {
        var target = self
        for clauses in [\NaiveTarget.include, \.except] {
            target[keyPath: clauses].users = nil
            target[keyPath: clauses].groups = nil
        }
        return target
    }

    /// No user, at no time.
    static let nobody = NaiveTarget(notAfter: .min)
}

/// A constraint, as its fields and as what they leave.
struct NaiveConstraint {
    /// The fields.
    let fields: [Key: Value]
    /// The values that it allows, if it lists them.
    let leaves: [Value]
}

/// A policy file as data.
struct NaiveFile {
    /// The name in the directory.
    let name: String
    /// Whether no later file overrides it.
    let enforced: Bool
    /// The users, machines and times that it is for.
    let target: NaiveTarget
    /// Forced values, and `nil` for absent ones.
    let forced: [NaivePlace: Value?]
    /// Recommended values.
    let recommended: [NaivePlace: Value]
    /// Values that are set once.
    let setOnce: [NaivePlace: Value]
    /// Constraints.
    let constraints: [NaivePlace: NaiveConstraint]
    /// Operators.
    let combine: [NaivePlace: String]
    /// Sealed domains.
    let seals: Set<String>
    /// Waivers, with the users that they are for.
    let waivers: [NaivePlace: NaiveTarget]
    /// Whether this is what another file's common settings are for programs.
    var isMade = false
}

/// The user, host and time.
struct NaiveSubject {
    /// The user's name.
    let user: String
    /// The names of all groups.
    let groups: Set<String>
    /// The short and the full name of the host, in lower case.
    let hosts: [String]
    /// The words of the machine's tags file.
    let tags: Set<String>
    /// Whether the identity of the user is known.
    let isKnown: Bool
    /// Seconds since 1970.
    let now: Int
}

extension Value {
    /// What a number counts; NaN for everything else.
    var number: Double {
        switch self {
        case .integer(let number): number.double
        case .real(let number): number
        default: .nan
        }
    }
}
