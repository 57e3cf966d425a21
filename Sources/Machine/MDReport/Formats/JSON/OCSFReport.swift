import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// Writes a report as events of the Open Cybersecurity Schema Framework 1.8, one a line: a Compliance Finding for each
/// key of each user, then the attempts as the audit log exports them.
package enum OCSFReport {
    /// The events: a piece for each user, and one for each thousand of attempts.
    package static func pieces(_ report: ComplianceReport) -> DocumentPieces {
        let exporter = RecordExporter(
            .ocsf, source: ExportSource(version: report.version, log: report.evidence.head?.origin))
        let attempts = report.attempts
        return DocumentPieces(
            report.users.lazy.map { events(of: $0, report) },
            stride(from: 0, to: attempts.count, by: 1_000).lazy.map { start in
                attempts[start..<min(start + 1_000, attempts.count)].reduce(into: []) { bytes, record in
                    bytes += exporter.line(record, stored: [UInt8]())
                }
            })
    }

    private static func events(of user: UserCompliance, _ report: ComplianceReport) -> [UInt8] {
        var bytes: [UInt8] = []
        for key in user.keys { bytes += event(of: key, user, report) }
        for waiver in user.waivers where waiver.state == .inForce { bytes += event(of: waiver, user, report) }
        return bytes
    }

    /// What is said of one key.
    private struct Judgement {
        /// 1 pass, 2 warning, 3 fail; 0 unknown.
        let status: Int
        let words: String
        /// 1 new, 3 suppressed.
        var finding = 1
        /// 1 informational, 2 low, 3 medium.
        let severity: Int
    }

    private static func event(
        of key: KeyCompliance, _ user: UserCompliance, _ report: ComplianceReport
    ) -> [UInt8] {
        let judgement: Judgement =
            switch key.state {
            case .met: Judgement(status: 1, words: key.sentence, severity: 1)
            case .notMet: Judgement(status: 3, words: key.sentence, severity: 3)
            case .unknown, .waived, .notApplicable: Judgement(status: 0, words: key.sentence, severity: 2)
            }
        let entry = key.entry
        return event(
            entry.domain, entry.key, entry.metadata, user, report, judgement,
            policy: (entry.origin.policy, report.root.display(entry.origin.file)))
    }

    private static func event(
        of waiver: ResolvedWaiver, _ user: UserCompliance, _ report: ComplianceReport
    ) -> [UInt8] {
        let own = waiver.waiver
        let end = own.until.map { " until \($0.rfc3339)" } ?? " without end"
        return event(
            own.domain, own.key, KeyMetadata(), user, report,
            Judgement(status: 2, words: "waived\(end): \(own.reason)", finding: 3, severity: 1),
            policy: (own.origin.policy, report.root.display(own.origin.file)))
    }

    private static func event(
        _ domain: Key, _ key: Key, _ metadata: KeyMetadata, _ user: UserCompliance, _ report: ComplianceReport,
        _ judgement: Judgement, policy: (id: String, file: String)
    ) -> [UInt8] {
        let name = "\(domain.string) \(key.string.isEmpty ? "(any other key)" : key.string)"
        let finding = OCSFFinding(
            uid: RuleName.uuid(report.evidence.id, "ocsf", user.account.name, domain.string, key.string),
            report: report.evidence.id, version: report.version, time: report.generated, severity: judgement.severity,
            state: judgement.finding, message: "\(user.account.name): \(name): \(judgement.words)", name: name,
            controls: metadata.controls, requirement: "forced by \(policy.id)", status: judgement.status,
            words: judgement.words, title: metadata.title.isEmpty ? name : metadata.title,
            resource: (
                name, "Managed Setting",
                "\(report.host.full)/\(user.account.name)/\(domain.string)/\(key.string)"
            ))
        return finding.line { json in
            json.field("host", report.host.full)
            json.field("machine", report.machine.id)
            json.field("user", user.account.name)
            json.field("user_uid", Int(user.account.uid))
            json.field("policy_file", policy.file)
            json.field("policy_digest", report.policyDigest?.hex)
            json.field("room", report.machine.room)
        }
    }
}
