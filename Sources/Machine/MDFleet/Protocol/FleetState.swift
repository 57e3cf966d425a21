package import MDPlatform
import MDPropertyList

/// What a host remembers of its fleet between two runs: `/var/lib/managed-defaults/fleet/state`, which only root writes.
///
/// Nothing here says what the centre holds: that is asked for each time. A file that is damaged or gone costs a status and a
/// report that were not due.
package struct FleetState: Hashable, Sendable {
    /// A batch that was sent and not acknowledged yet.
    package struct Batch: Hashable, Sendable {
        /// The id of the log.
        package var log: String
        /// The numbers of the first and the last record.
        package var first: Int
        package var last: Int
        /// When it was sent.
        package var time: Timestamp

        package init(log: String, first: Int, last: Int, time: Timestamp) {
            (self.log, self.first, self.last, self.time) = (log, first, last, time)
        }
    }

    /// The folder.
    package static let folder = "/var/lib/managed-defaults/fleet"
    /// The path.
    package static let path = "\(folder)/state"
    /// The most bytes.
    private static let limit = 16_384

    /// The machine that these are about; another one begins again.
    package var machine: String?
    /// What the centre refuses of the log; `nil` for nothing.
    package var refused: DisputeWord?
    /// How many records the centre did not acknowledge, and since when the oldest waits.
    package var waiting = 0
    package var waitingSince: Timestamp?
    /// The batch that waits for an acknowledgement.
    package var sent: Batch?
    /// The digest of what the last status said, and when it was sent.
    package var status: String?
    package var statusTime: Timestamp?
    /// The digest of the last report's content, its verdict, and when it was made.
    package var report: String?
    package var verdict: String?
    package var reportTime: Timestamp?
    /// The boot in which a log was begun because the machine was set back.
    package var begun: String?
    /// The digest of all that a run looked at which left nothing to do until the next status.
    package var seen: String?

    package init() {}

    /// Reads the state of a machine; an empty one if there is none, or it is damaged.
    package init(of root: Root) {
        self.init()
        guard let bytes = try? root.read(FleetState.path, limit: FleetState.limit).bytes,
            let state = try? FleetState(bytes)
        else { return }
        self = state
    }

    /// Parses the file.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(bytes, limit: FleetState.limit)
        machine = try document.text("machine", limit: 64)
        refused = try document.text("refused").flatMap { DisputeWord(rawValue: $0) }
        waiting = try document.count("waiting") ?? 0
        waitingSince = try document.time("waitingSince")
        if let log = try document.text("sentLog"), let first = try document.count("sentFirst"),
            let last = try document.count("sentLast"), let time = try document.time("sentTime")
        {
            sent = Batch(log: log, first: first, last: last, time: time)
        }
        status = try document.text("status")
        statusTime = try document.time("statusTime")
        report = try document.text("report")
        verdict = try document.text("verdict")
        reportTime = try document.time("reportTime")
        begun = try document.text("begun")
        seen = try document.text("seen")
    }

    /// The content of the file.
    package var bytes: [UInt8] {
        var json = JSONWriter(pretty: true)
        json.beginObject()
        json.field("machine", machine)
        json.field("refused", refused?.rawValue)
        json.field("waiting", waiting)
        json.field("waitingSince", waitingSince?.rfc3339)
        json.field("sentLog", sent?.log)
        json.field("sentFirst", sent?.first)
        json.field("sentLast", sent?.last)
        json.field("sentTime", sent?.time.rfc3339)
        json.field("status", status)
        json.field("statusTime", statusTime?.rfc3339)
        json.field("report", report)
        json.field("verdict", verdict)
        json.field("reportTime", reportTime?.rfc3339)
        json.field("begun", begun)
        json.field("seen", seen)
        json.endObject()
        return json.utf8 + [0x0a]
    }

    /// Replaces the file of a machine, durably.
    package func write(to root: Root) throws(FleetFault) {
        do throws(SystemError) {
            try root.createDirectory(FleetState.folder, mode: 0o755)
            try root.replace(FleetState.path, with: bytes, mode: 0o644)
        } catch {
            throw FleetFault("\(error)")
        }
    }
}
