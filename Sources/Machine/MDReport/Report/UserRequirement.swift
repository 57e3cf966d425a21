import MDEngine
package import MDPlatform
import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// One requirement of one user, as all formats show it.
package struct UserRequirement: Sendable {
    /// What is required; the raw value is printed in reports.
    package enum Kind: String, Sendable {
        /// A value, or none, that nobody but the administrator changes.
        case key
        /// That the stored value is one of those that are allowed.
        case constraint
    }

    package let kind: Kind
    package let domain: Key
    /// The key; empty for all further keys of a sealed domain.
    package let key: Key
    package let metadata: KeyMetadata
    package let state: RequirementState
    /// What is known of it, in a clause without a full stop.
    package let words: String
    /// Since when it is required as it is; `nil` if the log does not say.
    package let since: Timestamp?
    /// The place in the policy file that requires or waives it.
    package let origin: Origin

    package init(
        _ kind: Kind, domain: Key, key: Key, metadata: KeyMetadata, state: RequirementState, words: String,
        since: Timestamp? = nil, origin: Origin
    ) {
        (self.kind, self.domain, self.key, self.metadata) = (kind, domain, key, metadata)
        (self.state, self.words, self.since, self.origin) = (state, words, since, origin)
    }
}

extension UserCompliance {
    /// Everything that is required of the user: keys and waivers in force.
    package var requirements: [UserRequirement] {
        keys.map(\.requirement)
            + waivers.filter { $0.state == .inForce }.map { waiver in
                let own = waiver.waiver
                let end = own.until.map { " until \($0.rfc3339)" } ?? " without end"
                let approval = own.approvedBy.isEmpty ? "" : ", approved by \(own.approvedBy)"
                return UserRequirement(
                    .key, domain: own.domain, key: own.key, metadata: KeyMetadata(), state: .waived,
                    words: "waived\(end): \(own.reason)\(approval)", origin: own.origin)
            }
    }
}

extension KeyCompliance {
    /// The key as a requirement.
    package var requirement: UserRequirement {
        UserRequirement(
            .key, domain: entry.domain, key: entry.key, metadata: entry.metadata, state: state, words: sentence,
            since: since, origin: entry.origin)
    }

    /// What is known of the key, in a sentence without a full stop.
    var sentence: String {
        if !isKnown { return "what is forced is not known here" }
        if !isInForce { return "an earlier version of a file keeps it in force" }
        return switch coverage {
        case .asked(let paths): "in force, and asked for by \(paths.joined(separator: ", "))"
        case .confirmed(let programs): "in force, and confirmed by \(programs.joined(separator: ", "))"
        case .denied(let words): "refused: \(words.joined(separator: "; "))"
        case .written(let programs):
            "written for \(programs.joined(separator: ", ")), and not looked at whether the program obeys"
        case .notInstalled(let programs): "for \(programs.joined(separator: ", ")), not installed here"
        case .none: "in force, and nothing here is known to enforce it"
        case .unknown: "in force, and what enforces it is not known"
        }
    }
}
