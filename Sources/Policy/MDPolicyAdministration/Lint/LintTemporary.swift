package import MDPlatform
import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

extension LintFile {
    /// The findings about a temporary policy file; none for any other file.
    var temporaryFindings: [Diagnostic] {
        guard let temporary = policy.temporary else { return [] }
        var messages: [String] = []
        if isOutsideRun {
            messages.append(
                "a file with Temporary belongs into \(PolicyDirectory.run.directory): here the next boot does not end it, and"
                    + " policy exam and policy grant do not find it")
        }
        // A grant that only lifts keys need not be: a delegate's lifts nothing of an exam.
        let givesValues = !policy.entries.isEmpty || !policy.seals.isEmpty
        if !policy.enforced, temporary.kind == .exam || givesValues {
            messages.append("a file with Temporary and values is Enforced, or other files override it")
        }
        if temporary.until == nil { messages.append("Temporary has no Until, so only the next boot ends the file") }
        return messages.map { warning(.temporary, at: temporary.position, $0) }
    }

    /// Whether it is outside the directory of temporary policy; false for a file named without its folder.
    private var isOutsideRun: Bool {
        let folder = LintInput.folder(of: policy.path)
        let place = "\(PolicyDirectory.run.directory)/".utf8
        return !folder.isEmpty && !"/\(folder)".utf8.suffix(place.count).elementsEqual(place)
    }
}

/// The effect of temporary policy on a machine, and what limits it.
package struct TemporaryEffect: Sendable {
    /// The entries and waivers of other files that override the files.
    package let conflicts: [TemporaryConflict]
    /// The entries of earlier grants with a value that the files override.
    package let suspended: [TemporaryConflict]
    /// Why files can apply to no user before they end, one finding for each such file.
    package let idle: [Diagnostic]
    /// The paths of files all of whose entries always lose.
    package let beaten: [String]
    /// The paths of files that end earlier, each with its end.
    package let shortened: [(file: String, end: Timestamp)]
    /// Whether no file can have any effect here.
    package let isWithoutEffect: Bool
}

extension PolicySet {
    /// Determines the effect of some `Enforced` files of `/run`.
    ///
    /// Complexity: O(entries of all files).
    ///
    /// - Parameters:
    ///   - paths: the paths of the files; files of an earlier start of the same exam are ignored.
    ///   - end: the intended end.
    ///   - root: the root of the machine.
    ///   - accounts: its account files.
    ///   - host: its names.
    ///   - moment: the time of the check.
    /// - Returns: the effect and its limits.
    package func temporaryEffect(
        of paths: Set<Key>, until end: Timestamp, root: Root, accounts: AccountDatabase, host: HostName,
        at moment: Moment
    ) -> TemporaryEffect {
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
            if let finding = time ?? place ?? file.emptiness ?? PolicySet.selfWaived(file, among: files, until: end) {
                idle.append(finding)
            }
        }
        let ineffective = IneffectiveTemporaryFiles(
            among: files, isUnknown: self.files.contains { $0.policy == nil }, at: moment.time)
        let withoutEffect = own.filter { file in !idle.contains { $0.file == file.shownPath } }.compactMap(
            ineffective.finding)
        // A file with only metadata belongs to the files of the same exam that force the keys.
        if idle.count + withoutEffect.count == own.count { idle += withoutEffect }
        let isIdle = Set(idle.map { Key($0.file) })
        let losers = LintEntries(files: files, names: LintNames(files)).losers
        let beaten = own.filter { file in
            let policy = file.policy
            guard !isIdle.contains(Key(file.shownPath)), policy.seals.isEmpty, policy.waivers.isEmpty,
                policy.calendars.isEmpty, policy.metadata.isEmpty, policy.combine.isEmpty
            else { return false }
            let lost = losers.filter { $0.file === file }.map(\.position)
            // Entries made from one common setting share its place; each entry is in the list once.
            return lost.count == policy.entries.count + policy.constraints.count
        }
        return TemporaryEffect(
            conflicts: conflicts(of: own, among: files, at: moment.time), suspended: suspended(by: own, among: files),
            idle: idle, beaten: beaten.map(\.shownPath),
            shortened: own.compactMap { file in
                let own = file.policy.target?.notAfter
                return own.flatMap { $0 < end && !isIdle.contains(Key(file.shownPath)) ? (file.shownPath, $0) : nil }
            },
            isWithoutEffect: idle.count + beaten.count == own.count)
    }

    /// The finding for a file whose own waivers lift all its entries for every user until a time, and lift nothing of
    /// other files; `nil` for any other file.
    private static func selfWaived(_ file: LintFile, among files: [LintFile], until end: Timestamp) -> Diagnostic? {
        let policy = file.policy
        guard let first = policy.waivers.first, policy.seals.isEmpty, policy.calendars.isEmpty,
            policy.entries.allSatisfy({ $0.level == .forced || $0.level == .absent })
        else { return nil }
        let lasting = policy.waivers.filter { $0.clauses.isEmpty && $0.until.map { $0 >= end } ?? true }
        let lifted = Set(lasting.map { LintName(domain: $0.domain, key: $0.key) })
        let otherPolicy = LintOtherPolicy([policy])
        let others = LintOtherPolicy(files.filter { $0 !== file }.map(\.policy))
        guard policy.entries.allSatisfy({ lifted.contains(LintName(domain: $0.domain, key: $0.key)) }),
            policy.constraints.allSatisfy({ lifted.contains(LintName(domain: $0.domain, key: $0.key)) }),
            policy.writtenWaivers.allSatisfy({
                otherPolicy.mayHold($0.domain, $0.key) && !others.mayHold($0.domain, $0.key)
            })
        else { return nil }
        return file.warning(
            .neverWins, at: first.origin.position,
            "its own waivers name nobody, so they lift all that it says from everybody")
    }

    /// The conflicts of some files with others that may apply to the same users, each once.
    private func conflicts(of own: [LintFile], among files: [LintFile], at time: Timestamp) -> [TemporaryConflict] {
        var conflicts: [TemporaryConflict] = []
        var seen: Set<TemporaryConflict> = []
        for (index, other) in files.enumerated() where !own.contains(where: { $0 === other }) {
            for (place, file) in files.enumerated()
            where own.contains(where: { $0 === file }) && file.target.mayOverlap(other.target) {
                let entries = TemporaryEntries(file.policy)
                let found =
                    entries.lifted(by: other, file, at: time) + entries.beaten(by: other, comesFirst: index < place)
                for conflict in found where seen.insert(conflict).inserted { conflicts.append(conflict) }
            }
        }
        return conflicts
    }
}

extension PolicySet {
    /// The entries of grants with a value that some files of an exam override, each once.
    private func suspended(by own: [LintFile], among files: [LintFile]) -> [TemporaryConflict] {
        var found: [TemporaryConflict] = []
        for (index, grant) in files.enumerated() where grant.policy.isGrant {
            for file in files[..<index]
            where own.contains(where: { $0 === file }) && file.target.mayOverlap(grant.target) {
                for entry in TemporaryEntries(file.policy).beating(grant) {
                    let conflict = TemporaryConflict(
                        kind: .suspends, domain: entry.domain, key: entry.key, file: grant.policy.path, waiver: nil,
                        user: grant.policy.target?.include.users?.first?.name, isGrant: true)
                    if !found.contains(conflict) { found.append(conflict) }
                }
            }
        }
        return found
    }
}

/// An entry or waiver of another file that overrides temporary policy, or of a grant that it overrides.
package struct TemporaryConflict: Hashable, Sendable {
    /// The kind of conflict.
    package enum Kind: String, Hashable, Sendable {
        /// A waiver lifts the entry.
        case lifts
        /// Another file's entry wins.
        case beats
        /// An earlier grant's entry loses.
        case suspends
    }

    /// The kind of conflict.
    package let kind: Kind
    package let domain: Key
    package let key: Key
    package let file: String
    /// The waiver; `nil` if an entry wins.
    package let waiver: Waiver?
    /// The user of a grant that loses.
    package var user: Key?
    /// Whether the other file was made by `policy grant`.
    package let isGrant: Bool
}

/// The entries of a temporary policy file, prepared for comparison with other files.
struct TemporaryEntries {
    /// Forced and absent entries by name.
    private var values: [LintName: PolicyEntry] = [:]
    private var constraints: [LintName: Constraint] = [:]
    private var seals: Set<Key> = []
    /// The keys that are combined with those of other files.
    private var joined: Set<LintName> = []

    init(_ policy: PolicyFile) {
        for entry in policy.entries where entry.level == .forced || entry.level == .absent {
            values[LintName(domain: entry.domain, key: entry.key)] = entry
        }
        for entry in policy.constraints {
            constraints[LintName(domain: entry.domain, key: entry.key)] = entry.constraint
        }
        for entry in policy.combine where entry.combine != .replace {
            joined.insert(LintName(domain: entry.domain, key: entry.key))
        }
        seals = Set(policy.seals.map(\.domain))
    }

    /// The conflicts with the waivers of another file.
    func lifted(by other: LintFile, _ file: LintFile, at time: Timestamp) -> [TemporaryConflict] {
        guard other.policy.enforced || !file.policy.enforced else { return [] }
        return other.policy.writtenWaivers.compactMap { waiver in
            let name = LintName(domain: waiver.domain, key: waiver.key)
            guard values[name] != nil || constraints[name] != nil || seals.contains(waiver.domain),
                waiver.until.map({ $0 > time }) ?? true,
                file.target.mayOverlap(LintTarget(Target(include: waiver.clauses), calendars: [:]))
            else { return nil }
            return TemporaryConflict(
                kind: .lifts, domain: waiver.domain, key: waiver.key, file: other.policy.path, waiver: waiver,
                isGrant: other.policy.isGrant)
        }
    }

    /// The written entries of a grant that has another value for a key of the file.
    func beating(_ grant: LintFile) -> [PolicyEntry] {
        grant.policy.entries.filter { entry in
            guard !entry.origin.source.isExpanded, entry.level == .forced,
                let own = values[LintName(domain: entry.domain, key: entry.key)]
            else { return false }
            return own.level != entry.level || own.value?.value != entry.value?.value
        }
    }

    /// The conflicts with the entries of another file, which wins if it is `Enforced` and its name comes first.
    func beaten(by other: LintFile, comesFirst: Bool) -> [TemporaryConflict] {
        let isFirst = other.policy.enforced && comesFirst
        /// The conflict about a key.
        func conflict(_ domain: Key, _ key: Key) -> TemporaryConflict {
            TemporaryConflict(
                kind: .beats, domain: domain, key: key, file: other.policy.path, waiver: nil,
                isGrant: other.policy.isGrant)
        }
        var conflicts: [TemporaryConflict] = []
        for entry in other.policy.entries where entry.level == .forced || entry.level == .absent {
            let name = LintName(domain: entry.domain, key: entry.key)
            if let own = values[name] {
                let setting = entry.origin.source.setting
                // Of what one common setting became on both sides, the common domain says the same.
                let isSame =
                    own.level == entry.level && own.value?.value == entry.value?.value
                    || setting != nil && setting == own.origin.source.setting
                if isFirst, !isSame, !joined.contains(name) { conflicts.append(conflict(entry.domain, entry.key)) }
            } else if let rule = constraints[name], let value = entry.value?.value, !entry.hasVariables,
                rule.verdict(on: value) != .allowed
            {
                conflicts.append(conflict(entry.domain, entry.key))
            }
        }
        for entry in other.policy.constraints where isFirst {
            let own = constraints[LintName(domain: entry.domain, key: entry.key)]
            if let own, own != entry.constraint { conflicts.append(conflict(entry.domain, entry.key)) }
        }
        return conflicts
    }
}

/// Finds temporary files without effect: they only affect entries that no file has.
struct IneffectiveTemporaryFiles {
    /// Other policy that controls keys.
    private let otherPolicy: LintOtherPolicy
    /// The keys that are or may be forced.
    private let forced: Set<LintName>
    private let scheduled: Set<Key>
    /// Whether there are files with unknown content.
    private let isUnknown: Bool
    private let time: Timestamp

    /// Gathers the effective entries.
    ///
    /// - Parameters:
    ///   - files: all files, including the temporary ones.
    ///   - isUnknown: whether there are other files with unknown content.
    ///   - time: the time of the check.
    init(among files: [LintFile], isUnknown: Bool, at time: Timestamp) {
        let policies = files.map(\.policy)
        (self.isUnknown, self.time) = (isUnknown, time)
        otherPolicy = LintOtherPolicy(policies, isUnknown: isUnknown)
        scheduled = policies.scheduledCalendars
        forced = Set(
            policies.lazy.flatMap(\.entries).filter { $0.level == .forced }
                .map { LintName(domain: $0.domain, key: $0.key) })
    }

    /// The finding for a file without effect; `nil` for any other.
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

    /// Whether a waiver of a file may have an effect.
    private func lifts(_ policy: PolicyFile) -> Bool {
        policy.writtenWaivers.contains { waiver in
            waiver.until.map { $0 > time } ?? true && otherPolicy.mayHold(waiver.domain, waiver.key)
        }
    }
}
