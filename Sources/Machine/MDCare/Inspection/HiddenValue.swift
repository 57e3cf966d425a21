package import MDPropertyList

/// A value that a user has stored for a forced key.
package struct HiddenValue: Sendable {
    /// The domain that it is stored in, which is not that of the key if NSGlobalDomain is forced.
    package let domain: Key
    /// The stored value.
    package let value: Value
    /// The file of the value, under the root.
    package let file: String
    /// Whether it applies to this host only.
    package let isThisHost: Bool
    /// Whether it equals the forced value, so that nothing is hidden.
    package let isEqual: Bool
    /// The owner of the file if that is not the owner of the home.
    package let foreigner: UInt32?

    /// Makes a stored value.
    package init(
        domain: Key, value: Value, file: String, isThisHost: Bool, isEqual: Bool, foreigner: UInt32? = nil
    ) {
        self.domain = domain
        self.value = value
        self.file = file
        self.isThisHost = isThisHost
        self.isEqual = isEqual
        self.foreigner = foreigner
    }
}
