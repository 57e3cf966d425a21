import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPolicyModel
import MDPropertyList

/// Writes results as events of the Open Cybersecurity Schema Framework 1.8, one a line: a Compliance Finding for each
/// row, then the attempts as the audit log exports them.
///
/// Source: <https://schema.ocsf.io/1.8.0/classes/compliance_finding>
package struct OCSFDocument {
    private static let product = "ManagedDefaults"
    private let table: ResultTable

    /// The events: a piece for each user or machine, and one for each thousand of attempts.
    package static func pieces(_ table: ResultTable) -> DocumentPieces {
        let document = OCSFDocument(table: table)
        let exporter = RecordExporter(.ocsf, source: ExportSource(version: table.version, log: table.log))
        let attempts = table.attempts
        return DocumentPieces(
            table.parts.lazy.map { rows in rows.reduce(into: [UInt8]()) { $0 += document.event($1) } },
            stride(from: 0, to: attempts.count, by: 1_000).lazy.map { start in
                attempts[start..<min(start + 1_000, attempts.count)].reduce(into: []) { bytes, record in
                    bytes += exporter.line(record, stored: [UInt8]())
                }
            })
    }

    /// A number of the schema for a result, and the word for it.
    private static func status(_ state: RequirementState) -> (id: Int, word: String) {
        switch state {
        case .met: (1, "Pass")
        case .notMet: (3, "Fail")
        case .unknown: (0, "Unknown")
        case .waived: (99, "Waived")
        case .notApplicable: (99, "Not Applicable")
        }
    }

    private func event(_ row: ResultRow) -> [UInt8] {
        let (rule, subject) = (table.rules[row.rule], row.subject)
        let uid = RuleName.uuid(table.id, "ocsf", subject.machine, subject.path, rule.name)
        let milliseconds = Int(table.time.microseconds / 1_000)
        let isProblem = row.state == .notMet || row.state == .unknown
        var json = JSONWriter()
        json.beginObject()
        json.object("metadata") { json in
            json.field("version", "1.8.0")
            json.object("product") { json in
                json.field("name", OCSFDocument.product)
                json.field("vendor_name", OCSFDocument.product)
                json.field("version", table.version)
            }
            json.field("profiles", .array([.string("host")]))
            json.field("uid", uid)
            json.field("correlation_uid", table.id)
        }
        json.field("category_uid", 2)
        json.field("class_uid", 2_003)
        json.field("activity_id", 1)
        json.field("type_uid", 200_301)
        json.field("severity_id", isProblem ? rule.severity.rank + 1 : 1)
        // What is waived is suppressed; all else is new.
        json.field("status_id", row.state == .waived ? 3 : 1)
        json.field("time", milliseconds)
        json.field("message", "\(subject.name): \(rule.words): \(row.words)")
        if subject.kind != .fleet { device(subject, &json) }
        let status = OCSFDocument.status(row.state)
        json.object("compliance") { json in
            json.field("control", rule.controls.first ?? rule.words)
            if !rule.controls.isEmpty { json.field("standards", .array(rule.controls.map { .string($0) })) }
            json.field("requirements", .array([.string(rule.words)]))
            json.field("status_id", status.id)
            json.field("status", status.word)
            json.field("status_detail", row.words)
        }
        json.object("finding_info") { json in
            json.field("uid", uid)
            json.field("title", rule.heading)
            json.field("created_time", milliseconds)
            json.field("types", .array([.string(rule.isRequirement ? "Managed Setting" : "Machine")]))
        }
        json.list("resources", CollectionOfOne(rule)) { rule, json in
            json.field("name", rule.isRequirement ? rule.words : subject.host)
            json.field("type", rule.isRequirement ? "Managed Setting" : "Machine")
            json.field("uid", "\(subject.path)/\(rule.name)")
        }
        json.object("unmapped") { json in
            if subject.kind == .user {
                json.field("user", subject.user)
                json.field("user_uid", subject.uid.map { Int($0) })
            }
            json.field("room", subject.room)
            json.field("since", row.since?.rfc3339)
            for (name, value) in row.details where !value.isEmpty {
                json.field(name.rawValue.split(separator: " ").joined(separator: "_"), value)
            }
        }
        json.endObject()
        return json.utf8 + [0x0a]
    }

    /// Writes the machine.
    private func device(_ subject: ResultSubject, _ json: inout JSONWriter) {
        json.object("device") { json in
            json.field("hostname", subject.host)
            json.field("name", subject.host)
            json.field("uid", subject.machine.isEmpty ? subject.host : subject.machine)
            json.field("type_id", 0)
            json.field("is_managed", true)
            json.field("region", subject.room)
            // The address that says that there is none (RFC 4291, 2.5.2): models of the schema demand one.
            json.field("ip", "::")
        }
    }
}
