import MDAuditLog
import MDPlatform
import MDPropertyList
import MDReport

/// A fleet for programs.
package enum FleetJSON {
    /// The document, with a line feed.
    package static func render(_ view: FleetView) -> [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("time", view.time.rfc3339)
        json.field("clock", view.clock.word)
        json.field("inOrder", view.isGood)
        json.field("sentence", view.sentence())
        json.member("published")
        if let published = view.published {
            json.beginObject()
            json.field("epoch", published.number.epoch)
            json.field("serial", published.number.serial)
            json.field("issued", published.issued.rfc3339)
            json.endObject()
        } else {
            json.null()
        }
        json.member("alarms")
        json.beginArray()
        for alarm in view.alarms { alarm.write(to: &json) }
        json.endArray()
        json.field("closedAlarms", view.closedAlarms)
        json.field("problems", .array(view.problems.map { .string($0) }))
        json.member("rooms")
        json.beginArray()
        for room in view.rooms {
            json.beginObject()
            json.field("room", room.name)
            json.field("hosts", room.hosts.count)
            for state in HostCondition.allCases { json.field(state.code, room.count(state)) }
            json.endObject()
        }
        json.endArray()
        json.member("hosts")
        json.beginArray()
        for host in view.hosts { json.host(host, at: view.time) }
        json.endArray()
        if let checkpoint = view.checkpoint {
            json.member("checkpoint")
            json.beginObject()
            json.field("origin", checkpoint.origin)
            json.field("size", checkpoint.size)
            json.field("root", checkpoint.root.hex)
            json.endObject()
        }
        json.endObject()
        return json.utf8 + [0x0a]
    }
}

extension HostCondition {
    /// The name in JSON and metrics.
    var code: String {
        switch self {
        case .alarm: "alarm"
        case .silent: "silent"
        case .mend: "toMend"
        case .good: "inOrder"
        }
    }
}

extension JSONWriter {
    fileprivate mutating func host(_ host: FleetHostView, at now: Timestamp) {
        beginObject()
        field("host", host.host.name)
        field("state", host.state.code)
        member("findings")
        beginArray()
        for finding in host.findings {
            beginObject()
            field("finding", finding.code)
            field("words", finding.words(at: now))
            endObject()
        }
        endArray()
        member("known")
        beginObject()
        field("room", host.enrolled?.name)
        field("seen", host.head.seen?.rfc3339)
        field("log", host.head.log)
        field("records", host.head.size)
        field("signed", host.head.isSigned)
        field("acknowledged", host.head.acknowledged?.rfc3339)
        field("dispute", host.head.dispute?.rawValue)
        field("waits", host.head.waits)
        endObject()
        if let status = host.status { says(status) }
        endObject()
    }

    private mutating func says(_ status: HostStatus) {
        member("says")
        beginObject()
        field("time", status.time.rfc3339)
        field("room", status.room)
        field("epoch", status.epoch)
        field("serial", status.serial)
        field("expired", status.isStale)
        field("policyDigest", status.policyDigest)
        field("verdict", status.verdict)
        field("log", status.log)
        field("records", status.size)
        field("waiting", status.waiting)
        field("waitingSince", status.waitingSince?.rfc3339)
        field("exams", .array(status.exams.map { .string($0) }))
        field("refusedFile", status.refusal?.file)
        field("refusedLine", status.refusal?.line)
        field("refusedReason", status.refusal?.reason)
        field("version", status.version)
        endObject()
    }
}
