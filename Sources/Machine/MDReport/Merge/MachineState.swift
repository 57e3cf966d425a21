import MDAuditLog
import MDPlatform
package import MDPropertyList

/// A machine in a merged report.
package struct MachineState: Sendable {
    /// Its newest report, without its rules, and with the errors that only a comparison with others shows.
    package private(set) var report: MachineReport
    /// The file of that report.
    package let file: String
    /// What it says of rules.
    let rules: [MergedReport.RuleState]
    package let host: Key
    /// The room; empty for none.
    package internal(set) var room: String
    /// The room that the report names, if the list of expected machines has another one.
    package internal(set) var otherRoom: String?
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

    /// Adds an error that the machine itself does not say.
    mutating func add(_ finding: Finding) {
        report.verdict = .notCompliant
        report.errorCount += 1
        report.errors.insert(MachineReport.Problem(code: finding.code, message: finding.message), at: 0)
    }

    /// The name of the machine on which its audit log began, if that is not its own.
    package var otherName: String? {
        let parts = report.head?.origin.utf8.split(separator: UInt8(ascii: "/")) ?? []
        guard parts.count == 3, let name = HostName(String(Substring(parts[1]))), let own = HostName(report.host) else {
            return nil
        }
        return Key(name.short.lowercased()) == Key(own.short.lowercased()) ? nil : name.full
    }

    /// The share of requirements that are met or waived, in tenths of a percent; `nil` if nothing is required.
    package var tenths: Int? { report.counts.tenthsWithWaivers }
}

extension MachineReport {
    /// Whether it was made before another one; of two of one moment the one whose id is smaller.
    func isEarlier(than other: MachineReport) -> Bool {
        generated == other.generated ? Key(id) < Key(other.id) : generated < other.generated
    }
}
