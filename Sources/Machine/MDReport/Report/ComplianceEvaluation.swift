import MDAuditLog
import MDCare
package import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList
import MDTools

extension ComplianceReport {
    /// Evaluates a whole machine: the forced keys of every person, the values that they hide, and the records about them.
    ///
    /// Writes nothing. Complexity: O(people × policy entries + size of the preference files + records).
    ///
    /// - Parameters:
    ///   - machine: the machine, opened so that it renews nothing.
    ///   - request: title, period, time and version.
    package init(of machine: PolicyInForce, _ request: ReportRequest) {
        // All homes together have so long, from here on.
        let end = HomeAccess.end()
        let inspection = AuditLogInspection(
            root: machine.root, policies: machine.policies,
            AuditLogInspection.Period(
                since: request.since, until: request.until, now: request.time,
                zone: (try? machine.moment.zones.zone(named: nil)) ?? .utc, isWhole: !request.isSummary))
        var findings = FindingCollector(machine: machine)
        findings.addPolicy()
        let coverage = CoverageIndex(of: machine, programs: machine.facts == nil ? findings.addPrograms() : nil)
        let knowledge = machine.knowledge
        if let reason = knowledge.failure { findings.add(unknownPolicy: reason) }
        findings.add(inspection.log)
        findings.add(dropped: inspection.records.dropped)
        var limits = knowledge.failure.map { [PolicyKnowledge.sentence(of: $0)] } ?? []
        limits += ComplianceReport.limits(of: machine)
        limits += coverage.limits
        if inspection.log.isForbidden { limits.append(ComplianceReport.uncheckedLog(of: machine)) }
        limits += inspection.limits
        var users: [UserCompliance] = []
        var unproven = 0
        var attempts = AttemptsByUser(inspection.records.attempts)
        var inputs = InputDigests()
        let people = ReportPeople(of: machine, recorded: inspection.records.tally.uids, list: request.users)
        limits += people.limits
        findings.add(people)
        var shared = SharedResultants(machine, isDescribed: true)
        var sets = SharedKeys()
        var sessions: [UserSession] = []
        for account in people.accounts {
            let (kind, resultant) = shared.resultant(for: account)
            sessions.append(UserSession(machine: machine, account: account, resultant: resultant))
            sets.add(kind, resultant)
        }
        for (index, (session, home)) in zip(sessions, HomeAccess.read(sessions, until: end)).enumerated() {
            let account = session.account
            let entries = sets.entries(ofUser: index)
            let count = entries.count { $0.shortfall != nil }
            if count > 0 {
                findings.add(unknownValues: count, of: account)
                limits.append(ComplianceReport.limit(of: account, unknownValues: count))
            }
            let own = attempts.take(account)
            inputs.add(account, home)
            let isRead = home.problems.allSatisfy { $0.kind == .file }
            for problem in home.problems {
                limits.append(ComplianceReport.limit(of: account, problem))
                findings.add(problem, of: account)
            }
            findings.add(dropped: home.dropped, of: account)
            unproven += home.waiting ?? 0
            if isRead, let limit = ComplianceReport.limit(of: session, waiting: home.waiting) { limits.append(limit) }
            let (keys, share) = sets.keys(ofUser: index, coverage.kind(of: account), isPlain: home.stored.isEmpty) {
                ComplianceReport.keys(
                    session.resultant, entries, home, isKnown: knowledge.isDecisive,
                    coverage: { coverage.coverage(of: $0, for: account, session.resultant) },
                    since: { inspection.records.history.beginning(of: $0.origin.file, $0.fileDigest) })
            }
            users.append(
                UserCompliance(
                    account: account, keys: keys, share: share,
                    outside: ComplianceReport.outside(session.resultant, home), waivers: session.resultant.waivers,
                    knowledge: knowledge, isHomeRead: isRead, attempts: own, dropped: home.dropped))
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
        policyDigest = knowledge.isDecisive ? policies.digest : nil
        files = policies.files
        self.users = users
        otherAttempts = attempts.rest
        self.attempts = inspection.records.attempts
        tally = inspection.records.tally
        before = inspection.before
        history = inspection.records.history
        let kept = ReportGeneration.all(
            of: machine.root, machine.accounts, since: request.since, until: request.until)
        generations = kept.generations
        limits += kept.limits
        log = inspection.log
        rules = ComplianceReport.rules(of: users)
        let identity = MachineIdentity(root: machine.root, tags: machine.tags)
        self.machine = identity
        isTimeAsked = request.isTimeAsked
        self.people = people
        evidence = ReportEvidence(
            inputs: inputs.inputs(policyDigest, coverage.digest), head: inspection.head,
            question: [
                machine.host.full, identity.id ?? "", request.title ?? "", request.since?.rfc3339 ?? "",
                request.until?.rfc3339 ?? "", request.time.rfc3339, request.version,
            ])
        self.findings = findings.sorted
        self.limits = limits
        let floor = TimeFloor(root: machine.root)
        clockFault = floor.isAhead ? "The clock is earlier than when something was recorded here." : nil
        hasConstraints = sessions.contains { !$0.resultant.constraints.isEmpty }
        var summary = ComplianceReport.summary(users, files: policies.files)
        summary.attempts = inspection.records.tally.attempts
        summary.claimed = inspection.records.tally.claimed
        summary.payloads = findings.payloads
        summary.unproven = unproven
        // Users and an altered log may contain any number.
        let spooled = users.reduce(0) { $0.addingReportingOverflow($1.dropped).partialValue }
        summary.dropped = inspection.records.dropped.addingReportingOverflow(spooled).partialValue
        summary.claimedDropped = inspection.records.claimedDropped.addingReportingOverflow(spooled).partialValue
        self.summary = summary
    }

    /// The forced keys of a user, each with the values that it hides.
    private static func keys(
        _ resultant: ResultantSet, _ forced: [ResolvedEntry], _ home: HomeInspection, isKnown: Bool,
        coverage: (ResolvedEntry) -> KeyCoverage, since: (ResolvedEntry) -> Timestamp?
    ) -> [KeyCompliance] {
        var stored: [Key: [Key: [HiddenValue]]] = [:]
        for item in home.stored { stored[item.forcedDomain, default: [:]][item.key, default: []].append(item.value) }
        var entries = forced
        // The entry of a seal names no key; the keys that it hides are added.
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
                isKnown: isKnown, coverage: coverage(entry), since: since(entry))
        }
    }

    /// The stored values that violate constraints, each with the constraint and the effective value.
    private static func outside(_ resultant: ResultantSet, _ home: HomeInspection) -> [OutsideValue] {
        home.outside.compactMap { item in
            guard let constraint = resultant.constraint(of: item.key, in: [item.domain, DomainName.global]) else {
                return nil
            }
            var effective: Value?
            if case .clamped(let bound) = constraint.entry.constraint.verdict(on: item.value) { effective = bound }
            return OutsideValue(
                constraint: constraint, domain: item.domain, value: item.value, effective: effective, file: item.file,
                isThisHost: item.isThisHost,
                isSensitive: constraint.metadata.isSensitive
                    || resultant.isSensitive(item.key, in: [item.domain, DomainName.global]))
        }
    }

    /// Computes the numbers of the report.
    private static func summary(_ users: [UserCompliance], files: [PolicyFileState]) -> ReportSummary {
        var summary = ReportSummary()
        summary.users = users.count
        var known: [Int: ReportSummary] = [:]
        for user in users {
            let own = user.share.flatMap { known[$0] } ?? ReportSummary(keys: user.keys)
            if let share = user.share { known[share] = own }
            summary.addKeys(of: own)
        }
        summary.outside = users.reduce(0) { $0 + $1.outside.count }
        summary.waived = users.reduce(0) { $0 + $1.waivers.count { $0.state == .inForce } }
        summary.requirements.add(.waived, summary.waived)
        summary.brokenFiles = files.count { $0.source != .current }
        return summary
    }

    /// The sentences about users that no report of this machine can cover.
    private static func limits(of machine: PolicyInForce) -> [String] {
        machine.accounts.problems.map { "The list of users may be incomplete: \($0.description)." }
    }

    /// The sentence for a log that the caller may not read.
    private static func uncheckedLog(of machine: PolicyInForce) -> String {
        let uid = CurrentProcess.uid
        let caller = machine.accounts.account(uid: uid).map { Printable.escape($0.name) } ?? "uid \(uid)"
        let file = Printable.escape(machine.root.display(AuditLog.path))
        return
            "The audit log \(file) could not be checked by \(caller), who may not read it; whether it verifies is not"
            + " known."
    }

    /// The sentence for records that are not in the log; `nil` if there are none.
    ///
    /// The sentence says where they are only to users that may take them into the log.
    private static func limit(of session: UserSession, waiting count: Int?) -> String? {
        let name = Printable.escape(session.account.name)
        let file = Printable.escape(session.machine.root.display(session.stateDirectory + "/spool.jsonl"))
        let isTold = PolicyStore(root: session.machine.root).mayWrite
        guard let count else {
            let place = isTold ? "in \(file)" : "outside of the log"
            let what = isTold ? "it" : "the place"
            return "Whether records of \(name) wait \(place) is not known: \(what) cannot be read."
        }
        if count == 0 { return nil }
        let place = isTold ? "in \(file)" : "outside of the log"
        return count == 1
            ? "1 record of \(name) waits \(place), where \(name) can remove it; it is unproven, and not counted as an"
                + " attempt."
            : "\(count) records of \(name) wait \(place), where \(name) can remove them; they are unproven, and not"
                + " counted as attempts."
    }

    /// The sentence for a user for whom the values of some forced keys are unknown.
    private static func limit(of account: Account, unknownValues count: Int) -> String {
        "The value of \(Plural.count(count, "forced key")) of \(Printable.escape(account.name)) cannot be told here."
    }

    /// The sentence for a file, or a whole home, that could not be read.
    private static func limit(of account: Account, _ problem: HomeProblem) -> String {
        let name = Printable.escape(account.name)
        if problem.file.isEmpty {
            return "Not all that \(name) has stored is known: \(Printable.escape(problem.message))."
        }
        let file = Printable.escape(problem.file)
        if problem.position != nil { return "What \(name) has stored in \(file) is not known: it is damaged." }
        return "What \(name) has stored in \(file) is not known: \(Printable.escape(problem.message))."
    }
}
