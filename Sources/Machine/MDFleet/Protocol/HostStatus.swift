package import MDPlatform
import MDPropertyList

/// The sign of life of a host: under 1 KiB of JSON, each 5 minutes and at each change.
///
/// It is what the host says of itself; ages go by the collector's clock of arrival.
package struct HostStatus: Hashable, Sendable {
    /// A policy file that the host did not take.
    package struct Refusal: Hashable, Sendable {
        /// The file, or `snapshot`.
        package let file: String
        /// The line; `nil` if it is about the whole file.
        package let line: Int?
        /// Why, as a sentence without a full stop, cut to what fits.
        package let reason: String

        package init(file: String, line: Int?, reason: String) {
            (self.file, self.line, self.reason) = (file, line, reason)
        }
    }

    /// The name that the host has in its fleet.
    package var host: FleetHost
    /// The time by the host's clock.
    package var time: Timestamp
    /// The machine (``FleetMachine/text``): the beginnings of the digests of id, board and card.
    package var machine: String
    /// The host that this machine is a copy of: then it sends nothing else.
    package var copyOf: FleetHost?
    /// The first tag that begins with `room`; `nil` for none.
    package var room: String?
    /// The snapshot in force: epoch and number; `nil` before the first.
    package var epoch: Int?
    package var serial: Int?
    /// Whether it has expired.
    package var isStale = false
    /// The digest of the policy in force, as in reports.
    package var policyDigest: String?
    /// How many policy files in force are those of the machine's own administrator, beside the snapshot's.
    package var ownFiles = 0
    /// The exams in force.
    package var exams: [String] = []
    /// The last refusal; `nil` if everything was taken.
    package var refusal: Refusal?
    /// Id, size and root of the log, and the newest checkpoint's size.
    package var log: String?
    package var size = 0
    package var root: Digest?
    /// How many records the collector did not acknowledge yet, and since when the oldest waits.
    package var waiting = 0
    package var waitingSince: Timestamp?
    /// What the collector refused, as it said it; `nil` for nothing.
    package var refused: DisputeWord?
    /// The version of the program.
    package var version: String
    /// The digest of the boot's id.
    package var boot: String?
    /// The verdict of the last report, as reports name it.
    package var verdict: String?

    package init(host: FleetHost, time: Timestamp, machine: String, version: String) {
        (self.host, self.time, self.machine, self.version) = (host, time, machine, version)
    }

    /// The most bytes.
    package static let limit = SpoolName.Kind.status.limit
    /// The most exams that are named.
    private static let exams = 4

    /// Parses a status.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(bytes, limit: HostStatus.limit)
        func host(_ name: String) throws(FleetFault) -> FleetHost? {
            guard let text = try document.text(name, limit: FleetHost.longest) else { return nil }
            guard let host = FleetHost(text) else { throw document.fault(name, "this is no name of a host") }
            return host
        }
        self.init(
            host: try document.required("host", try host("host")),
            time: try document.required("time", try document.time("time")),
            machine: try document.required("machine", try document.text("machine", limit: 64)),
            version: try document.required("version", try document.text("version", limit: 64)))
        copyOf = try host("copyOf")
        room = try document.text("room", limit: 64)
        epoch = try document.count("epoch")
        serial = try document.count("serial")
        isStale = try document.truth("stale") ?? false
        policyDigest = try document.text("policy", limit: 64)
        ownFiles = try document.count("ownFiles") ?? 0
        exams = try document.texts("exams", atMost: HostStatus.exams, limit: 64) ?? []
        if let file = try document.text("refusedFile", limit: 128) {
            refusal = Refusal(
                file: file, line: try document.count("refusedLine"),
                reason: try document.text("refusedReason", limit: 256) ?? "")
        }
        log = try document.text("log", limit: 32)
        size = try document.count("size") ?? 0
        root = try document.digest("root")
        waiting = try document.count("waiting") ?? 0
        waitingSince = try document.time("waitingSince")
        refused = try document.text("refused", limit: 32).flatMap { DisputeWord(rawValue: $0) }
        boot = try document.text("boot", limit: 64)
        verdict = try document.text("verdict", limit: 64)
    }

    /// The status as a file; what is too long is cut, so that it never has more than 1 KiB.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for (exams, file, reason) in [(HostStatus.exams, 80, 200), (0, 80, 40), (0, 40, 0)] {
            bytes = encoded(exams: exams, file: file, reason: reason)
            if bytes.count <= HostStatus.limit { break }
        }
        return bytes
    }

    private func encoded(exams most: Int, file: Int, reason length: Int) -> [UInt8] {
        /// The beginning of a text.
        func cut(_ text: String?, _ bytes: Int) -> String? {
            guard let text, text.utf8.count > bytes else { return text }
            var (short, used) = ("", 0)
            for scalar in text.unicodeScalars {
                used += UTF8.width(scalar)
                if used > bytes { break }
                short.unicodeScalars.append(scalar)
            }
            return short
        }
        var json = JSONWriter()
        json.beginObject()
        json.field("host", host.name)
        json.field("time", time.rfc3339)
        json.field("machine", machine)
        json.field("copyOf", copyOf?.name)
        json.field("room", cut(room, 64))
        json.field("epoch", epoch)
        json.field("serial", serial)
        if isStale { json.field("stale", true) }
        json.field("policy", policyDigest)
        if ownFiles > 0 { json.field("ownFiles", ownFiles) }
        if !exams.isEmpty, most > 0 {
            json.field("exams", .array(exams.prefix(most).map { .string(cut($0, 32) ?? "") }))
        }
        json.field("refusedFile", cut(refusal?.file, file))
        json.field("refusedLine", refusal?.line)
        json.field("refusedReason", cut(refusal?.reason, length))
        json.field("log", log)
        json.field("size", size)
        json.field("root", root?.hex)
        if waiting > 0 { json.field("waiting", waiting) }
        json.field("waitingSince", waitingSince?.rfc3339)
        json.field("refused", refused?.rawValue)
        json.field("version", cut(version, 32))
        json.field("boot", boot)
        json.field("verdict", cut(verdict, 32))
        json.endObject()
        return json.utf8 + [0x0a]
    }
}
