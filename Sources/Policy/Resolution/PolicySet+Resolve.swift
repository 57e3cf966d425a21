import PropertyList

extension PolicySet {
    /// What remains of policy for a subject.
    ///
    /// Of the entries of one key, the first one from an `Enforced` file wins, else the last one. This holds for
    /// forced and absent entries together, and for recommended ones by themselves: a file is enforced as a whole.
    ///
    /// Complexity: O(n log n) of the number of entries.
    package func resolve(for subject: Subject) -> ResultantSet {
        var forced: [Key: [Key: [Candidate]]] = [:]
        var recommended: [Key: [Key: [Candidate]]] = [:]
        var skipped: [SkippedFile] = []
        for file in files {
            guard let policy = file.policy else { continue }
            if let reason = policy.target?.mismatch(of: subject, names: names) {
                skipped.append(SkippedFile(policy: policy.identifier, file: policy.path, reason: reason))
                continue
            }
            for entry in policy.entries {
                let candidate = Candidate(entry: entry, policy: policy, isLastGood: file.source == .lastGood)
                switch entry.level {
                case .forced, .absent: forced[entry.domain, default: [:]][entry.key, default: []].append(candidate)
                case .recommended: recommended[entry.domain, default: [:]][entry.key, default: []].append(candidate)
                // No file with such an entry loads yet.
                case .setOnce: continue
                }
            }
        }
        return ResultantSet(
            forced: forced.mapValues { $0.compactMapValues { PolicySet.decide($0, for: subject) } },
            recommended: recommended.mapValues { $0.compactMapValues { PolicySet.decide($0, for: subject) } },
            skipped: skipped)
    }

    /// An entry of a file that applies.
    struct Candidate {
        /// The entry.
        let entry: PolicyEntry
        /// Its file.
        let policy: PolicyFile
        /// Whether the file is a last good copy.
        let isLastGood: Bool
    }

    /// Chooses among the entries of one key, which stand in order of application.
    static func decide(_ candidates: [Candidate], for subject: Subject) -> ResolvedEntry? {
        // Strongest first: enforced files in order, then the others backwards.
        let ranked = candidates.filter(\.policy.enforced) + candidates.filter { !$0.policy.enforced }.reversed()
        guard let winner = ranked.first else { return nil }
        let losers = ranked.dropFirst().map { loser in
            Loser(level: loser.entry.level, value: loser.entry.value(for: subject), origin: loser.entry.origin)
        }
        return ResolvedEntry(
            level: winner.entry.level, domain: winner.entry.domain, key: winner.entry.key,
            value: winner.entry.value(for: subject), origin: winner.entry.origin, losers: losers,
            onOverride: winner.policy.onOverride, contact: winner.policy.contact,
            policyVersion: winner.policy.version, description: winner.policy.summary,
            fileDigest: winner.policy.digest, isLastGood: winner.isLastGood)
    }
}
