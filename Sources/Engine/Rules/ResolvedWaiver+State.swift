package import Policy

/// What a waiver does for a user; the raw values stand in JSON.
package enum WaiverState: String, Sendable, CaseIterable {
    /// It lifts something.
    case inForce = "in force"
    /// It has ended.
    case expired
    /// Nobody can tell whether its file applies, so it lifts nothing.
    case inDoubt = "in doubt"
    /// There is nothing that it would lift.
    case withoutEffect = "without effect"
}

extension ResolvedWaiver {
    /// What the waiver does for its user.
    package var state: WaiverState {
        isExpired ? .expired : isInDoubt ? .inDoubt : lifted.isEmpty ? .withoutEffect : .inForce
    }
}
