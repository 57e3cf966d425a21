import MDAuditLog
package import MDPlatform
import MDPolicyModel
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
        /// When the merged report is made, by ``clock``.
        package let time: Timestamp
        /// The clock of the merged report.
        package let clock: ReportClock
        /// Whether the signature of each report is checked.
        package var isSignatureChecked: Bool
        /// The version of the program.
        package var version: String

        /// Makes a request.
        ///
        /// `time` is the clock that is given; without it, that of the machine counts.
        package init(
            title: String? = nil, since: Timestamp? = nil, expected: [ExpectedHost]? = nil, time: Timestamp? = nil,
            isSignatureChecked: Bool = false, version: String
        ) {
            (self.title, self.since, self.expected) = (title, since, expected)
            clock = ReportClock(time)
            (self.time, self.isSignatureChecked, self.version) = (clock.now, isSignatureChecked, version)
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
        let severity: RuleSeverity?
    }

    /// One report in the course of time.
    struct Moment {
        let time: Timestamp
        let verdict: ComplianceVerdict
        let requirements: RequirementCounts
        let file: String
        /// The head of its audit log; `nil` if it says none.
        let head: Checkpoint?
        /// Whether it says that nothing was ever recorded.
        let isLogEmpty: Bool
    }

    package let request: Request
    /// The reports that were read, damaged ones included.
    package private(set) var files = 0
    /// The files that could not be used, by name.
    package private(set) var refused: [Refused] = []
    /// How many could not be used; ``refused`` has the first ones.
    package private(set) var refusedCount = 0
    /// The newest report of each machine, without its rules; the name is that of the file.
    package internal(set) var machines: [MachineState] = []
    /// The newest report of each log of each machine, until all are there.
    private var candidates: [[MachineState]] = []
    private var places: [Key: Int] = [:]
    var rules: [Rule] = []
    private var rulePlaces: [Key: Int32] = [:]
    /// All reports of each machine for the trend, by the index of the machine.
    private(set) var moments: [[Moment]] = []
    /// What the reports of a machine, or of several, say together that cannot be.
    var contradictions: [Finding] = []
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

    /// By how much the clocks of machines may be ahead, in microseconds.
    private static let clockTolerance: Int64 = 300_000_000

    /// Why a report cannot be of the time that it says; `nil` if it can.
    private func timeFault(of report: MachineReport) -> ReportFault? {
        let made = "\(ReportTime.words(report.generated))"
        if report.verdict == .asIf {
            return ReportFault("it is as if at another time than \(made), when it was made, and has no result")
        }
        if report.generated.microseconds > request.time.microseconds + MergedReport.clockTolerance {
            return ReportFault("it is of \(made), and now it is \(ReportTime.words(request.time))")
        }
        guard let last = report.last, report.generated < last else { return nil }
        return ReportFault(
            "it is of \(made), and the last record of the log that it has read is of \(ReportTime.words(last))")
    }

    /// Adds a machine's report.
    package mutating func add(_ report: MachineReport, file: String) {
        if let fault = timeFault(of: report) { return add(fault, file: file) }
        files += 1
        inputs.add(report.digest?.hex ?? file)
        let name = Key("\(report.machine)\u{0}\(report.host)")
        let moment = Moment(
            time: report.generated, verdict: report.verdict, requirements: report.counts, file: file,
            head: report.head, isLogEmpty: Key(report.logStatus) == Key("none"))
        guard let place = places[name] else {
            places[name] = candidates.count
            candidates.append([MachineState(report, file: file, rules: intern(report.rules))])
            moments.append([moment])
            return
        }
        moments[place].append(moment)
        let log = Key(report.head?.origin ?? "")
        guard let index = candidates[place].firstIndex(where: { Key($0.report.head?.origin ?? "") == log }) else {
            candidates[place].append(MachineState(report, file: file, rules: intern(report.rules)))
            return
        }
        // Reports with the same log: the one that has seen more of it is newer, whatever the clocks say.
        let known = candidates[place][index].report
        let sizes = [known, report].map { $0.head?.size ?? 0 }
        if sizes[0] == sizes[1] ? known.isEarlier(than: report) : sizes[0] < sizes[1] {
            candidates[place][index] = MachineState(report, file: file, rules: intern(report.rules))
        }
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
                        controls: rule.controls.map { Key($0) }, severity: rule.severity))
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
        let newest = candidates.compactMap { $0.max { $0.report.isEarlier(than: $1.report) } }
        candidates = []
        let order = newest.indices.sorted {
            let (left, right) = (newest[$0], newest[$1])
            return left.host == right.host
                ? Key(left.report.machine) < Key(right.report.machine) : left.host < right.host
        }
        (machines, moments) = (order.map { newest[$0] }, order.map { moments[$0] })
        refused.sort { Key($0.file) < Key($1.file) }
        let expected = request.expected.map { hosts in
            Dictionary(hosts.map { ($0.host, $0.room) }) { first, _ in first }
        }
        for index in machines.indices {
            let machine = machines[index]
            machines[index].isSilent = isSilent(machine)
            // A list of machines has their names with or without the domain.
            let short = Key(String(machine.host.string.prefix { $0 != "." }))
            let listed = expected.flatMap { $0[machine.host] ?? $0[short] }
            if let room = listed ?? nil {
                if !machine.room.isEmpty, Key(machine.room) != Key(room) { machines[index].otherRoom = machine.room }
                machines[index].room = room
            }
            machines[index].isExpected = expected == nil || listed != nil
        }
        let policies = MergedReport.roomPolicies(machines.filter { !$0.isSilent })
        for (index, machine) in machines.enumerated() {
            guard let usual = policies[Key(machine.room)], machine.report.policyDigest != usual else { continue }
            machines[index].usualPolicy = usual
        }
        compareReports()
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
