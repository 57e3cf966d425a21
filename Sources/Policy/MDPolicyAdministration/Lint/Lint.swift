package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
package import MDPolicyModel
package import MDPolicyStore
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
        let scan = PolicyScan(root: root, purpose) { names, recorded in
            guard root.isSystem else { return (NameResolver.authoritative(names, accounts), nil) }
            let renewal = NameResolver.renewed(
                names, recorded: recorded, accounts: accounts, inquiry: store.inquiry)
            return (renewal.ids, renewal.ledger)
        }
        return run(
            scan.set(more: store.copyFaults()), root: root, accounts: accounts, at: moment, host: host,
            judge: judge, inquiry: store.inquiry)
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
    ///   - inquiry: the earlier replies of the name services in the same operation.
    /// - Returns: the findings.
    package static func run(
        _ set: PolicySet, root: Root, accounts: AccountDatabase? = nil, at moment: Moment? = nil, host: HostName? = nil,
        judge: ProgramJudge? = nil, inquiry: NameInquiry = NameInquiry()
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
        // Temporary policy that is over is kept for a day, and needs no action.
        let current = set.files.filter { $0.source == .current }.compactMap(\.policy).filter { policy in
            let isKept = policy.temporary != nil && policy.path.utf8.starts(with: PolicyDirectory.run.directory.utf8)
            return !isKept || policy.target?.notAfter.map { $0 > moment.time } ?? true
        }
        let calendars = current.calendarWindows
        let files = current.map {
            LintFile(policy: $0, shownPath: root.display($0.path), calendars: calendars, judge: judge)
        }
        findings += (judge?.problems() ?? []) + Delegates(of: root).findings
        let manifests = ManifestSet(root: root)
        findings += manifests.diagnostics
        // The names in a broken file are known from its recorded copy, if there is one.
        let isWhole = set.files.allSatisfy { $0.policy != nil }
        let scheduled = isWhole ? set.files.compactMap(\.policy).scheduledCalendars : nil
        let copies = set.files.filter(\.isStandIn).compactMap(\.policy)
        let otherPolicy = LintOtherPolicy(copies.map { judge?.expand($0).policy ?? $0 })
        let users = LintUsers(
            names: set.names, host: host ?? set.hostName ?? Machine.hostName(root: root),
            tags: set.tags,
            accounts: accounts, root: root, inquiry: inquiry)
        findings += between(files, calendars, scheduled, otherPolicy, moment, manifests, users, judge)
        findings += LintDomains(files: files, time: moment.time, manifests: manifests, judge: judge).findings
        findings += LintTargets(files: files, users: users).findings
        var zones = LintZones(moment.zones)
        for file in set.files where !file.valid && file.trusted {
            guard let bytes = try? root.readTrusted(file.path, limit: PolicyFile.limits.bytes).bytes else { continue }
            findings += zones.findings(inBroken: bytes, path: file.path, shownPath: root.display(file.path))
        }
        return unacknowledged(findings, in: files).sorted()
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
    static func between(
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
                users: users, manifests: manifests
            ).findings
            + LintRepeatedWaivers(files: files.filter { !$0.isOver(at: moment.time) }, time: moment.time).findings
            + LintWaivedEntries(files: files, time: moment.time).findings
            + LintGlobalDomain(files: files.filter { !$0.isOver(at: moment.time) }).findings
            + LintManifests(files: files, manifests: manifests, judge: judge).findings
            + LintPrograms(files: files.filter { !$0.isOver(at: moment.time) }, judge: judge).findings
            // A file that cannot be read may mention any key.
            + (scheduled == nil
                ? [] : LintMetadata(files: files, manifests: manifests, scope: otherPolicy.scope).findings)
            + files.flatMap(\.temporaryFindings)
            + files.compactMap(\.emptiness)
    }

    /// The findings without the warnings that their files acknowledge by `Metadata.LintIgnore`; errors stay.
    static func unacknowledged(_ findings: [Diagnostic], in files: [LintFile]) -> [Diagnostic] {
        var known: [Key: Set<String>] = [:]
        for file in files where !file.policy.acknowledged.isEmpty {
            known[Key(file.shownPath), default: []].formUnion(file.policy.acknowledged.map(\.code.rawValue))
        }
        if known.isEmpty { return findings }
        return findings.filter { finding in
            finding.severity == .error || !(known[Key(finding.file)]?.contains(finding.code) ?? false)
        }
    }
}
