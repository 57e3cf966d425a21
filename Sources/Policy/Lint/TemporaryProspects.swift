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
            let users = LintUsers(names: names, host: host, tags: tags, accounts: accounts, root: root)
            let place = LintTargets(files: [file], users: users).emptyTargets.first
            if let finding = time ?? place ?? file.emptiness ?? PolicySet.undone(file, among: files, until: end) {
                idle.append(finding)
            }
        }
        let silence = TemporarySilence(
            among: files, isUnknown: self.files.contains { $0.policy == nil }, at: moment.time)
        let silent = own.filter { file in !idle.contains { $0.file == file.shownPath } }.compactMap(silence.finding)
        // What a file only says about keys belongs to the files of the same exam that force them.
        if idle.count + silent.count == own.count { idle += silent }
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

    /// The finding of a file whose own waivers lift all that it says from everybody until a time, and nothing that another
    /// file says; `nil` for any other.
    private static func undone(_ file: LintFile, among files: [LintFile], until end: Timestamp) -> Diagnostic? {
        let policy = file.policy
        guard let first = policy.waivers.first, policy.seals.isEmpty, policy.calendars.isEmpty,
            policy.entries.allSatisfy({ $0.level == .forced || $0.level == .absent })
        else { return nil }
        let lasting = policy.waivers.filter { $0.clauses.isEmpty && $0.until.map { $0 >= end } ?? true }
        let lifted = Set(lasting.map { LintName(domain: $0.domain, key: $0.key) })
        let standing = LintStanding([policy])
        let others = LintStanding(files.filter { $0 !== file }.map(\.policy))
        guard policy.entries.allSatisfy({ lifted.contains(LintName(domain: $0.domain, key: $0.key)) }),
            policy.constraints.allSatisfy({ lifted.contains(LintName(domain: $0.domain, key: $0.key)) }),
            policy.waivers.allSatisfy({ standing.mayHold($0.domain, $0.key) && !others.mayHold($0.domain, $0.key) })
        else { return nil }
        return file.warning(
            .neverWins, at: first.origin.position,
            "its own waivers name nobody, so they lift all that it says from everybody")
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
