/// How bad a finding is; the raw value is the word that is printed.
package enum Severity: String, Sendable, Hashable, CaseIterable {
    /// The file is not used as it stands.
    case error
    /// The file is used, and somebody should look at it.
    case warning
}
