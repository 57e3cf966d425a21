/// Whether a domain holds what a user has on every host, or on this one only.
package enum HostScope: String, Sendable, CaseIterable {
    /// The domain that counts on every host that shares the home.
    case anyHost
    /// The domain that counts on this host only; it goes before the other one.
    case thisHost
}
