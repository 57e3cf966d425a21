import MDAudit
import MDAuditClient
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// The first page, which can be read by itself; the keys of each user are the annex.
extension TextReport {
    /// The most names in a list of the first page.
    static let listed = 10

    /// Adds results, remedies, attempts, changes and the log.
    mutating func firstPage() {
        results()
        remedies()
        uncovered()
        attemptsByUser()
        storedByUser()
        changes()
        log()
        limitsOfMethod()
    }

    /// Adds the verdict.
    mutating func result() {
        let (words, sentence) = TextReport.verdict(of: report)
        fact("Result", "\(words). \(sentence)")
        guard let rates = report.rates else { return }
        fact("Covered", "\(rates.raw) of required keys; with waivers \(rates.withWaivers)")
    }

    /// The verdict in capitals, and a sentence about it.
    static func verdict(of report: ComplianceReport) -> (words: String, sentence: String) {
        let numbers = report.summary
        let words = report.verdict.rawValue.uppercased()
        switch report.verdict {
        case .compliant:
            let remark = report.log.isForbidden ? "; the audit log was not looked at" : ""
            return (words, "Policy is in force as written, and programs have every key of it\(remark).")
        case .notCovered:
            let keys = TextReport.count(numbers.notCovered + numbers.unobserved, "key")
            return (words, "Policy is in force as written, and of \(keys) it is not known that any program obeys.")
        case .notCompliant:
            let errors = TextReport.count(report.findings.count { $0.severity == .error }, "error")
            let payloads = TextReport.count(numbers.payloads, "payload")
            let remarks = [
                report.users.allSatisfy(\.isPolicyKnown) ? "" : "It cannot be told what is forced. ",
                numbers.payloads > 0 ? "Nothing here carries out \(payloads) of profiles. " : "",
            ]
            return (words, "\(remarks.joined())See the \(errors) below.")
        case .nothing: return (words, "No key is forced on anybody.")
        }
    }

    /// Adds the three results, and the other numbers.
    private mutating func results() {
        let numbers = report.summary
        heading("Results: keys, counted for each user")
        let more = isPolicyKnown ? "" : "; there may be more"
        var rows: [(String, Int, String)] = [
            ("required", numbers.keys, "forced on \(TextReport.count(numbers.users, "user"))\(more)"),
            ("in force as written", numbers.inForce, "by the word of this engine"),
        ]
        if numbers.broken > 0 { rows.append(("  broken", numbers.broken, "forced by an earlier version of a file")) }
        if numbers.unknown > 0 { rows.append(("  not known", numbers.unknown, unknownRemark)) }
        rows += [
            ("observed", numbers.observed, "programs of the user asked since the boot"),
            ("written", numbers.written, "in programs' own files, effect not looked at"),
            ("not covered", numbers.notCovered, "nothing here is known to enforce it"),
        ]
        if numbers.unobserved > 0 {
            rows.append(("coverage not known", numbers.unobserved, "what enforces it could not be read"))
        }
        if numbers.waived > 0 { rows.append(("waived", numbers.waived, "lifted for a user")) }
        if numbers.outside > 0 { rows.append(("outside values", numbers.outside, "stored by users, and not allowed")) }
        if numbers.payloads > 0 { rows.append(("payloads", numbers.payloads, "that nothing here carries out")) }
        table(rows)
    }

    /// Adds rows of a name, a number and a remark.
    private mutating func table(_ rows: [(String, Int, String)]) {
        let width = rows.map { String($0.1).count }.max() ?? 1
        for (name, number, remark) in rows {
            let text = String(number)
            let blanks = String(repeating: " ", count: width - text.count)
            let start = "\(TextReport.pad(name, 20))\(blanks)\(text)"
            line(remark.isEmpty ? start : "\(start)  \(remark)")
        }
    }

    /// The remark why keys are unknown.
    private var unknownRemark: String {
        isPolicyKnown ? "their values cannot be told here" : "not all of policy could be read"
    }

    /// Adds what an administrator has to do: a line for each error, and a count of the rest.
    private mutating func remedies() {
        let errors = report.findings.filter { $0.severity == .error }
        let others = report.findings.count - errors.count
        guard !report.findings.isEmpty else { return }
        heading("To do")
        for finding in errors.prefix(TextReport.listed) { self.finding(finding) }
        if errors.count > TextReport.listed {
            line("         and \(TextReport.count(errors.count - TextReport.listed, "more error", "more errors"))")
        }
        if others > 0 {
            let more = TextReport.count(others, "warning or remark", "warnings and remarks")
            line(errors.isEmpty ? "No error; \(more) in the findings." : "And \(more) in the findings.")
        }
    }

    /// Adds the domains that nothing is known to enforce.
    private mutating func uncovered() {
        let domains = report.uncoveredDomains
        guard !domains.isEmpty else { return }
        heading("Not covered: nothing here is known to enforce these domains")
        for item in domains.prefix(TextReport.listed) {
            let users = TextReport.count(item.users, "user")
            paragraph(
                "\(TextReport.count(item.keys, "key")) of \(users)",
                first: "  \(Printable.escape(item.domain.string))  ")
        }
        if domains.count > TextReport.listed {
            line("  and \(TextReport.count(domains.count - TextReport.listed, "more domain", "more domains"))")
        }
        paragraph(
            "No program of these users asked for them since the boot, and no program into whose files policy is written"
                + " takes them.", first: "  ")
    }

    /// Adds who tried to override what.
    private mutating func attemptsByUser() {
        let numbers = report.summary
        heading("Override attempts: \(numbers.attempts) on record")
        let counts = report.attemptCounts
        for item in counts.prefix(TextReport.listed) {
            let keys = TextReport.count(item.keys, "key")
            line("  \(TextReport.pad(Printable.escape(item.user), 20))  \(item.attempts)  of \(keys)")
        }
        if counts.count > TextReport.listed {
            line("  and of \(TextReport.count(counts.count - TextReport.listed, "more user", "more users"))")
        }
        if numbers.dropped > 0 { line("  \(numbers.dropped) more were counted and not stored") }
        if numbers.unproven > 0 {
            line("  \(numbers.unproven) more wait in users' homes, where the users can remove them: unproven")
        }
        if numbers.attempts == 0, numbers.dropped + numbers.unproven == 0 { line("  none") }
    }

    /// Adds who has stored values that forced ones hide.
    private mutating func storedByUser() {
        let numbers = report.summary
        guard numbers.hidden + numbers.equal > 0 else { return }
        heading("Hidden values: \(numbers.hidden), stored by users, kept, without effect")
        let users = report.users.map { ($0.account.name, $0.keys.count { $0.isHiding }) }.filter { $0.1 > 0 }
        for (name, count) in users.prefix(TextReport.listed) {
            line("  \(TextReport.pad(Printable.escape(name), 20))  \(count)")
        }
        if users.count > TextReport.listed {
            line("  and of \(TextReport.count(users.count - TextReport.listed, "more user", "more users"))")
        }
        if numbers.equal > 0 {
            line("  \(TextReport.count(numbers.equal, "key")) more: the stored value equals the forced one")
        }
    }

    /// Adds the changes of policy in the period, the newest first.
    private mutating func changes() {
        guard !report.changes.isEmpty else { return }
        heading("Changes of policy: \(report.changes.count) on record")
        for record in report.changes.suffix(TextReport.listed).reversed() {
            let time = record.time.map(TextReport.time) ?? "at an unknown time"
            paragraph(
                "record \(record.seq): \(Printable.escape(report.words(of: record)))", first: "  \(time)  ", indent: 4)
        }
        if report.changes.count > TextReport.listed {
            line("  and \(TextReport.count(report.changes.count - TextReport.listed, "earlier one", "earlier ones"))")
        }
    }

    /// Adds what no report of this kind can say.
    private mutating func limitsOfMethod() {
        heading("Limits of this report")
        paragraph(ComplianceReport.limitsOfMethod, first: "  ")
    }
}
