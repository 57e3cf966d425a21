package import Platform

/// A policy file that does not apply to the subject, and why.
package struct SkippedFile: Hashable, Sendable {
    /// The identifier of the policy.
    package let policy: String
    /// The path beneath the root.
    package let file: String
    /// Why, in words.
    package let reason: String
    /// When the file next begins to apply, where nothing but the time is against it; `nil` otherwise.
    package let nextChange: Timestamp?

    /// Makes a skipped file.
    package init(policy: String, file: String, reason: String, nextChange: Timestamp? = nil) {
        self.policy = policy
        self.file = file
        self.reason = reason
        self.nextChange = nextChange
    }
}
