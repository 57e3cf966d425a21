import Platform
import PropertyList

/// Temporary files with nothing that could be in force: all that they say is about entries, and nobody has those.
struct TemporarySilence {
    /// What holds keys.
    private let standing: LintStanding
    /// The keys that are forced, or may be.
    private let forced: Set<LintName>
    /// The calendars that schedules name.
    private let scheduled: Set<Key>
    /// Whether there are files of which nothing is known.
    private let isUnknown: Bool
    /// When.
    private let time: Timestamp

    /// Gathers what is in force.
    ///
    /// - Parameters:
    ///   - files: all files, the temporary ones included.
    ///   - isUnknown: whether there are others of which nothing is known.
    ///   - time: when.
    init(among files: [LintFile], isUnknown: Bool, at time: Timestamp) {
        let policies = files.map(\.policy)
        (self.isUnknown, self.time) = (isUnknown, time)
        standing = LintStanding(policies, isUnknown: isUnknown)
        scheduled = policies.scheduledCalendars
        forced = Set(
            policies.lazy.flatMap(\.entries).filter { $0.level == .forced }
                .map { LintName(domain: $0.domain, key: $0.key) })
    }

    /// The finding of a file that can change nothing; `nil` for any other.
    func finding(of file: LintFile) -> Diagnostic? {
        let policy = file.policy
        guard policy.entries.isEmpty, policy.seals.isEmpty, policy.constraints.isEmpty, !lifts(policy),
            !policy.calendars.contains(where: { isUnknown || scheduled.contains($0.name) }),
            !policy.combine.contains(where: { isUnknown || forced.contains(LintName(domain: $0.domain, key: $0.key)) })
        else { return nil }
        return file.warning(
            .noEntries, at: policy.identifierPosition,
            "this file forces nothing, and nothing that is in force is lifted, combined or timed by it")
    }

    /// Whether a waiver of a file may lift something.
    private func lifts(_ policy: PolicyFile) -> Bool {
        policy.waivers.contains { waiver in
            waiver.until.map { $0 > time } ?? true && standing.mayHold(waiver.domain, waiver.key)
        }
    }
}
