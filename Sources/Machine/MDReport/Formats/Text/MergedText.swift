import MDPlatform
import MDTools

/// Formats reports of many machines for people: 80 columns wide, the worst first.
package struct MergedText: TextPage {
    private let report: MergedReport
    private let isSummary: Bool
    package var lines: [String] = []

    /// The report as text that ends with a line feed.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - isSummary: whether lists are cut after ten names.
    /// - Returns: the text.
    package static func render(_ report: MergedReport, isSummary: Bool = false) -> String {
        var text = MergedText(report: report, isSummary: isSummary)
        text.header()
        text.machines()
        text.findings()
        text.rooms()
        text.measures("Controls", report.controlMeasures)
        text.measures("Rules", report.ruleMeasures)
        text.attempts()
        text.worst()
        text.waivers()
        text.trend()
        text.heading("Limits of this report")
        text.paragraph(MergedReport.limitsOfMethod, first: "  ")
        text.line()
        return ReportSeal.sealed(text: text.text)
    }

    private init(report: MergedReport, isSummary: Bool) {
        (self.report, self.isSummary) = (report, isSummary)
    }

    private mutating func header() {
        let request = report.request
        title(request.title.map(Printable.escape) ?? "Compliance of many machines")
        fact("Report", report.id)
        fact("Made", "\(ReportTime.words(request.time)) (\(request.clock.words)) by mdefaults \(request.version)")
        fact(
            "Read",
            "\(Plural.count(report.files, "report")) of \(Plural.count(report.machines.count, "machine"))")
        fact("Signed", report.signers)
        if let since = request.since { fact("Since", ReportTime.words(since)) }
        fact("Inputs", report.inputDigest.hex)
        let (words, sentence) = report.result
        fact("Result", "\(words). \(sentence)")
        if report.requirements.required > 0 { fact("Met", report.requirements.allWords) }
        if report.limits.isEmpty {
            fact("Complete", "yes: every machine that should report has done so, and could look at everything")
        } else {
            fact("Complete", "no:")
            for limit in report.limits { paragraph(limit, first: "          - ", indent: 12) }
        }
    }

    private mutating func machines() {
        heading("Machines")
        var rows: [(String, Int, String)] = [
            ("compliant", report.count(.compliant), "every requirement is met or waived, and everything was looked at"),
            ("not all covered", report.count(.notCovered), "some requirement is not met, and no finding is an error"),
            ("not all looked at", report.count(.notLookedAt), "no error is known, and something was not looked at"),
            ("not compliant", report.count(.notCompliant), "an error, which each report names"),
        ]
        if report.count(.nothing) > 0 {
            rows.append(("nothing required", report.count(.nothing), "nothing is forced or constrained"))
        }
        rows.append(("not reported", report.silent.count + report.missing.count, ""))
        if !report.otherPolicy.isEmpty {
            rows.append(("other policy", report.otherPolicy.count, "than most machines of their room"))
        }
        table(rows)
    }

    /// The first names of a list of the first page, or all.
    private func shown<Item>(_ items: [Item]) -> ArraySlice<Item> {
        isSummary ? items.prefix(MergedText.listed) : items[...]
    }

    private mutating func rest(_ count: Int, _ what: String) {
        let more = count - MergedText.listed
        if isSummary, more > 0 { line("  and \(Plural.count(more, "more \(what)"))") }
    }

    private mutating func findings() {
        let findings = report.findings
        guard !findings.isEmpty else { return }
        heading("To do")
        for finding in shown(findings) {
            let file = finding.file.map { "\(Printable.escape($0)): " } ?? ""
            paragraph(
                "\(file)\(Printable.escape(finding.message)).", first: MergedText.pad(finding.severity.rawValue, 9))
        }
        rest(findings.count, "finding")
    }

    private mutating func rooms() {
        let rooms = report.rooms
        guard rooms.contains(where: { !$0.name.isEmpty }) else { return }
        heading("Rooms, the worst first")
        columns(
            shown(rooms).map { room in
                var words = ["met \(room.requirements.allWords)"]
                if room.silent > 0 { words.append("\(room.silent) not reported") }
                if room.otherPolicy > 0 { words.append("\(room.otherPolicy) with another policy") }
                if room.attempts > 0 { words.append(Plural.count(room.attempts, "attempt")) }
                return [
                    room.name.isEmpty ? "(no room)" : Printable.escape(room.name),
                    "\(room.compliant) of \(Plural.count(room.machines, "machine"))", words.joined(separator: ", "),
                ]
            })
        rest(rooms.count, "room")
    }

    private mutating func measures(_ title: String, _ measures: [MergedReport.Measure]) {
        guard !measures.isEmpty else { return }
        heading("\(title), the worst first")
        for measure in shown(measures) {
            let counts = measure.requirements
            let waived = counts.waived > 0 ? ", \(counts.waived) waived" : ""
            let title = measure.title.isEmpty ? "" : " (\(Printable.escape(measure.title)))"
            paragraph(
                "on \(measure.holdsOn) of \(Plural.count(measure.machines, "machine")); "
                    + "met \(counts.words)\(waived)\(title)",
                first: "  \(Printable.escape(measure.words)): ", indent: 4)
        }
        rest(measures.count, title == "Rules" ? "rule" : "control")
    }

    private mutating func attempts() {
        heading("Override attempts: \(report.attempts) on record")
        if report.dropped > 0 { line("  \(report.dropped) more were counted and not stored") }
        let claims = [ReportSummary.claim(report.claimed), ReportSummary.claim(dropped: report.claimedDropped)]
        for claim in claims.compactMap(\.self) { paragraph(claim, first: "  ") }
        let lists = [
            ("users", report.attemptsByUser), ("keys", report.attemptsByKey), ("programs", report.attemptsByProgram),
        ]
        for (name, counts) in lists where !counts.isEmpty {
            line("  \(name):")
            columns(
                counts.prefix(MergedText.listed).map { count in
                    let claimed = count.claimed > 0 ? ", and \(count.claimed) claimed" : ""
                    return ["  \(count.attempts)", "\(Printable.escape(count.name))\(claimed)"]
                })
            if counts.count > MergedText.listed { line("    and \(counts.count - MergedText.listed) more") }
        }
    }

    private mutating func worst() {
        let machines = report.worst
        guard !machines.isEmpty else { return }
        heading("Machines that are not compliant, the worst first")
        for machine in shown(machines) {
            let own = machine.report
            var words = ["\(own.verdict.rawValue), met \(own.counts.allWords)"]
            if let error = own.errors.first { words.append(Printable.escape(error.message)) }
            if own.errorCount > 1 { words.append("\(own.errorCount - 1) more errors") }
            if !own.signer.isEmpty { words.append("signed by \(Printable.escape(own.signer))") }
            paragraph(
                words.joined(separator: "; "), first: "  \(Printable.escape(MergedReport.name(machine))): ", indent: 4)
        }
        rest(machines.count, "machine")
    }

    private mutating func waivers() {
        let (waivers, expired) = (report.waivers, report.expiredWaivers)
        guard !waivers.isEmpty else { return }
        heading("Waivers: \(report.waiverCount)\(expired > 0 ? ", \(expired) of them expired" : "")")
        for (machine, waiver) in shown(waivers) {
            let end = waiver.until.isEmpty ? "" : " \(waiver.isExpired ? "since" : "until") \(waiver.end)"
            let reason = waiver.reason.isEmpty ? "" : ", \(waiver.reason)"
            let approval = waiver.approvedBy.isEmpty ? "" : " (approved by \(waiver.approvedBy))"
            paragraph(
                Printable.escape(
                    "\(waiver.user): \(waiver.domain) \(waiver.key), \(waiver.state)\(end)\(reason)\(approval)"),
                first: "  \(Printable.escape(MergedReport.name(machine))): ", indent: 4)
        }
        let more = report.waiverCount - shown(waivers).count
        if more > 0 { line("  and \(Plural.count(more, "more waiver"))") }
    }

    private mutating func trend() {
        let days = report.trend
        guard days.count > 1 else { return }
        let shown = days.suffix(isSummary ? MergedText.listed : days.count)
        heading("Day by day (UTC)\(shown.count < days.count ? ", the last \(shown.count) of \(days.count)" : "")")
        columns(
            shown.map { day in
                [
                    day.day, "\(day.compliant) of \(Plural.count(day.machines, "machine"))",
                    "met \(day.requirements.allWords)",
                ]
            })
    }
}
