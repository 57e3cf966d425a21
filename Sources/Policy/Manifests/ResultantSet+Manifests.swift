package import PropertyList

extension ManifestSet {
    /// What people are told about a key, as policy files have it; `nil` where no manifest knows the key.
    package func metadata(domain: Key, key: Key) -> KeyMetadata? {
        let isSensitive = isSensitive(domain: domain, key: key)
        guard let known = self.key(domain: domain, key: key) else {
            return isSensitive ? KeyMetadata(isSensitive: true) : nil
        }
        return KeyMetadata(title: known.title, description: known.description, isSensitive: isSensitive)
    }
}

extension KeyMetadata {
    /// The metadata of policy files, with what they do not say taken from a manifest.
    ///
    /// A key is sensitive where either says so.
    func completed(by other: KeyMetadata) -> KeyMetadata {
        KeyMetadata(
            title: title.isEmpty ? other.title : title,
            description: description.isEmpty ? other.description : description, controls: controls,
            isSensitive: isSensitive || other.isSensitive)
    }
}

extension ResultantSet {
    /// Every domain that policy says something about.
    package var describedDomains: Set<Key> {
        Set(forced.keys).union(recommended.keys).union(setOnce.keys).union(constraints.keys).union(seals.keys)
    }

    /// The set with what manifests say of keys behind the metadata of policy files.
    ///
    /// Complexity: O(entries + keys of all manifests); the set itself where there are no manifests.
    package func described(by manifests: ManifestSet) -> ResultantSet {
        guard !manifests.isEmpty else { return self }
        /// Completes the entries of one level.
        func described(_ level: [Key: [Key: ResolvedEntry]]) -> [Key: [Key: ResolvedEntry]] {
            level.mapValues { $0.mapValues { $0.described(by: manifests) } }
        }
        var metadata = metadata
        /// Completes what is known of a key.
        func complete(_ domain: Key, _ key: Key) {
            guard let more = manifests.metadata(domain: domain, key: key), !more.isEmpty else { return }
            let known = metadata[domain]?[key] ?? KeyMetadata()
            metadata[domain, default: [:]][key] = known.completed(by: more)
        }
        for manifest in manifests.manifests { for key in manifest.keys.keys { complete(manifest.domain, key) } }
        for level in [forced, recommended, setOnce] {
            for (domain, entries) in level { for key in entries.keys { complete(domain, key) } }
        }
        for (domain, entries) in constraints { for key in entries.keys { complete(domain, key) } }
        return ResultantSet(
            domains: domains, forced: described(forced), recommended: described(recommended),
            setOnce: described(setOnce),
            constraints: constraints.mapValues { $0.mapValues { $0.described(by: manifests) } }, seals: seals,
            unsealed: unsealed, waivers: waivers, metadata: metadata, applied: applied, skipped: skipped,
            nextChange: nextChange, isTimed: isTimed, problems: problems)
    }
}

extension ResolvedEntry {
    /// The entry with what a manifest says of its key.
    package func described(by manifests: ManifestSet) -> ResolvedEntry {
        guard let more = manifests.metadata(domain: domain, key: key) else { return self }
        var entry = ResolvedEntry(
            level: level, domain: domain, key: key, value: value, origin: origin, losers: losers,
            contributors: contributors, metadata: metadata.completed(by: more), rule: rule, onOverride: onOverride,
            contact: contact, policyVersion: policyVersion, description: description, fileDigest: fileDigest,
            isLastGood: isLastGood)
        entry.isFromSeal = isFromSeal
        return entry
    }
}

extension ResolvedConstraint {
    /// The constraint with what a manifest says of its key.
    fileprivate func described(by manifests: ManifestSet) -> ResolvedConstraint {
        guard let more = manifests.metadata(domain: entry.domain, key: entry.key) else { return self }
        return ResolvedConstraint(
            entry: entry, losers: losers, contact: contact, fileDigest: fileDigest, isLastGood: isLastGood,
            metadata: metadata.completed(by: more))
    }
}
