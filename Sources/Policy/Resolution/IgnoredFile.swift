/// A file in a policy directory that is not read, and why.
package struct IgnoredFile: Hashable, Sendable {
    /// The path beneath the root.
    package let path: String
    /// Why, in words.
    package let reason: String

    /// Makes an ignored file.
    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}
