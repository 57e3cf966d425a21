import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// Writes a compliance report as one JSON document.
package enum JSONReport {
    /// The document as UTF-8, without a line feed at its end.
    ///
    /// - Parameters:
    ///   - report: the report.
    ///   - facts: a JSON object with what policy asks about the machine, for a fleet's centre; `nil` for none.
    /// - Returns: the document.
    package static func render(_ report: ComplianceReport, facts: [UInt8]? = nil) -> [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        header(report, &json)
        summary(report.summary, &json)
        json.member("requirements")
        json.beginObject()
        counts(report.summary.requirements, &json)
        json.endObject()
        json.member("reasons")
        json.beginObject()
        for reason in RequirementReason.allCases { json.field(reason.rawValue, report.summary.reasons[reason]) }
        json.endObject()
        json.list("machineRules", report.machineRules) { rule, json in
            json.field("rule", rule.kind.rawValue)
            json.field("result", rule.state.rawValue)
            json.field("words", rule.words)
        }
        json.member("files")
        json.beginArray()
        let notNow = Dictionary(report.filesNotNow.map { (Key($0.path), $0) }) { first, _ in first }
        for file in report.files { self.file(file, notNow[Key(file.path)], report, &json) }
        json.endArray()
        json.member("keys")
        json.beginArray()
        for user in report.users {
            for key in user.keys { self.key(key, of: user, report, &json) }
            for constraint in user.constraints { self.constraint(constraint, of: user, report, &json) }
            for waiver in user.waived { self.waived(waiver, of: user, report, &json) }
        }
        json.endArray()
        rules("rules", report.rules, report.severities, &json)
        rules("controls", report.controls, [:], &json)
        attemptsBy(report, &json)
        json.member("attempts")
        json.beginArray()
        for record in report.attempts { json.raw(String(decoding: record.encoded(), as: UTF8.self)) }
        json.endArray()
        changes(report, &json)
        baseline(report, &json)
        exceptions(of: report, &json)
        json.member("findings")
        json.beginArray()
        for finding in report.findings { self.finding(finding, &json) }
        json.endArray()
        log(report, &json)
        if let facts {
            json.member("facts")
            json.raw(String(decoding: facts, as: UTF8.self))
        }
        return ReportSeal.sealed(&json)
    }

    /// Writes the members about the report itself.
    private static func header(_ report: ComplianceReport, _ json: inout JSONWriter) {
        json.field("schema", ReportSchema.version)
        json.field("kind", ReportSchema.machine)
        json.field("id", report.evidence.id)
        json.field("title", report.title)
        json.field("host", report.host.full)
        machine(report, &json)
        json.field("made", report.generated.rfc3339)
        json.field("clock", report.clock.word)
        json.field("asIf", report.asIf?.rfc3339)
        json.field("engine", report.version)
        json.field("since", report.since?.rfc3339)
        json.field("until", report.until?.rfc3339)
        json.field("managed", report.isManaged)
        json.field("policyDigest", report.policyDigest?.hex)
        json.field("result", report.verdict.rawValue)
        json.field("inForceAsWritten", report.asIf == nil ? report.isInForceAsWritten : nil)
        json.field("complete", report.limits.isEmpty)
        json.member("limits")
        json.beginArray()
        for limit in report.limits { json.string(limit) }
        json.endArray()
        json.member("people")
        json.beginObject()
        for source in ReportPeople.Source.allCases { json.field(source.rawValue, report.people.counts[source] ?? 0) }
        json.field("unknown", .array(report.people.gone.map { .string($0) }))
        json.field("directories", .array(report.people.directories.map { .string($0) }))
        json.endObject()
        json.member("inputs")
        json.beginArray()
        for input in report.evidence.inputs {
            json.beginObject()
            json.field("name", input.name)
            json.field("sha256", input.digest.hex)
            json.endObject()
        }
        json.endArray()
    }

    /// Writes the machine and its system.
    private static func machine(_ report: ComplianceReport, _ json: inout JSONWriter) {
        let machine = report.machine
        json.member("machine")
        json.beginObject()
        json.field("id", machine.id)
        json.field("room", machine.room)
        json.field("tags", machine.tags.map { .array($0.map { .string($0) }) })
        json.field("folder", report.root.isSystem ? nil : report.root.path)
        json.endObject()
        json.member("system")
        json.beginObject()
        json.field("name", machine.system)
        json.field("kernel", machine.kernel)
        json.field("architecture", machine.architecture)
        json.endObject()
    }

    /// Writes the numbers.
    private static func summary(_ summary: ReportSummary, _ json: inout JSONWriter) {
        json.member("summary")
        json.beginObject()
        json.field("hosts", summary.hosts)
        json.field("users", summary.users)
        json.field("outside", summary.outside)
        json.field("attempts", summary.attempts)
        json.field("claimed", summary.claimed)
        json.field("dropped", summary.dropped)
        json.field("claimedDropped", summary.claimedDropped)
        json.field("unproven", summary.unproven)
        json.field("hidden", summary.hidden)
        json.field("equal", summary.equal)
        json.field("brokenFiles", summary.brokenFiles)
        json.field("payloads", summary.payloads)
        json.endObject()
    }

    /// Writes a policy file.
    private static func file(
        _ file: PolicyFileState, _ notNow: FileNotNow?, _ report: ComplianceReport, _ json: inout JSONWriter
    ) {
        json.beginObject()
        json.field("policy", file.policy?.identifier)
        if let version = file.policy?.version {
            json.member("version")
            json.integer(version)
        }
        json.field("file", report.root.display(file.path))
        json.field("sha256", file.policy?.digest.hex)
        json.field("trusted", file.trusted)
        json.field("valid", file.valid)
        json.field("inForce", notNow == nil || file.source != .current ? file.inForce : "not now")
        if let notNow {
            json.field("keys", notNow.keys)
            json.field("when", notNow.reason)
            json.field("next", notNow.next?.rfc3339)
        }
        json.field("recorded", file.isRecorded)
        json.endObject()
    }

    /// Writes a forced key of a user.
    private static func key(
        _ key: KeyCompliance, of user: UserCompliance, _ report: ComplianceReport, _ json: inout JSONWriter
    ) {
        let entry = key.entry
        json.beginObject()
        subject(entry.domain, entry.key, of: user, report, &json)
        json.field("level", entry.level.rawValue)
        value(entry.value, isSensitive: key.isSensitive, &json)
        json.field("shortfall", entry.shortfall?.rawValue)
        if entry.isSeal { json.field("sealed", true) }
        metadata(entry.metadata, &json)
        // What a seal hides is a part of the seal's requirement.
        if key.isRequirement { state(key.requirement, &json) }
        coverage(key, &json)
        json.field("inForce", (entry.isRecordedCopy ? PolicyFileState.Source.lastGood : .current).rawValue)
        json.member("origin")
        origin(entry.origin, report.root, &json)
        json.field("since", key.since?.rfc3339)
        if !entry.contributors.isEmpty { origins("contributors", entry.contributors, report.root, &json) }
        json.field("sha256", entry.fileDigest.hex)
        json.member("hidden")
        json.beginArray()
        for stored in key.stored {
            json.beginObject()
            json.field("domain", stored.domain.string)
            value(stored.value, isSensitive: key.isSensitive, &json)
            json.field("file", report.root.display(stored.file))
            json.field("thisHost", stored.isThisHost)
            json.field("equal", stored.isEqual)
            json.endObject()
        }
        json.endArray()
        json.member("losers")
        json.beginArray()
        for loser in entry.losers {
            json.beginObject()
            json.field("level", loser.level.rawValue)
            value(loser.value, isSensitive: key.isSensitive, &json)
            json.member("origin")
            origin(loser.origin, report.root, &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    /// Writes a constraint of a user.
    private static func constraint(
        _ constraint: ConstraintCompliance, of user: UserCompliance, _ report: ComplianceReport,
        _ json: inout JSONWriter
    ) {
        let entry = constraint.entry
        json.beginObject()
        subject(entry.domain, entry.key, of: user, report, &json)
        json.field("level", "constraint")
        let isSensitive = constraint.constraint.metadata.isSensitive
        json.field("allowed", isSensitive ? nil : constraint.constraint.words)
        metadata(constraint.constraint.metadata, &json)
        state(constraint.requirement, &json)
        json.field("coverage", constraint.coverage.word)
        let names = constraint.coverage.names
        if !names.isEmpty { json.field("enforcedBy", .array(names.map { .string($0) })) }
        json.member("origin")
        origin(entry.origin, report.root, &json)
        json.field("since", constraint.since?.rfc3339)
        json.field("sha256", constraint.constraint.fileDigest.hex)
        json.endObject()
    }

    /// Writes a key that a waiver lifts.
    private static func waived(
        _ waiver: ResolvedWaiver, of user: UserCompliance, _ report: ComplianceReport, _ json: inout JSONWriter
    ) {
        let own = waiver.waiver
        json.beginObject()
        subject(own.domain, own.key, of: user, report, &json)
        json.field("level", "waived")
        metadata(user.metadata[own.domain]?[own.key] ?? KeyMetadata(), &json)
        json.field("state", RequirementState.waived.rawValue)
        json.field("reason", RequirementReason.waived.rawValue)
        json.field("words", waiver.sentence)
        json.member("origin")
        origin(own.origin, report.root, &json)
        json.endObject()
    }

    /// Writes what is known of a requirement, and why.
    private static func state(_ requirement: UserRequirement, _ json: inout JSONWriter) {
        json.field("state", requirement.state.rawValue)
        json.field("reason", requirement.reason.rawValue)
        json.field("words", requirement.words)
    }

    /// Writes what enforces a key, and where its value comes from.
    private static func coverage(_ key: KeyCompliance, _ json: inout JSONWriter) {
        json.field("source", key.source.rawValue)
        json.field("coverage", key.coverage.word)
        let names = key.coverage.names
        if !names.isEmpty { json.field("enforcedBy", .array(names.map { .string($0) })) }
    }

    /// Writes an origin: policy, file, line and column; the byte offset in a binary file.
    static func origin(_ origin: Origin, _ root: Root, _ json: inout JSONWriter) {
        json.beginObject()
        json.field("policy", origin.policy)
        json.field("file", root.display(origin.file))
        place(origin.position, &json)
        json.endObject()
    }

    /// Writes the members of a place in a file.
    private static func place(_ position: Position, _ json: inout JSONWriter) {
        json.field("line", position.line)
        json.field("column", position.column)
        if position.isBinary { json.field("offset", position.offset) }
    }

    /// Writes a finding.
    private static func finding(_ finding: Finding, _ json: inout JSONWriter) {
        json.beginObject()
        json.field("severity", finding.severity.rawValue)
        json.field("code", finding.code)
        json.field("user", finding.user)
        json.field("file", finding.file)
        if let position = finding.position { place(position, &json) }
        json.field("message", finding.message)
        json.endObject()
    }

    /// Writes the result of checking the log.
    private static func log(_ report: ComplianceReport, _ json: inout JSONWriter) {
        json.member("log")
        json.beginObject()
        report.log.write(to: &json)
        if let head = report.evidence.head {
            json.member("head")
            json.beginObject()
            json.field("origin", head.origin)
            json.field("size", head.size)
            json.field("root", Base64.encode(head.root.bytes))
            json.endObject()
        }
        json.field("last", report.evidence.last?.rfc3339)
        json.endObject()
    }
}
