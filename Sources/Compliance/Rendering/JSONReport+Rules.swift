import Engine
import Platform
import Policy
import PropertyList

extension JSONReport {
    /// Writes the stored values that constraints do not allow, and the waivers.
    static func rules(of report: ComplianceReport, _ json: inout JSONWriter) {
        json.member("outside")
        json.beginArray()
        for user in report.users {
            for value in user.outside { outside(value, of: user, report, &json) }
        }
        json.endArray()
        json.member("waivers")
        json.beginArray()
        for user in report.users {
            for waiver in user.waivers { self.waiver(waiver, of: user, report, &json) }
        }
        json.endArray()
    }

    /// Writes a stored value that a constraint does not allow.
    private static func outside(
        _ value: OutsideValue, of user: UserCompliance, _ report: ComplianceReport, _ json: inout JSONWriter
    ) {
        json.beginObject()
        subject(value.domain, value.constraint.entry.key, of: user, report, &json)
        if value.isSensitive {
            json.field("sensitive", true)
        } else {
            json.field("value", value.value)
            json.field("clamped", value.kept)
            json.field("allowed", value.constraint.words)
        }
        json.field("file", report.root.display(value.file))
        json.field("thisHost", value.isThisHost)
        json.member("origin")
        origin(value.constraint.entry.origin, report.root, &json)
        metadata(value.constraint.metadata, &json)
        json.endObject()
    }

    /// Writes a waiver of a user.
    private static func waiver(
        _ waiver: ResolvedWaiver, of user: UserCompliance, _ report: ComplianceReport, _ json: inout JSONWriter
    ) {
        let own = waiver.waiver
        json.beginObject()
        subject(own.domain, own.key, of: user, report, &json)
        json.field("state", waiver.state.rawValue)
        json.field("until", own.until?.rfc3339)
        json.field("reason", own.reason.isEmpty ? nil : own.reason)
        json.field("approvedBy", own.approvedBy.isEmpty ? nil : own.approvedBy)
        json.member("origin")
        origin(own.origin, report.root, &json)
        origins("lifted", waiver.lifted, report.root, &json)
        if let obstacle = waiver.obstacle {
            json.member("heldBy")
            origin(obstacle.origin, report.root, &json)
        }
        json.endObject()
    }

    /// Writes whom and what an element is about: host, user, domain and key.
    static func subject(
        _ domain: Key, _ key: Key, of user: UserCompliance, _ report: ComplianceReport, _ json: inout JSONWriter
    ) {
        json.field("host", report.host.full)
        json.field("user", user.account.name)
        json.field("uid", Int(user.account.uid))
        json.field("domain", domain.string)
        json.field("key", key.string)
    }

    /// Writes the member `value`; of one that is shown to nobody, only that there is one.
    static func value(_ value: Value?, isSensitive: Bool, _ json: inout JSONWriter) {
        if isSensitive, value != nil { json.field("sensitive", true) } else { json.field("value", value) }
    }

    /// Writes what people are told about a key, as far as somebody tells anything.
    static func metadata(_ metadata: KeyMetadata, _ json: inout JSONWriter) {
        if !metadata.title.isEmpty { json.field("title", metadata.title) }
        if !metadata.description.isEmpty { json.field("description", metadata.description) }
        if !metadata.controls.isEmpty { json.field("controls", .array(metadata.controls.map { .string($0) })) }
    }

    /// Writes a member with some origins.
    static func origins(_ name: String, _ origins: [Origin], _ root: Root, _ json: inout JSONWriter) {
        json.member(name)
        json.beginArray()
        for item in origins { origin(item, root, &json) }
        json.endArray()
    }
}
