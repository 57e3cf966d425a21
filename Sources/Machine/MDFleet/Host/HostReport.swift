import MDEngine
import MDPlatform
import MDReport

/// The report of a host, as `report --format json` makes it.
struct HostReport {
    /// The least time between two, in microseconds.
    static let interval: Int64 = 3_600_000_000
    /// The members that differ in each report of the same content.
    private static let changing = ["\"id\"", "\"made\"", "\"digest\""].map { Array("  \($0):".utf8) }

    /// The document.
    let bytes: [UInt8]
    /// Its result.
    let verdict: String
    /// The digest of what it says, whenever it is made.
    let content: String

    /// Makes the report of a machine.
    init(of policy: PolicyInForce, now: Timestamp, version: String) {
        let report = ComplianceReport(
            of: policy, ReportRequest(time: policy.root.isSystem ? nil : now, version: version))
        bytes = JSONReport.render(report)
        verdict = report.verdict.rawValue
        var hash = SHA256()
        for line in bytes.split(separator: 0x0a) where !HostReport.changing.contains(where: { line.starts(with: $0) }) {
            hash.update(line)
        }
        content = hash.finish().hex
    }
}
