package import Platform
package import PropertyList

/// What becomes of temporary policy on a machine: whether it has any effect there, and what keeps it from having all.
package struct TemporaryProspects: Sendable {
    /// What keeps keys from being as the files say.
    package let rivals: [TemporaryRival]
    /// Why files can apply to nobody here before they end, one finding for each such file.
    package let idle: [Diagnostic]
    /// The paths of files all of whose entries lose wherever they apply.
    package let beaten: [String]
    /// The paths of files that end earlier, each with its end.
    package let shortened: [(file: String, end: Timestamp)]
    /// Whether nothing of any file can be in force here.
    package let isWithoutEffect: Bool
}

extension PolicySet {
    /// What becomes of some files of `/run` that are `Enforced`.
    ///
    /// Complexity: O(entries of all files).
    ///
    /// - Parameters:
    ///   - paths: the paths of the files; what an earlier start of the same exam left is passed over.
    ///   - end: when they were meant to end.
    ///   - root: where the machine is.
    ///   - accounts: its users.
    ///   - host: its names.
    ///   - moment: when.
    /// - Returns: what there is to know before anybody relies on them.
    package func prospects(
        of paths: Set<Key>, until end: Timestamp, root: Root, accounts: AccountDatabase, host: HostName,
        at moment: Moment
    ) -> TemporaryProspects {
        let policies = files.compactMap(\.policy)
        let calendars = policies.calendarWindows
        let all = policies.map { LintFile(policy: $0, shownPath: root.display($0.path), calendars: calendars) }
        let own = all.filter { paths.contains(Key($0.policy.path)) }
        let files = all.filter { file in
            paths.contains(Key(file.policy.path))
                || !own.contains { $0.isOfExam(of: file) } && !file.isOver(at: moment.time)
        }
        var idle: [Diagnostic] = []
        for file in own {
            let time = LintTime(files: [file], calendars: calendars, scheduled: nil, moment: moment).findings.first {
                $0.code == LintCode.expired.rawValue || $0.code == LintCode.neverStarts.rawValue
            }
            let place = LintTargets(
                files: [file], names: names, host: host, tags: tags, accounts: accounts, root: root
            ).emptyTargets.first
            if let finding = time ?? place ?? file.emptiness { idle.append(finding) }
        }
        let isIdle = Set(idle.map { Key($0.file) })
        let losers = LintEntries(files: files, names: LintNames(files)).losers
        let beaten = own.filter { file in
            let policy = file.policy
            guard !isIdle.contains(Key(file.shownPath)), policy.seals.isEmpty, policy.waivers.isEmpty,
                policy.calendars.isEmpty, policy.metadata.isEmpty, policy.combine.isEmpty
            else { return false }
            let lost = losers.filter { $0.file === file }.map(\.position)
            return Set(lost).count == policy.entries.count + policy.constraints.count
        }
        return TemporaryProspects(
            rivals: rivals(of: own, among: files, at: moment.time), idle: idle, beaten: beaten.map(\.shownPath),
            shortened: own.compactMap { file in
                let own = file.policy.target?.notAfter
                return own.flatMap { $0 < end && !isIdle.contains(Key(file.shownPath)) ? (file.shownPath, $0) : nil }
            },
            isWithoutEffect: idle.count + beaten.count == own.count)
    }

    /// What keeps keys from being as some files say, where it applies to somebody whom they are for; each once.
    private func rivals(of own: [LintFile], among files: [LintFile], at time: Timestamp) -> [TemporaryRival] {
        var rivals: [TemporaryRival] = []
        var seen: Set<TemporaryRival> = []
        for (index, other) in files.enumerated() where !own.contains(where: { $0 === other }) {
            for (place, file) in files.enumerated()
            where own.contains(where: { $0 === file }) && file.target.mayOverlap(other.target) {
                let claims = TemporaryClaims(file.policy)
                let found =
                    claims.lifted(by: other, file, at: time) + claims.beaten(by: other, comesFirst: index < place)
                for rival in found where seen.insert(rival).inserted { rivals.append(rival) }
            }
        }
        return rivals
    }
}
