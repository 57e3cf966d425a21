import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList

/// A record as an event of the Open Cybersecurity Schema Framework, version 1.8.
///
/// Attempts, policy and grants are of the class Entity Management with the profile Security Control: somebody acts on a
/// managed setting, and policy decides. The start and stop of recording are of Application Lifecycle; damage and losses
/// of Application Error. Whatever has no attribute of its own is in `unmapped`.
struct OCSFEvent {
    /// The version of the schema.
    static let version = "1.8.0"

    /// A class of events with one of its activities.
    private struct Activity {
        /// The category.
        let category: Int
        /// The number of the class.
        let number: Int
        /// The number of the activity.
        let id: Int
        /// The severity: 1 informational, 2 low, 3 medium, 4 high.
        let severity: Int

        /// A change (3) or removal (4) of a managed entity.
        static func entity(_ id: Int, severity: Int) -> Activity {
            Activity(category: 3, number: 3_004, id: id, severity: severity)
        }

        /// A start (3) or stop (4) of an application.
        static func lifecycle(_ id: Int) -> Activity { Activity(category: 6, number: 6_002, id: id, severity: 1) }

        /// An error of an application.
        static func error(severity: Int) -> Activity {
            Activity(category: 6, number: 6_008, id: 1, severity: severity)
        }

        /// Chooses the class and activity of a record.
        init(_ record: AuditRecord) {
            switch record.kind {
            case .override: self = .entity(record.isRemoval ? 4 : 3, severity: 2)
            case .policy, .grant: self = .entity(3, severity: 1)
            case .start: self = .lifecycle(3)
            case .stop: self = .lifecycle(4)
            case .recover: self = .error(severity: 4)
            default: self = .error(severity: 3)
            }
        }

        /// Makes an activity.
        private init(category: Int, number: Int, id: Int, severity: Int) {
            (self.category, self.number, self.id, self.severity) = (category, number, id, severity)
        }
    }

    /// The document.
    private var writer = JSONWriter()

    /// The event as compact JSON.
    var json: [UInt8] { writer.utf8 }

    /// Makes the event of a record.
    init(_ record: AuditRecord, _ source: ExportSource) {
        let activity = Activity(record)
        let isEntity = activity.category == 3
        writer.beginObject()
        addMetadata(record, source, profiles: isEntity ? ["host", "security_control"] : ["host"])
        writer.field("category_uid", activity.category)
        writer.field("class_uid", activity.number)
        writer.field("activity_id", activity.id)
        writer.field("type_uid", activity.number * 100 + activity.id)
        writer.field("severity_id", activity.severity)
        writer.field("time", Int((record.time?.microseconds ?? 0) / 1_000))
        writer.field("start_time", record.first.map { Int($0.microseconds / 1_000) })
        writer.field("end_time", record.last.map { Int($0.microseconds / 1_000) })
        writer.field("count", record.count)
        writer.field("message", record.sentence)
        addActor(record)
        if let host = record.host {
            writer.member("device")
            writer.beginObject()
            writer.field("hostname", host)
            writer.field("type_id", 0)
            writer.endObject()
        }
        if isEntity {
            addEntity(record)
            addDecision(record)
        } else if activity.number == 6_002 {
            addProduct("app", source)
        }
        addRest(record)
        writer.endObject()
    }

    /// Adds what is known of the event itself.
    private mutating func addMetadata(_ record: AuditRecord, _ source: ExportSource, profiles: [String]) {
        writer.member("metadata")
        writer.beginObject()
        writer.field("version", OCSFEvent.version)
        addProduct("product", source)
        writer.member("profiles")
        writer.beginArray()
        for profile in profiles { writer.string(profile) }
        writer.endArray()
        writer.field("uid", source.identifier(of: record))
        writer.field("sequence", record.seq > 0 ? record.seq : nil)
        writer.field("log_name", source.log)
        writer.field("event_code", record.kind.rawValue)
        writer.endObject()
    }

    /// Adds this program as a product.
    private mutating func addProduct(_ name: String, _ source: ExportSource) {
        writer.member(name)
        writer.beginObject()
        writer.field("name", ExportSource.product)
        writer.field("vendor_name", ExportSource.product)
        writer.field("version", source.version)
        writer.endObject()
    }

    /// Adds the user, process and session.
    private mutating func addActor(_ record: AuditRecord) {
        let hasUser = record.uid != nil || record.user != nil
        guard hasUser || record.pid != nil || record.session != nil else { return }
        writer.member("actor")
        writer.beginObject()
        if hasUser {
            writer.member("user")
            writer.beginObject()
            writer.field("name", record.user)
            writer.field("uid", record.uid.map { "\($0)" })
            writer.endObject()
        }
        if let pid = record.pid {
            writer.member("process")
            writer.beginObject()
            writer.field("pid", Int(pid))
            if let exe = record.exe {
                writer.member("file")
                writer.beginObject()
                writer.field("name", exe.split(separator: "/").last.map(String.init) ?? exe)
                writer.field("path", exe)
                writer.field("type_id", 1)
                writer.endObject()
            }
            writer.endObject()
        }
        if let session = record.session {
            writer.member("session")
            writer.beginObject()
            writer.field("uid", "\(session)")
            writer.endObject()
        }
        writer.endObject()
    }

    /// Adds the setting, or the policy file, that the event is about.
    private mutating func addEntity(_ record: AuditRecord) {
        writer.member("entity")
        writer.beginObject()
        let names = [record.domain?.string, record.key?.string].compactMap(\.self)
        if names.isEmpty {
            writer.field("name", record.policy?.id ?? record.policy?.file ?? record.kind.rawValue)
            writer.field("type", "Policy")
            writer.field("type_id", 5)
            if record.policy != nil { addPolicy(record) }
        } else {
            writer.field("name", names.joined(separator: " "))
            writer.field("type", "Managed Setting")
            writer.field("type_id", 99)
            writer.member("data")
            writer.beginObject()
            writer.field("domain", record.domain?.string)
            writer.field("key", record.key?.string)
            writer.endObject()
        }
        writer.endObject()
    }

    /// Adds the policy of the record.
    private mutating func addPolicy(_ record: AuditRecord) {
        guard let policy = record.policy else { return }
        writer.member("policy")
        writer.beginObject()
        writer.field("name", policy.id ?? policy.file ?? "unknown")
        writer.field("uid", policy.file)
        writer.endObject()
    }

    /// Adds what policy decided.
    private mutating func addDecision(_ record: AuditRecord) {
        if record.kind == .override { addPolicy(record) }
        guard let outcome = record.outcome else { return }
        // Action: 2 denied, 3 observed, 4 modified. Disposition: 2 blocked, 11 corrected, 15 detected.
        let (action, disposition, status): (Int, Int, Int) =
            switch outcome {
            case .refused: (2, 2, 2)
            case .clamped: (4, 11, 1)
            case .shadowed, .hidden: (3, 15, 99)
            default: (0, 0, 0)
            }
        writer.field("action_id", action)
        writer.field("disposition_id", disposition)
        writer.field("status_id", status)
        // The caption of "other" is that of the source.
        if status == 99 { writer.field("status", outcome.rawValue) }
        writer.field("status_detail", outcome.rawValue)
    }

    /// Adds the fields for which the schema has no attribute.
    private mutating func addRest(_ record: AuditRecord) {
        writer.member("unmapped")
        writer.beginObject()
        writer.field("src", record.src?.rawValue)
        writer.field("via", record.via?.rawValue)
        writer.field("boot", record.boot)
        writer.field("mono", record.mono)
        writer.field("auid", record.auid.map(Int.init))
        writer.field("start", record.start.map(Int.init(clamping:)))
        writer.field("unit", record.unit)
        writer.field("forced", AuditRecord.text(record.forced))
        writer.field("tried", AuditRecord.text(record.tried))
        writer.field("policy_line", record.policy?.line)
        writer.field("policy_sha256", record.policy?.sha256?.hex)
        writer.field("note", record.note)
        writer.endObject()
    }
}

extension AuditRecord {
    /// Whether the attempt was to remove a value.
    var isRemoval: Bool { via == .remove || (tried == nil && via != nil) }
}
