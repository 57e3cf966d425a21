package import Policy
package import PropertyList

/// A change of what a lookup returns, or of whether policy decides it.
package struct EffectiveChange: Sendable {
    /// What brought it about.
    package enum Cause: Sendable {
        /// This process wrote, registered, or changed its search list.
        case application
        /// Another process wrote.
        case otherProcess
        /// The administrator's policy changed.
        case policy
    }

    /// The key.
    package let key: Key
    /// What a lookup returns now.
    package let value: Value?
    /// The forced or absent entry that decides lookups now.
    package let forced: ResolvedEntry?
    /// What the user's value must be like now.
    package let constraint: ResolvedConstraint?
    /// What brought it about.
    package let cause: Cause
}
