package import MDAuditRecord
package import MDCare
package import MDPlatform
package import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// The content of a compliance report, evaluated once; renderers only format it.
package struct ComplianceReport: Sendable {
    /// The requested title.
    package let title: String?
    /// The root of the machine, to display paths.
    package let root: Root
    /// The host.
    package let host: HostName
    /// When the report was made, by its clock.
    package let generated: Timestamp
    /// The clock that made it.
    package let clock: ReportClock
    /// The moment for which policy was resolved instead of the present; then there is no result.
    package let asIf: Timestamp?
    /// The version of the program that made it.
    package let version: String
    /// The earliest time of attempts; `nil` for all.
    package let since: Timestamp?
    /// The latest time of attempts; `nil` for all.
    package let until: Timestamp?
    /// Whether the machine has any policy.
    package let isManaged: Bool
    /// The digest of all policy in force; `nil` if unknown.
    package let policyDigest: Digest?
    /// The policy files, in the order in which they apply.
    package let files: [PolicyFileState]
    /// Those of ``files`` that apply to no user now, and to some at other times.
    package let filesNotNow: [FileNotNow]
    /// Which ways around the policy of programs the machine leaves its users; empty for a folder and for another time.
    package let ways: [HardeningWay]
    /// The users, in the order of the account database.
    package let users: [UserCompliance]
    /// The override attempts of users who are not in ``users``.
    package let otherAttempts: [AuditRecord]
    /// All override attempts, by their place in the log; empty if only their numbers were asked for.
    package let attempts: [AuditRecord]
    /// The numbers of the override attempts.
    package let tally: AttemptTally
    /// The attempts in the period before, which is as long, and its beginning; `nil` if the period has no beginning.
    package let before: (since: Timestamp, attempts: Int)?
    /// What changed in the period.
    package let history: PolicyHistory
    /// The generations of policy that were recorded in the period, oldest first.
    package let generations: [ReportGeneration]
    /// The result of checking the audit log.
    package let log: LogCompliance
    /// The findings, the gravest first.
    package internal(set) var findings: [Finding]
    /// A sentence for each thing that could not be inspected; empty if the report is complete.
    package let limits: [String]
    /// The numbers.
    package let summary: ReportSummary

    /// Where the users were found.
    package let people: ReportPeople
    /// Which machine it is.
    package let machine: MachineIdentity
    /// What the report was made of.
    package let evidence: ReportEvidence
    /// The required keys over all users.
    package let rules: [RuleSummary]
    /// How grave it is if each key is not as it is required, as far as policy says so.
    package let severities: [Key: [Key: RuleSeverity]]
    /// The controls over all their keys.
    package var controls: [RuleSummary] { RuleSummary.controls(of: rules) }
    /// What changed since an earlier report; `nil` if that was not asked for.
    package private(set) var baseline: ReportBaseline?

    /// Compares with an earlier report of the same machine, whose log this one's must continue.
    ///
    /// - Parameters:
    ///   - earlier: the earlier report as JSON.
    ///   - own: this report as JSON, which is how both are compared.
    ///   - isOtherMachine: whether the earlier one may be of another machine.
    /// - Throws: what is wrong with the earlier one.
    package mutating func compare(
        with earlier: [UInt8], _ own: [UInt8], isOtherMachine: Bool
    ) throws(ReportFault) {
        let baseline = try ReportBaseline(
            earlier, comparedWith: own, of: host.full, machine.id, isOtherMachine: isOtherMachine)
        let contradiction = LogContradiction(
            baseline.head, evidence.head, isEmpty: log.status == nil)
        if !baseline.isOfOtherMachine, let contradiction {
            findings.insert(
                Finding(
                    .error, code: contradiction.rawValue,
                    message: contradiction.words("the report of \(ReportTime.words(baseline.generated))", "this report")
                ),
                at: 0)
        }
        self.baseline = baseline
    }

    /// Why the clock cannot be trusted, in a sentence; `nil` if it is later than everything that was recorded.
    package let clockFault: String?

    /// The verdict, as far as the caller may read the audit log.
    ///
    /// Values that forced ones hide have no effect and do not change the verdict.
    package var verdict: ComplianceVerdict {
        if asIf != nil { return .asIf }
        if findings.contains(where: { $0.severity == .error }) { return .notCompliant }
        if summary.requirements.notMet > 0 { return .notCovered }
        if !limits.isEmpty || summary.requirements.unknown > 0 { return .notLookedAt }
        return summary.requirements.required == 0 ? .nothing : .compliant
    }

    /// Whether there is policy, which is in force as written, as far as it was looked at.
    package var isInForceAsWritten: Bool { ![.notCompliant, .nothing, .asIf].contains(verdict) }

    /// Whether there is policy, which is in force as written and covered, and the audit log verifies.
    package var isCompliant: Bool { verdict == .compliant }
}

/// The numbers of a report.
package struct ReportSummary: Hashable, Sendable {
    /// The number of hosts.
    package var hosts = 1
    /// The number of users.
    package var users = 0
    /// The requirements by why they have their state, counted for each user.
    package var reasons = ReasonCounts()
    /// The requirements by what is known of them, counted for each user.
    package var requirements: RequirementCounts { reasons.requirements }
    /// The keys whose forced value hides another one of the user.
    package var hidden = 0
    /// The keys for which a user has stored the forced value.
    package var equal = 0
    /// The stored values that constraints do not allow.
    package var outside = 0
    /// The override attempts on record that the service saw.
    package var attempts = 0
    /// The attempts that only senders say there were: by the counts of records, and by spools.
    package var claimed = 0
    /// The attempts that the service counted and did not store.
    package var dropped = 0
    /// The attempts that only senders say were not stored.
    package var claimedDropped = 0
    /// The records that wait in users' spools, where the users can remove them; not among ``attempts``.
    package var unproven = 0
    /// The payloads of profiles that this program does not support.
    package var payloads = 0
    /// The policy files that are not in force as written.
    package var brokenFiles = 0
}

/// The parameters of a report.
package struct ReportRequest: Sendable {
    /// The title, if any.
    package var title: String?
    /// The earliest time of attempts, inclusive; `nil` for all.
    package var since: Timestamp?
    /// The latest time of attempts, inclusive; `nil` for all.
    package var until: Timestamp?
    /// The clock of the report.
    package var clock: ReportClock
    /// The moment for which policy is resolved, as if it were the present; `nil` for the present.
    package var asIf: Timestamp?
    /// The names of users to cover that may have left no trace yet.
    package var users: [String] = []
    /// Whether only the first page is wanted, so that attempts are counted and not kept.
    package var isSummary = false
    /// The version of the program that makes it.
    package var version: String

    /// Makes a request.
    ///
    /// `time` is the clock that is given; without it, that of the machine counts.
    package init(
        title: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil, time: Timestamp? = nil,
        asIf: Timestamp? = nil, users: [String] = [], isSummary: Bool = false, version: String
    ) {
        (self.title, self.since, self.until) = (title, since, until)
        (clock, self.asIf, self.version) = (ReportClock(time), asIf, version)
        (self.isSummary, self.users) = (isSummary, users)
    }
}
