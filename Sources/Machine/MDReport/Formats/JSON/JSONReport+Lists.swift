import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

extension JSONReport {
    /// Writes requirements by what is known of them; all but the last number of these are what is required.
    static func counts(_ counts: RequirementCounts, _ json: inout JSONWriter) {
        json.field("required", counts.required)
        json.field("met", counts.met)
        json.field("notMet", counts.notMet)
        json.field("unknown", counts.unknown)
        json.field("waived", counts.waived)
        json.field("notApplicable", counts.notApplicable)
    }

    /// Writes rules or controls with their numbers.
    static func rules(
        _ name: String, _ rules: [RuleSummary], _ severities: [Key: [Key: RuleSeverity]],
        _ json: inout JSONWriter
    ) {
        json.member(name)
        json.beginArray()
        for rule in rules {
            json.beginObject()
            if name == "rules" {
                json.field("domain", rule.domain.string)
                json.field("key", rule.key.string)
                if !rule.title.isEmpty { json.field("title", rule.title) }
                if !rule.controls.isEmpty { json.field("controls", .array(rule.controls.map { .string($0) })) }
                json.field("severity", severities[rule.domain]?[rule.key]?.rawValue)
            } else {
                json.field("control", rule.key.string)
                json.field("keys", rule.keys)
            }
            counts(rule.requirements, &json)
            json.field("hidden", rule.hidden)
            json.endObject()
        }
        json.endArray()
    }

    /// Writes the numbers of attempts, by user, key, program, way, outcome, day and hour.
    static func attemptsBy(_ report: ComplianceReport, _ json: inout JSONWriter) {
        json.member("attemptsBy")
        json.beginObject()
        report.tally.write(to: &json)
        if let before = report.before {
            json.member("before")
            json.beginObject()
            json.field("since", before.since.rfc3339)
            json.field("attempts", before.attempts)
            json.endObject()
        }
        json.endObject()
    }

    /// Writes what differs from an earlier report.
    static func baseline(_ report: ComplianceReport, _ json: inout JSONWriter) {
        guard let baseline = report.baseline else { return }
        json.member("baseline")
        json.beginObject()
        json.field("id", baseline.id)
        json.field("host", baseline.host)
        json.field("made", baseline.generated.rfc3339)
        json.field("sha256", baseline.digest.hex)
        json.field("policyDigest", baseline.policyDigest.isEmpty ? nil : baseline.policyDigest)
        json.field("attempts", baseline.attempts)
        json.member("differences")
        json.beginArray()
        for item in baseline.differences {
            json.beginObject()
            json.field("kind", item.kind.rawValue)
            json.field("user", item.user.string)
            json.field("domain", item.domain.string)
            json.field("key", item.key.string)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    /// Writes the generations of policy of the period, if there are any.
    private static func generations(_ report: ComplianceReport, _ json: inout JSONWriter) {
        if report.generations.isEmpty { return }
        json.member("generations")
        json.beginArray()
        for generation in report.generations {
            json.beginObject()
            json.field("generation", generation.number)
            json.field("time", generation.time.rfc3339)
            json.field("user", generation.who)
            json.field("reason", generation.reason)
            json.member("changes")
            json.beginArray()
            for change in generation.changes { json.string(change) }
            json.endArray()
            json.endObject()
        }
        json.endArray()
    }

    /// Writes the generations of policy, and what changed in the period, each with why.
    static func changes(_ report: ComplianceReport, _ json: inout JSONWriter) {
        generations(report, &json)
        json.member("changes")
        json.beginArray()
        for change in report.history.changes { self.change(change.record, change.kind, report, &json) }
        json.endArray()
        if report.history.claims.isEmpty { return }
        json.member("claims")
        json.beginArray()
        for record in report.history.claims { change(record, nil, report, &json) }
        json.endArray()
    }

    /// Writes a change and why, or a claim.
    private static func change(
        _ record: AuditRecord, _ kind: PolicyHistory.Kind?, _ report: ComplianceReport, _ json: inout JSONWriter
    ) {
        json.beginObject()
        json.field("kind", kind?.rawValue)
        json.field("seq", record.seq)
        json.field("time", record.time?.rfc3339)
        json.field("user", record.user ?? record.uid.map { "uid \($0)" })
        json.field("file", record.policy?.file.map { report.root.display($0) })
        json.field("sha256", record.policy?.sha256?.hex)
        json.field("note", record.note)
        json.endObject()
    }
}

extension JSONReport {
    /// Writes the stored values that violate constraints, and the waivers.
    static func exceptions(of report: ComplianceReport, _ json: inout JSONWriter) {
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

    /// Writes a stored value that violates a constraint.
    private static func outside(
        _ value: OutsideValue, of user: UserCompliance, _ report: ComplianceReport, _ json: inout JSONWriter
    ) {
        json.beginObject()
        subject(value.domain, value.constraint.entry.key, of: user, report, &json)
        if value.isSensitive {
            json.field("sensitive", true)
        } else {
            json.field("value", value.value)
            json.field("clamped", value.effective)
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

    /// Writes the members host, user, uid, domain and key.
    static func subject(
        _ domain: Key, _ key: Key, of user: UserCompliance, _ report: ComplianceReport, _ json: inout JSONWriter
    ) {
        json.field("host", report.host.full)
        json.field("user", user.account.name)
        json.field("uid", Int(user.account.uid))
        json.field("domain", domain.string)
        json.field("key", key.string)
    }

    /// Writes the member `value`, or `sensitive` if the value must not be shown.
    static func value(_ value: Value?, isSensitive: Bool, _ json: inout JSONWriter) {
        if isSensitive, value != nil { json.field("sensitive", true) } else { json.field("value", value) }
    }

    /// Writes title, description and controls of a key, if policy has them.
    static func metadata(_ metadata: KeyMetadata, _ json: inout JSONWriter) {
        if !metadata.title.isEmpty { json.field("title", metadata.title) }
        if !metadata.description.isEmpty { json.field("description", metadata.description) }
        if !metadata.controls.isEmpty { json.field("controls", .array(metadata.controls.map { .string($0) })) }
    }

    /// Writes a member with a list of origins.
    static func origins(_ name: String, _ origins: [Origin], _ root: Root, _ json: inout JSONWriter) {
        json.member(name)
        json.beginArray()
        for item in origins { origin(item, root, &json) }
        json.endArray()
    }
}
