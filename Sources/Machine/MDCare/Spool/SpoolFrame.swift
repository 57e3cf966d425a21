import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList

/// Writes what a child process found in a spool: numbers of eight bytes, texts behind their length.
///
/// The parent process may have more rights than the user who wrote the spool, so it parses no JSON of that user: the
/// child does, and this form of what it found needs only lengths to be checked.
struct SpoolFrameWriter {
    /// The bytes so far.
    private(set) var bytes: [UInt8] = []

    /// Adds a number.
    mutating func number(_ number: some FixedWidthInteger) {
        let bits = UInt64(truncatingIfNeeded: number)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    }

    /// Adds a number that may be missing.
    mutating func optional(_ number: (some FixedWidthInteger)?) {
        bytes.append(number == nil ? 0 : 1)
        if let number { self.number(number) }
    }

    /// Adds bytes that may be missing.
    mutating func data(_ data: [UInt8]?) {
        optional(data?.count)
        bytes += data ?? []
    }

    /// Adds a text that may be missing.
    mutating func text(_ text: String?) { data(text.map { Array($0.utf8) }) }
}

/// Reads what ``SpoolFrameWriter`` wrote, from a process that is not trusted.
struct SpoolFrameReader {
    /// The bytes.
    private let bytes: [UInt8]
    /// The place of the next byte.
    private var place = 0

    /// Begins at the first byte.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The frame ended early, or has a value that no writer makes.
    struct Malformed: Error {}

    /// Whether every byte was read.
    var isAtEnd: Bool { place == bytes.count }

    /// Reads some bytes.
    private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        guard count >= 0, count <= bytes.count - place else { throw Malformed() }
        defer { place += count }
        return bytes[place..<(place + count)]
    }

    /// Reads the bits of a number.
    mutating func bits() throws(Malformed) -> UInt64 {
        try take(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a number of a range.
    mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self, in range: ClosedRange<Number> = 0...Number.max
    ) throws(Malformed) -> Number {
        let bits = try bits()
        let number = Number.isSigned ? Number(exactly: Int64(bitPattern: bits)) : Number(exactly: bits)
        guard let number, range.contains(number) else { throw Malformed() }
        return number
    }

    /// Reads whether a value follows.
    mutating func isPresent() throws(Malformed) -> Bool {
        guard let flag = try take(1).first, flag < 2 else { throw Malformed() }
        return flag == 1
    }

    /// Reads a number that may be missing.
    mutating func optional<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self, in range: ClosedRange<Number> = 0...Number.max
    ) throws(Malformed) -> Number? {
        try isPresent() ? try number(type, in: range) : nil
    }

    /// Reads bytes that may be missing.
    mutating func data() throws(Malformed) -> [UInt8]? {
        guard let count: Int = try optional() else { return nil }
        return Array(try take(count))
    }

    /// Reads a text that may be missing.
    mutating func text() throws(Malformed) -> String? {
        guard let bytes = try data() else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Malformed() }
        return text
    }

    /// Reads a time that may be missing.
    mutating func time() throws(Malformed) -> Timestamp? {
        try optional(in: Timestamp.range).map(Timestamp.init(microseconds:))
    }
}

extension SpoolFrameWriter {
    /// Adds a record: what a user's program claims, without place, source and name of the user.
    mutating func record(_ record: AuditRecord) {
        optional(record.time?.microseconds)
        text(record.boot)
        optional(record.mono)
        text(record.kind.rawValue)
        text(record.host)
        optional(record.uid)
        optional(record.auid)
        optional(record.session)
        optional(record.pid)
        optional(record.start)
        for item in [record.exe, record.unit, record.via?.rawValue, record.domain?.string, record.key?.string] {
            text(item)
        }
        summary(record.forced)
        summary(record.tried)
        optional(record.policy == nil ? Int?.none : 1)
        if let policy = record.policy {
            text(policy.id)
            text(policy.file)
            optional(policy.line)
            data(policy.sha256?.bytes)
        }
        text(record.outcome?.rawValue)
        optional(record.count)
        optional(record.first?.microseconds)
        optional(record.last?.microseconds)
        text(record.note)
    }

    /// Adds the summary of a value that may be missing: its type as a number, then its content.
    private mutating func summary(_ summary: ValueSummary?) {
        switch summary {
        case nil, .full(.array), .full(.dictionary): number(0)
        case .full(.string(let text)):
            number(1)
            self.text(text)
        case .full(.boolean(let flag)):
            number(2)
            number(flag ? 1 : 0)
        case .full(.integer(let integer)):
            number(integer.isNegative ? 4 : 3)
            number(integer.isNegative ? UInt64(bitPattern: integer.int64 ?? 0) : integer.uint64 ?? 0)
        case .full(.real(let real)):
            number(5)
            number(real.bitPattern)
        case .full(.date(let seconds)):
            number(6)
            number(seconds.bitPattern)
        case .full(.data(let bytes)):
            number(7)
            data(bytes)
        case .digest(let type, let size, let sha256):
            number(8)
            text(type)
            number(size)
            text(sha256)
        case .sensitive(let hmac):
            number(9)
            bytes.append(hmac == nil ? 0 : 1)
            if let hmac { text(hmac) }
        case .secret(let type, let size, _):
            number(10)
            text(type)
            number(size)
        }
    }
}

extension SpoolFrameReader {
    /// Reads a record.
    mutating func record() throws(Malformed) -> AuditRecord {
        let time = try time()
        let (boot, mono) = (try text(), try optional(Int.self))
        guard let time, let kind = try text() else { throw Malformed() }
        var record = AuditRecord(kind: RecordKind(rawValue: kind), src: .spool)
        (record.time, record.boot, record.mono) = (time, boot, mono)
        record.host = try text()
        record.uid = try optional()
        record.auid = try optional()
        record.session = try optional()
        record.pid = try optional()
        record.start = try optional()
        record.exe = try text()
        record.unit = try text()
        record.via = try text().map(WriteVia.init(rawValue:))
        record.domain = try text().map { Key($0) }
        record.key = try text().map { Key($0) }
        record.forced = try summary()
        record.tried = try summary()
        if try optional(Int.self) != nil {
            record.policy = PolicyReference(
                id: try text(), file: try text(), line: try optional(), sha256: try digest())
        }
        record.outcome = try text().map(AttemptOutcome.init(rawValue:))
        record.count = try optional()
        record.first = try self.time()
        record.last = try self.time()
        record.note = try text()
        return record
    }

    /// Reads a digest that may be missing.
    mutating func digest() throws(Malformed) -> Digest? {
        guard let bytes = try data() else { return nil }
        guard bytes.count == Digest.byteCount, let digest = Digest(bytes: bytes) else { throw Malformed() }
        return digest
    }

    /// Reads the summary of a value that may be missing.
    private mutating func summary() throws(Malformed) -> ValueSummary? {
        switch try number(Int.self) {
        case 0: return nil
        case 1: return .full(.string(try text(ofAtMost: ValueSummary.longestScalar)))
        case 2: return .full(.boolean(try number(Int.self, in: 0...1) == 1))
        case 3: return .full(.integer(Integer(try bits())))
        case 4: return .full(.integer(Integer(Int64(bitPattern: try bits()))))
        case 5: return .full(.real(Double(bitPattern: try bits())))
        case 6:
            let seconds = Double(bitPattern: try bits())
            guard seconds.isFinite else { throw Malformed() }
            return .full(.date(seconds))
        case 7:
            guard let bytes = try data(), bytes.count <= ValueSummary.longestScalar else { throw Malformed() }
            return .full(.data(bytes))
        case 8:
            return .digest(
                type: try text(ofAtMost: 32), size: try number(), sha256: try text(ofAtMost: 16))
        case 9: return .sensitive(hmac: try isPresent() ? try text(ofAtMost: 16) : nil)
        case 10: return .secret(type: try text(ofAtMost: 32), size: try number(), value: nil)
        default: throw Malformed()
        }
    }

    /// Reads a text that is there and has at most this many bytes.
    private mutating func text(ofAtMost limit: Int) throws(Malformed) -> String {
        guard let text = try text(), text.utf8.count <= limit else { throw Malformed() }
        return text
    }
}
