package import MDAuditRecord
package import MDPolicyCore
import MDPolicyModel
package import MDPropertyList

/// What becomes of a write, before anything is written.
package indirect enum WriteDecision: Sendable {
    /// Nothing forces the key: the user's domain takes the value, or loses it.
    case store
    /// The value is the one that is forced anyway: nothing is stored, and there is no override attempt.
    case unchanged
    /// The key is forced: nothing is stored. An override attempt.
    case refuse(ResolvedEntry)
    /// The key is forced and its policy says `shadow`: stored, without effect while the key is forced. An override
    /// attempt.
    case shadow(ResolvedEntry)
    /// The value is outside of a constraint, which leaves this one: stored in its place. An override attempt.
    case clamp(Value, ResolvedConstraint)
    /// The value is outside of a constraint that leaves nothing of it: nothing is stored. An override attempt.
    case outside(ResolvedConstraint)
    /// A forced key is removed: the user's hidden value goes, nothing changes in effect. Recorded as `remove`,
    /// `hidden`.
    case removeHidden(ResolvedEntry)
    /// It is unknown whether the key is forced, for this reason, as a clause: nothing is stored. No override attempt.
    case unknown(String)

    /// Decides about a write.
    ///
    /// - Parameters:
    ///   - value: the new value; `nil` removes the key.
    ///   - rule: what policy says of the key.
    ///   - failure: why the forced keys are unknown; it counts only if no known entry decides.
    package init(of value: Value?, under rule: KeyRule, failure: String? = nil) {
        switch rule {
        case .free: self = failure.map { .unknown($0) } ?? .store
        case .constrained(let constraint):
            self = failure.map { .unknown($0) } ?? WriteDecision(of: value, within: constraint)
        case .unknownPolicy(let entry):
            self = failure.map { .unknown($0) } ?? WriteDecision(of: value, against: entry)
        case .forced(let entry), .absent(let entry), .sealed(let entry):
            self = value == nil ? .removeHidden(entry) : WriteDecision(of: value, against: entry)
        case .unknownUser(let entry): self = WriteDecision(of: value, against: entry)
        }
    }

    /// Decides about a value that a constraint limits.
    private init(of value: Value?, within constraint: ResolvedConstraint) {
        guard let value else {
            self = .store
            return
        }
        self =
            switch constraint.entry.constraint.verdict(on: value) {
            case .allowed: .store
            case .clamped(let bound): .clamp(bound, constraint)
            case .refused: .outside(constraint)
            }
    }

    /// Decides about a value of a forced key; a removal is refused.
    private init(of value: Value?, against entry: ResolvedEntry) {
        if let value, value == entry.value {
            self = .unchanged
        } else {
            self = value != nil && entry.onOverride == .shadow ? .shadow(entry) : .refuse(entry)
        }
    }
}

/// A write of one key under policy: the one place that decides what is stored and what is recorded.
///
/// The library writes to memory and saves later, commands write files at once; both decide and record by this.
package struct KeyWrite: Sendable {
    /// The key.
    package let key: Key
    /// The value that was asked for; `nil` removes the key.
    package let tried: Value?
    /// What becomes of it.
    package let decision: WriteDecision

    /// Decides about a write.
    package init(_ key: Key, _ value: Value?, under rule: KeyRule, failure: String? = nil) {
        (self.key, tried) = (key, value)
        decision = WriteDecision(of: value, under: rule, failure: failure)
    }

    /// What the user's domain gets: a value, or `.some(nil)` to remove the key; `nil` if it stays as it is.
    package var change: Value?? {
        switch decision {
        case .unchanged, .refuse, .outside, .unknown: nil
        case .clamp(let bound, _): .some(bound)
        case .store, .shadow, .removeHidden: .some(tried)
        }
    }

    /// What the audit log records.
    ///
    /// - Parameters:
    ///   - domain: the domain that was written.
    ///   - via: the way of the write.
    ///   - isStored: whether ``change`` was carried out.
    /// - Returns: `nil` if nothing is recorded.
    package func recorded(in domain: Key, via: WriteVia, isStored: Bool = true) -> RecordedWrite? {
        switch decision {
        case .store, .unchanged: nil
        case .refuse(let entry):
            RecordedWrite(entry, domain: domain, tried: tried, via: via, outcome: .refused)
        case .shadow(let entry):
            RecordedWrite(entry, domain: domain, tried: tried, via: via, outcome: isStored ? .shadowed : .refused)
        case .removeHidden(let entry):
            RecordedWrite(entry, domain: domain, tried: nil, via: via, outcome: isStored ? .hidden : .refused)
        case .clamp(let bound, let constraint):
            RecordedWrite(
                constraint, kept: isStored ? bound : nil, domain: domain, tried: tried, via: via,
                outcome: isStored ? .clamped : .refused)
        case .outside(let constraint):
            RecordedWrite(constraint, kept: nil, domain: domain, tried: tried, via: via, outcome: .refused)
        case .unknown(let reason):
            RecordedWrite(key, domain: domain, tried: tried, via: via, because: reason)
        }
    }

    /// Whether policy refuses the write, so that nothing of it is stored.
    package var isRefused: Bool {
        switch decision {
        case .refuse, .outside, .unknown: true
        case .store, .unchanged, .shadow, .clamp, .removeHidden: false
        }
    }
}
