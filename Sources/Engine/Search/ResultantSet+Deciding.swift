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
        ResultantSet.decidingEntry(in: domains) { forcedEntry(domain: $0, key: key) }
    }

    /// The forced or absent entry that decides a lookup, given what each domain says; a value is tried in every domain
    /// before an absent entry counts.
    ///
    /// - Parameters:
    ///   - domains: the domains in search order.
    ///   - entry: the forced or absent entry of a domain.
    /// - Returns: the entry that decides, or `nil` where none does.
    /// - Throws: what `entry` throws.
    static func decidingEntry<Failure: Error>(
        in domains: [Key], entry: (Key) throws(Failure) -> ResolvedEntry?
    ) throws(Failure) -> ResolvedEntry? {
        var absent: ResolvedEntry?
        for domain in domains {
            guard let entry = try entry(domain) else { continue }
            if entry.value != nil { return entry }
            absent = absent ?? entry
        }
        return absent
    }
}

extension ResultantSet {
    /// The forced and absent entries, those of seals included, by domain and key in byte order.
    package var forcedEntries: [ResolvedEntry] {
        entries.filter { $0.level == .forced || $0.level == .absent }
    }
}
