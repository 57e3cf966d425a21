import MDEngine
package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
import MDPropertyList

/// One constraint of one user, on a key that is not forced.
///
/// Programs that ask the engine get an allowed value whatever is stored. So a stored value outside is hidden where a program
/// opened the domain, and otherwise the constraint is not met.
package struct ConstraintCompliance: Sendable {
    package let constraint: ResolvedConstraint
    /// The stored values that it does not allow.
    package let outside: [OutsideValue]
    /// Whether all of policy was read.
    let isKnown: Bool
    /// Whether the user's preference files could be read.
    let isHomeRead: Bool
    /// What enforces it.
    package let coverage: KeyCoverage
    /// Since when the winning file has been in force as it is, by the audit log; `nil` if the log does not say.
    package let since: Timestamp?
    package var entry: ConstraintEntry { constraint.entry }

    /// Why it has its state.
    package var reason: RequirementReason {
        if !isKnown { return .notKnown }
        if constraint.isRecordedCopy { return .broken }
        if case .asked = coverage { return .observed }
        if !outside.isEmpty { return .outside }
        return isHomeRead ? coverage.reason : .notRead
    }

    /// The constraint as a requirement.
    package var requirement: UserRequirement {
        UserRequirement(
            .constraint, domain: entry.domain, key: entry.key, metadata: constraint.metadata, reason: reason,
            words: sentence, since: since, origin: entry.origin)
    }

    /// What is known of it, in a sentence without a full stop.
    var sentence: String {
        let isSensitive = constraint.metadata.isSensitive || outside.contains(where: \.isSensitive)
        let allowed = isSensitive ? "what policy says" : constraint.words
        let stored = outside.map { value in
            let effective = value.effective.map { ReportValue.line($0, isSensitive: isSensitive) } ?? "none"
            return
                "; stored \(ReportValue.line(value.value, isSensitive: isSensitive)), programs that ask get \(effective)"
        }
        let known =
            switch reason {
            case .notKnown: "whether it is in force is not known here"
            case .notRead where !isHomeRead: "what is stored is not known"
            case .broken: reason.words
            default: coverage.sentence
            }
        return "must be \(allowed); \(known)\(stored.joined())"
    }
}
