import MDAuditLog
import MDPlatform
import MDPropertyList

/// What reports say together: an audit log belongs to one machine, as a name does, and only grows.
extension MergedReport {
    /// A report with the head of its log.
    private struct Seen {
        let head: Checkpoint
        let time: Timestamp
        let file: String
        let machine: Int
    }

    /// Finds the logs that did not only grow, those that several machines have, and names of several machines.
    mutating func compareReports() {
        var logs: [Key: [Seen]] = [:]
        for index in machines.indices {
            compareLogs(of: index)
            for moment in moments[index] {
                guard let head = moment.head else { continue }
                // The id of the log; the origin also has the name of its first machine.
                let id = head.origin.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
                let own = Checkpoint(origin: id, size: head.size, root: head.root)
                logs[Key(id), default: []].append(
                    Seen(head: own, time: moment.time, file: moment.file, machine: index))
            }
        }
        for (_, reports) in logs.sorted(by: { $0.key < $1.key }) { compareMachines(reports) }
        compareNames()
    }

    /// Compares the reports of one machine with each other; each kind of contradiction is said of the newest two.
    private mutating func compareLogs(of machine: Int) {
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
    ///
    /// After another name of a machine the reports of the old one are all earlier, and the log has only grown.
    private mutating func compareMachines(_ reports: [Seen]) {
        guard let first = reports.first, reports.contains(where: { $0.machine != first.machine }) else { return }
        // The newest report of each machine.
        let newest = Dictionary(grouping: reports, by: \.machine).values.compactMap { own in
            own.max { ($0.head.size, $0.time) < ($1.head.size, $1.time) }
        }.sorted { ($0.time, $0.head.size, $0.machine) < ($1.time, $1.head.size, $1.machine) }
        for (earlier, later) in zip(newest, newest.dropFirst()) {
            if let kind = LogContradiction(earlier.head, later.head, isEmpty: false) {
                contradict(kind, earlier.file, later.file, [earlier.machine, later.machine])
                continue
            }
            let isNamedAgain = areApart([earlier.machine, later.machine])
            let remark = isNamedAgain ? ", as after another name of the machine" : ", and a log belongs to one machine"
            let finding = Finding(
                isNamedAgain ? .warning : .error, code: "same-log", file: later.file,
                message: "\(MergedReport.name(machines[later.machine])) has the audit log of "
                    + "\(MergedReport.name(machines[earlier.machine])) (\(earlier.file))\(remark)")
            add(finding, to: [earlier.machine, later.machine])
        }
    }

    /// Finds machines of one name with different ids.
    ///
    /// A machine that was installed again has another id, and its earlier reports end before.
    private mutating func compareNames() {
        for (host, own) in Dictionary(grouping: machines.indices, by: { machines[$0].host }).sorted(by: {
            $0.key < $1.key
        })
        where own.count > 1 {
            let files = own.map { machines[$0].file }
            let isInstalledAgain = areApart(own)
            let more = files.count > 5 ? " and \(files.count - 5) more" : ""
            let finding = Finding(
                isInstalledAgain ? .warning : .error, code: "same-name", file: files.last,
                message: "\(files.count) machines with different ids have the name \(host.string)"
                    + (isInstalledAgain ? ", as after an installation" : " at the same time")
                    + ": \(files.prefix(5).joined(separator: ", "))\(more)")
            add(finding, to: own)
        }
    }

    /// Whether the reports of each of some machines were all made before or after those of the others.
    private func areApart(_ own: [Int]) -> Bool {
        let spans = own.compactMap { machine in
            let times = moments[machine].map(\.time)
            return times.min().flatMap { first in times.max().map { (first, $0) } }
        }.sorted { $0.0 < $1.0 }
        return zip(spans, spans.dropFirst()).allSatisfy { $0.1 < $1.0 }
    }

    /// Adds what the reports of some machines say together; an error is one of each of them.
    private mutating func add(_ finding: Finding, to own: [Int]) {
        contradictions.append(finding)
        guard finding.severity == .error else { return }
        for machine in own { machines[machine].add(finding) }
    }

    private mutating func contradict(_ kind: LogContradiction, _ earlier: String, _ later: String, _ own: [Int]) {
        let names = own.map { MergedReport.name(machines[$0]) }.joined(separator: ", ")
        add(
            Finding(.error, code: kind.rawValue, file: later, message: "\(names): \(kind.words(earlier, later))"),
            to: own)
    }
}
