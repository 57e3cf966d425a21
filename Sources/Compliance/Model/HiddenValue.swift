package import PropertyList

/// A value that a user has stored beneath a forced key.
package struct HiddenValue: Sendable {
    /// The domain that it is stored in; another one than the key's where NSGlobalDomain is forced.
    package let domain: Key
    /// The stored value.
    package let value: Value
    /// The file that holds it, under the root.
    package let file: String
    /// Whether it counts on this host only.
    package let isThisHost: Bool
    /// Whether it is the forced value anyway, so that nothing is hidden.
    package let isEqual: Bool

    /// Makes a stored value.
    package init(domain: Key, value: Value, file: String, isThisHost: Bool, isEqual: Bool) {
        self.domain = domain
        self.value = value
        self.file = file
        self.isThisHost = isThisHost
        self.isEqual = isEqual
    }
}
