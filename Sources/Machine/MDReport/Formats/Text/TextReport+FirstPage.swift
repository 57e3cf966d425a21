import MDAuditClient
import MDAuditReading
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTools

/// The first page, which can be read by itself; the keys of each user are the annex.
extension TextReport {
    /// Adds results, remedies, attempts, changes and the log.
    mutating func firstPage() {
        results()
        remedies()
        uncovered()
        attemptsByUser()
        storedByUser()
        waived()
        baseline()
        changes()
        claims()
        log()
        limitsOfMethod()
    }

    /// Adds the verdict.
    mutating func result() {
        let (words, sentence) = report.verdictWords
        fact("Result", "\(words). \(sentence)")
        if let share = report.share { fact("Met", share) }
    }

    /// Adds the requirements by what is known of them, and why, and the other numbers.
    private mutating func results() {
        let numbers = report.summary
        let requirements = numbers.requirements
        heading(
            "Results: \(Plural.count(requirements.required, "requirement")), counted for each of "
                + Plural.count(numbers.users, "user"))
        if !isPolicyKnown { line("There may be more: not all of policy could be read.") }
        var rows: [(String, Int, String)] = []
        for state in RequirementState.allCases where state == .met || requirements[state] > 0 {
            let share =
                state == .notApplicable ? "" : RequirementCounts.share(requirements[state], of: requirements.required)
            rows.append((state.rawValue, requirements[state], share))
            for reason in RequirementReason.allCases where reason.state == state && numbers.reasons[reason] > 0 {
                if reason != .waived { rows.append(("  \(reason.rawValue)", numbers.reasons[reason], reason.words)) }
            }
        }
        if numbers.outside > 0 {
            rows.append(("outside values", numbers.outside, "stored by users, and not allowed"))
        }
        if numbers.payloads > 0 { rows.append(("payloads", numbers.payloads, "that nothing here carries out")) }
        table(rows)
    }

    /// Adds what an administrator has to do: a line for each error, and a count of the rest.
    private mutating func remedies() {
        let errors = report.findings.filter { $0.severity == .error }
        let others = report.findings.count - errors.count
        guard !report.findings.isEmpty else { return }
        heading("To do")
        for finding in errors.prefix(TextReport.listed) { self.finding(finding) }
        if errors.count > TextReport.listed {
            line("         and \(Plural.count(errors.count - TextReport.listed, "more error", "more errors"))")
        }
        if others > 0 {
            let more = Plural.count(others, "warning or remark", "warnings and remarks")
            line(errors.isEmpty ? "No error; \(more) in the findings." : "And \(more) in the findings.")
        }
    }

    /// Adds the domains that nothing is known to enforce.
    private mutating func uncovered() {
        let domains = report.uncoveredDomains
        guard !domains.isEmpty else { return }
        heading("Not covered: nothing here is known to enforce these domains")
        for item in domains.prefix(TextReport.listed) {
            let users = Plural.count(item.users, "user")
            paragraph(
                "\(Plural.count(item.keys, "key")) of \(users)",
                first: "  \(Printable.escape(item.domain.string))  ")
        }
        if domains.count > TextReport.listed {
            line("  and \(Plural.count(domains.count - TextReport.listed, "more domain", "more domains"))")
        }
        paragraph(
            "No program of these users that counts opened them since the boot, and no program into whose files policy is"
                + " written takes them.", first: "  ")
    }

    /// Adds the override attempts of each user.
    private mutating func attemptsByUser() {
        let numbers = report.summary
        heading("Override attempts: \(numbers.attempts) on record")
        if let comparison = report.comparison { paragraph("\(comparison).", first: "  ") }
        counts(report.tally.byUser, "user")
        if numbers.attempts > 0 {
            line("  keys:")
            let keys = report.tally.byKey
            columns(
                keys.prefix(TextReport.listed).map {
                    ["  \($0.attempts)", Printable.escape($0.place.words)]
                })
            if keys.count > TextReport.listed {
                line("    and \(Plural.count(keys.count - TextReport.listed, "more key", "more keys"))")
            }
            line("  programs:")
            let programs = report.tally.byProgram
            columns(programs.prefix(TextReport.listed).map { ["  \($0.attempts)", Printable.escape($0.name)] })
            if programs.count > TextReport.listed {
                line("    and \(Plural.count(programs.count - TextReport.listed, "more program", "more programs"))")
            }
        }
        if numbers.dropped > 0 { line("  \(numbers.dropped) more were counted and not stored") }
        for claim in [numbers.claim, numbers.claimOfDropped].compactMap(\.self) { paragraph(claim, first: "  ") }
        if numbers.unproven > 0 {
            line("  \(numbers.unproven) more wait in users' homes, where the users can remove them: unproven")
        }
        if numbers.attempts == 0, report.tally.records == 0, numbers.dropped + numbers.unproven == 0 { line("  none") }
    }

    /// Adds a list of names with their attempts.
    private mutating func counts(_ counts: [AttemptTally.Count], _ what: String) {
        for item in counts.prefix(TextReport.listed) {
            let keys = Plural.count(item.keys, "key")
            let claimed = item.claimed > 0 ? ", and \(item.claimed) claimed" : ""
            line("  \(TextReport.pad(Printable.escape(item.name), 20))  \(item.attempts)  of \(keys)\(claimed)")
        }
        if counts.count > TextReport.listed {
            let more = counts.count - TextReport.listed
            line("  and of \(Plural.count(more, "more \(what)", "more \(what)s"))")
        }
    }

    /// Adds the waivers, the expired ones first.
    private mutating func waived() {
        let waivers = report.waivers
        guard !waivers.isEmpty else { return }
        let expired = waivers.count { $0.waiver.state == .expired }
        heading("Waivers: \(waivers.count)\(expired > 0 ? ", \(expired) of them expired" : "")")
        for (user, waiver) in waivers.prefix(TextReport.listed) {
            let own = waiver.waiver
            let end = own.until.map { " \(waiver.isExpired ? "since" : "until") \(ReportTime.words($0))" } ?? ""
            let reason = own.reason.isEmpty ? "" : ", \(own.reason)"
            let approval = own.approvedBy.isEmpty ? "" : " (approved by \(own.approvedBy))"
            paragraph(
                Printable.escape(
                    "\(user): \(own.domain.string) \(own.key.string), \(waiver.state.rawValue)\(end)\(reason)\(approval)"
                ),
                first: "  ", indent: 4)
        }
        if waivers.count > TextReport.listed {
            line("  and \(Plural.count(waivers.count - TextReport.listed, "more waiver", "more waivers"))")
        }
    }

    /// Adds the users whose stored values are hidden by forced ones.
    private mutating func storedByUser() {
        let numbers = report.summary
        guard numbers.hidden + numbers.equal > 0 else { return }
        heading("Hidden values: \(numbers.hidden), stored by users, kept, without effect")
        let users = report.users.map { ($0.account.name, $0.keys.count { $0.isHiding }) }.filter { $0.1 > 0 }
        for (name, count) in users.prefix(TextReport.listed) {
            line("  \(TextReport.pad(Printable.escape(name), 20))  \(count)")
        }
        if users.count > TextReport.listed {
            line("  and of \(Plural.count(users.count - TextReport.listed, "more user", "more users"))")
        }
        if numbers.equal > 0 {
            line("  \(Plural.count(numbers.equal, "key")) more: the stored value equals the forced one")
        }
    }

    /// Adds what differs from an earlier report.
    private mutating func baseline() {
        guard let baseline = report.baseline else { return }
        heading("Since the report of \(ReportTime.words(baseline.generated))")
        line("  \(baseline.id)\(baseline.isOfOtherMachine ? " of \(Printable.escape(baseline.host))" : "")")
        for kind in ReportBaseline.Difference.Kind.allCases where baseline.count(kind) > 0 {
            line("  \(Plural.count(baseline.count(kind), "key")) \(kind.rawValue)")
        }
        if baseline.differences.isEmpty { line("  every key of every user is as it was") }
        line("  \(Plural.count(baseline.attempts, "attempt")) then, \(report.summary.attempts) now")
        for item in baseline.differences.prefix(TextReport.listed) {
            paragraph(
                "\(Printable.escape(item.domain.string)) \(Printable.escape(item.key.string)): \(item.kind.rawValue)",
                first: "    \(Printable.escape(item.user.string)): ", indent: 6)
        }
        let more = baseline.differences.count - TextReport.listed
        if more > 0 { line("    and \(more) more, which --format html and json list") }
    }

    /// Adds the changes in the period: those that somebody should look at, corrections, grants and the others, of each the
    /// newest first.
    private mutating func changes() {
        let all = report.history.changes
        if !all.isEmpty || !report.generations.isEmpty {
            heading("Changes: \(all.isEmpty ? "none on record" : report.changeCounts)")
        }
        let kinds: [PolicyHistory.Kind] = [.suspicious, .corrective, .granted, .intended]
        let ordered = kinds.flatMap { kind in all.reversed().filter { $0.kind == kind } }
        for change in ordered.prefix(TextReport.listed) {
            let time = change.record.time.map(ReportTime.words) ?? "at an unknown time"
            paragraph(
                "\(change.kind.rawValue), record \(change.record.seq): \(Printable.escape(report.words(of: change.record)))",
                first: "  \(time)  ", indent: 4)
        }
        if all.count > TextReport.listed {
            line("  and \(Plural.count(all.count - TextReport.listed, "more", "more"))")
        }
        guard !report.generations.isEmpty else { return }
        line("  generations of policy, the newest first:")
        for generation in report.generations.reversed().prefix(TextReport.listed) {
            let words = [generation.reason] + generation.changes
            paragraph(
                "by \(Printable.escape(generation.who)): \(Printable.escape(words.joined(separator: ", ")))",
                first: "    \(generation.number)  \(ReportTime.words(generation.time))  ", indent: 6)
        }
        let more = report.generations.count - TextReport.listed
        if more > 0 { line("    and \(more) more, which policy history lists") }
    }

    /// Adds what only users say of policy, the newest first.
    private mutating func claims() {
        let all = report.history.claims
        if all.isEmpty { return }
        heading("Claims: \(all.count) that only users' own programs make")
        for record in all.reversed().prefix(TextReport.listed) {
            let time = record.time.map(ReportTime.words) ?? "at an unknown time"
            paragraph(
                "record \(record.seq): \(Printable.escape(report.words(of: record)))", first: "  \(time)  ", indent: 4)
        }
        if all.count > TextReport.listed { line("  and \(all.count - TextReport.listed) more") }
    }

    /// Adds what no report of this kind can say.
    private mutating func limitsOfMethod() {
        heading("Limits of this report")
        paragraph(ComplianceReport.limitsOfMethod, first: "  ")
    }
}
