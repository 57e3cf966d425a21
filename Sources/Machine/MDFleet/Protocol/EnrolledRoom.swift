/// The room of a host, as the centre knows it: what a host says itself may be anything, a person's name too.
package struct EnrolledRoom: Hashable, Sendable {
    /// The name.
    package let name: String

    /// The most bytes of the file, with its line feed.
    package static let limit = 65

    /// Checks a name; `nil` if it is not one: letters, digits, spaces, dots, hyphens and underscores, as of a fleet.
    package init?(_ name: String) {
        guard CentreConfiguration.isName(name) else { return nil }
        self.name = name
    }

    /// Parses the file.
    package init(_ bytes: [UInt8]) throws(FleetFault) {
        guard bytes.last == 0x0a, let text = String(validating: bytes.dropLast(), as: UTF8.self),
            let room = EnrolledRoom(text)
        else { throw FleetFault("this is no name of a room") }
        self = room
    }

    /// The content of the file.
    package var bytes: [UInt8] { Array("\(name)\n".utf8) }

    /// Whether a room that a host says cannot be a person's name: `room`, digits, and a letter behind them.
    ///
    /// Hyphens, dots and underscores may stand between.
    package static func isNumber(_ text: String) -> Bool {
        let marks = [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")]
        let rest = text.utf8.dropFirst(4)
        let letters = rest.drop { (0x30...0x39).contains($0) || marks.contains($0) }
        return text.utf8.starts(with: "room".utf8) && (1...16).contains(rest.count) && letters.count < rest.count
            && letters.count <= 1 && letters.allSatisfy { (0x61...0x7a).contains($0 | 0x20) }
    }
}
