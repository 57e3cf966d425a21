package import MDPlatform
package import MDPropertyList

/// Reports of many machines as one.
///
/// Reports are added one after the other; of each machine the newest one counts, and earlier ones only for the trend.
/// Memory grows with the number of machines and of different rules, not with the size of the reports.
package struct MergedReport: Sendable {
    /// What was asked for.
    package struct Request: Sendable {
        /// The title, if any.
        package var title: String?
        /// A machine whose newest report is earlier has not reported; `nil` for no such limit.
        package var since: Timestamp?
        /// The machines that should report; `nil` if that was not said.
        package var expected: [ExpectedHost]?
        /// When the merged report is made.
        package var time: Timestamp
        /// Whether that time was asked for.
        package var isTimeAsked = false
        /// The version of the program.
        package var version: String

        package init(
            title: String? = nil, since: Timestamp? = nil, expected: [ExpectedHost]? = nil, time: Timestamp,
            isTimeAsked: Bool = false, version: String
        ) {
            (self.title, self.since, self.expected) = (title, since, expected)
            (self.time, self.isTimeAsked, self.version) = (time, isTimeAsked, version)
        }
    }

    /// A machine that should report.
    package struct ExpectedHost: Hashable, Sendable {
        package let host: Key
        /// Its room; `nil` if that was not said.
        package let room: String?

        package init(host: Key, room: String?) {
            (self.host, self.room) = (host, room)
        }
    }

    /// A file that could not be used.
    package struct Refused: Sendable {
        package let file: String
        package let fault: ReportFault
    }

    /// What a machine says of a rule.
    struct RuleState {
        /// The index of the rule.
        let rule: Int32
        private let met, notMet, unknown, waived: Int32

        /// Takes what a machine says of the rule of an index.
        init(_ rule: Int32, _ counts: RequirementCounts) {
            self.rule = rule
            (met, notMet) = (Int32(clamping: counts.met), Int32(clamping: counts.notMet))
            (unknown, waived) = (Int32(clamping: counts.unknown), Int32(clamping: counts.waived))
        }

        /// The requirements of the machine's users.
        var requirements: RequirementCounts {
            var counts = RequirementCounts()
            (counts.met, counts.notMet) = (Int(met), Int(notMet))
            (counts.unknown, counts.waived) = (Int(unknown), Int(waived))
            return counts
        }

        /// Whether it holds for every user of the machine, or a waiver lifts it.
        var isMet: Bool { notMet == 0 && unknown == 0 }
    }

    /// A rule of any machine.
    struct Rule {
        let domain: Key
        let key: Key
        var title: String
        var controls: [Key]
    }

    /// One report in the course of time.
    private struct Moment {
        let time: Timestamp
        let verdict: ComplianceVerdict
        let requirements: RequirementCounts
    }

    package let request: Request
    /// The reports that were read, damaged ones included.
    package private(set) var files = 0
    /// The files that could not be used, by name.
    package private(set) var refused: [Refused] = []
    /// How many could not be used; ``refused`` has the first ones.
    package private(set) var refusedCount = 0
    /// The newest report of each machine, without its rules; the name is that of the file.
    package private(set) var machines: [MachineState] = []
    private var places: [Key: Int] = [:]
    var rules: [Rule] = []
    private var rulePlaces: [Key: Int32] = [:]
    /// All reports of each machine for the trend, by the index of the machine.
    private var moments: [[Moment]] = []
    private var inputs = DigestBuilder()

    /// The most files that are named.
    private static let refusedLimit = 10_000
    /// The most different rules; what further ones say is left out and counted.
    private static let ruleLimit = 200_000
    /// How many reports spoke of further rules.
    package private(set) var furtherRules = 0

    package init(_ request: Request) {
        self.request = request
    }

    /// Adds a file that could not be used.
    package mutating func add(_ fault: ReportFault, file: String) {
        files += 1
        refusedCount += 1
        inputs.add("\(file)\u{0}\(fault.message)")
        if refused.count < MergedReport.refusedLimit { refused.append(Refused(file: file, fault: fault)) }
    }

    /// Adds a machine's report.
    package mutating func add(_ report: MachineReport, file: String) {
        files += 1
        inputs.add(report.digest?.hex ?? file)
        let name = Key("\(report.machine)\u{0}\(report.host)")
        let moment = Moment(
            time: report.generated, verdict: report.verdict, requirements: report.counts)
        guard let place = places[name] else {
            places[name] = machines.count
            machines.append(MachineState(report, file: file, rules: intern(report.rules)))
            moments.append([moment])
            return
        }
        moments[place].append(moment)
        // Of two reports of one moment the one whose id is greater counts, whatever the order of the files.
        let known = machines[place].report
        let isNewer =
            known.generated == report.generated
            ? Key(known.id) < Key(report.id) : known.generated < report.generated
        if isNewer { machines[place] = MachineState(report, file: file, rules: intern(report.rules)) }
    }

    /// The states of a machine's rules, with the rules by their index.
    private mutating func intern(_ rules: [MachineReport.Rule]) -> [RuleState] {
        var states: [RuleState] = []
        states.reserveCapacity(rules.count)
        var isCut = false
        // Of those that are not required counts nothing.
        for rule in rules where rule.counts.required > 0 {
            let name = Key("\(rule.domain)\u{0}\(rule.key)")
            var place = rulePlaces[name]
            if place == nil, self.rules.count < MergedReport.ruleLimit {
                place = Int32(self.rules.count)
                rulePlaces[name] = place
                self.rules.append(
                    Rule(
                        domain: Key(rule.domain), key: Key(rule.key), title: rule.title,
                        controls: rule.controls.map { Key($0) }))
            }
            guard let place else {
                isCut = true
                continue
            }
            states.append(RuleState(place, rule.counts))
        }
        if isCut { furtherRules += 1 }
        return states
    }

    /// Sorts machines and files by name and adds those that were expected and have no report.
    ///
    /// Afterwards nothing may be added.
    package mutating func finish() {
        let order = machines.indices.sorted {
            let (left, right) = (machines[$0], machines[$1])
            return left.host == right.host
                ? Key(left.report.machine) < Key(right.report.machine) : left.host < right.host
        }
        (machines, moments) = (order.map { machines[$0] }, order.map { moments[$0] })
        refused.sort { Key($0.file) < Key($1.file) }
        let policies = MergedReport.roomPolicies(machines.filter { !isSilent($0) })
        let expected = request.expected.map { hosts in
            Dictionary(hosts.map { ($0.host, $0.room) }) { first, _ in first }
        }
        for index in machines.indices {
            let machine = machines[index]
            machines[index].isSilent = isSilent(machine)
            // A list of machines has their names with or without the domain.
            let short = Key(String(machine.host.string.prefix { $0 != "." }))
            let listed = expected.flatMap { $0[machine.host] ?? $0[short] }
            if machine.room.isEmpty, let room = listed ?? nil { machines[index].room = room }
            machines[index].isExpected = expected == nil || listed != nil
            if let usual = policies[Key(machine.room)], machine.report.policyDigest != usual {
                machines[index].usualPolicy = usual
            }
        }
        guard let hosts = request.expected else { return }
        let known = Set(machines.map(\.host)).union(
            machines.map { Key(String($0.host.string.prefix { $0 != "." })) })
        missing = hosts.filter { !known.contains($0.host) }.sorted { $0.host < $1.host }
    }

    /// The machines that were expected and have no report.
    package private(set) var missing: [ExpectedHost] = []

    private func isSilent(_ machine: MachineState) -> Bool {
        request.since.map { machine.report.generated < $0 } ?? false
    }

    /// The policy that most machines of each room have; of two equally frequent ones the smaller digest.
    private static func roomPolicies(_ machines: [MachineState]) -> [Key: String] {
        var counts: [Key: [Key: Int]] = [:]
        for machine in machines where !machine.report.policyDigest.isEmpty {
            counts[Key(machine.room), default: [:]][Key(machine.report.policyDigest), default: 0] += 1
        }
        return counts.mapValues { counts in
            counts.min { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }?.key.string ?? ""
        }
    }

    /// The id, which follows from what was read and asked.
    package var id: String {
        var builder = DigestBuilder()
        builder.add(inputs.digest.hex)
        for text in [request.title ?? "", request.since?.rfc3339 ?? "", request.time.rfc3339, request.version] {
            builder.add(text)
        }
        for host in request.expected ?? [] { builder.add("\(host.host.string)\u{0}\(host.room ?? "")") }
        return ReportEvidence.id(of: builder.digest)
    }

    /// The digest of all files, in the order in which they were added.
    package var inputDigest: Digest { inputs.digest }

    /// A day with the newest report of each machine on it.
    package struct TrendDay: Sendable {
        package let day: String
        package var machines = 0
        package var compliant = 0
        package var requirements = RequirementCounts()
    }

    /// The state of all machines day by day, the earliest first; a machine counts on the days on which it reported.
    package var trend: [TrendDay] {
        var days: [Key: TrendDay] = [:]
        for own in moments {
            var newest: [Key: Moment] = [:]
            for moment in own {
                let day = Key(String(moment.time.rfc3339.prefix(10)))
                if newest[day].map({ $0.time < moment.time }) ?? true { newest[day] = moment }
            }
            for (day, moment) in newest {
                var item = days[day] ?? TrendDay(day: day.string)
                item.machines += 1
                item.compliant += moment.verdict == .compliant ? 1 : 0
                item.requirements.add(moment.requirements)
                days[day] = item
            }
        }
        return days.keys.sorted().compactMap { days[$0] }
    }
}

/// A machine in a merged report.
package struct MachineState: Sendable {
    /// Its newest report, without its rules.
    package let report: MachineReport
    /// The file of that report.
    package let file: String
    /// What it says of rules.
    let rules: [MergedReport.RuleState]
    package let host: Key
    /// The room; empty for none.
    package internal(set) var room: String
    /// Whether its newest report is too old.
    package internal(set) var isSilent = false
    /// Whether it was expected; true without a list of expected machines.
    package internal(set) var isExpected = true
    /// The digest of the policy that most machines of its room have, if it has another one.
    package internal(set) var usualPolicy: String?

    init(_ report: MachineReport, file: String, rules: [MergedReport.RuleState]) {
        var report = report
        report.rules = []
        self.report = report
        self.file = file
        self.rules = rules
        host = Key(report.host)
        room = report.room
    }

    /// The share of requirements that are met or waived, in tenths of a percent; `nil` if nothing is required.
    package var tenths: Int? { report.counts.tenthsWithWaivers }
}
