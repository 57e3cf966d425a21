package import MDAuditRecord
package import MDPlatform

/// A record of an attempt as it is in the log, read without parsing its line: texts are places in the bytes.
///
/// Only lines in the form in which this program writes them count, with the fields in their order. Any other line is left
/// to the parser, also one that is not a record.
package struct StoredAttempt {
    /// The number; 0 if the line has none.
    private(set) var seq = 0
    /// When it was recorded.
    package private(set) var time = Timestamp(microseconds: 0)
    /// The user of the process.
    package private(set) var uid: UInt32?
    /// The name of that user.
    package private(set) var user: Range<Int>?
    /// The program that the process runs.
    package private(set) var exe: Range<Int>?
    /// The way in which the value was written.
    package private(set) var via: Range<Int>?
    /// The domain of the key.
    package private(set) var domain: Range<Int>?
    /// The forced key.
    package private(set) var key: Range<Int>?
    /// The result of the attempt.
    package private(set) var outcome: Range<Int>?
    /// The number of equal attempts; `nil` for one.
    private var count: Int?
    /// The source, if that is the sender; `nil` for any other.
    private var sender: RecordSource?
    /// When the first of several equal attempts was made.
    private var first: Timestamp?
    /// When the last of several equal attempts was made.
    private var last: Timestamp?
    /// The times that a time span is compared with.
    package var times: RecordTimes { RecordTimes(time, first, last, isOfSender: sender != nil) }
    /// The attempts that it counts, by how they are known.
    package var attempts: AttemptCount { AttemptCount(of: sender, count: count) }

    /// The kind.
    private static let kind = Array("override".utf8)
    /// The sources of senders' claims, each with its bytes.
    private static let ofSenders = RecordSource.known.filter(\.isOfSender).map { ($0, Array($0.rawValue.utf8)) }

    /// Reads a line in one pass; `nil` if the parser is to read it.
    ///
    /// - Parameters:
    ///   - bytes: lines of the log.
    ///   - line: the place of the line, without its line feed.
    ///   - times: reads the times.
    init?(_ bytes: [UInt8], _ line: Range<Int>, _ times: inout PlainTimes) {
        var scanner = PlainScanner(bytes, from: line.lowerBound, to: line.upperBound)
        guard scanner.skip("{") else { return nil }
        let order = RecordMember.order
        var (next, required) = (0, 0)
        repeat {
            guard let name = scanner.name(), let place = order.place(of: name, from: next),
                read(order.members[place], &scanner, &times)
            else { return nil }
            switch order.members[place] {
            // What every record has.
            case .v, .time, .kind: required += 1
            default: break
            }
            next = place + 1
        } while scanner.skip(",")
        guard scanner.skip("}"), scanner.index == line.upperBound, required == 3,
            line.count < AuditRecord.longestLine
        else { return nil }
    }

    /// Reads the value of a member.
    ///
    /// - Parameters:
    ///   - member: the member.
    ///   - scanner: reads the value.
    ///   - times: reads times.
    /// - Returns: whether it was read; if not, the parser is to read the line.
    @inline(__always)
    private mutating func read(
        _ member: RecordMember, _ scanner: inout PlainScanner, _ times: inout PlainTimes
    ) -> Bool {
        switch member {
        case .v: return scanner.number() == AuditRecord.formatVersion
        case .seq:
            seq = scanner.number() ?? 0
            return seq > 0
        case .time:
            guard let value = times.read(&scanner) else { return false }
            time = value
            return true
        case .kind:
            guard let text = scanner.text() else { return false }
            return scanner.is(StoredAttempt.kind, at: text)
        case .src:
            guard let text = scanner.text() else { return false }
            sender = StoredAttempt.ofSenders.first { scanner.is($0.1, at: text) }?.0
            return true
        case .uid:
            uid = scanner.number().flatMap { UInt32(exactly: $0) }
            return uid != nil
        case .user:
            user = scanner.text()
            return user != nil
        case .auid, .session: return scanner.number() ?? .max <= UInt32.max
        case .pid: return scanner.number() ?? .max <= Int32.max
        case .mono, .start: return scanner.number() != nil
        case .exe:
            exe = scanner.text()
            return exe != nil
        case .boot, .host, .unit, .note: return scanner.text() != nil
        case .via:
            via = scanner.text()
            return via != nil
        case .domain:
            domain = scanner.text()
            return domain != nil
        case .key:
            key = scanner.text()
            return key != nil
        case .forced, .tried: return scanner.value() != nil
        case .policy: return scanner.skip("{") && scanner.policy()
        case .outcome:
            outcome = scanner.text()
            return outcome != nil
        case .count:
            count = scanner.number()
            return count != nil
        case .first:
            first = times.read(&scanner)
            return first != nil
        case .last:
            last = times.read(&scanner)
            return last != nil
        }
    }
}

/// Reads times in the form in which records have them, `2026-11-20T08:00:00.000000Z`.
///
/// It remembers the last day, because neighbouring records mostly have the same one.
struct PlainTimes {
    /// The number of bytes of a date and of a time.
    private static let (dateLength, length) = (10, 27)

    /// The date that was read last, as numbers of its bytes.
    private var date: (UInt64, UInt64) = (0, 0)
    /// When it began.
    private var midnight: Int64 = 0

    /// Reads a text that is a time; `nil` if the parser is to read it.
    mutating func read(_ scanner: inout PlainScanner) -> Timestamp? {
        guard let text = scanner.text(), text.count == PlainTimes.length else { return nil }
        let start = text.lowerBound
        var date: (UInt64, UInt64) = (0, 0)
        for index in start..<start + PlainTimes.dateLength {
            date = (date.0 << 8 | date.1 >> 56, date.1 << 8 | UInt64(scanner.bytes[index]))
        }
        if date != self.date {
            let name = String(decoding: scanner.bytes[start..<start + PlainTimes.dateLength], as: UTF8.self)
            guard let midnight = Timestamp(rfc3339: name + "T00:00:00Z")?.microseconds else { return nil }
            (self.date, self.midnight) = (date, midnight)
        }
        let bytes = scanner.bytes
        guard bytes[start + 10] == UInt8(ascii: "T"), bytes[start + 13] == UInt8(ascii: ":"),
            bytes[start + 16] == UInt8(ascii: ":"), bytes[start + 19] == UInt8(ascii: "."),
            bytes[start + 26] == UInt8(ascii: "Z"),
            let hour = PlainTimes.digits(bytes, start + 11, 2), hour <= 23,
            let minute = PlainTimes.digits(bytes, start + 14, 2), minute <= 59,
            // A leap second is left to the parser.
            let second = PlainTimes.digits(bytes, start + 17, 2), second <= 59,
            let fraction = PlainTimes.digits(bytes, start + 20, 6)
        else { return nil }
        return Timestamp(
            microseconds: midnight + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction)
    }

    /// Reads so many digits.
    private static func digits(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int64? {
        var number: Int64 = 0
        for index in start..<start + count {
            guard (0x30...0x39).contains(bytes[index]) else { return nil }
            number = number * 10 + Int64(bytes[index] - 0x30)
        }
        return number
    }
}
