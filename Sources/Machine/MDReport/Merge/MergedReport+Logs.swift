import MDAuditLog
import MDPlatform
import MDPropertyList

/// What reports say together of audit logs: each belongs to one machine, and only grows.
extension MergedReport {
    /// A report with the head of its log.
    private struct Seen {
        let head: Checkpoint
        let time: Timestamp
        let file: String
        let machine: Int
    }

    /// Finds the logs that did not only grow, and those of which several machines speak.
    mutating func compareLogs() {
        var logs: [Key: [Seen]] = [:]
        for index in machines.indices {
            compareReports(of: index)
            for moment in moments[index] {
                guard let head = moment.head else { continue }
                logs[Key(head.origin), default: []].append(
                    Seen(head: head, time: moment.time, file: moment.file, machine: index))
            }
        }
        for (_, reports) in logs.sorted(by: { $0.key < $1.key }) { compareMachines(reports) }
    }

    /// Compares the reports of one machine with each other; each kind of contradiction is said of the newest two.
    private mutating func compareReports(of machine: Int) {
        let own = moments[machine].sorted { left, right in
            if left.time != right.time { return left.time < right.time }
            let sizes = [left, right].map { $0.head?.size ?? 0 }
            return sizes[0] == sizes[1] ? Key(left.file) < Key(right.file) : sizes[0] < sizes[1]
        }
        var found: [LogContradiction: (earlier: Moment, later: Moment)] = [:]
        var known: Moment?
        for moment in own where moment.head != nil || moment.isLogEmpty {
            if let known, let kind = LogContradiction(known.head, moment.head, isEmpty: moment.isLogEmpty) {
                found[kind] = (known, moment)
            }
            known = moment
        }
        for (kind, pair) in found.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            contradict(kind, pair.earlier.file, pair.later.file, [machine])
        }
    }

    /// Compares what several machines say of one log.
    private mutating func compareMachines(_ reports: [Seen]) {
        guard let first = reports.first, reports.contains(where: { $0.machine != first.machine }) else { return }
        // The newest report of each machine.
        let newest = Dictionary(grouping: reports, by: \.machine).values.compactMap { own in
            own.max { ($0.head.size, $0.time) < ($1.head.size, $1.time) }
        }.sorted { ($0.time, $0.head.size, $0.machine) < ($1.time, $1.head.size, $1.machine) }
        for (earlier, later) in zip(newest, newest.dropFirst()) {
            if let kind = LogContradiction(earlier.head, later.head, isEmpty: false) {
                contradict(kind, earlier.file, later.file, [earlier.machine, later.machine])
            } else {
                contradictions.append(
                    Finding(
                        .warning, code: "same-log", file: later.file,
                        message: "\(MergedReport.name(machines[later.machine])) has the audit log of "
                            + "\(MergedReport.name(machines[earlier.machine])) (\(earlier.file)), as after another name"
                            + " of the machine, or in a copy of its disk"))
            }
        }
    }

    private mutating func contradict(_ kind: LogContradiction, _ earlier: String, _ later: String, _ own: [Int]) {
        let names = own.map { MergedReport.name(machines[$0]) }.joined(separator: ", ")
        let finding = Finding(
            .error, code: kind.rawValue, file: later, message: "\(names): \(kind.words(earlier, later))")
        contradictions.append(finding)
        for machine in own { machines[machine].add(finding) }
    }
}
