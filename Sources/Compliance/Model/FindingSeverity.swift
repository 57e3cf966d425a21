/// How much a finding weighs; the raw value stands in JSON.
package enum FindingSeverity: String, Sendable, CaseIterable {
    /// Policy is not in force as written, or the audit log does not verify: the report is not compliant.
    case error
    /// Somebody should look at it; policy is in force all the same.
    case warning
    /// Worth knowing, and probably intended.
    case note
}
