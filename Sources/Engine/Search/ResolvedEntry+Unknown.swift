import Platform
package import Policy
import PropertyList

extension ResolvedEntry {
    /// The entry of every key of a domain while policy could not be read.
    ///
    /// It comes from no policy, so its identifier is empty, as that of no policy is.
    static func unknown(in domain: Key, because reason: String) -> ResolvedEntry {
        let entry = ResolvedEntry(
            level: .absent, domain: domain, key: "", value: nil,
            origin: Origin(policy: "", file: "/etc/managed-defaults/policies.d", position: .start),
            description: reason, fileDigest: SHA256.hash([]))
        return entry.withoutValue(for: .policy)
    }

    /// Whether it is such an entry: no policy decides the key, and no program may act as if none did.
    package var isUnknown: Bool { shortfall == .policy }

    /// Whether it is unknown what policy says of the key for the user, so that nothing which was written can be an attempt
    /// to override it.
    package var isUndecided: Bool { isUnknown || shortfall == .user }
}
