import Audit
package import Engine
import Platform
import Policy
import Preferences
import PropertyList

extension ComplianceReport {
    /// Looks at a whole machine: every person's forced keys, what those hide, and what is on record.
    ///
    /// Nothing is written. Complexity: O(people × policy entries + size of the preference files + records).
    ///
    /// - Parameters:
    ///   - machine: the machine, opened without leave to renew anything.
    ///   - request: title, period, time and version.
    ///   - look: what became of the marks of entries that were set once; `nil` where nobody compared them.
    ///   - end: when all homes have to be looked into, in monotonic microseconds.
    package init(
        of machine: PolicyMachine, _ request: ReportRequest, _ look: SetOnceLook? = nil,
        until end: Int64 = HomeAccess.end()
    ) {
        let reading = LogReading(
            root: machine.root, policies: machine.policies, since: request.since, until: request.until)
        var findings = FindingCollector(machine: machine)
        findings.addPolicy()
        let uncertainty = machine.uncertainty
        if let uncertainty { findings.add(uncertainty: uncertainty) }
        findings.add(reading)
        findings.add(lostMarks: reading.lostMarks + (look?.unrecorded ?? []))
        for (account, reason) in look?.unanswered ?? [] { findings.add(unanswered: reason, of: account) }
        findings.add(dropped: reading.dropped)
        var limits = uncertainty.map { [PolicyMachine.sentence(ofUncertainty: $0)] } ?? []
        limits += ComplianceReport.limits(of: machine)
        if reading.log.isForbidden { limits.append(ComplianceReport.uncheckedLog(of: machine)) }
        limits += reading.limits + (look?.limits ?? [])
        var users: [UserCompliance] = []
        var attempts = reading.attempts
        let sessions = machine.people.map { account in
            UserSession(machine: machine, account: account, resultant: machine.describedResultant(for: account))
        }
        for (session, home) in zip(sessions, HomeAccess.read(sessions, until: end)) {
            let account = session.account
            let count = session.resultant.forcedEntries.count { $0.shortfall != nil }
            if count > 0 {
                findings.add(unknownValues: count, of: account)
                limits.append(ComplianceReport.limit(of: account, unknownValues: count))
            }
            let own = attempts.filter { ComplianceReport.isOf(account, $0) }
            attempts.removeAll { ComplianceReport.isOf(account, $0) }
            let isRead = home.problems.allSatisfy { $0.kind == .file }
            for problem in home.problems {
                limits.append(ComplianceReport.limit(of: account, problem))
                findings.add(problem, of: account)
            }
            findings.add(dropped: home.dropped, of: account)
            if isRead, let limit = ComplianceReport.limit(of: session, waiting: home.waiting) { limits.append(limit) }
            users.append(
                UserCompliance(
                    account: account, keys: ComplianceReport.keys(session.resultant, home, isKnown: uncertainty == nil),
                    outside: ComplianceReport.outside(session.resultant, home), waivers: session.resultant.waivers,
                    isPolicyKnown: uncertainty == nil, isHomeRead: isRead, attempts: own, dropped: home.dropped))
            findings.add(reading.setOnce, of: account, home)
        }
        if let unknown = machine.unknownGroups { limits.append(unknown) }
        self.title = request.title
        root = machine.root
        host = machine.host
        generated = request.time
        version = request.version
        since = request.since
        until = request.until
        isManaged = machine.policies.isManaged
        let policies = machine.policies
        policyDigest = uncertainty == nil ? policies.digest : nil
        files = policies.files
        self.users = users
        otherAttempts = attempts
        log = reading.log
        self.findings = findings.sorted
        self.limits = limits
        hasConstraints = sessions.contains { !$0.resultant.constraints.isEmpty }
        var summary = ComplianceReport.summary(users, otherAttempts: attempts, files: policies.files)
        summary.notCovered = findings.notCovered
        // Numbers that somebody else can have written.
        summary.dropped = users.reduce(reading.dropped) { $0.addingReportingOverflow($1.dropped).partialValue }
        self.summary = summary
    }

    /// The forced keys of a user, each with what is stored beneath.
    private static func keys(
        _ resultant: ResultantSet, _ home: HomeReading, isKnown: Bool
    ) -> [KeyCompliance] {
        var stored: [Key: [Key: [HiddenValue]]] = [:]
        for item in home.stored { stored[item.forcedDomain, default: [:]][item.key, default: []].append(item.value) }
        var entries = resultant.forcedEntries
        // A seal's entry names no key; what it hides is named with it.
        for (domain, keys) in stored {
            for key in keys.keys where resultant.forced[domain]?[key] == nil {
                if let entry = resultant.forcedEntry(domain: domain, key: key) { entries.append(entry) }
            }
        }
        return entries.sorted { $0.domain == $1.domain ? $0.key < $1.key : $0.domain < $1.domain }.map { entry in
            let own = stored[entry.domain]?[entry.key] ?? []
            return KeyCompliance(
                entry: entry, stored: own,
                isSensitive: resultant.isSensitive(
                    entry.key, in: [entry.domain, DomainName.global] + own.map(\.domain)),
                isKnown: isKnown)
        }
    }

    /// The stored values that constraints do not allow, each with the constraint and what counts in its place.
    private static func outside(_ resultant: ResultantSet, _ home: HomeReading) -> [OutsideValue] {
        home.outside.compactMap { item in
            guard let constraint = resultant.constraint(of: item.key, in: [item.domain, DomainName.global]) else {
                return nil
            }
            var kept: Value?
            if case .clamped(let bound) = constraint.entry.constraint.verdict(on: item.value) { kept = bound }
            return OutsideValue(
                constraint: constraint, domain: item.domain, value: item.value, kept: kept, file: item.file,
                isThisHost: item.isThisHost,
                isSensitive: constraint.metadata.isSensitive
                    || resultant.isSensitive(item.key, in: [item.domain, DomainName.global]))
        }
    }

    /// Whether a record is a user's: by uid, or by name where it has none.
    private static func isOf(_ account: Account, _ record: AuditRecord) -> Bool {
        if let uid = record.uid { return uid == account.uid }
        return record.user.map { Key($0) == Key(account.name) } ?? false
    }

    /// Adds the numbers up.
    private static func summary(
        _ users: [UserCompliance], otherAttempts: [AuditRecord], files: [LoadedFile]
    ) -> ReportSummary {
        let keys = users.flatMap(\.keys)
        var summary = ReportSummary()
        summary.users = users.count
        summary.keys = keys.count
        summary.compliant = keys.count { $0.isCompliant }
        summary.unknown = keys.count { !$0.isKnown }
        summary.nonCompliant = keys.count - summary.compliant - summary.unknown
        summary.hidden = keys.count { $0.isHiding }
        summary.equal = keys.count { $0.isEqualByChance }
        summary.outside = users.reduce(0) { $0 + $1.outside.count }
        summary.waived = users.reduce(0) { $0 + $1.waivers.count { $0.state == .inForce } }
        for record in users.flatMap(\.attempts) + otherAttempts {
            // A count comes from the log, which may have been altered.
            summary.attempts = summary.attempts.addingReportingOverflow(max(record.count ?? 1, 1)).partialValue
        }
        summary.brokenFiles = files.count { $0.source != .current }
        return summary
    }

    /// What no report of this machine can know.
    private static func limits(of machine: PolicyMachine) -> [String] {
        var limits = machine.accounts.problems.map { "The list of users may be incomplete: \($0.description)." }
        let services = NameServices(root: machine.root)
        if !services.isKnown {
            limits.append(
                "Whether a directory service knows more users is not known: /etc/nsswitch.conf cannot be read.")
        } else if !services.directories.isEmpty {
            let names = services.directories.map(Printable.escape).joined(separator: ", ")
            limits.append(
                "Users whom only a directory service knows (\(names) in nsswitch.conf), and who are not in /etc/passwd, are"
                    + " not covered.")
        }
        return limits
    }

    /// The sentence for a log that the caller may not read.
    private static func uncheckedLog(of machine: PolicyMachine) -> String {
        let uid = CurrentProcess.uid
        let caller = machine.accounts.account(uid: uid).map { Printable.escape($0.name) } ?? "uid \(uid)"
        let file = Printable.escape(machine.root.display(AuditLog.path))
        return
            "The audit log \(file) could not be checked by \(caller), who may not read it; whether it verifies is not"
            + " known."
    }

    /// The sentence for records that are not in the log; `nil` where there are none.
    private static func limit(of session: UserSession, waiting count: Int?) -> String? {
        let name = Printable.escape(session.account.name)
        let file = Printable.escape(session.machine.root.display(session.stateDirectory + "/spool.jsonl"))
        guard let count else { return "Whether records of \(name) wait in \(file) is not known: it cannot be read." }
        if count == 0 { return nil }
        return count == 1
            ? "1 record of \(name) waits in \(file), where \(name) can remove it, and is not counted as an attempt here."
            : "\(count) records of \(name) wait in \(file), where \(name) can remove them, and are not counted as attempts"
                + " here."
    }

    /// The sentence for a user of whom the values of some forced keys cannot be told.
    private static func limit(of account: Account, unknownValues count: Int) -> String {
        "The value of \(TextReport.count(count, "forced key")) of \(Printable.escape(account.name)) cannot be told here."
    }

    /// The sentence for a file, or a whole home, that could not be read.
    private static func limit(of account: Account, _ problem: HomeProblem) -> String {
        let name = Printable.escape(account.name)
        let file = problem.file.isEmpty ? "a file" : Printable.escape(problem.file)
        if problem.position != nil { return "What \(name) has stored in \(file) is not known: it is damaged." }
        return "What \(name) has stored in \(file) is not known: \(Printable.escape(problem.message))."
    }
}
