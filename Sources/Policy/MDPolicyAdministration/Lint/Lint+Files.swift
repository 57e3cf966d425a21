package import MDPlatform
import MDPolicyCore
package import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
package import MDPropertyList

extension Lint {
    /// The path that means standard input.
    package static let standardInput = "-"

    /// Where the descriptions of keys come from when files are checked.
    package enum ManifestSource: Sendable {
        /// The manifests of a machine.
        case machine(Root)
        /// The property lists of a folder and of those in it.
        case folder(String)
        /// None but those in folders `manifests.d` of what is checked.
        case none
    }

    /// Checks files by their paths; returns findings ordered by file and place.
    ///
    /// Relative paths are those of the process. Neither owners nor targets are checked. The named files are compared as
    /// if they were in one directory, in the given order. Files in a folder of policy files are compared with the rest
    /// of it, which is not checked itself. Each named folder is compared by itself.
    ///
    /// - Parameters:
    ///   - paths: files, and folders whose policy files are all checked.
    ///   - moment: the time of the check; `nil` for now.
    ///   - refused: fields of the format that are errors, because they would not be in force.
    ///   - source: the descriptions of keys.
    ///   - input: the content of the path `-`.
    ///   - judge: knows other programs; `nil` to leave them out.
    /// - Returns: the findings.
    package static func run(
        files paths: [String], at moment: Moment? = nil, refusing refused: RefusedFields = .current,
        manifests source: ManifestSource = .none, standardInput input: [UInt8]? = nil, judge: ProgramJudge? = nil
    ) -> [Diagnostic] {
        let moment = moment ?? Moment(time: Clock.now(), zones: ZoneDatabase(root: .system))
        let chosen = LintInput(paths)
        var findings = chosen.findings
        var zones = LintZones(moment.zones)
        var sets: [(set: LintInput.FileSet, files: [Named])] = []
        for set in chosen.sets {
            var files: [Named] = []
            for path in set.paths {
                let isBackground = set.background.contains(Key(path))
                if set.isNamed, !isBackground, LintInput.isInPolicyFolder(path),
                    let reason = PolicyFileName.reasonToIgnore(LintInput.name(of: path))
                {
                    findings.append(
                        Diagnostic(
                            file: path, severity: .warning, code: .ignoredName,
                            message: "a file of this name is not read: it \(reason)"))
                }
                do throws(SystemError) {
                    let bytes =
                        if path == standardInput, let input { input } else {
                            try Root.system.read(LintInput.path(path), limit: PolicyFile.limits.bytes).bytes
                        }
                    if LintInput.name(of: path) == Delegates.name, !LintInput.isInPolicyFolder(path) {
                        findings += Delegates(bytes, shownPath: path).findings
                        continue
                    }
                    let kind = PolicyFileName.kind(of: path) ?? PolicyFile.kind(ofContent: bytes)
                    let parsed = PolicyFile.parse(bytes: bytes, path: path, as: kind, refusing: refused)
                    if !set.isNamed, parsed.file == nil, let purpose = OtherPurpose(bytes, path: path) {
                        findings.append(
                            Diagnostic(file: path, severity: .warning, code: .noPolicy, message: purpose.message))
                        continue
                    }
                    if !isBackground { findings += parsed.diagnostics }
                    if let policy = parsed.file {
                        files.append((policy, path))
                    } else if !isBackground {
                        findings += zones.findings(inBroken: bytes, path: path, shownPath: path)
                    }
                } catch {
                    if !isBackground { findings.append(unreadable(path, error)) }
                }
            }
            sets.append((set, files))
        }
        let named = Set(
            sets.lazy.flatMap(\.files).flatMap { (judge?.expand($0.policy).policy ?? $0.policy).domains })
        let manifests = manifests(chosen.manifests, source, of: named, &findings)
        for (set, files) in sets {
            let isWhole = files.count == set.paths.count
            let scope = set.background.isEmpty ? LintScope.given : .folder
            let found = together(files, isWhole: isWhole, scope, moment, manifests, judge)
            let checked = files.filter { !set.background.contains(Key($0.shownPath)) }
                .map { LintFile(policy: $0.policy, shownPath: $0.shownPath) }
            findings += LintDomains(files: checked, time: moment.time, manifests: manifests, judge: judge).findings
            guard !set.background.isEmpty else {
                findings += found
                continue
            }
            // The caller did not ask about findings of the other files alone.
            let others = files.filter { set.background.contains(Key($0.shownPath)) }
            let known = Set(together(others, isWhole: isWhole, scope, moment, manifests, judge))
            findings += found.filter { !set.background.contains(Key($0.file)) || !known.contains($0) }
        }
        let all = sets.flatMap(\.files).map { LintFile(policy: $0.policy, shownPath: $0.shownPath) }
        return unacknowledged(findings, in: all).sorted()
    }

    /// A policy file and its path for messages.
    typealias Named = (policy: PolicyFile, shownPath: String)

    /// Reads the manifests among what is checked, and those of the source that concern some domains.
    private static func manifests(
        _ paths: [String], _ source: ManifestSource, of domains: Set<Key>, _ findings: inout [Diagnostic]
    ) -> ManifestSet {
        var (manifests, paths) = (ManifestSet(), paths)
        switch source {
        case .machine(let root): manifests = ManifestSet(root: root, of: domains)
        case .folder(let folder):
            let found = LintInput.manifests(in: folder)
            findings += found.findings
            paths = found.paths + paths
        case .none: break
        }
        for path in paths {
            do throws(SystemError) {
                let bytes = try Root.system.read(LintInput.path(path), limit: PolicyFile.limits.bytes).bytes
                manifests.add(bytes: bytes, shownPath: path)
            } catch {
                findings.append(unreadable(path, error))
            }
        }
        findings += manifests.diagnostics
        return manifests
    }

    /// Checks files of an unknown machine, each alone and together.
    private static func together(
        _ files: [Named], isWhole: Bool, _ scope: LintScope, _ moment: Moment, _ manifests: ManifestSet,
        _ judge: ProgramJudge?
    ) -> [Diagnostic] {
        let calendars = files.map(\.policy).calendarWindows
        let ready = files.map {
            LintFile(policy: $0.policy, shownPath: $0.shownPath, calendars: calendars, judge: judge)
        }
        let scheduled = isWhole ? files.map(\.policy).scheduledCalendars : nil
        let otherPolicy = LintOtherPolicy([], isUnknown: !isWhole, scope: scope)
        return between(ready, calendars, scheduled, otherPolicy, moment, manifests, nil, judge)
            + ready.filter(\.target.isContradictory).map(\.contradiction)
    }

    /// Makes the finding for an unreadable file.
    private static func unreadable(_ path: String, _ error: SystemError) -> Diagnostic {
        Diagnostic(
            file: path, code: error.isTooLarge ? .tooLarge : .unreadable,
            message: "the file cannot be read: \(Printable.escape(error.text))")
    }
}

extension Lint {
    /// Checks files that are to be installed, as they will stand among the others of a machine.
    ///
    /// - Parameters:
    ///   - candidates: the files with their names in the directory, in any order.
    ///   - others: the policy of the machine that stays beside them.
    ///   - names: the ids of the names in all of these files.
    ///   - tags: the tags of the machine; `nil` if unknown.
    ///   - host: its names.
    ///   - root: its root.
    ///   - accounts: its users and groups.
    ///   - judge: knows other programs; `nil` to leave them out.
    /// - Returns: the findings in the candidates, and those that the candidates cause in the others.
    package static func run(
        installing candidates: [(shownPath: String, policy: PolicyFile)], beside others: [PolicyFile],
        names: AccountIDs, tags: Set<Key>?, host: HostName, root: Root, accounts: AccountDatabase,
        judge: ProgramJudge? = nil
    ) -> [Diagnostic] {
        let moment = Moment(time: Clock.now(), zones: ZoneDatabase(root: root))
        let kept: [Named] = others.map { ($0, root.display($0.path)) }
        let all = (kept + candidates.map { (policy: $0.policy, shownPath: $0.shownPath) })
            .sorted { Key(LintInput.name(of: $0.policy.path)) < Key(LintInput.name(of: $1.policy.path)) }
        let named = all.flatMap { (judge?.expand($0.policy).policy ?? $0.policy).domains }
        let manifests = ManifestSet(root: root, of: Set(named))
        let found = together(all, isWhole: true, .machine, moment, manifests, judge)
        let known = Set(together(kept, isWhole: true, .machine, moment, manifests, judge))
        let ready = all.map { LintFile(policy: $0.policy, shownPath: $0.shownPath) }
        let own = Set(candidates.map { Key($0.shownPath) })
        let users = LintUsers(names: names, host: host, tags: tags, accounts: accounts, root: root)
        let installed = ready.filter { own.contains(Key($0.shownPath)) }
        let targets = LintTargets(files: installed, users: users).findings
        let domains = LintDomains(files: installed, time: moment.time, manifests: manifests, judge: judge).findings
        let new = found.filter { own.contains(Key($0.file)) || !known.contains($0) } + targets + domains
        return unacknowledged(new, in: ready).sorted()
    }
}

extension PolicyFile {
    /// The keys that its entries and rules name, with their domains.
    package var names: [(domain: Key, key: Key)] {
        entries.map { ($0.domain, $0.key) } + constraints.map { ($0.domain, $0.key) }
            + metadata.map { ($0.domain, $0.key) } + combine.map { ($0.domain, $0.key) }
            + waivers.map { ($0.domain, $0.key) }
    }

    /// The domains of its entries and rules.
    package var domains: Set<Key> {
        Set(entries.map(\.domain)).union(constraints.map(\.domain)).union(metadata.map(\.domain))
            .union(seals.map(\.domain)).union(combine.map(\.domain)).union(waivers.map(\.domain))
    }
}
