import PropertyList

extension PolicySet {
    /// What remains of policy for a subject.
    ///
    /// Of the entries of one key, the first one from an `Enforced` file wins, else the last one. This holds for
    /// forced and absent entries together, and for each other kind by itself: a file is enforced as a whole.
    ///
    /// Complexity: O(n log n) of the number of entries.
    package func resolve(for subject: Subject) -> ResultantSet {
        let policies = files.lazy.compactMap(\.policy)
        let calendars = FilesInForce.calendars(of: policies)
        var standing: [StandingFile] = []
        var keys: [Key: [Key: KeyMaterial]] = [:]
        var seals: [Key: SealMaterial] = [:]
        for loaded in files {
            guard let policy = loaded.policy else { continue }
            let file = StandingFile(
                policy, isLastGood: loaded.isStandIn, index: standing.count, for: subject, names: names
            ) { calendars }
            standing.append(file)
            guard file.applies else { continue }
            for entry in policy.entries {
                PolicySet.change(&keys, entry.domain, entry.key) { $0.add(entry, of: file) }
            }
            for entry in policy.constraints {
                PolicySet.change(&keys, entry.domain, entry.key) {
                    $0.constraints.append(Candidate(item: entry, file: file))
                }
            }
            for entry in policy.combine {
                PolicySet.change(&keys, entry.domain, entry.key) {
                    $0.operators.append(Candidate(item: entry.combine, file: file))
                }
            }
            for (ordinal, waiver) in policy.waivers.enumerated() {
                PolicySet.change(&keys, waiver.domain, waiver.key) {
                    $0.add(waiver, ordinal: ordinal, of: file, for: subject, names: names)
                }
            }
            for seal in policy.seals {
                seals[seal.domain, default: SealMaterial(domain: seal.domain)].seals.append(
                    Candidate(item: seal, file: file))
            }
        }
        let metadata = FilesInForce.metadata(of: policies)
        for (domain, facts) in metadata where keys[domain] != nil {
            for (key, fact) in facts { keys[domain]?[key]?.metadata = fact }
        }
        var builder = ResultantBuilder(subject: subject, files: standing, seals: seals)
        for material in keys.values.lazy.flatMap(\.values) { builder.add(material) }
        return builder.resultant(metadata: metadata)
    }

    /// Changes the material of a key in place.
    private static func change(
        _ keys: inout [Key: [Key: KeyMaterial]], _ domain: Key, _ key: Key, _ body: (inout KeyMaterial) -> Void
    ) {
        body(&keys[domain, default: [:]][key, default: KeyMaterial(domain: domain, key: key)])
    }
}
