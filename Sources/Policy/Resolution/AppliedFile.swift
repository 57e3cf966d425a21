package import Platform

/// A policy file that applies to the subject.
package struct AppliedFile: Hashable, Sendable {
    /// The identifier of the policy.
    package let policy: String
    /// The path beneath the root.
    package let file: String
    /// When the file next stops applying, or a waiver of it ends; `nil` where time changes nothing.
    package let nextChange: Timestamp?

    /// Makes an applied file.
    package init(policy: String, file: String, nextChange: Timestamp? = nil) {
        self.policy = policy
        self.file = file
        self.nextChange = nextChange
    }
}
