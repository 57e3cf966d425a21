import MDCare
import MDEngine
package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// One requirement of one user, as all formats show it.
package struct UserRequirement: Sendable {
    /// What is required; the raw value is printed in reports.
    package enum Kind: String, Sendable {
        /// A value, or none, that only the administrator changes.
        case key
        /// That the stored value is one of those that are allowed.
        case constraint
    }

    package let kind: Kind
    package let domain: Key
    /// The key; empty for all further keys of a sealed domain.
    package let key: Key
    package let metadata: KeyMetadata
    /// Why it has its state.
    package let reason: RequirementReason
    /// What is known of it, in a clause without a full stop.
    package let words: String
    /// What is required, in one line; sensitive values are not shown.
    package var value = ""
    /// What the user has stored, in one line; empty for nothing.
    package var stored = ""
    /// Since when it is required as it is; `nil` if the log does not say.
    package let since: Timestamp?
    /// The place in the policy file that requires or waives it.
    package let origin: Origin
    package var state: RequirementState { reason.state }

    package init(
        _ kind: Kind, domain: Key, key: Key, metadata: KeyMetadata, reason: RequirementReason, words: String,
        since: Timestamp? = nil, origin: Origin
    ) {
        (self.kind, self.domain, self.key, self.metadata) = (kind, domain, key, metadata)
        (self.reason, self.words, self.since, self.origin) = (reason, words, since, origin)
    }
}

extension UserCompliance {
    /// Everything that is required of the user: keys, constraints and what waivers in force lift, each once.
    package var requirements: [UserRequirement] {
        keys.filter(\.isRequirement).map(\.requirement) + constraints.map(\.requirement)
            + waived.map { waiver in
                let own = waiver.waiver
                return UserRequirement(
                    .key, domain: own.domain, key: own.key, metadata: metadata[own.domain]?[own.key] ?? KeyMetadata(),
                    reason: .waived, words: waiver.sentence, origin: own.origin)
            }
    }

    /// The waivers in force, one for each key that they lift; what is required all the same is not waived.
    package var waived: [ResolvedWaiver] {
        let lifted = waivers.filter { $0.state == .inForce }
        if lifted.isEmpty { return [] }
        var known = Set(keys.map { Place(domain: $0.entry.domain, key: $0.entry.key) })
        known.formUnion(constraints.map { Place(domain: $0.entry.domain, key: $0.entry.key) })
        return lifted.filter { known.insert(Place(domain: $0.waiver.domain, key: $0.waiver.key)).inserted }
    }

    /// The key of a requirement.
    private struct Place: Hashable {
        let domain: Key
        let key: Key
    }

    /// The requirements by why they have their state.
    package var reasons: ReasonCounts {
        var counts = ReasonCounts()
        for key in keys where key.isRequirement { counts.add(key.reason) }
        for constraint in constraints { counts.add(constraint.reason) }
        counts.add(.waived, waived.count)
        return counts
    }
}

extension ResolvedWaiver {
    /// What a waiver in force says, as a clause.
    package var sentence: String {
        let end = waiver.until.map { " until \($0.rfc3339)" } ?? " without end"
        let reason = waiver.reason.isEmpty ? "" : ": \(waiver.reason)"
        return "waived\(end)\(reason)\(waiver.approvedBy.isEmpty ? "" : ", approved by \(waiver.approvedBy)")"
    }
}

extension KeyCompliance {
    /// Whether it counts: a key that a seal hides is a part of the seal's requirement, because the user chooses its name.
    package var isRequirement: Bool { !entry.isFromSeal }

    /// The key as a requirement.
    package var requirement: UserRequirement {
        var requirement = UserRequirement(
            .key, domain: entry.domain, key: entry.key, metadata: entry.metadata, reason: reason, words: sentence,
            since: since, origin: entry.origin)
        requirement.value = ReportValue.line(self)
        requirement.stored = stored.map { ReportValue.line($0.value, isSensitive: isSensitive) }
            .joined(separator: "; ")
        return requirement
    }

    /// Why it has its state.
    package var reason: RequirementReason {
        if !isKnown { return .notKnown }
        if !isInForce { return .broken }
        if case .asked = coverage, isUndescribed { return .notDescribed }
        return coverage.reason
    }

    /// What is known of the key, in a sentence without a full stop.
    var sentence: String {
        if !isKnown { return "what is forced is not known here" }
        if !isInForce { return "an earlier version of a file keeps it in force" }
        return "in force; \(coverage.sentence)" + (isUndescribed ? ", and no manifest of the domain knows the key" : "")
    }
}

extension KeyCoverage {
    /// Why what it covers has its state.
    var reason: RequirementReason {
        switch self {
        case .asked: .observed
        case .confirmed: .confirmed
        case .denied: .denied
        case .firstState: .firstState
        case .written: .written
        case .notInstalled: .notInstalled
        case .none: .notCovered
        case .unknown: .notRead
        }
    }

    /// What enforces a key, as a clause.
    package var sentence: String {
        let names = names.joined(separator: ", ")
        return switch self {
        case .asked: "a program opened the domain: \(names)"
        case .confirmed: "confirmed by \(names)"
        case .denied: "denied: \(self.names.joined(separator: "; "))"
        case .firstState: "only a first state in \(names), which the user may change"
        case .written: "written for \(names); whether the program obeys was not looked at"
        case .notInstalled: "for \(names), not installed here"
        case .none: "nothing here is known to enforce it"
        case .unknown: "what enforces it could not be read"
        }
    }
}
