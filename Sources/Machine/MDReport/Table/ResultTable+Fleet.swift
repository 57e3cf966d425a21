import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTools

/// A rule about many machines together; the raw value names it in files.
enum FleetRule: String, CaseIterable {
    case used = "reports-used"
    case reported = "reported"
    case findings = "no-dispute"

    var title: String {
        switch self {
        case .used: "Every report could be used"
        case .reported: "A report is there in time"
        case .findings: "No machine disputes another"
        }
    }
}

extension ResultTable {
    /// The results of many machines: the rules about all of them, then each machine with what does not hold on it.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - room: the room whose machines count; `nil` for all machines.
    package init(_ report: MergedReport, room: String? = nil) {
        let machines = report.machines.filter { room == nil || Key($0.room) == Key(room ?? "") }
        let missing = report.missing.filter { room == nil || Key($0.room ?? "") == Key(room ?? "") }
        let subject = ResultSubject(
            kind: .fleet, host: room.map { $0.isEmpty ? "no room" : $0 } ?? "all machines", room: room ?? "")
        let rules =
            [.compliant]
            + FleetRule.allCases.map { ResultRule($0.rawValue, $0.title) }
            + MachineRule.Kind.allCases.map { ResultRule($0) }
            + report.rules.map {
                ResultRule(
                    $0.domain, $0.key, title: $0.title, controls: $0.controls.map(\.string), severity: $0.severity)
            }
        var tallies = rules.map { _ in Tally() }
        var counts = RequirementCounts()
        var numbers: [Key: ResultNumbers] = [:]
        var rooms: [Key: [Int]] = [:]
        for (index, machine) in machines.enumerated() {
            let (own, host) = (machine.report, machine.report.host)
            rooms[Key(machine.room), default: []].append(index)
            numbers[Key(machine.room), default: ResultNumbers(room: machine.room)].add(machine)
            tallies[ResultTable.reported].add(machine.isSilent ? .notMet : .met, of: host)
            if machine.isSilent { continue }
            counts.add(own.counts)
            tallies[0].add(own.verdict.state, of: host)
            for (index, rule) in own.machineRules.enumerated() {
                tallies[ResultTable.first + index].add(rule.state, of: host)
            }
            for state in machine.rules {
                tallies[ResultTable.place(state.rule)].add(state.requirements.strictState, of: host)
            }
        }
        for host in missing {
            tallies[ResultTable.reported].add(.notMet, of: host.host.string)
            numbers[Key(host.room ?? ""), default: ResultNumbers(room: host.room ?? "")].machines += 1
        }
        id = room.map { RuleName.uuid(report.id, "room", $0) } ?? report.id
        let name = room.map { " in \($0.isEmpty ? "no room" : $0)" } ?? ""
        title = (report.request.title ?? "Compliance of many machines") + name
        (time, version) = (report.request.time, report.request.version)
        self.subject = subject
        let isCompliant = tallies[0].counts.met == machines.count + missing.count && !machines.isEmpty
        let count = Plural.count(machines.count + missing.count, "machine")
        verdict =
            room == nil
            ? report.result
            : (
                isCompliant ? "COMPLIANT" : "NOT COMPLIANT",
                "\(tallies[0].counts.met) of \(count) are compliant."
            )
        self.counts = counts
        policyDigest = nil
        targets = machines.filter { !$0.isSilent }.map(\.report.host)
        facts = [
            ("machines", String(machines.count + missing.count)),
            ("not-reported", String(tallies[ResultTable.reported].counts.notMet)),
            ("reports-refused", String(report.refusedCount)),
        ]
        (self.rules, self.tallies) = (rules, tallies)
        whole =
            [
                ResultRow(
                    rule: 0, subject: subject, state: (room == nil ? report.isCompliant : isCompliant) ? .met : .notMet,
                    words: "\(verdict.words). \(verdict.sentence)\(ResultTable.others(tallies[0].notMet))",
                    details: ResultDetail.counts(counts))
            ]
            + ResultTable.fleetRows(report, subject, tallies[ResultTable.reported], isWhole: room == nil)
        groups = Set(rooms.keys).union(missing.map { Key($0.room ?? "") }).sorted().map { name in
            let own = rooms[name] ?? []
            let lost = missing.filter { Key($0.room ?? "") == name }
            return Group(
                name: name.string.isEmpty ? "no room" : name.string, host: "",
                parts: AnySequence(
                    [
                        AnySequence(own.lazy.map { ResultTable.rows(of: machines[$0]) }),
                        AnySequence(
                            lost.lazy.map { host in
                                let subject = ResultSubject(
                                    kind: .machine, host: host.host.string, room: host.room ?? "")
                                return [
                                    ResultRow(
                                        rule: ResultTable.reported, subject: subject, state: .notMet,
                                        words: "there is no report of it")
                                ]
                            }),
                    ].lazy.joined()))
        }
        self.numbers = numbers.keys.sorted().compactMap { numbers[$0] }
        refused = report.refusedCount
    }

    /// The name of the file of a room, without its ending; that of all machines for `nil`.
    package static func fileName(ofRoom room: String?) -> String {
        guard let room else { return "fleet" }
        if room.isEmpty { return "no-room" }
        let name = RuleName.plain(room)
        // A name that is not the room's own, or has another meaning, is told from that of every other room.
        let isOwn = Key(name) == Key(room) && !["fleet", "no-room"].contains(Key(name))
        return isOwn ? name : RuleName.name(Key(room), "room")
    }

    /// The place of the rule that a report is there in time, and of the first rule about a machine; that of the result is 0.
    private static let (reported, first) = (2, 1 + FleetRule.allCases.count)

    /// The place of a requirement.
    private static func place(_ rule: Int32) -> Int { first + MachineRule.Kind.allCases.count + Int(rule) }

    /// The first names of a list, and how many more there are.
    private static func list(_ names: [String]) -> String {
        names.prefix(named).joined(separator: ", ") + (names.count > named ? " and \(names.count - named) more" : "")
    }

    /// The sentence that names the machines that are not compliant.
    private static func others(_ names: [String]) -> String { names.isEmpty ? "" : " Not so: \(list(names))." }

    /// The rows about all machines together, beside the result.
    ///
    /// Which reports could not be used, and what they say of each other, is said where all machines are.
    private static func fleetRows(
        _ report: MergedReport, _ subject: ResultSubject, _ reported: Tally, isWhole: Bool
    ) -> [ResultRow] {
        let quiet = reported.notMet
        let isExpected = report.request.expected != nil
        let state: RequirementState = !quiet.isEmpty ? .notMet : isExpected ? .met : .notApplicable
        let words =
            !quiet.isEmpty
            ? "There is no report in time of \(list(quiet))."
            : isExpected
                ? "All that are expected have." : "Which machines should report was not said (--expected)."
        let row = ResultRow(rule: ResultTable.reported, subject: subject, state: state, words: words)
        guard isWhole else { return [row] }
        // Machines that have not reported, and logs that do not verify, stand with the machines.
        let own = ["report-not-used", "no-report", "old-report", "log-not-verified"]
        let errors = report.findings.filter { $0.severity == .error && !own.contains($0.code) }
        let refused = report.refused.map { "\($0.file): \($0.fault.message)" }
        return [
            ResultRow(
                rule: 1, subject: subject, state: report.refusedCount == 0 ? .met : .notMet,
                words: report.refusedCount == 0
                    ? "All \(report.files) reports could be used."
                    : "\(report.refusedCount) of \(report.files) reports could not be used: "
                        + refused.prefix(named).joined(separator: "; ")),
            row,
            ResultRow(
                rule: 3, subject: subject, state: errors.isEmpty ? .met : .notMet,
                words: errors.isEmpty
                    ? "No report contradicts another one." : errors.map(\.message).joined(separator: "; ")),
        ]
    }

    /// The rows about a machine: its result, and what does not hold on it for everybody.
    private static func rows(of machine: MachineState) -> [ResultRow] {
        let own = machine.report
        let subject = ResultSubject(kind: .machine, host: own.host, machine: own.machine, room: machine.room)
        let facts: [(ResultDetail, String)] = [
            (.attempts, String(own.attempts)), (.claimed, String(own.claimed)), (.dropped, String(own.dropped)),
            (.hidden, String(own.hidden)), (.policyDigest, own.policyDigest), (.log, own.logStatus),
            (.complete, own.isComplete ? "yes" : "no"), (.made, own.generated.rfc3339), (.report, own.id),
            (.system, own.system), (.engine, own.engine), (.source, machine.file), (.signer, own.signer),
        ]
        let details = ResultDetail.counts(own.counts) + facts.map { (name: $0.0, value: $0.1) }
        if machine.isSilent {
            return [
                ResultRow(
                    rule: ResultTable.reported, subject: subject, state: .notMet,
                    words: "its newest report is of \(own.generated.rfc3339)", details: details)
            ]
        }
        let error = own.errors.first.map { "; \($0.message)" } ?? ""
        var rows = [
            ResultRow(
                rule: 0, subject: subject, state: own.verdict.state,
                words: "\(own.verdict.rawValue): \(own.counts.words) met, \(own.counts.waived) waived\(error)",
                details: details)
        ]
        for (index, rule) in own.machineRules.enumerated() where rule.state != .met {
            rows.append(
                ResultRow(rule: ResultTable.first + index, subject: subject, state: rule.state, words: rule.words))
        }
        for rule in machine.rules {
            let (counts, state) = (rule.requirements, rule.requirements.strictState)
            if state == .met || state == .notApplicable { continue }
            rows.append(
                ResultRow(
                    rule: ResultTable.place(rule.rule), subject: subject, state: state,
                    words: "met for \(counts.met) of \(Plural.count(counts.required, "user")), not met for "
                        + "\(counts.notMet), not known for \(counts.unknown), waived for \(counts.waived)",
                    details: ResultDetail.counts(counts)))
        }
        return rows
    }
}

extension ResultNumbers {
    /// Adds a machine.
    fileprivate mutating func add(_ machine: MachineState) {
        let own = machine.report
        machines += 1
        if machine.isSilent { return }
        verdicts[own.verdict, default: 0] += 1
        for rule in own.machineRules where rule.state == .met { rulesMet[rule.kind, default: 0] += 1 }
        counts.add(own.counts)
        if own.logStatus == "gaps" { logGaps += 1 }
        ResultNumbers.add(own.attempts, to: &attempts)
        ResultNumbers.add(own.claimed, to: &claimed)
        ResultNumbers.add(own.dropped, to: &dropped)
        ResultNumbers.add(own.hidden, to: &hidden)
        ResultNumbers.add(own.errorCount, to: &errors)
    }
}
