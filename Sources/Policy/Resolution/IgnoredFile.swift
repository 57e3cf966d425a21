/// A file in a policy directory that is not read, and why.
package struct IgnoredFile: Hashable, Sendable {
    /// The path beneath the root.
    package let path: String
    /// Why, in words.
    package let reason: String
    /// Whether its name is that of a policy file, and another file switches it off or replaces it.
    package let isPolicy: Bool
    /// Where it is a file that another one switches off or replaces: whether it is `Enforced`; `nil` for anything else, and
    /// where it cannot be read.
    package let isEnforced: Bool?

    /// Makes an ignored file.
    package init(path: String, reason: String, isPolicy: Bool = false, isEnforced: Bool? = nil) {
        self.isEnforced = isEnforced
        self.path = path
        self.reason = reason
        self.isPolicy = isPolicy
    }
}
