import MDAuditLog
import MDAuditReading
import MDAuditRecord
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
                since: request.since, until: request.until, now: request.clock.now,
                zone: (try? machine.moment.zones.zone(named: nil)) ?? .utc, isWhole: !request.isSummary))
        // The clock is read after the log, so that no record is later than a clock that is right.
        let made = request.clock.now
        var findings = FindingCollector(machine: machine)
        findings.addPolicy()
        let coverage = CoverageIndex(of: machine, programs: machine.facts == nil ? findings.addPrograms() : nil)
        let knowledge = machine.knowledge
        if let reason = knowledge.failure { findings.add(unknownPolicy: reason) }
        findings.add(inspection.log)
        findings.add(dropped: inspection.records.dropped.seen)
        let fault = ComplianceReport.clockFault(
            on: machine, request.clock, made: made, last: inspection.records.last)
        if let fault { findings.add(clockFault: fault) }
        var limits = knowledge.failure.map { [PolicyKnowledge.sentence(of: $0)] } ?? []
        limits += ComplianceReport.limits(of: machine)
        limits += coverage.limits
        limits += ComplianceReport.limits(of: inspection.log, machine)
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
            if isRead {
                let spool = machine.root.display(session.stateDirectory + "/spool.jsonl")
                if home.waiting == nil { limits.append(ComplianceReport.limit(of: session, unreadSpool: spool)) }
                findings.add(waiting: home.waiting ?? 0, in: spool, of: account)
            }
            let isPlain = isRead && home.stored.isEmpty && home.outside.isEmpty
            let ((keys, constraints), share) = sets.keys(ofUser: index, coverage.kind(of: account), isPlain: isPlain) {
                let facts = UserFacts(
                    resultant: session.resultant, home: home, isHomeRead: isRead, isKnown: knowledge.isDecisive,
                    manifests: machine.manifests(of: session.resultant.describedDomains),
                    history: inspection.records.history)
                return (
                    facts.keys(entries) { coverage.coverage(of: $0, for: account, session.resultant) },
                    facts.constraints { coverage.coverage(of: $0, storedIn: $1, for: account) }
                )
            }
            users.append(
                UserCompliance(
                    account: account, keys: keys, share: share, constraints: constraints,
                    waivers: session.resultant.waivers, metadata: session.resultant.metadata,
                    knowledge: knowledge, isHomeRead: isRead, attempts: own, dropped: home.dropped))
        }
        if let unknown = machine.unknownGroups { limits.append(unknown) }
        self.title = request.title
        root = machine.root
        host = machine.host
        (generated, clock, asIf) = (made, request.clock, request.asIf)
        version = request.version
        since = request.since
        until = request.until
        isManaged = machine.policies.isManaged
        let policies = machine.policies
        policyDigest = knowledge.isDecisive ? policies.digest : nil
        files = policies.files
        filesNotNow = FileNotNow.all(policies.files, sessions.map(\.resultant))
        ways = root.isSystem && asIf == nil ? Hardening(of: root).ways() : []
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
        severities = policies.severities
        let identity = MachineIdentity(root: machine.root, tags: machine.tags)
        self.machine = identity
        self.people = people
        evidence = ReportEvidence(
            inputs: inputs.inputs(policyDigest, coverage.digest), head: inspection.head, last: inspection.records.last,
            question: [
                machine.host.full, identity.id ?? "", request.title ?? "", request.since?.rfc3339 ?? "",
                request.until?.rfc3339 ?? "", made.rfc3339, request.version,
            ] + (request.asIf.map { [$0.rfc3339] } ?? []))
        findings.add(openings: coverage.otherPrograms(in: Set(rules.map(\.domain))))
        findings.add(undescribed: users)
        self.findings = findings.sorted
        self.limits = limits
        clockFault = fault
        var summary = ComplianceReport.summary(users, files: policies.files)
        summary.attempts = inspection.records.tally.attempts
        summary.claimed = inspection.records.tally.claimed
        summary.payloads = findings.payloads
        summary.unproven = unproven
        // Users may write any number.
        let spooled = users.reduce(0) { $0.addingReportingOverflow($1.dropped).partialValue }
        let dropped = inspection.records.dropped + AttemptCount(claimed: spooled)
        (summary.dropped, summary.claimedDropped) = (dropped.seen, dropped.claimed)
        self.summary = summary
    }

    /// Computes the numbers of the report.
    private static func summary(_ users: [UserCompliance], files: [PolicyFileState]) -> ReportSummary {
        var summary = ReportSummary()
        summary.users = users.count
        var known: [Int: ReportSummary] = [:]
        for user in users {
            let own = user.share.flatMap { known[$0] } ?? ReportSummary(of: user)
            if let share = user.share { known[share] = own }
            summary.add(own)
        }
        summary.brokenFiles = files.count { $0.source != .current }
        return summary
    }

    /// Why the clock of a report is behind what was recorded, in a sentence; `nil` if it is not.
    private static func clockFault(
        on machine: PolicyInForce, _ clock: ReportClock, made: Timestamp, last: Timestamp?
    ) -> String? {
        if !clock.isGiven, let fault = ClockFault.sentence(on: machine) { return fault }
        guard let last, made < last else { return nil }
        return "The clock is earlier than the last record of the audit log, of \(machine.moment.words(for: last))."
    }

    /// The sentences about users that no report of this machine can cover.
    private static func limits(of machine: PolicyInForce) -> [String] {
        machine.accounts.problems.map { "The list of users may be incomplete: \($0.description)." }
    }

    /// The sentence for a log that was not read to its end, or is not as it was written; none for any other.
    private static func limits(of log: LogCompliance, _ machine: PolicyInForce) -> [String] {
        let file = Printable.escape(machine.root.display(AuditLog.path))
        if log.isForbidden {
            let uid = CurrentProcess.uid
            let caller = machine.accounts.name(of: uid).map { Printable.escape($0) } ?? "uid \(uid)"
            return [
                "The audit log \(file) could not be checked by \(caller), who may not read it; whether it verifies is not"
                    + " known."
            ]
        }
        if log.isVerified == true { return [] }
        let what =
            switch log.status {
            case .altered: "was altered"
            case .truncated: "was cut or exchanged"
            default: "could not be checked"
            }
        return ["The audit log \(file) \(what), so that it is not known what else it would say."]
    }

    /// The sentence for a spool that cannot be read, which says where it is only to users that may take it into the log.
    private static func limit(of session: UserSession, unreadSpool file: String) -> String {
        let isTold = PolicyStore(root: session.machine.root).mayWrite
        let place = isTold ? "in \(Printable.escape(file))" : "outside of the log"
        return
            "Whether records of \(Printable.escape(session.account.name)) wait \(place) is not known: it cannot be read."
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
