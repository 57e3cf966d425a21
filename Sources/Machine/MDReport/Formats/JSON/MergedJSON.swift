import MDPlatform
import MDPropertyList

/// Writes reports of many machines as one JSON document.
package enum MergedJSON {
    /// The document as UTF-8, without a line feed at its end.
    package static func render(_ report: MergedReport) -> [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        let request = report.request
        json.field("schema", ReportSchema.version)
        json.field("kind", ReportSchema.merged)
        json.field("id", report.id)
        json.field("title", request.title)
        json.field("made", request.time.rfc3339)
        json.field("clock", request.clock.word)
        json.field("signaturesChecked", request.isSignatureChecked)
        json.field("engine", request.version)
        json.field("since", request.since?.rfc3339)
        json.field("compliant", report.isCompliant)
        json.field("complete", report.limits.isEmpty)
        json.field("limits", .array(report.limits.map { .string($0) }))
        json.field("inputs", report.inputDigest.hex)
        summary(report, &json)
        json.list("rooms", report.rooms) { room, json in
            json.field("room", room.name)
            json.field("machines", room.machines)
            json.field("compliant", room.compliant)
            json.field("notAllCovered", room.notCovered)
            json.field("notAllLookedAt", room.notLookedAt)
            json.field("notCompliant", room.notCompliant)
            json.field("nothing", room.nothing)
            json.field("notReported", room.silent)
            json.field("otherPolicy", room.otherPolicy)
            JSONReport.counts(room.requirements, &json)
            json.field("attempts", room.attempts)
            json.field("claimed", room.claimed)
            json.field("hour", .array(room.hours.map { .integer(Integer(Int64($0))) }))
        }
        measures("controls", report.controlMeasures, &json)
        measures("rules", report.ruleMeasures, &json)
        json.list("machines", report.machines) { machine, json in self.machine(machine, &json) }
        json.list("missing", report.missing) { host, json in
            json.field("host", host.host.string)
            json.field("room", host.room)
        }
        let lists = [
            ("attemptsByUser", report.attemptsByUser), ("attemptsByKey", report.attemptsByKey),
            ("attemptsByProgram", report.attemptsByProgram), ("attemptsByDay", report.attemptsByDay),
        ]
        for (name, counts) in lists {
            json.list(name, counts) { count, json in
                json.field("name", count.name)
                json.field("attempts", count.attempts)
                // Claims have no time.
                if name != "attemptsByDay" { json.field("claimed", count.claimed) }
            }
        }
        json.list("trend", report.trend) { day, json in
            json.field("day", day.day)
            json.field("machines", day.machines)
            json.field("compliant", day.compliant)
            JSONReport.counts(day.requirements, &json)
        }
        json.list("waivers", report.waivers) { item, json in
            let (machine, waiver) = item
            json.field("host", machine.report.host)
            json.field("room", machine.room.isEmpty ? nil : machine.room)
            json.field("user", waiver.user)
            json.field("domain", waiver.domain)
            json.field("key", waiver.key)
            json.field("state", waiver.state)
            json.field("until", waiver.until.isEmpty ? nil : waiver.until)
            json.field("reason", waiver.reason.isEmpty ? nil : waiver.reason)
            json.field("approvedBy", waiver.approvedBy.isEmpty ? nil : waiver.approvedBy)
        }
        json.list("findings", report.findings) { finding, json in
            json.field("severity", finding.severity.rawValue)
            json.field("code", finding.code)
            json.field("file", finding.file)
            json.field("message", finding.message)
        }
        return ReportSeal.sealed(&json)
    }

    private static func summary(_ report: MergedReport, _ json: inout JSONWriter) {
        json.member("summary")
        json.beginObject()
        json.field("reports", report.files)
        json.field("refused", report.refusedCount)
        json.field("machines", report.count)
        json.field("compliant", report.count(.compliant))
        json.field("notAllCovered", report.count(.notCovered))
        json.field("notAllLookedAt", report.count(.notLookedAt))
        json.field("notCompliant", report.count(.notCompliant))
        json.field("nothing", report.count(.nothing))
        json.field("notReported", report.silent.count + report.missing.count)
        json.field("otherPolicy", report.otherPolicy.count)
        json.field("attempts", report.attempts)
        json.field("claimed", report.claimed)
        json.field("dropped", report.dropped)
        json.field("claimedDropped", report.claimedDropped)
        json.field("waivers", report.waiverCount)
        json.field("expiredWaivers", report.expiredWaivers)
        json.endObject()
        json.member("requirements")
        json.beginObject()
        JSONReport.counts(report.requirements, &json)
        json.endObject()
    }

    private static func machine(_ machine: MachineState, _ json: inout JSONWriter) {
        let own = machine.report
        json.field("host", own.host)
        json.field("machine", own.machine.isEmpty ? nil : own.machine)
        json.field("room", machine.room.isEmpty ? nil : machine.room)
        json.field("reported", !machine.isSilent)
        json.field("result", own.verdict.rawValue)
        json.field("complete", own.isComplete)
        JSONReport.counts(own.counts, &json)
        json.field("attempts", own.attempts)
        json.field("claimed", own.claimed)
        json.field("hidden", own.hidden)
        json.field("errors", own.errorCount)
        json.field("firstError", own.errors.first?.message)
        json.field("policyDigest", own.policyDigest.isEmpty ? nil : own.policyDigest)
        json.field("roomsPolicyDigest", machine.usualPolicy)
        json.field("logStatus", own.logStatus)
        json.field("logVerified", own.isLogVerified)
        json.field("report", own.id)
        json.field("sha256", own.digest?.hex)
        json.field("made", own.generated.rfc3339)
        json.field("clock", own.isClockGiven ? "given" : "machine")
        json.field("signer", own.signer.isEmpty ? nil : own.signer)
        json.field("saidRoom", machine.otherRoom)
        json.field("file", machine.file)
    }

    private static func measures(_ name: String, _ measures: [MergedReport.Measure], _ json: inout JSONWriter) {
        json.list(name, measures) { measure, json in
            if measure.domain.string.isEmpty {
                json.field("control", measure.key.string)
            } else {
                json.field("domain", measure.domain.string)
                json.field("key", measure.key.string)
                json.field("title", measure.title.isEmpty ? nil : measure.title)
            }
            json.field("machines", measure.machines)
            json.field("holdsOn", measure.holdsOn)
            JSONReport.counts(measure.requirements, &json)
        }
    }
}
