extension Zone {
    /// The most bytes of a file; the largest of the IANA zones has less than 4 KiB.
    static let fileLimit = 262_144

    /// Parses a TZif file, version 1 to 4 (RFC 9636).
    ///
    /// Of a file of version 2 and later, the block with 64 bits and the rule at the end count. Times that count leap
    /// seconds are converted to times that do not.
    ///
    /// - Throws: an error if the file deviates from the format in anything.
    init(file bytes: [UInt8], name: String? = nil) throws(ZoneFileError) {
        var scanner = ZoneFileScanner(bytes: bytes)
        var header = try scanner.header()
        let version = header.version
        if version > 1 {
            try scanner.skip(header.length(ofTime: 4))
            header = try scanner.header()
            guard header.version == version else { throw scanner.failure("the two headers differ in their version") }
        }
        let block = try scanner.block(header, timeLength: version > 1 ? 8 : 4)
        let rule = version > 1 ? try scanner.rule() : nil
        guard scanner.isAtEnd else { throw scanner.failure("something follows the end") }
        self.init(
            name: name, transitions: block.transitions, following: block.following, types: block.types, rule: rule)
    }
}

/// The content of one block of a TZif file.
private struct ZoneFileBlock {
    /// When the time changes, leap seconds not counted.
    var transitions: [Int64] = []
    /// To which type.
    var following: [UInt8] = []
    /// The types.
    var types: [ZoneType] = []
}

/// The counts of a block.
private struct ZoneFileHeader {
    /// From 1 to 4.
    var version = 1
    /// The number of flags that mark types as given in UTC.
    var universal = 0
    /// The number of flags that mark types as given in standard time.
    var standard = 0
    /// Leap seconds.
    var leaps = 0
    /// Transitions.
    var times = 0
    /// Types.
    var types = 0
    /// Bytes of names.
    var names = 0

    /// The length of the block in bytes, if a time has `time` bytes; never overflows, because each count has 32 bits.
    func length(ofTime time: Int) -> Int {
        times * (time + 1) + types * 6 + names + leaps * (time + 4) + standard + universal
    }
}

/// Reads the pieces of a TZif file one after the other.
private struct ZoneFileScanner {
    /// The file.
    let bytes: [UInt8]
    /// The index of the next byte to read; never behind the end.
    private(set) var index = 0

    /// Creates a scanner at the start of a file.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether all is read.
    var isAtEnd: Bool { index == bytes.count }

    /// Makes an error at the current position.
    func failure(_ reason: String) -> ZoneFileError { ZoneFileError(offset: index, reason: reason) }

    /// Passes over some bytes.
    mutating func skip(_ count: Int) throws(ZoneFileError) {
        guard count <= bytes.count - index else { throw failure("the file ends too early") }
        index += count
    }

    /// Reads a big-endian number of so many bytes, at most 8, with its sign.
    private mutating func number(_ count: Int) throws(ZoneFileError) -> Int64 {
        let start = index
        try skip(count)
        var value = bytes[start] >= 0x80 ? Int64(-1) : 0
        for byte in bytes[start..<index] { value = value << 8 | Int64(byte) }
        return value
    }

    /// Reads a count of 32 bits.
    private mutating func count() throws(ZoneFileError) -> Int {
        Int(UInt32(truncatingIfNeeded: try number(4)))
    }

    /// Reads a header.
    mutating func header() throws(ZoneFileError) -> ZoneFileHeader {
        guard bytes.count - index >= 44, bytes[index..<index + 4].elementsEqual("TZif".utf8) else {
            throw failure("there is no TZif header")
        }
        var header = ZoneFileHeader()
        switch bytes[index + 4] {
        case 0: header.version = 1
        case UInt8(ascii: "2")...UInt8(ascii: "4"): header.version = Int(bytes[index + 4] - 0x30)
        default: throw ZoneFileError(offset: index + 4, reason: "the version is none of 1 to 4")
        }
        index += 20
        header.universal = try count()
        header.standard = try count()
        header.leaps = try count()
        header.times = try count()
        header.types = try count()
        header.names = try count()
        return header
    }

    /// Reads the block that follows a header.
    mutating func block(_ header: ZoneFileHeader, timeLength: Int) throws(ZoneFileError) -> ZoneFileBlock {
        guard (1...256).contains(header.types), header.names > 0 else {
            throw failure("there are no types of time, or too many")
        }
        guard header.universal == 0 || header.universal == header.types,
            header.standard == 0 || header.standard == header.types
        else { throw failure("there are more or fewer flags than types of time") }
        guard header.length(ofTime: timeLength) <= bytes.count - index else { throw failure("the file ends too early") }
        var block = ZoneFileBlock()
        block.transitions = try times(header.times, timeLength)
        for _ in 0..<header.times {
            guard bytes[index] < header.types else { throw failure("there is no such type of time") }
            block.following.append(bytes[index])
            index += 1
        }
        block.types = try types(header)
        let leaps = try leaps(header.leaps, timeLength)
        if !leaps.isEmpty { block.transitions = block.transitions.map { withoutLeaps($0, leaps) } }
        for _ in 0..<header.standard + header.universal {
            guard bytes[index] <= 1 else { throw failure("a flag is neither 0 nor 1") }
            index += 1
        }
        return block
    }

    /// Reads the times of transitions.
    private mutating func times(_ count: Int, _ length: Int) throws(ZoneFileError) -> [Int64] {
        var times: [Int64] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let time = try number(length)
            if let last = times.last, time <= last { throw failure("times do not ascend") }
            // Half of what fits, so that no calculation with it overflows: 18 thousand million years.
            guard time.magnitude <= 1 << 59 else { throw failure("a time is out of range") }
            times.append(time)
        }
        return times
    }

    /// Reads the types of time and their names.
    private mutating func types(_ header: ZoneFileHeader) throws(ZoneFileError) -> [ZoneType] {
        let names = index + header.types * 6
        let end = names + header.names
        var types: [ZoneType] = []
        for _ in 0..<header.types {
            let offset = Int(try number(4))
            // RFC 9636, section 3.2: from -25 to 26 hours, both excluded.
            guard (-89_999...93_599).contains(offset) else { throw failure("an offset is beyond 25 hours") }
            guard bytes[index] <= 1 else { throw failure("a flag is neither 0 nor 1") }
            let start = names + Int(bytes[index + 1])
            guard start < end, let length = bytes[start..<end].firstIndex(of: 0).map({ $0 - start }) else {
                throw failure("a name does not end")
            }
            let name = bytes[start..<start + length]
            guard name.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw failure("a name is no plain text") }
            types.append(ZoneType(offset: offset, abbreviation: String(decoding: name, as: UTF8.self)))
            index += 2
        }
        index = end
        return types
    }

    /// Reads leap seconds: when each comes, on a clock that counts them, and how many there are from then on.
    private mutating func leaps(_ count: Int, _ length: Int) throws(ZoneFileError) -> [(time: Int64, count: Int64)] {
        var leaps: [(time: Int64, count: Int64)] = []
        for _ in 0..<count {
            let time = try number(length)
            if let last = leaps.last, time <= last.time { throw failure("leap seconds do not ascend") }
            leaps.append((time, try number(4)))
        }
        return leaps
    }

    /// A time on a clock that does not count leap seconds; neither number is large enough for an overflow.
    private func withoutLeaps(_ time: Int64, _ leaps: [(time: Int64, count: Int64)]) -> Int64 {
        time - (leaps.last { $0.time <= time }?.count ?? 0)
    }

    /// Reads the rule at the end: a line between two line feeds, which may be empty.
    mutating func rule() throws(ZoneFileError) -> ZoneRule? {
        guard index < bytes.count, bytes[index] == 0x0a else { throw failure("the rule at the end is missing") }
        index += 1
        guard let end = bytes[index...].firstIndex(of: 0x0a) else { throw failure("the rule at the end does not end") }
        let text = bytes[index..<end]
        if text.isEmpty {
            index = end + 1
            return nil
        }
        guard let rule = ZoneRule(text) else { throw failure("the rule at the end cannot be read") }
        index = end + 1
        return rule
    }
}

/// An error in a TZif file.
package struct ZoneFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The byte at which it is wrong.
    package let offset: Int
    /// The reason, as the end of a sentence.
    package let reason: String

    /// The byte and the reason, without a full stop.
    package var description: String { "byte \(offset): \(reason)" }
}
