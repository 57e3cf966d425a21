import MDAuditRecord
import MDCare
import MDPlatform
package import MDPropertyList

/// Machines by room, rule and control, the worst first.
extension MergedReport {
    /// Machines in a room.
    package struct Room: Sendable {
        /// The name; empty for machines without room.
        package let name: String
        package var machines = 0
        package var compliant = 0
        package var notCovered = 0
        package var notLookedAt = 0
        package var notCompliant = 0
        package var nothing = 0
        /// The machines that have not reported.
        package var silent = 0
        /// The machines with another policy than most.
        package var otherPolicy = 0
        package var requirements = RequirementCounts()
        package var attempts = 0
        package var claimed = 0
        package var hours = [Int](repeating: 0, count: 24)

        /// The share of requirements that are met or waived, in tenths of a percent.
        package var tenths: Int? { requirements.tenthsWithWaivers }
    }

    /// A rule or a control over all machines that have it.
    package struct Measure: Sendable {
        /// The domain; empty for a control.
        package let domain: Key
        /// The key, or the control.
        package let key: Key
        package let title: String
        package var machines = 0
        /// The machines on which it holds for every user, or a waiver lifts it.
        package var holdsOn = 0
        /// The requirements of all users of these machines.
        package var requirements = RequirementCounts()

        /// The words for it.
        package var words: String { domain.string.isEmpty ? key.string : "\(domain.string) \(key.string)" }
        /// The share of machines on which it holds, in tenths of a percent.
        package var tenths: Int { MergedReport.tenths(holdsOn, of: machines) ?? 0 }
    }

    /// A part of a whole in tenths of a percent, rounded down; `nil` of nothing.
    static func tenths(_ part: Int, of whole: Int) -> Int? { RequirementCounts.tenths(part, of: whole) }

    /// `99.5 %`; `–` of nothing.
    static func percent(_ tenths: Int?) -> String {
        tenths.map { "\($0 / 10).\($0 % 10) %" } ?? "–"
    }

    /// The machines whose newest report counts.
    package var reporting: [MachineState] { machines.filter { !$0.isSilent } }
    /// The machines whose newest report is too old.
    package var silent: [MachineState] { machines.filter(\.isSilent) }
    /// The machines with another policy than most of their room.
    package var otherPolicy: [MachineState] { machines.filter { !$0.isSilent && $0.usualPolicy != nil } }
    /// All machines, those included that have not reported.
    package var count: Int { machines.count + missing.count }

    /// The machines with a result.
    package func count(_ verdict: ComplianceVerdict) -> Int {
        machines.count { !$0.isSilent && $0.report.verdict == verdict }
    }

    /// The share of machines that are compliant; those that have not reported are not.
    package var tenths: Int? { MergedReport.tenths(count(.compliant), of: count) }

    /// The machines that are not compliant, the worst first.
    package var worst: [MachineState] {
        reporting.filter { $0.report.verdict != .compliant }.sorted { left, right in
            let ranks = [left, right].map { ComplianceVerdict.ranking[$0.report.verdict] ?? 0 }
            if ranks[0] != ranks[1] { return ranks[0] < ranks[1] }
            let shares = [left.tenths ?? 1_000, right.tenths ?? 1_000]
            return shares[0] == shares[1] ? left.host < right.host : shares[0] < shares[1]
        }
    }

    /// The rooms, the worst first: by the share of compliant machines, then of requirements that are met.
    package var rooms: [Room] {
        var rooms: [Key: Room] = [:]
        func change(_ name: String, _ body: (inout Room) -> Void) {
            body(&rooms[Key(name), default: Room(name: name)])
        }
        for machine in machines {
            change(machine.room) { room in
                room.machines += 1
                guard !machine.isSilent else {
                    room.silent += 1
                    return
                }
                switch machine.report.verdict {
                case .compliant: room.compliant += 1
                case .notCovered: room.notCovered += 1
                case .notLookedAt: room.notLookedAt += 1
                case .notCompliant: room.notCompliant += 1
                case .nothing: room.nothing += 1
                // Such a report is never taken.
                case .asIf: break
                }
                if machine.usualPolicy != nil { room.otherPolicy += 1 }
                room.requirements.add(machine.report.counts)
                room.attempts = room.attempts.addingReportingOverflow(machine.report.attempts).partialValue
                room.claimed = room.claimed.addingReportingOverflow(machine.report.claimed).partialValue
                for hour in 0..<24 {
                    room.hours[hour] = room.hours[hour].addingReportingOverflow(machine.report.hours[hour]).partialValue
                }
            }
        }
        for host in missing {
            change(host.room ?? "") { room in
                room.machines += 1
                room.silent += 1
            }
        }
        return rooms.values.sorted { left, right in
            let compliant = [left, right].map { MergedReport.tenths($0.compliant, of: $0.machines) ?? 0 }
            if compliant[0] != compliant[1] { return compliant[0] < compliant[1] }
            let shares = [left.tenths ?? 1_000, right.tenths ?? 1_000]
            return shares[0] == shares[1] ? Key(left.name) < Key(right.name) : shares[0] < shares[1]
        }
    }

    /// The rules, the worst first.
    package var ruleMeasures: [Measure] {
        var measures = rules.map { Measure(domain: $0.domain, key: $0.key, title: $0.title) }
        for machine in machines where !machine.isSilent {
            for state in machine.rules { measures[Int(state.rule)].add(state, isMet: state.isMet) }
        }
        return MergedReport.worstFirst(measures)
    }

    /// The controls, the worst first: a control holds on a machine if all its rules there do.
    package var controlMeasures: [Measure] {
        var places: [Key: Int] = [:]
        var measures: [Measure] = []
        let controls = rules.map { rule in
            Set(rule.controls).map { name in
                if let place = places[name] { return place }
                places[name] = measures.count
                measures.append(Measure(domain: Key(""), key: name, title: ""))
                return measures.count - 1
            }
        }
        for machine in machines where !machine.isSilent {
            var own: [Int: Measure] = [:]
            var unmet: Set<Int> = []
            for state in machine.rules {
                for control in controls[Int(state.rule)] {
                    own[control, default: measures[control].empty].add(state, isMet: true)
                    if !state.isMet { unmet.insert(control) }
                }
            }
            for (control, measure) in own { measures[control].add(measure, isMet: !unmet.contains(control)) }
        }
        return MergedReport.worstFirst(measures)
    }

    private static func worstFirst(_ measures: [Measure]) -> [Measure] {
        measures.filter { $0.machines > 0 }.sorted { left, right in
            if left.tenths != right.tenths { return left.tenths < right.tenths }
            return left.domain == right.domain ? left.key < right.key : left.domain < right.domain
        }
    }

    /// A name with its attempts over all machines.
    package typealias Attempts = (name: String, attempts: Int, claimed: Int)

    /// Names with their attempts over all machines, the most first.
    private func counts(_ path: KeyPath<MachineReport, [MachineReport.Count]>) -> [Attempts] {
        var counts: [Key: AttemptCount] = [:]
        for machine in machines where !machine.isSilent {
            for count in machine.report[keyPath: path] {
                counts[Key(count.name), default: AttemptCount()] += AttemptCount(
                    seen: count.attempts, claimed: count.claimed)
            }
        }
        return counts.map { ($0.key.string, $0.value.seen, $0.value.claimed) }.sorted {
            $0.1 == $1.1 ? Key($0.0) < Key($1.0) : $0.1 > $1.1
        }
    }

    /// The attempts by user, the most first.
    package var attemptsByUser: [Attempts] { counts(\.attemptsByUser) }
    /// The attempts by key, the most first.
    package var attemptsByKey: [Attempts] { counts(\.attemptsByKey) }
    /// The attempts by program, the most first.
    package var attemptsByProgram: [Attempts] { counts(\.attemptsByProgram) }
    /// The attempts by day, the earliest first.
    package var attemptsByDay: [Attempts] {
        counts(\.attemptsByDay).sorted { Key($0.name) < Key($1.name) }
    }

    /// The most waivers that are listed.
    private static let waiverLimit = 1_000
    /// The waivers of all machines, those that are expired first, then by machine; at most 1,000.
    package var waivers: [(machine: MachineState, waiver: MachineReport.Waiver)] {
        let all = reporting.flatMap { machine in machine.report.waivers.map { (machine, $0) } }
        return Array((all.filter { $0.1.isExpired } + all.filter { !$0.1.isExpired }).prefix(MergedReport.waiverLimit))
    }
    /// The number of waivers of all machines.
    package var waiverCount: Int { sum(\.waiverCount) }
    /// The number of those that are expired.
    package var expiredWaivers: Int { sum(\.expiredWaivers) }
    /// The requirements of all machines.
    package var requirements: RequirementCounts {
        reporting.reduce(into: RequirementCounts()) { $0.add($1.report.counts) }
    }

    /// A number of all machines.
    private func sum(_ path: KeyPath<MachineReport, Int>) -> Int {
        reporting.reduce(0) { $0.addingReportingOverflow($1.report[keyPath: path]).partialValue }
    }
    /// The signers of the reports that count, in a sentence.
    package var signers: String {
        guard request.isSignatureChecked else { return "not looked at; --signers checks who made each report" }
        let own = machines.count { ReportSigners.isHost($0.report.signer, $0.report.host) }
        let collectors = Dictionary(grouping: machines.filter { ReportSigners.isCollector($0.report.signer) }) {
            Key($0.report.signer)
        }
        return
            (["\(own) by the machines themselves"]
            + collectors.sorted { $0.key < $1.key }.map { "\($0.value.count) by \(Printable.escape($0.key.string))" })
            .joined(separator: ", ")
    }
    /// All attempts that services saw.
    package var attempts: Int { sum(\.attempts) }
    /// The attempts that only senders say there were.
    package var claimed: Int { sum(\.claimed) }
    /// The attempts that services counted and did not store.
    package var dropped: Int { sum(\.dropped) }
    /// The attempts that only senders say were not stored.
    package var claimedDropped: Int { sum(\.claimedDropped) }
}

extension MergedReport.Measure {
    /// The same without numbers.
    var empty: Self { Self(domain: domain, key: key, title: title) }

    /// Adds what a machine says of a rule.
    mutating func add(_ state: MergedReport.RuleState, isMet: Bool) {
        machines += 1
        holdsOn += isMet ? 1 : 0
        requirements.add(state.requirements)
    }

    /// Adds what a machine says of all rules of a control.
    mutating func add(_ own: Self, isMet: Bool) {
        machines += 1
        holdsOn += isMet ? 1 : 0
        requirements.add(own.requirements)
    }
}

extension ComplianceVerdict {
    /// The verdicts by how bad they are, the worst lowest.
    static let ranking: [ComplianceVerdict: Int] = [
        .notCompliant: 0, .notCovered: 1, .notLookedAt: 2, .nothing: 3, .compliant: 4,
    ]
}

extension MergedReport.RuleState {
    /// What is known of a rule on a machine.
    var state: RequirementState { requirements.state }
}
