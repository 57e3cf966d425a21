/// What becomes of a write to a forced key; the raw value is the word of the policy file.
package enum OverrideMode: String, Sendable, Hashable, CaseIterable {
    /// The write changes nothing.
    case refuse
    /// The value is stored in the user's domain and stays invisible while the key is forced.
    case shadow
}
