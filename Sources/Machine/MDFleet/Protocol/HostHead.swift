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
    /// The time of the newest record, by the host's clock.
    package var written: Timestamp?
    /// Whether the log was begun because the machine is set back at each boot.
    package var isReset = false
    /// A log that the host had left and of which more arrived than is here: its id, and the last number that it named.
    package var leftLog: String?
    package var leftSize = 0
    /// What is wrong with the host, whose log is not continued until `fleet accept`; `nil` if nothing is.
    package var dispute: DisputeWord?
    /// The machine (``FleetMachine/text``) that the host's status has first named, or that was accepted.
    package var machine: String?
    /// Why its acknowledgement waits: over its budget of the day or its share of the disk; `nil` if it does not.
    package var waits: String?
    /// Whether the newest checkpoint has a signature by the host's own key, which the centre has; if not, nothing but its
    /// certificate says whose it is.
    package var isSigned = false
    /// The bytes of all records that are kept of the host.
    package var recordBytes = 0
    /// What the host used up of its budget on a day: the day, the bytes of records and the new logs.
    package var day: String?
    package var dayBytes = 0
    package var dayLogs = 0
    /// The time in a status that named fewer records than the centre has; `nil` if the last one did not.
    package var behind: Timestamp?
    /// Whether it was said that the host has fewer records than it had, or that what it sends cannot be read.
    package var isBehindSaid = false
    package var isMalformed = false
    /// The day and the words of alarms that are raised once a day at most.
    package var alarmDay: String?
    package var alarmWords: [String] = []
    /// The digest of another machine that spoke as this host and raised an alarm.
    package var stranger: String?
    /// The host that is the same machine by what both say, once that was said.
    package var twin: String?
    /// When an administrator accepted the host last: what was raised before is settled.
    package var accepted: Timestamp?
    /// The log of a batch that was refused, and the one that an administrator accepted although another host has it.
    package var refusedLog: String?
    package var acceptedLog: String?

    package init() {}

    /// After how many seconds without a sign a host is silent.
    ///
    /// Hosts send a status each 5 minutes.
    package static let silentAfter = 900

    /// The most bytes.
    package static let limit = 4_096

    /// Parses the file.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(bytes, limit: HostHead.limit)
        seen = try document.time("seen")
        log = try document.text("log", limit: 32)
        size = try document.count("size") ?? 0
        root = try document.digest("root")
        acknowledged = try document.time("acknowledged")
        written = try document.time("written")
        isReset = try document.truth("reset") ?? false
        leftLog = try document.text("leftLog", limit: 32)
        leftSize = try document.count("leftSize") ?? 0
        dispute = try document.text("dispute").flatMap { DisputeWord(rawValue: $0) }
        machine = try document.text("machine", limit: 64)
        waits = try document.text("waits", limit: 512)
        isSigned = try document.truth("signed") ?? false
        recordBytes = try document.count("bytes") ?? 0
        day = try document.text("day", limit: 10)
        dayBytes = try document.count("dayBytes") ?? 0
        dayLogs = try document.count("dayLogs") ?? 0
        behind = try document.time("behind")
        isBehindSaid = try document.truth("behindSaid") ?? false
        isMalformed = try document.truth("malformed") ?? false
        alarmDay = try document.text("alarmDay", limit: 10)
        alarmWords = try document.texts("alarmWords", atMost: DisputeWord.allCases.count, limit: 32) ?? []
        stranger = try document.text("stranger", limit: 64)
        twin = try document.text("twin", limit: FleetHost.longest)
        accepted = try document.time("accepted")
        refusedLog = try document.text("refusedLog", limit: 32)
        acceptedLog = try document.text("acceptedLog", limit: 32)
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
        json.field("written", written?.rfc3339)
        if isReset { json.field("reset", true) }
        json.field("leftLog", leftLog)
        if leftSize > 0 { json.field("leftSize", leftSize) }
        json.field("dispute", dispute?.rawValue)
        json.field("machine", machine)
        json.field("waits", waits.map { String(decoding: $0.utf8.prefix(400), as: UTF8.self) })
        json.field("signed", isSigned)
        if recordBytes > 0 { json.field("bytes", recordBytes) }
        json.field("day", day)
        if dayBytes > 0 { json.field("dayBytes", dayBytes) }
        if dayLogs > 0 { json.field("dayLogs", dayLogs) }
        json.field("behind", behind?.rfc3339)
        if isBehindSaid { json.field("behindSaid", true) }
        if isMalformed { json.field("malformed", true) }
        json.field("alarmDay", alarmDay)
        if !alarmWords.isEmpty { json.field("alarmWords", .array(alarmWords.map { .string($0) })) }
        json.field("stranger", stranger)
        json.field("twin", twin)
        json.field("accepted", accepted?.rfc3339)
        json.field("refusedLog", refusedLog)
        json.field("acceptedLog", acceptedLog)
        json.endObject()
        return json.utf8 + [0x0a]
    }
}
