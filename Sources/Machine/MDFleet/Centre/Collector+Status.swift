import MDAuditLog
import MDEngine
import MDPlatform
import MDPropertyList
import MDReport
import MDTools

/// Statuses and reports, which hosts claim.
extension Collector {
    /// How much later than a record a status must have been made that should know it, in microseconds.
    private static let lateness: Int64 = 60_000_000

    /// Stores a status, and compares what it says of machine and log with what is known.
    mutating func take(status bytes: [UInt8], _ name: SpoolName, _ work: inout HostRound) {
        let status: HostStatus
        do throws(FleetFault) {
            status = try HostStatus(bytes)
            guard status.host == work.host else { throw FleetFault("it is of another host") }
        } catch {
            return malformed(name, "cannot be read: \(error)", bytes, &work)
        }
        let machine = FleetMachine(status.machine)
        let known = work.head.machine.flatMap { FleetMachine($0) }
        let differs = if let machine, let known { machine.differs(from: known) } else { false }
        if status.copyOf != nil || differs {
            noteStranger(status, &work)
            // What a copy says is not what its original says, which may be silent.
            if status.copyOf != nil { return }
        } else {
            if let machine { note(known.map { machine.completed(by: $0) } ?? machine, &work) }
            work.head.stranger = nil
        }
        work.head.seen = now
        noteBehind(status, &work)
        do throws(SystemError) {
            try work.folder.replace(CentreFolder.status(work.host), with: bytes)
        } catch {
            result.problems.append("the status of \(work.host) was not stored: \(error)")
        }
    }

    /// Raises an alarm for another machine that speaks as this host, once for each.
    private func noteStranger(_ status: HostStatus, _ work: inout HostRound) {
        guard work.head.stranger != status.machine else { return }
        work.head.stranger = status.machine
        let sentence =
            status.copyOf.map { original in
                "A copy of \(original) speaks as \(work.host): it has that machine's disk and is not the machine that was "
                    + "enrolled."
            } ?? "Another machine than before speaks as \(work.host)."
        warn(.copied, sentence, &work)
    }

    /// Notes the machine of a host, and names another host that is the same, once.
    private mutating func note(_ machine: FleetMachine, _ work: inout HostRound) {
        guard work.head.machine != machine.text else { return }
        work.head.machine = machine.text
        do throws(SystemError) {
            if known == nil { known = try KnownHosts(root) }
        } catch {
            result.problems.append("the machine of \(work.host) was not compared with others: \(error)")
        }
        let twin = known?.twin(of: work.host, machine)
        known?.add(machine, of: work.host)
        guard let twin, work.head.twin != twin.name else { return }
        work.head.twin = twin.name
        warn(
            .copied,
            "\(work.host) and \(twin) are one machine by what they say, and each has a log of its own: one is a copy of the "
                + "other, or its new name.", &work)
    }

    /// Raises an alarm if a host says twice that it has fewer records of its log than were acknowledged to it.
    ///
    /// One such status may have been late, and so are all that were made before the newest record here was.
    private func noteBehind(_ status: HostStatus, _ work: inout HostRound) {
        let latest = (work.head.written?.microseconds ?? 0) + Collector.lateness
        guard status.log == work.head.log, status.size < work.head.size, latest < status.time.microseconds else {
            (work.head.behind, work.head.isBehindSaid) = (nil, false)
            return
        }
        defer { work.head.behind = max(work.head.behind ?? status.time, status.time) }
        guard let before = work.head.behind, before < status.time, !work.head.isBehindSaid else { return }
        work.head.isBehindSaid = true
        warn(
            .rolledBack,
            "\(work.host) says that its log has \(Plural.count(status.size, "record")), and had sent \(work.head.size): "
                + "it was set back to an earlier state.", &work)
    }

    /// Stores a report that can be read and names this host, and what policy asks about the host beside it.
    mutating func take(report bytes: [UInt8], _ name: SpoolName, _ work: inout HostRound) throws(SystemError) {
        work.head.seen = now
        let content: [UInt8]
        do throws(Gunzip.Fault) {
            content = try Gunzip.unpack(bytes, limit: name.kind.unpackedLimit)
        } catch {
            return malformed(name, "cannot be read: \(error)", [], &work)
        }
        let report: MachineReport
        do throws(ReportFault) {
            report = try MachineReport(reading: content)
        } catch {
            return malformed(name, "cannot be read: \(error.message)", [], &work)
        }
        let facts: HostFacts?
        do {
            facts = try MachineReport.facts(in: content, limit: CollectorLimits.mostFactsBytes).map { bytes in
                try HostFacts(reading: bytes)
            }
        } catch {
            let words = (error as? HostFactsError).map { "\($0.position): \($0.message)" }
            return malformed(
                name, "has facts that cannot be read: \(words ?? (error as? ReportFault)?.message ?? "")", [], &work)
        }
        // A machine's own name may be longer than the one that it has in its fleet.
        func short(_ text: String) -> String { text.lowercased().prefix { $0 != "." }.description }
        for named in [report.host, facts?.host.full ?? report.host]
        where !short(named).utf8.elementsEqual(short(work.host.name).utf8) {
            return malformed(name, "is of a machine that calls itself \(Printable.escape(named))", [], &work)
        }
        try work.folder.replace(CentreFolder.report(work.host), with: content)
        let path = CentreFolder.facts(work.host)
        if let facts {
            // Written again, so that nothing else comes with it.
            try work.folder.replace(path, with: facts.json.utf8)
        } else if root.mayExist(path) {
            try root.remove(path)
        }
    }
}
