import MDEngine
import MDPlatform
import MDPropertyList
import MDReport

/// The report of a host, as `report --format json` makes it, with what policy asks about the host.
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
        let facts = HostFacts(of: policy, users: policy.people, fleet: SnapshotState.names(policy.root))
        // Groups that the directory did not tell would be wrong at the centre.
        bytes = JSONReport.render(report, facts: policy.missingFacts == nil ? facts.json.utf8 : nil)
        verdict = report.verdict.rawValue
        var hash = SHA256()
        for line in bytes.split(separator: 0x0a) where !HostReport.changing.contains(where: { line.starts(with: $0) }) {
            hash.update(line)
        }
        content = hash.finish().hex
    }
}
