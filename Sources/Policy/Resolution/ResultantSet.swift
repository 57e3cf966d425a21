package import PropertyList

/// What remains of policy for one user on one host.
package struct ResultantSet: Sendable {
    /// Forced and absent entries, by domain and key.
    package let forced: [Key: [Key: ResolvedEntry]]
    /// Recommended entries, by domain and key.
    package let recommended: [Key: [Key: ResolvedEntry]]
    /// The files that do not apply, in order of application.
    package let skipped: [SkippedFile]

    /// Makes a resultant set.
    package init(
        forced: [Key: [Key: ResolvedEntry]] = [:], recommended: [Key: [Key: ResolvedEntry]] = [:],
        skipped: [SkippedFile] = []
    ) {
        self.forced = forced
        self.recommended = recommended
        self.skipped = skipped
    }

    /// The forced or absent entry of a key, if there is one.
    package func forcedEntry(domain: Key, key: Key) -> ResolvedEntry? { forced[domain]?[key] }

    /// The recommended entry of a key, if there is one.
    package func recommendedEntry(domain: Key, key: Key) -> ResolvedEntry? { recommended[domain]?[key] }

    /// Every entry: by domain and key in byte order, and of one key the forced one first.
    ///
    /// Complexity: O(n log n).
    package var entries: [ResolvedEntry] {
        let all = [forced, recommended].flatMap { level in level.values.flatMap(\.values) }
        return all.sorted { left, right in
            if left.domain != right.domain { return left.domain < right.domain }
            if left.key != right.key { return left.key < right.key }
            return left.level != .recommended && right.level == .recommended
        }
    }
}
