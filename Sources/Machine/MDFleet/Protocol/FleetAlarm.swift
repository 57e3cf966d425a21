package import MDPlatform
package import MDPropertyList

/// Something that an administrator must look at: a line of `alarms.jsonl`.
package struct FleetAlarm: Hashable, Sendable {
    /// When the collector saw it, by its clock.
    package let time: Timestamp
    /// The host that it is about.
    package let host: FleetHost
    /// What it is.
    package let word: DisputeWord
    /// The whole sentence, with a full stop.
    package let sentence: String
    /// Whether the collector takes no more of this host's log until `fleet accept`.
    package let isDispute: Bool

    package init(time: Timestamp, host: FleetHost, _ word: DisputeWord, _ sentence: String, isDispute: Bool) {
        (self.time, self.host, self.word) = (time, host, word)
        self.isDispute = isDispute
        // What a host says may stand in it.
        var cut = Printable.escape(String(decoding: sentence.utf8.prefix(FleetAlarm.sentenceLimit), as: UTF8.self))
        while cut.utf8.count > FleetAlarm.sentenceLimit { cut.removeLast() }
        self.sentence = cut
    }

    /// The most bytes of the sentence.
    private static let sentenceLimit = 1_024

    /// The most bytes of a line.
    package static let limit = 2_048

    /// Parses a line.
    package init(line: [UInt8]) throws(FleetFault) {
        let document = try FleetDocument(line, limit: FleetAlarm.limit)
        let name = try document.required("host", try document.text("host"))
        let word = try document.required("word", try document.text("word"))
        guard let host = FleetHost(name) else { throw document.fault("host", "this is no name of a host") }
        guard let word = DisputeWord(rawValue: word) else { throw document.fault("word", "this word is unknown") }
        self.init(
            time: try document.required("time", try document.time("time")), host: host, word,
            try document.required("sentence", try document.text("sentence", limit: FleetAlarm.sentenceLimit)),
            isDispute: try document.truth("dispute") ?? false)
    }

    /// Whether an administrator has accepted the host since.
    package func isSettled(since accepted: Timestamp?) -> Bool { accepted.map { time <= $0 } ?? false }

    /// The alarm as a line with its line feed.
    package var line: [UInt8] {
        var json = JSONWriter()
        write(to: &json)
        return json.utf8 + [0x0a]
    }

    /// Writes the alarm as an object.
    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.field("time", time.rfc3339)
        json.field("host", host.name)
        json.field("word", word.rawValue)
        json.field("dispute", isDispute)
        json.field("sentence", sentence)
        json.endObject()
    }
}
