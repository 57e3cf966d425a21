import MDPlatform
package import MDPropertyList

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
    /// The policy of some domains is unknown, each for a reason: only another version of ManagedDefaults reads it. Every
    /// key of theirs counts as forced without a value; the rest of policy is known.
    case incomplete([Key: String])
    /// The policy in force is unknown: every key counts as forced without a value, nothing is stored, and readers look
    /// again.
    case unknown(because: String)

    /// Knowledge of what may have failed.
    ///
    /// - Parameters:
    ///   - failure: why policy is unknown, as a clause; `nil` if it is known.
    ///   - domains: the domains whose policy is unknown in any case, and why.
    package init(failure: String?, domains: [Key: String] = [:]) {
        self = failure.map { .unknown(because: $0) } ?? (domains.isEmpty ? .known : .incomplete(domains))
    }

    /// Why not all of the policy in force is known, as a clause; `nil` if it is known.
    package var failure: String? {
        switch self {
        case .unread: "policy was not read yet"
        case .known, .stale: nil
        case .incomplete(let domains): domains.min { $0.key < $1.key }?.value
        case .unknown(let reason): reason
        }
    }

    /// Why the policy of some domains is unknown, as a clause; `nil` if it is known.
    package func failure(in domains: some Sequence<Key>) -> String? {
        guard case .incomplete(let unknown) = self else { return failure }
        return domains.lazy.compactMap { unknown[$0] }.first
    }

    /// The domains whose policy is unknown while that of others is known, and why.
    package var unknownDomains: [Key: String] {
        if case .incomplete(let domains) = self { domains } else { [:] }
    }

    /// Whether all of the policy in force is known.
    package var isDecisive: Bool { failure == nil }

    /// Whether policy was read, and nothing can be found out by reading it again.
    package var isCurrent: Bool {
        switch self {
        case .known, .incomplete: true
        case .unread, .stale, .unknown: false
        }
    }

    /// Whether readers look again, because no watch reports that policy can be read again.
    package var needsAnotherLook: Bool { !isCurrent }

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
        case .known, .stale, .incomplete: return .stale(because: reason)
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
