import MDPlatform
import MDPropertyList

/// Writes reports of many machines as a table for spreadsheets, one line for a machine.
package enum MergedCSV {
    /// The names of the columns; new ones come at the end.
    package static let columns = [
        "host", "room", "machine", "reported", "result", "required", "met", "waived", "percent", "attempts",
        "dropped", "hidden", "errors", "first error", "policy digest", "room's policy", "log", "complete", "report",
        "generated", "system", "engine", "file",
    ]

    /// The table, with CR LF at the end of each line.
    package static func render(_ report: MergedReport) -> [UInt8] {
        var text = CSVTable.line(columns)
        for machine in report.machines {
            let own = machine.report
            text += CSVTable.line([
                own.host, machine.room, own.machine, machine.isSilent ? "no" : "yes", own.verdict.rawValue,
                String(own.counts.required), String(own.counts.met), String(own.counts.waived),
                machine.tenths.map { "\($0 / 10).\($0 % 10)" } ?? "", String(own.attempts), String(own.dropped),
                String(own.hidden), String(own.errorCount), own.errors.first?.message ?? "", own.policyDigest,
                machine.usualPolicy == nil ? "same" : "other", own.logStatus, own.isComplete ? "yes" : "no", own.id,
                own.generated.rfc3339, own.system, own.engine, machine.file,
            ])
        }
        for host in report.missing {
            text += CSVTable.line(
                [host.host.string, host.room ?? "", "", "no"] + [String](repeating: "", count: columns.count - 4))
        }
        return Array(text.utf8)
    }
}

/// Writes the numbers of many machines as metrics.
package enum MergedPrometheus {
    package static func render(_ report: MergedReport) -> [UInt8] {
        var metrics = MetricsText()
        metrics.gauge(
            "fleet_report_timestamp_seconds", "When the report was made, in seconds since 1970.",
            Int(report.request.time.microseconds / 1_000_000))
        metrics.gauge(
            "fleet_machines", "Machines by room and result.", by: ["room", "result"],
            report.rooms.flatMap { room in
                [
                    ("compliant", room.compliant), ("not all covered", room.notCovered),
                    ("not compliant", room.notCompliant), ("nothing to comply with", room.nothing),
                    ("not reported", room.silent),
                ].map { ([room.name, $0.0], $0.1) }
            })
        metrics.gauge(
            "fleet_other_policy", "Machines with another policy than most of their room.", by: ["room"],
            report.rooms.map { ([$0.name], $0.otherPolicy) })
        metrics.gauge(
            "fleet_required_keys", "Required keys, counted for each user, waived ones too.", by: ["room"],
            report.rooms.map { ([$0.name], $0.requirements.required) })
        metrics.gauge(
            "fleet_covered_keys", "Keys that are covered or waived.", by: ["room"],
            report.rooms.map { ([$0.name], $0.requirements.met + $0.requirements.waived) })
        metrics.gauge(
            "fleet_override_attempts", "Override attempts on record.", by: ["room"],
            report.rooms.map { ([$0.name], $0.attempts) })
        metrics.gauge("fleet_reports_refused", "Reports that could not be used.", report.refusedCount)
        return Array(metrics.text.utf8)
    }
}

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
        list("rooms", report.rooms, &json) { room, json in
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
        list("machines", report.machines, &json) { machine, json in self.machine(machine, &json) }
        list("missing", report.missing, &json) { host, json in
            json.field("host", host.host.string)
            json.field("room", host.room)
        }
        let lists = [
            ("attemptsByUser", report.attemptsByUser), ("attemptsByKey", report.attemptsByKey),
            ("attemptsByProgram", report.attemptsByProgram), ("attemptsByDay", report.attemptsByDay),
        ]
        for (name, counts) in lists {
            list(name, counts, &json) { count, json in
                json.field("name", count.name)
                json.field("attempts", count.attempts)
                // Claims have no time.
                if name != "attemptsByDay" { json.field("claimed", count.claimed) }
            }
        }
        list("trend", report.trend, &json) { day, json in
            json.field("day", day.day)
            json.field("machines", day.machines)
            json.field("compliant", day.compliant)
            JSONReport.counts(day.requirements, &json)
        }
        list("waivers", report.waivers, &json) { item, json in
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
        list("findings", report.findings, &json) { finding, json in
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
        list(name, measures, &json) { measure, json in
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

    /// Writes a member that is an array of objects.
    private static func list<Item>(
        _ name: String, _ items: [Item], _ json: inout JSONWriter, _ body: (Item, inout JSONWriter) -> Void
    ) {
        json.member(name)
        json.beginArray()
        for item in items {
            json.beginObject()
            body(item, &json)
            json.endObject()
        }
        json.endArray()
    }
}
