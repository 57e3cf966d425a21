package import MDPolicyCore

/// What the service knows of the keys of policy, as of the last reading of policy.
package struct PolicyKeys: Sendable {
    /// The keys whose values are sensitive.
    package var sensitive = ManifestSecrets()
    /// The keys that policy names.
    package var named = NamedKeys()

    /// Makes a value that names no key.
    package init() {}
}
