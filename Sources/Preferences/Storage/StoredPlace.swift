package import PropertyList

/// Where one domain of a user is stored: its name, and whether it counts on every host.
package struct StoredPlace: Hashable, Sendable {
    /// The domain.
    package let domain: Key
    /// Which of its files.
    package let host: HostScope

    /// Names a place.
    package init(domain: Key, host: HostScope) {
        self.domain = domain
        self.host = host
    }
}
