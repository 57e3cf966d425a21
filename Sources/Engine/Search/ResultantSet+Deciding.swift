package import Policy
package import PropertyList

extension ResultantSet {
    /// The forced or absent entry that decides lookups of a key in some domains, or `nil`.
    ///
    /// A value is tried in every domain before an absent entry counts.
    ///
    /// - Parameters:
    ///   - key: the key that is looked up.
    ///   - domains: the domains in search order: the application's, its suites, NSGlobalDomain.
    /// - Returns: the entry that decides, or `nil` where no policy does.
    package func decidingEntry(for key: Key, in domains: [Key]) -> ResolvedEntry? {
        var absent: ResolvedEntry?
        for domain in domains {
            guard let entry = forcedEntry(domain: domain, key: key) else { continue }
            if entry.value != nil { return entry }
            absent = absent ?? entry
        }
        return absent
    }
}

extension ResultantSet {
    /// The forced and absent entries, by domain and key in byte order.
    package var forcedEntries: [ResolvedEntry] {
        entries.filter { $0.level != .recommended }
    }
}
