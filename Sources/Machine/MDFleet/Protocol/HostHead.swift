package import MDPlatform
import MDPropertyList

/// What the collector knows of a host besides the mirror of its log: the file `head`, written after each round.
package struct HostHead: Hashable, Sendable {
    /// When anything of the host arrived last, by the collector's clock; `nil` for never.
    package var seen: Timestamp?
    /// Id, size and root of the mirror's log.
    package var log: String?
    package var size = 0
    package var root: Digest?
    /// When records were acknowledged last.
    package var acknowledged: Timestamp?
    /// What is wrong with the host, whose log is not continued until `fleet accept`; `nil` if nothing is.
    package var dispute: DisputeWord?
    /// The machine (``FleetMachine/text``) that the host's status has first named, or that was accepted.
    package var machine: String?
    /// Why its acknowledgement waits: over its budget of the day or its share of the disk; `nil` if it does not.
    package var waits: String?

    package init() {}

    /// The most bytes.
    package static let limit = 2_048

    /// Parses the file.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(bytes, limit: HostHead.limit)
        seen = try document.time("seen")
        log = try document.text("log", limit: 32)
        size = try document.count("size") ?? 0
        root = try document.digest("root")
        acknowledged = try document.time("acknowledged")
        dispute = try document.text("dispute").flatMap { DisputeWord(rawValue: $0) }
        machine = try document.text("machine", limit: 64)
        waits = try document.text("waits")
    }

    /// The content of the file.
    package var bytes: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.field("seen", seen?.rfc3339)
        json.field("log", log)
        json.field("size", size)
        json.field("root", root?.hex)
        json.field("acknowledged", acknowledged?.rfc3339)
        json.field("dispute", dispute?.rawValue)
        json.field("machine", machine)
        json.field("waits", waits)
        json.endObject()
        return json.utf8 + [0x0a]
    }
}
