import Platform
import PropertyList

/// Metadata that protects, or belongs to, a key of which nothing is known: probably it is misspelt, and the key that is
/// meant is shown in clear.
struct LintMetadata {
    /// What was found.
    private(set) var findings: [Diagnostic] = []

    /// Looks at the metadata of files, those included whose time is over.
    ///
    /// - Parameters:
    ///   - files: all files that there are.
    ///   - manifests: what is known of keys beside them.
    ///   - scope: what is known of others.
    init(files: [LintFile], manifests: ManifestSet, scope: LintScope) {
        var open: [(file: LintFile, item: MetadataEntry)] = []
        for file in files {
            for item in file.policy.metadata where item.metadata.isSensitive || !item.metadata.controls.isEmpty {
                open.append((file, item))
            }
        }
        if open.isEmpty { return }
        let (keys, seals) = LintMetadata.mentioned(files)
        for (file, item) in open {
            guard !seals.contains(item.domain), !(keys[item.domain]?.contains(item.key) ?? false),
                manifests.key(domain: item.domain, key: item.key) == nil
            else { continue }
            let (key, domain) = (Printable.escape(item.key.string), Printable.escape(item.domain.string))
            let effect = item.metadata.isSensitive ? "Sensitive hides nothing" : "its Controls belong to nothing"
            let hint = LintMetadata.hint(item, keys, manifests)
            findings.append(
                file.warning(
                    .idleRule, at: item.origin.position,
                    "neither a \(scope.file) nor a manifest mentions \"\(key)\" of \(domain), so \(effect)\(hint)"
                ))
        }
    }

    /// The keys by domain, and the sealed domains, of which files say anything else.
    private static func mentioned(_ files: [LintFile]) -> (keys: [Key: Set<Key>], seals: Set<Key>) {
        var (keys, seals): ([Key: Set<Key>], Set<Key>) = ([:], [])
        for policy in files.lazy.map(\.policy) {
            for item in policy.entries { keys[item.domain, default: []].insert(item.key) }
            for item in policy.constraints { keys[item.domain, default: []].insert(item.key) }
            for item in policy.combine { keys[item.domain, default: []].insert(item.key) }
            for item in policy.waivers { keys[item.domain, default: []].insert(item.key) }
            for seal in policy.seals { seals.insert(seal.domain) }
        }
        return (keys, seals)
    }

    /// What is probably meant: a key of the same domain, or the same key of another one.
    private static func hint(_ item: MetadataEntry, _ keys: [Key: Set<Key>], _ manifests: ManifestSet) -> String {
        let own = (keys[item.domain] ?? []).sorted().map(\.string)
        let domains = keys.filter { $0.value.contains(item.key) }.keys.sorted().map(\.string)
        let name =
            Suggestion.nearest(to: item.key.string, among: own)
            ?? manifests.suggestion(domain: item.domain, key: item.key)
            ?? Suggestion.nearest(to: item.domain.string, among: domains)
        return name.map { "; \(Printable.escape($0)) is probably meant" } ?? ""
    }
}
