import MDCare
import MDPlatform
import MDPropertyList
import MDTools

/// What somebody should look at, the gravest first.
extension MergedReport {
    /// The findings: reports that could not be used, machines that have not reported, logs that do not verify, policies
    /// that differ, machines with one name.
    package var findings: [Finding] {
        var findings = refused.map { item in
            Finding(
                .error, code: "report-not-used", file: item.file, message: MergedReport.words(of: item.fault))
        }
        if refusedCount > refused.count {
            findings.append(
                Finding(
                    .error, code: "report-not-used",
                    message: "\(refusedCount - refused.count) more reports cannot be used"))
        }
        for host in missing {
            findings.append(
                Finding(
                    .error, code: "no-report",
                    message: "\(host.host.string)\(host.room.map { " (\($0))" } ?? ""): there is no report of it"))
        }
        for machine in silent {
            findings.append(
                Finding(
                    .error, code: "old-report", file: machine.file,
                    message: "\(MergedReport.name(machine)): its newest report is of "
                        + "\(ReportTime.words(machine.report.generated))"))
        }
        for machine in reporting where machine.report.isLogVerified == false {
            findings.append(
                Finding(
                    .error, code: "log-not-verified", file: machine.file,
                    message:
                        "\(MergedReport.name(machine)): the audit log does not verify (\(machine.report.logStatus))"))
        }
        for machine in otherPolicy {
            let own =
                machine.report.policyDigest.isEmpty ? "is not known" : "is \(machine.report.policyDigest.prefix(12))"
            findings.append(
                Finding(
                    .warning, code: "other-policy", file: machine.file,
                    message: "\(MergedReport.name(machine)): its policy \(own), that of most machines of its room "
                        + "\(machine.usualPolicy?.prefix(12) ?? "")"))
        }
        for machine in machines where !machine.isExpected {
            findings.append(
                Finding(
                    .note, code: "not-expected", file: machine.file,
                    message: "\(MergedReport.name(machine)) reports, and was not expected"))
        }
        for machine in machines {
            if let other = machine.otherRoom {
                findings.append(
                    Finding(
                        .warning, code: "other-room", file: machine.file,
                        message: "\(machine.report.host) says that it is of \(other), and the list of machines says of "
                            + "\(machine.room), which counts"))
            }
            if let name = machine.otherName {
                findings.append(
                    Finding(
                        .note, code: "other-log", file: machine.file,
                        message: "\(MergedReport.name(machine)): its audit log begins on a machine of the name \(name)")
                )
            }
        }
        findings += contradictions + givenClocks + twins
        if furtherRules > 0 {
            findings.append(
                Finding(
                    .warning, code: "too-many-rules",
                    message:
                        "\(furtherRules) reports have more rules than can be counted; the further ones are left out"))
        }
        return findings.filter { $0.severity == .error } + findings.filter { $0.severity == .warning }
            + findings.filter { $0.severity == .note }
    }

    /// Reports that were made by another clock than that of their machine.
    private var givenClocks: [Finding] {
        let own = reporting.filter(\.report.isClockGiven)
        guard !own.isEmpty else { return [] }
        let names = own.prefix(5).map(\.report.host).joined(separator: ", ")
        let more = own.count > 5 ? " and \(own.count - 5) more" : ""
        return [
            Finding(
                .note, code: "clock-given", message: "\(names)\(more): the clock of the report was given, for a folder")
        ]
    }

    /// Machines that share an id, as copies of one disk do.
    private var twins: [Finding] {
        var ids: [Key: [String]] = [:]
        for machine in machines where !machine.report.machine.isEmpty {
            ids[Key(machine.report.machine), default: []].append(machine.report.host)
        }
        return ids.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { item in
            let more = item.value.count > 5 ? " and \(item.value.count - 5) more" : ""
            let names = item.value.prefix(5).joined(separator: ", ")
            return Finding(
                .warning, code: "same-id", message: "\(names)\(more) have one machine id, as copies of a disk do")
        }
    }

    /// The name of a machine with its room.
    static func name(_ machine: MachineState) -> String {
        machine.room.isEmpty ? machine.report.host : "\(machine.report.host) (\(machine.room))"
    }

    /// What is wrong with a file, with the place.
    private static func words(of fault: ReportFault) -> String {
        let place = fault.line > 0 ? " (line \(fault.line), column \(fault.column))" : ""
        return "this report cannot be used, and the rest is: \(fault.message)\(place)"
    }

    /// Whether every machine is compliant and has reported, and every report could be used.
    package var isCompliant: Bool { isGood && count(.compliant) == count && count > 0 }

    /// Whether every report could be used, every log verifies, and none contradicts another report.
    package var isGood: Bool {
        refusedCount == 0 && !reporting.contains { $0.report.isLogVerified == false }
            && !contradictions.contains { $0.severity == .error }
    }

    /// Whether every machine has reported, every report could be used, and each has looked at everything without an error.
    package var isWhole: Bool {
        refusedCount == 0 && silent.isEmpty && missing.isEmpty && furtherRules == 0
            && reporting.allSatisfy {
                $0.report.isComplete && $0.report.errorCount == 0 && $0.report.isLogVerified == true
                    && ![.notCompliant, .nothing].contains($0.report.verdict)
            }
    }

    /// The result in words.
    var result: (words: String, sentence: String) {
        if count == 0 { return ("NOTHING TO SAY", "There is no report that can be used.") }
        if isCompliant { return ("COMPLIANT", "All \(Plural.count(count, "machine")) are compliant.") }
        return ("NOT COMPLIANT", "\(RequirementCounts.words(count(.compliant), of: count)) machines are compliant.")
    }

    /// A sentence for each thing that is missing.
    package var limits: [String] {
        var limits: [String] = []
        if refusedCount > 0 {
            limits.append("\(Plural.count(refusedCount, "report")) could not be used.")
        }
        let quiet = silent.count + missing.count
        if quiet > 0 {
            limits.append("\(Plural.count(quiet, "machine")) \(quiet == 1 ? "has" : "have") not reported.")
        }
        if request.expected == nil { limits.append("Which machines should report was not said (--expected).") }
        let partial = reporting.count { !$0.report.isComplete }
        if partial > 0 {
            limits.append(
                "\(Plural.count(partial, "report")) could not look at everything; each says at what under limits.")
        }
        return limits
    }

    /// What no merged report can say.
    package static let limitsOfMethod =
        "Each machine speaks for itself: who is root there can make it say anything. The digest of a report shows damage,"
        + " a signature who made it; signed checkpoints of logs that are kept elsewhere show that a log only grew. What a"
        + " machine's own report cannot say, this one cannot either."
}
