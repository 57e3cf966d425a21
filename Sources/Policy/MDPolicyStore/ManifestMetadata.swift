package import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

extension ManifestSet {
    /// The metadata of a key in the form of policy files; `nil` if no manifest describes the key.
    package func metadata(domain: Key, key: Key) -> KeyMetadata? {
        let isSensitive = isSensitive(domain: domain, key: key)
        guard let known = self.key(domain: domain, key: key) else {
            return isSensitive ? KeyMetadata(isSensitive: true) : nil
        }
        return KeyMetadata(title: known.title, description: known.description, isSensitive: isSensitive)
    }
}

extension KeyMetadata {
    /// The metadata of policy files, completed by that of a manifest.
    ///
    /// A key is sensitive if either says so.
    func completed(by other: KeyMetadata) -> KeyMetadata {
        KeyMetadata(
            title: title.isEmpty ? other.title : title,
            description: description.isEmpty ? other.description : description, controls: controls,
            isSensitive: isSensitive || other.isSensitive)
    }
}

extension ResultantSet {
    /// Every domain that policy affects.
    package var describedDomains: Set<Key> {
        Set(forced.keys).union(recommended.keys).union(setOnce.keys).union(constraints.keys).union(seals.keys)
    }

    /// The set with metadata completed from manifests.
    ///
    /// Complexity: O(entries + keys of all manifests); O(1) if there are no manifests.
    package func described(by manifests: ManifestSet) -> ResultantSet {
        guard !manifests.isEmpty else { return self }
        /// Completes the entries of one level.
        func described(_ level: [Key: [Key: ResolvedEntry]]) -> [Key: [Key: ResolvedEntry]] {
            level.mapValues { $0.mapValues { $0.described(by: manifests) } }
        }
        var metadata = metadata
        /// Completes the metadata of a key.
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
            nextChange: nextChange, knowledge: knowledge, isTimed: isTimed, problems: problems)
    }
}

extension ResolvedEntry {
    /// The entry with its metadata completed from manifests.
    package func described(by manifests: ManifestSet) -> ResolvedEntry {
        guard let more = manifests.metadata(domain: domain, key: key) else { return self }
        var entry = self
        entry.metadata = metadata.completed(by: more)
        return entry
    }
}

extension ResolvedConstraint {
    /// The constraint with its metadata completed from manifests.
    fileprivate func described(by manifests: ManifestSet) -> ResolvedConstraint {
        guard let more = manifests.metadata(domain: entry.domain, key: entry.key) else { return self }
        return ResolvedConstraint(
            entry: entry, losers: losers, contact: contact, fileDigest: fileDigest, isRecordedCopy: isRecordedCopy,
            metadata: metadata.completed(by: more))
    }
}
