import MDPlatform
import MDTools

/// Writes reports of many machines as one page that needs no network, and no script to be read.
package struct MergedHTML {
    private let report: MergedReport
    private var html = HTMLWriter()

    /// The file as UTF-8.
    package static func render(_ report: MergedReport) -> [UInt8] {
        var page = MergedHTML(report: report)
        page.head()
        page.firstPage()
        page.annex()
        page.html.end(version: report.request.version)
        return ReportSeal.sealed(page: page.html.bytes)
    }

    private init(report: MergedReport) {
        self.report = report
    }

    private mutating func head() {
        let request = report.request
        let missing = report.silent.count + report.missing.count
        var facts = [
            ("Machines", "\(report.count), of which \(missing) \(missing == 1 ? "has" : "have") not reported"),
            ("Made", "\(ReportTime.words(request.time)), \(request.clock.words), mdefaults \(request.version)"),
            ("Read", Plural.count(report.files, "report")), ("Signed", report.signers),
        ]
        if let since = request.since { facts.append(("Since", ReportTime.words(since))) }
        facts += [("Inputs", report.inputDigest.hex), ("Report", report.id)]
        html.begin(
            title: request.title ?? "Compliance of many machines", subject: Plural.count(report.count, "machine"),
            time: ReportTime.words(request.time), facts: facts)
    }

    private mutating func firstPage() {
        let (words, sentence) = report.result
        html.verdict(words, sentence, kind: report.isCompliant ? "good" : report.isGood ? "warn" : "bad")
        html.markup("<h2 id=\"results\">Results</h2>\n")
        html.donut([
            .init(name: "compliant", count: report.count(.compliant), color: "good"),
            .init(
                name: "not all covered: some requirement is not met, and no finding is an error",
                count: report.count(.notCovered), color: "warn"),
            .init(
                name: "not all looked at: no error is known, and something was not looked at",
                count: report.count(.notLookedAt), color: "warn"),
            .init(name: "not compliant", count: report.count(.notCompliant), color: "bad"),
            .init(name: "nothing to comply with", count: report.count(.nothing), color: "link"),
            .init(name: "not reported", count: report.silent.count + report.missing.count, color: "none"),
        ])
        if report.requirements.required > 0 {
            html.element("p", "Requirements of all machines that are met: \(report.requirements.allWords).")
        }
        findings()
        rooms()
        measures("Controls", "Control", report.controlMeasures)
        attempts()
        waivers()
        trend()
        html.markup("<h2>What is missing</h2>\n")
        if report.limits.isEmpty {
            html.element("p", "Nothing: every machine that should report has done so, and could look at everything.")
        } else {
            html.list(report.limits)
        }
        html.markup("<h2>Limits of this report</h2>\n")
        html.element("p", MergedReport.limitsOfMethod)
        html.signatures()
    }

    private mutating func findings() {
        let findings = report.findings
        guard !findings.isEmpty else { return }
        html.markup("<h2>To do</h2>\n")
        html.table(
            "What somebody should look at, the gravest first", ["Severity", "What", "File"], short: [1],
            findings.map { [$0.severity.rawValue, "\($0.message).", $0.file ?? ""] })
    }

    private mutating func rooms() {
        html.markup("<h2>Rooms</h2>\n")
        html.table(
            "Rooms, the worst first",
            [
                "Room", "Machines", "Compliant", "Met", "Not all covered", "Not all looked at", "Not compliant",
                "Not reported", "Other policy", "Waived", "Attempts", "Claimed",
            ],
            report.rooms.map { room in
                [
                    room.name.isEmpty ? "(no room)" : room.name, String(room.machines), String(room.compliant),
                    room.requirements.words, String(room.notCovered), String(room.notLookedAt),
                    String(room.notCompliant), String(room.silent), String(room.otherPolicy),
                    String(room.requirements.waived),
                    String(room.attempts), String(room.claimed),
                ]
            })
    }

    private mutating func measures(_ title: String, _ column: String, _ measures: [MergedReport.Measure]) {
        guard !measures.isEmpty else { return }
        html.element("h2", title)
        table(of: measures, title, column)
    }

    private mutating func table(of measures: [MergedReport.Measure], _ title: String, _ column: String) {
        // Controls have no titles.
        let isTitled = measures.contains { !$0.title.isEmpty }
        html.table(
            "\(title), the worst first: on how many machines all is met or waived, and how many requirements are met",
            [column, "Machines", "Met", "Not met", "Unknown", "Waived"] + (isTitled ? ["Title"] : []),
            measures.map { measure in
                let counts = measure.requirements
                return [
                    measure.words, RequirementCounts.words(measure.holdsOn, of: measure.machines), counts.words,
                    String(counts.notMet), String(counts.unknown), String(counts.waived),
                ] + (isTitled ? [measure.title] : [])
            })
    }

    private mutating func attempts() {
        html.markup("<h2>Override attempts</h2>\n")
        var words = "\(Plural.count(report.attempts, "attempt")) on record"
        if report.dropped > 0 { words += ", \(report.dropped) more counted and not stored" }
        html.element("p", "\(words).")
        let claims = [ReportSummary.claim(report.claimed), ReportSummary.claim(dropped: report.claimedDropped)]
        for claim in claims.compactMap(\.self) { html.element("p", "\(claim).") }
        guard report.attempts + report.claimed > 0 else { return }
        html.markup("<div class=\"charts\">")
        html.bars("Attempts by day (each machine's time)", report.attemptsByDay.map { ($0.name, $0.attempts) })
        let keys = report.attemptsByKey
        html.bars(
            HTMLWriter.title("Keys with the most attempts", first: 10, of: keys.count),
            keys.prefix(10).map { ($0.name, $0.attempts) })
        html.hours(
            "Attempts by room and hour (each machine's time)",
            report.rooms.filter { $0.attempts > 0 }.sorted { $0.attempts > $1.attempts }
                .map { ($0.name.isEmpty ? "(no room)" : $0.name, $0.hours) })
        html.markup("</div>\n")
        for (title, column, counts) in [
            ("Users with the most attempts", "User", report.attemptsByUser),
            ("Programs with the most attempts", "Program", report.attemptsByProgram),
        ] {
            html.table(
                HTMLWriter.title(title, first: 50, of: counts.count), [column, "Attempts", "Claimed"],
                counts.prefix(50).map { [$0.name, String($0.attempts), String($0.claimed)] })
        }
    }

    private mutating func waivers() {
        let waivers = report.waivers
        guard !waivers.isEmpty else { return }
        html.markup("<h2>Waivers</h2>\n")
        html.table(
            HTMLWriter.title("Waivers, the expired ones first", first: waivers.count, of: report.waiverCount),
            ["Machine", "User", "Domain", "Key", "State", "Until", "Reason", "Approved by"], short: [1, 2, 3, 4, 5],
            waivers.map { machine, waiver in
                [
                    MergedReport.name(machine), waiver.user, waiver.domain, waiver.key, waiver.state, waiver.end,
                    waiver.reason, waiver.approvedBy,
                ]
            })
    }

    private mutating func trend() {
        let days = report.trend
        guard days.count > 1 else { return }
        html.markup("<h2>Day by day</h2>\n")
        html.table(
            "The newest report of each machine on each day (UTC)", ["Day", "Machines", "Compliant", "Met", "Waived"],
            days.map { day in
                [
                    day.day, String(day.machines), String(day.compliant),
                    day.requirements.words, String(day.requirements.waived),
                ]
            })
    }

    private mutating func annex() {
        html.markup("<div class=\"annex\">\n")
        let rules = report.ruleMeasures
        if !rules.isEmpty {
            html.markup("<h2>Rules</h2>\n<details><summary>")
            html.text("All \(Plural.count(rules.count, "rule")), the worst first")
            html.markup("</summary>\n")
            table(of: rules, "Rules", "Rule")
            html.markup("</details>\n")
        }
        html.markup("<h2>Machines</h2>\n<details><summary>")
        html.text("All \(Plural.count(report.machines.count, "machine")) with a report")
        html.markup("</summary>\n")
        html.table(
            "Machines and their newest reports",
            [
                "Machine", "Room", "Result", "Met", "Waived", "Attempts", "Claimed", "Report of", "Signed by", "Policy",
                "Audit log", "First error",
            ],
            report.machines.map { machine in
                let own = machine.report
                return [
                    own.host, machine.room, machine.isSilent ? "not reported" : own.verdict.rawValue,
                    own.counts.words, String(own.counts.waived), String(own.attempts), String(own.claimed),
                    String(ReportTime.words(own.generated).prefix(16)), own.signer,
                    own.policyDigest.prefix(12) + (machine.usualPolicy == nil ? "" : " (other)"), own.logStatus,
                    own.errors.first?.message ?? "",
                ]
            })
        html.markup("</details>\n</div>\n")
    }
}
