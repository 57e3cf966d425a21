import MDAuditLog
import MDAuditReading
import MDCare
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

extension ResultTable {
    /// The results of one machine: its own rules, then the requirements of each user.
    package init(_ report: ComplianceReport) {
        let subject = ResultSubject(
            kind: .machine, host: report.host.full, machine: report.machine.id ?? "", room: report.machine.room ?? "")
        let machineRules = report.machineRules
        var rules = [ResultRule.compliant] + machineRules.map { ResultRule($0.kind) }
        var tallies = rules.map { _ in Tally() }
        var places: [Key: [Key: Int]] = [:]
        for rule in report.rules {
            places[rule.domain, default: [:]][rule.key] = rules.count
            rules.append(
                ResultRule(
                    rule.domain, rule.key, title: rule.title, controls: rule.controls,
                    severity: report.severities[rule.domain]?[rule.key]))
            tallies.append(Tally())
        }
        // What many users share is looked at once.
        var shares: [Int: [(rule: Int, state: RequirementState)]] = [:]
        for user in report.users {
            let states =
                user.share.flatMap { shares[$0] }
                ?? user.requirements.compactMap { requirement in
                    places[requirement.domain]?[requirement.key].map { ($0, requirement.state) }
                }
            if let share = user.share { shares[share] = states }
            for (rule, state) in states { tallies[rule].add(state, of: user.account.name) }
        }
        let verdict = report.verdictWords
        let summary = report.summary
        id = report.evidence.id
        title = report.title ?? "Compliance of \(report.host.full)"
        (time, version) = (report.generated, report.version)
        self.subject = subject
        self.verdict = verdict
        counts = summary.requirements
        policyDigest = report.policyDigest?.hex
        targets = [report.host.full]
        facts = [
            ("machine", subject.machine), ("room", subject.room), ("system", report.machine.system ?? ""),
            ("policy-digest", policyDigest ?? ""), ("complete", report.limits.isEmpty ? "yes" : "no"),
            ("log-status", report.log.status?.rawValue ?? "none"),
            ("log-head", report.evidence.head.map { "\($0.origin) \($0.size) \(Base64.encode($0.root.bytes))" } ?? ""),
        ]
        (self.rules, self.tallies) = (rules, tallies)
        let requirements = summary.requirements
        whole =
            [
                ResultRow(
                    rule: 0, subject: subject, state: report.verdict.state,
                    words: "\(verdict.words). \(verdict.sentence)",
                    details: ResultDetail.counts(requirements) + [
                        (.attempts, String(summary.attempts)), (.claimed, String(summary.claimed)),
                        (.dropped, String(summary.dropped)), (.hidden, String(summary.hidden)),
                        (.policyDigest, policyDigest ?? ""), (.log, report.log.status?.rawValue ?? "none"),
                        (.complete, report.limits.isEmpty ? "yes" : "no"), (.made, report.generated.rfc3339),
                        (.report, id), (.system, report.machine.system ?? ""), (.engine, report.version),
                    ])
            ]
            + machineRules.enumerated().map { index, rule in
                ResultRow(rule: index + 1, subject: subject, state: rule.state, words: rule.words)
            }
        let (found, root) = (places, report.root)
        groups = report.users.map { user in
            let own = subject.user(user.account.name, user.account.uid)
            let parts = CollectionOfOne(user).lazy.map { user in
                user.requirements.compactMap { requirement -> ResultRow? in
                    guard let rule = found[requirement.domain]?[requirement.key] else { return nil }
                    return ResultTable.row(requirement, rule, own, root)
                }
            }
            return Group(name: user.account.name, host: report.host.full, parts: AnySequence(parts))
        }
        var numbers = ResultNumbers()
        (numbers.room, numbers.machines, numbers.verdicts) = (subject.room, 1, [report.verdict: 1])
        for rule in machineRules { numbers.rulesMet[rule.kind] = rule.state == .met ? 1 : 0 }
        (numbers.counts, numbers.logGaps) = (requirements, report.log.status == .gaps ? 1 : 0)
        (numbers.attempts, numbers.claimed, numbers.dropped) = (summary.attempts, summary.claimed, summary.dropped)
        numbers.hidden = summary.hidden
        numbers.errors = report.findings.count { $0.severity == .error }
        self.numbers = [numbers]
        (attempts, log) = (report.attempts, report.evidence.head?.origin)
    }

    /// A row about a requirement of a user.
    private static func row(
        _ requirement: UserRequirement, _ rule: Int, _ subject: ResultSubject, _ root: Root
    ) -> ResultRow {
        let origin = requirement.origin
        return ResultRow(
            rule: rule, subject: subject, state: requirement.state, words: requirement.words, since: requirement.since,
            details: [
                (.value, requirement.value), (.stored, requirement.stored), (.policy, origin.policy),
                (.file, root.display(origin.file)),
                (.line, origin.position.isBinary ? "" : String(origin.position.line)),
            ])
    }
}
