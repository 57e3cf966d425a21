package import MDPlatform

/// What became of the last attempt to send to the fleet's centre: a small file that `doctor` reads.
package struct FleetAnswer: Hashable, Sendable {
    /// The path.
    package static let path = "/var/lib/managed-defaults/fleet/answer"
    /// The most bytes.
    private static let longest = 16_384
    /// The word for a problem that there is not.
    private static let none = "-"

    /// When.
    package let time: Timestamp
    /// The centre.
    package let centre: String
    /// How many records it did not acknowledge.
    package let waiting: Int
    /// What an administrator has to look at; `nil` if nothing.
    package let problem: String?

    package init(time: Timestamp, centre: String, waiting: Int, problem: String?) {
        (self.time, self.centre, self.waiting, self.problem) = (time, centre, waiting, problem)
    }

    /// Reads the file of a machine; `nil` if there is none, or it is damaged.
    package init?(of root: Root) {
        guard let bytes = try? root.read(FleetAnswer.path, limit: FleetAnswer.longest).bytes else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 5, let time = Timestamp(rfc3339: String(lines[0])), let waiting = Int(lines[2]) else {
            return nil
        }
        let problem = lines[3] == FleetAnswer.none ? nil : String(lines[3])
        self.init(time: time, centre: String(lines[1]), waiting: waiting, problem: problem)
    }

    /// Replaces the file of a machine.
    package func write(to root: Root) throws(SystemError) {
        let words = [centre, "\(waiting)", problem ?? FleetAnswer.none].map { Printable.escape($0) }
        let text = ([time.rfc3339] + words + [""]).joined(separator: "\n")
        try root.replace(
            FleetAnswer.path, with: Array(text.utf8.prefix(FleetAnswer.longest)), mode: 0o644, durable: false)
    }
}
