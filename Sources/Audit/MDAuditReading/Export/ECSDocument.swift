import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList

/// A record as a document of the Elastic Common Schema, version 8.
///
/// What the schema has no field for is in the object `managed_defaults`. There values are texts of JSON, because a field
/// of an index has one type.
struct ECSDocument {
    /// The version of the schema.
    static let version = "8.17.0"

    /// The document.
    private var writer = JSONWriter()

    /// The document as compact JSON.
    var json: [UInt8] { writer.utf8 }

    /// Makes the document of a record.
    init(_ record: AuditRecord, _ source: ExportSource) {
        writer.beginObject()
        writer.field("@timestamp", record.time?.rfc3339)
        object("ecs") { $0.field("version", ECSDocument.version) }
        writer.field("message", record.sentence)
        addEvent(record, source)
        object("observer") { writer in
            writer.field("product", ExportSource.product)
            writer.field("vendor", ExportSource.product)
            writer.field("version", source.version)
        }
        if let host = record.host {
            object("host") { writer in
                writer.field("name", host)
                writer.field("hostname", host)
                guard let boot = record.boot else { return }
                writer.member("boot")
                writer.beginObject()
                writer.field("id", boot)
                writer.endObject()
            }
        }
        if record.uid != nil || record.user != nil {
            object("user") { writer in
                writer.field("id", record.uid.map { "\($0)" })
                writer.field("name", record.user)
            }
        }
        if record.pid != nil || record.exe != nil {
            object("process") { writer in
                writer.field("pid", record.pid.map(Int.init))
                writer.field("executable", record.exe)
            }
        }
        if let policy = record.policy {
            object("rule") { writer in
                writer.field("id", policy.id)
                writer.field("ruleset", policy.file)
                writer.field("version", policy.sha256?.hex)
            }
        }
        addRest(record)
        writer.endObject()
    }

    /// Writes a member that is an object.
    private mutating func object(_ name: String, _ body: (inout JSONWriter) -> Void) {
        writer.member(name)
        writer.beginObject()
        body(&writer)
        writer.endObject()
    }

    /// Adds the fields that sort events.
    private mutating func addEvent(_ record: AuditRecord, _ source: ExportSource) {
        object("event") { writer in
            writer.field("kind", "event")
            for (name, word) in [("category", "configuration"), ("type", ECSDocument.type(of: record))] {
                writer.member(name)
                writer.beginArray()
                writer.string(word)
                writer.endArray()
            }
            writer.field("action", record.via.map { "\(record.kind)-\($0)" } ?? record.kind.rawValue)
            writer.field("outcome", ECSDocument.outcome(of: record))
            writer.field("module", "managed_defaults")
            writer.field("dataset", "managed_defaults.audit")
            writer.field("id", source.identifier(of: record))
            writer.field("sequence", record.seq > 0 ? record.seq : nil)
            writer.field("start", record.first?.rfc3339)
            writer.field("end", record.last?.rfc3339)
            writer.field("reason", record.note)
        }
    }

    /// The type of the event, of those that belong to the category `configuration`.
    private static func type(of record: AuditRecord) -> String {
        switch record.kind {
        case .override: record.isRemoval ? "deletion" : "change"
        case .policy, .grant: "change"
        default: "info"
        }
    }

    /// Whether the actor got what was tried.
    private static func outcome(of record: AuditRecord) -> String {
        switch (record.kind, record.outcome) {
        case (.override, .clamped?): "success"
        case (.override, _), (.damaged, _), (.drop, _), (.gap, _): "failure"
        default: "success"
        }
    }

    /// Adds the fields for which the schema has none.
    private mutating func addRest(_ record: AuditRecord) {
        object("managed_defaults") { writer in
            writer.field("src", record.src?.rawValue)
            writer.field("via", record.via?.rawValue)
            writer.field("domain", record.domain?.string)
            writer.field("key", record.key?.string)
            writer.field("forced", AuditRecord.text(record.forced))
            writer.field("tried", AuditRecord.text(record.tried))
            writer.field("outcome", record.outcome?.rawValue)
            writer.field("count", record.count)
            writer.field("mono", record.mono)
            writer.field("auid", record.auid.map { "\($0)" })
            writer.field("session", record.session.map { "\($0)" })
            writer.field("start", record.start.map(Int.init(clamping:)))
            writer.field("unit", record.unit)
            writer.field("policy_line", record.policy?.line)
        }
    }
}
