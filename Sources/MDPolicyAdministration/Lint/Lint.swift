package import MDPlatform
package import MDPolicyCore
package import MDPolicyFormats
package import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Checks policy files one by one and together.
package enum Lint {
    /// Checks the policy beneath a root; returns findings ordered by file and place.
    ///
    /// Nothing is written. On the system, names that the account files lack are looked up with the name service.
    ///
    /// - Parameters:
    ///   - root: the root.
    ///   - moment: the time of the check; `nil` for now.
    ///   - host: the names of the host that targets are compared with; `nil` for the machine's own.
    ///   - judge: knows other programs; `nil` to leave them out.
    /// - Returns: the findings.
    package static func run(
        root: Root, at moment: Moment? = nil, host: HostName? = nil, judge: ProgramJudge? = nil
    ) -> [Diagnostic] {
        let store = PolicyStore(root: root)
        guard store.isManaged else { return [] }
        let accounts = AccountDatabase(root: root)
        let purpose: PolicyScan.Purpose =
            store.mayWrite ? .recording(store.verifications, PolicyRecordEdit()) : .reading
        let scan = PolicyScan(root: root, purpose, isSpread: true) { names, recorded in
            guard root.isSystem else { return NameResolver.authoritative(names, accounts) }
            return NameResolver.renewed(names, recorded: recorded, accounts: accounts)
        }
        return run(
            scan.set(more: store.copyFaults()), root: root, accounts: accounts, at: moment, host: host,
            judge: judge)
    }

    /// Checks policy that was scanned already, so that a command that compiles and checks policy reads each file once;
    /// returns findings ordered by file and place.
    ///
    /// - Parameters:
    ///   - set: the result of the scan.
    ///   - root: the root of the machine.
    ///   - accounts: the account files of the root, if the caller has read them.
    ///   - moment: the time of the check; `nil` for now.
    ///   - host: the names of the host that targets are compared with; `nil` for the machine's own.
    ///   - judge: knows other programs; `nil` to leave them out.
    /// - Returns: the findings.
    package static func run(
        _ set: PolicySet, root: Root, accounts: AccountDatabase? = nil, at moment: Moment? = nil, host: HostName? = nil,
        judge: ProgramJudge? = nil
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
        // The names in a broken file are known from its recorded copy, if there is one.
        let isWhole = set.files.allSatisfy { $0.policy != nil }
        let scheduled = isWhole ? set.files.compactMap(\.policy).scheduledCalendars : nil
        let otherPolicy = LintOtherPolicy(set.files.filter(\.isStandIn).compactMap(\.policy))
        let users = LintUsers(
            names: set.names, host: host ?? Machine.hostName(root: root, recorded: set.recordedHostName),
            tags: set.tags,
            accounts: accounts, root: root)
        findings += between(files, calendars, scheduled, otherPolicy, moment, manifests, users, judge)
        findings += LintTargets(files: files, users: users).findings
        findings += LintVariables(files: files, root: root).findings
        var zones = LintZones(moment.zones)
        for file in set.files where !file.valid && file.trusted {
            guard let bytes = try? root.readTrusted(file.path, limit: PolicyFile.limits.bytes).bytes else { continue }
            findings += zones.findings(inBroken: bytes, path: file.path, shownPath: root.display(file.path))
        }
        return findings.sorted()
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
    ///   - judge: knows other programs; `nil` to leave them out.
    /// - Returns: the findings.
    package static func run(
        files paths: [String], at moment: Moment? = nil, refusing refused: RefusedFields = .current,
        judge: ProgramJudge? = nil
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
            let found = together(files, isWhole: isWhole, scope, moment, manifests, judge)
            guard !set.background.isEmpty else {
                findings += found
                continue
            }
            // The caller did not ask about findings of the other files alone.
            let others = files.filter { set.background.contains(Key($0.shownPath)) }
            let known = Set(together(others, isWhole: isWhole, scope, moment, manifests, judge))
            findings += found.filter { !set.background.contains(Key($0.file)) || !known.contains($0) }
        }
        return findings.sorted()
    }

    /// A policy file and its path for messages.
    private typealias Named = (policy: PolicyFile, shownPath: String)

    /// Checks files of an unknown machine, each alone and together.
    private static func together(
        _ files: [Named], isWhole: Bool, _ scope: LintScope, _ moment: Moment, _ manifests: ManifestSet,
        _ judge: ProgramJudge?
    ) -> [Diagnostic] {
        let calendars = files.map(\.policy).calendarWindows
        let ready = files.map { LintFile(policy: $0.policy, shownPath: $0.shownPath, calendars: calendars) }
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

    /// Checks files together: their entries, times, and entries against manifests.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - calendars: the calendars in the files.
    ///   - scheduled: the names of calendars in all schedules; `nil` if not all of them are known.
    ///   - otherPolicy: other policy that controls keys.
    ///   - moment: the time of the check.
    ///   - manifests: the descriptions of keys.
    ///   - users: the users of the machine; `nil` if unknown.
    ///   - judge: knows other programs; `nil` to leave them out.
    /// - Returns: the findings.
    private static func between(
        _ files: [LintFile], _ calendars: [Key: [Window]], _ scheduled: Set<Key>?,
        _ otherPolicy: LintOtherPolicy, _ moment: Moment, _ manifests: ManifestSet, _ users: LintUsers?,
        _ judge: ProgramJudge?
    ) -> [Diagnostic] {
        LintTime(
            files: files, calendars: calendars, scheduled: scheduled, moment: moment,
            scope: otherPolicy.scope
        ).findings
            // Files whose time is over no longer apply.
            + LintSet(
                files: files.filter { !$0.isOver(at: moment.time) }, otherPolicy: otherPolicy, time: moment.time,
                users: users
            ).findings
            + LintRepeatedWaivers(files: files.filter { !$0.isOver(at: moment.time) }, time: moment.time).findings
            + LintWaivedEntries(files: files, time: moment.time).findings
            + LintGlobalDomain(files: files.filter { !$0.isOver(at: moment.time) }).findings
            + LintManifests(files: files, manifests: manifests).findings
            + LintPrograms(files: files.filter { !$0.isOver(at: moment.time) }, judge: judge).findings
            // A file that cannot be read may mention any key.
            + (scheduled == nil
                ? [] : LintMetadata(files: files, manifests: manifests, scope: otherPolicy.scope).findings)
            + files.flatMap(\.temporaryFindings)
            + files.compactMap(\.emptiness)
    }
}
