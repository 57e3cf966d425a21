package import Platform
import PropertyList

/// Finds what is wrong with policy files, one by one and together.
package enum Lint {
    /// Everything that is wrong with the policy beneath a root, ordered by file and place.
    ///
    /// Nothing is written. On the system, names that the account files lack are asked of the directory service.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - moment: when; `nil` is now.
    ///   - host: the names of the host that targets are compared with; `nil` is the machine's own.
    /// - Returns: the findings.
    package static func run(root: Root, at moment: Moment? = nil, host: HostName? = nil) -> [Diagnostic] {
        let store = PolicyStore(root: root)
        guard store.isManaged else { return [] }
        let accounts = AccountDatabase(root: root)
        let purpose: PolicyPass.Purpose = store.mayWrite ? .recording(store.verifications, RecordEdit()) : .reading
        let pass = PolicyPass(root: root, purpose, isSpread: true) { names, recorded in
            guard root.isSystem else { return NameResolver.authoritative(names, accounts) }
            return NameResolver.renewed(names, recorded: recorded, accounts: accounts)
        }
        return run(pass.set(more: store.copyFaults()), root: root, accounts: accounts, at: moment, host: host)
    }

    /// Everything that is wrong with policy that was looked at already, ordered by file and place: whoever compiles policy
    /// and checks it reads each file once.
    ///
    /// - Parameters:
    ///   - set: what a look found.
    ///   - root: beneath which it lies.
    ///   - accounts: the account files of the root, where they were read already.
    ///   - moment: when; `nil` is now.
    ///   - host: the names of the host that targets are compared with; `nil` is the machine's own.
    /// - Returns: the findings.
    package static func run(
        _ set: PolicySet, root: Root, accounts: AccountDatabase? = nil, at moment: Moment? = nil, host: HostName? = nil
    ) -> [Diagnostic] {
        guard set.isManaged else { return [] }
        let accounts = accounts ?? AccountDatabase(root: root)
        var findings = set.diagnostics + LintAccess.findings(set.files, root: root)
        for file in set.ignored {
            guard let isEnforced = file.isEnforced else { continue }
            let words = isEnforced ? ", although it is Enforced" : ""
            findings.append(
                Diagnostic(
                    file: root.display(file.path), severity: .warning, code: .replaced,
                    message: "nothing of this file is in force: it \(file.reason)\(words)"))
        }
        for file in set.ignored where !file.isPolicy {
            let message = "this file is not read: its name \(file.reason)"
            findings.append(
                Diagnostic(
                    file: root.display(file.path), severity: .warning, code: .ignoredName, message: message))
        }
        for problem in accounts.problems {
            findings.append(
                Diagnostic(
                    file: problem.file, position: Position(line: max(problem.line, 1), column: 1, offset: 0),
                    severity: .warning, code: .accounts, message: problem.message))
        }
        let moment = moment ?? Moment(time: Clock.now(), zones: ZoneDatabase(root: root))
        let current = set.files.filter { $0.source == .current }.compactMap(\.policy)
        let calendars = current.calendarWindows
        let files = current.map { LintFile(policy: $0, shownPath: root.display($0.path), calendars: calendars) }
        let manifests = ManifestSet(root: root)
        findings += manifests.diagnostics
        // What a broken file names is known by its last good copy, if it has one.
        let isWhole = set.files.allSatisfy { $0.policy != nil }
        let scheduled = isWhole ? set.files.compactMap(\.policy).scheduledCalendars : nil
        let standing = LintStanding(set.files.filter(\.isStandIn).compactMap(\.policy))
        let users = LintUsers(
            names: set.names, host: host ?? Machine.hostName(root: root, recorded: set.recordedHostName),
            tags: set.tags,
            accounts: accounts, root: root)
        findings += between(files, calendars, scheduled, standing, moment, manifests, users)
        findings += LintTargets(files: files, users: users).findings
        findings += LintVariables(files: files, root: root).findings
        var zones = LintZones(moment.zones)
        for file in set.files where !file.valid && file.trusted {
            guard let bytes = try? root.readTrusted(file.path, limit: PolicyFile.limits.bytes).bytes else { continue }
            findings += zones.findings(inBroken: bytes, path: file.path, shownPath: root.display(file.path))
        }
        return findings.sorted()
    }

    /// Everything that is wrong with some files, ordered by file and place.
    ///
    /// Paths are those of the process, relative ones included; neither owners nor targets are looked at. The files that
    /// are named are compared as if they lay in one directory, in the order given; but those in a folder of policy with the
    /// rest of it, of which nothing is said beside what they change. Each folder that is named is compared by itself.
    ///
    /// - Parameters:
    ///   - paths: files, and folders of which every policy file is checked.
    ///   - moment: when; `nil` is now.
    ///   - refused: fields of the format that are a mistake, because they would not be in force.
    /// - Returns: the findings.
    package static func run(
        files paths: [String], at moment: Moment? = nil, refusing refused: RefusedFields = .current
    ) -> [Diagnostic] {
        let moment = moment ?? Moment(time: Clock.now(), zones: ZoneDatabase(root: .system))
        let input = LintInput(paths)
        var findings = input.findings
        var manifests = ManifestSet()
        for path in input.manifests {
            do throws(SystemError) {
                let bytes = try Root.system.read(LintInput.path(path), limit: PolicyFile.limits.bytes).bytes
                manifests.add(bytes: bytes, shownPath: path)
            } catch {
                findings.append(unreadable(path, error))
            }
        }
        findings += manifests.diagnostics
        var zones = LintZones(moment.zones)
        for set in input.sets {
            var files: [Named] = []
            for path in set.paths {
                let isBackground = set.background.contains(Key(path))
                if set.isNamed, !isBackground, let reason = PolicyFileName.reasonToIgnore(LintInput.name(of: path)) {
                    findings.append(
                        Diagnostic(
                            file: path, severity: .warning, code: .ignoredName,
                            message: "a file of this name is not read: it \(reason)"))
                }
                do throws(SystemError) {
                    let file = try Root.system.read(LintInput.path(path), limit: PolicyFile.limits.bytes)
                    let parsed = PolicyFile.parse(bytes: file.bytes, path: path, refusing: refused)
                    if !set.isNamed, parsed.file == nil, let purpose = OtherPurpose(file.bytes, path: path) {
                        findings.append(
                            Diagnostic(file: path, severity: .warning, code: .noPolicy, message: purpose.message))
                        continue
                    }
                    if !isBackground { findings += parsed.diagnostics }
                    if let policy = parsed.file {
                        files.append((policy, path))
                    } else if !isBackground {
                        findings += zones.findings(inBroken: file.bytes, path: path, shownPath: path)
                    }
                } catch {
                    if !isBackground { findings.append(unreadable(path, error)) }
                }
            }
            let isWhole = files.count == set.paths.count
            let scope = set.background.isEmpty ? LintScope.given : .folder
            let found = together(files, isWhole: isWhole, scope, moment, manifests)
            guard !set.background.isEmpty else {
                findings += found
                continue
            }
            // What is wrong with the others by themselves is not what was asked.
            let others = files.filter { set.background.contains(Key($0.shownPath)) }
            let known = Set(together(others, isWhole: isWhole, scope, moment, manifests))
            findings += found.filter { !set.background.contains(Key($0.file)) || !known.contains($0) }
        }
        return findings.sorted()
    }

    /// A policy file and its path as people are shown it.
    private typealias Named = (policy: PolicyFile, shownPath: String)

    /// What is wrong with files of which nobody knows the machine, each by itself and between them.
    private static func together(
        _ files: [Named], isWhole: Bool, _ scope: LintScope, _ moment: Moment, _ manifests: ManifestSet
    ) -> [Diagnostic] {
        let calendars = files.map(\.policy).calendarWindows
        let ready = files.map { LintFile(policy: $0.policy, shownPath: $0.shownPath, calendars: calendars) }
        let scheduled = isWhole ? files.map(\.policy).scheduledCalendars : nil
        let standing = LintStanding([], isUnknown: !isWhole, scope: scope)
        return between(ready, calendars, scheduled, standing, moment, manifests)
            + ready.filter(\.target.isContradictory).map(\.contradiction)
    }

    /// The finding of a file that cannot be read.
    private static func unreadable(_ path: String, _ error: SystemError) -> Diagnostic {
        Diagnostic(
            file: path, code: error.isTooLarge ? .tooLarge : .unreadable,
            message: "the file cannot be read: \(Printable.escape(error.text))")
    }

    /// What is wrong between files, with the times that they name, and with what manifests say of their entries.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - calendars: the calendars that they have.
    ///   - scheduled: the names of calendars in all schedules; `nil` where not all of them are known.
    ///   - standing: what holds keys beside the files.
    ///   - moment: when.
    ///   - manifests: what is known of keys.
    ///   - users: who there is; `nil` where nobody knows.
    /// - Returns: the findings.
    private static func between(
        _ files: [LintFile], _ calendars: [Key: [Window]], _ scheduled: Set<Key>?,
        _ standing: LintStanding, _ moment: Moment, _ manifests: ManifestSet, _ users: LintUsers? = nil
    ) -> [Diagnostic] {
        LintTime(
            files: files, calendars: calendars, scheduled: scheduled, moment: moment,
            scope: standing.scope
        ).findings
            // What is over takes no part any more.
            + LintSet(
                files: files.filter { !$0.isOver(at: moment.time) }, standing: standing, time: moment.time, users: users
            ).findings
            + LintRepeatedWaivers(files: files.filter { !$0.isOver(at: moment.time) }, time: moment.time).findings
            + LintLifted(files: files, time: moment.time).findings
            + LintGlobalDomain(files: files.filter { !$0.isOver(at: moment.time) }).findings
            + LintManifests(files: files, manifests: manifests).findings
            + LintPrograms(files: files.filter { !$0.isOver(at: moment.time) }).findings
            // A file that cannot be read may mention any key.
            + (scheduled == nil
                ? [] : LintMetadata(files: files, manifests: manifests, scope: standing.scope).findings)
            + files.flatMap(\.temporaryFindings)
            + files.compactMap(\.emptiness)
    }
}
