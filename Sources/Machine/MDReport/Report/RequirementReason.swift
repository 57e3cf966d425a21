/// Why a requirement has its state; the raw value is printed in reports.
package enum RequirementReason: String, Sendable, CaseIterable {
    /// A program of the user opened the domain since the boot.
    case observed
    /// A program said that it obeys.
    case confirmed
    /// A program said that it does not obey.
    case denied
    /// A program takes it once, and the user may then change it.
    case firstState = "first state only"
    /// Nothing here is known to enforce it.
    case notCovered = "not covered"
    /// An earlier version of a file keeps it in force.
    case broken
    /// The user has stored a value that is not allowed, and nothing here is known to keep programs from it.
    case outside
    /// Programs' own files have it; whether the programs obey was not looked at.
    case written
    /// A program opened the domain, and no manifest of the domain knows the key.
    case notDescribed = "not described"
    /// What was to be read for it could not be read.
    case notRead = "not read"
    /// What is required is not known here.
    case notKnown = "not known"
    case waived
    /// The only programs that take it are not installed.
    case notInstalled = "not installed"

    /// What is known of the requirement.
    package var state: RequirementState {
        switch self {
        case .observed, .confirmed: .met
        case .denied, .firstState, .notCovered, .broken, .outside: .notMet
        case .written, .notDescribed, .notRead, .notKnown: .unknown
        case .waived: .waived
        case .notInstalled: .notApplicable
        }
    }

    /// What it means, as a clause.
    package var words: String {
        switch self {
        case .observed: "a program of the user opened the domain since the boot"
        case .confirmed: "the program said so when it was last asked"
        case .denied: "the program said so when it was last asked"
        case .firstState: "a program takes it as a first state, which the user may change"
        case .notCovered: "nothing here is known to enforce it"
        case .broken: "an earlier version of a file keeps it in force"
        case .outside: "a value is stored that is not allowed"
        case .written: "in programs' own files; whether they obey was not looked at"
        case .notDescribed: "no manifest of the domain knows the key"
        case .notRead: "what is stored, or what enforces it, could not be read"
        case .notKnown: "what is required cannot be told here"
        case .waived: "lifted for a user"
        case .notInstalled: "the only programs that take it are not installed"
        }
    }
}

/// Requirements by why they have their state, counted for each user.
package struct ReasonCounts: Hashable, Sendable {
    private var counts: [RequirementReason: Int] = [:]

    package init() {}

    /// The number of a reason.
    package subscript(reason: RequirementReason) -> Int { counts[reason] ?? 0 }

    /// Adds a number of requirements.
    package mutating func add(_ reason: RequirementReason, _ count: Int = 1) { counts[reason, default: 0] += count }

    /// Adds the numbers of other requirements.
    package mutating func add(_ other: ReasonCounts) { counts.merge(other.counts, uniquingKeysWith: +) }

    /// The numbers by what is known.
    package var requirements: RequirementCounts {
        counts.reduce(into: RequirementCounts()) { $0.add($1.key.state, $1.value) }
    }
}
