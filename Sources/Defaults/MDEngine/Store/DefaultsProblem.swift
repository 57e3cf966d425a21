package import MDPropertyList

/// A problem outside of a call that could have returned it, kept until the application asks for problems.
package struct DefaultsProblem: Sendable, Hashable {
    /// What a problem concerns.
    package enum Kind: Sendable, Hashable {
        /// A preference file.
        case preferences
        /// Policy.
        case policy
        /// A value to be set once.
        case setOnce
        /// An audit record.
        case audit
        /// The stored value of a key, which is of another type than the application's setting.
        case value(Key)
    }

    /// What the problem concerns.
    package let kind: Kind
    /// A sentence for a log or an administrator.
    package let message: String

    /// Makes a problem.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
