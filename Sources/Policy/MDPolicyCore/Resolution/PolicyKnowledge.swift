import MDPlatform

/// What is known of the policy in force.
///
/// The case says what a reader does, so that the compiler asks for each; the reason, a clause for people, says why.
package enum PolicyKnowledge: Hashable, Sendable {
    /// Policy was not read yet: it is read before anything is decided.
    case unread
    /// All of policy is known.
    case known
    /// Policy could not be read again: what was read before stays in force, and readers look again.
    case stale(because: String)
    /// The policy in force is unknown: every key counts as forced without a value, nothing is stored, and readers look
    /// again.
    case unknown(because: String)

    /// Knowledge of what may have failed.
    ///
    /// - Parameter failure: why policy is unknown, as a clause; `nil` if it is known.
    package init(failure: String?) {
        self = failure.map { .unknown(because: $0) } ?? .known
    }

    /// Why the policy in force is unknown, as a clause; `nil` if it is known.
    package var failure: String? {
        switch self {
        case .unread: "policy was not read yet"
        case .known, .stale: nil
        case .unknown(let reason): reason
        }
    }

    /// Whether the policy in force is known.
    package var isDecisive: Bool { failure == nil }

    /// Whether readers look again, because no watch reports that policy can be read again.
    package var needsAnotherLook: Bool {
        switch self {
        case .known: false
        case .unread, .stale, .unknown: true
        }
    }

    /// Adds a failure; the first one counts.
    package mutating func fail(because reason: @autoclosure () -> String) {
        if isDecisive { self = .unknown(because: reason()) }
    }

    /// What is known after policy was read again.
    ///
    /// A reader that has policy retains it if it cannot be read again.
    ///
    /// - Parameter reading: what the reading knows.
    /// - Returns: what is known from then on.
    package func followed(by reading: PolicyKnowledge) -> PolicyKnowledge {
        guard case .unknown(let reason) = reading else { return reading }
        switch self {
        case .known, .stale: return .stale(because: reason)
        case .unread, .unknown: return reading
        }
    }

    /// The sentence for people about unknown policy.
    ///
    /// - Parameter reason: why, as a clause.
    /// - Returns: the sentence.
    package static func sentence(of reason: String) -> String {
        "It cannot be told what is forced, because policy could not be read: \(Printable.escape(reason))."
    }
}
