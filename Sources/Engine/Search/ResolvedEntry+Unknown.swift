import Platform
package import Policy
import PropertyList

extension ResolvedEntry {
    /// The entry that stands for everything in a domain of which it cannot be told whether it is forced.
    ///
    /// It comes from no policy, so its identifier is empty, as that of no policy is.
    static func unknown(in domain: Key, because reason: String) -> ResolvedEntry {
        ResolvedEntry(
            level: .absent, domain: domain, key: "", value: nil,
            origin: Origin(policy: "", file: "/etc/managed-defaults/policies.d", position: .start),
            description: reason, fileDigest: SHA256.hash([]))
    }

    /// Whether it is such an entry: no policy decides the key, nor may anybody act as if none did.
    package var isUnknown: Bool { origin.policy.isEmpty }
}
