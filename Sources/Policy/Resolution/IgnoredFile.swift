/// A file in a policy directory that is not read, and why.
package struct IgnoredFile: Hashable, Sendable {
    /// The path beneath the root.
    package let path: String
    /// Why, in words.
    package let reason: String
    /// Whether its name is that of a policy file, and another file switches it off or replaces it.
    package let isPolicy: Bool

    /// Makes an ignored file.
    package init(path: String, reason: String, isPolicy: Bool = false) {
        self.path = path
        self.reason = reason
        self.isPolicy = isPolicy
    }
}
