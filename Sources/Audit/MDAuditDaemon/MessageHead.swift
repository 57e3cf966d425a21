import MDAuditRecord
import MDPlatform

/// What can be said of a message before it is parsed, so that a user's flood costs little: its number, and how many
/// attempts it has.
struct MessageHead: Hashable {
    /// The most attempts that one record or one number of unsent attempts can stand for.
    ///
    /// A sum of as many as a log can hold does not overflow.
    static let mostAttempts = 1_000_000_000

    /// The number of the request; 0 if the sender waits for no answer, or if the message is not a request.
    let number: Int
    /// Whether the message is about attempts.
    let isAttempts: Bool
    /// The attempts: each record is one, and may say that it counts more.
    let attempts: AttemptCount
    /// The number of attempts that the sender could not send.
    let unsent: Int

    /// The number of records.
    var records: Int { attempts.seen }

    /// Where the lines of a message begin whose first line is as every program writes it; `nil` if it is to be parsed.
    let lines: Int?

    /// Looks at a message.
    ///
    /// - Parameters:
    ///   - buffer: what the message is at the beginning of.
    ///   - length: its length; all of the buffer by default.
    init(_ buffer: [UInt8], length: Int? = nil) {
        let length = min(length ?? buffer.count, buffer.count)
        if let plain = MessageHead.plain(buffer, length) {
            (number, isAttempts, unsent, lines) = (plain.number, true, plain.unsent, plain.lines)
            attempts = MessageHead.count(buffer, from: plain.lines, to: length)
            return
        }
        lines = nil
        let message = Array(buffer[..<length])
        let end = message.firstIndex(of: 0x0a) ?? message.endIndex
        let words = message[..<end].split(separator: 0x20, maxSplits: 8)
        number = words.count > 1 ? MessageHead.digits(words[1], limit: 1 << 53) ?? 0 : 0
        isAttempts = words.count > 2 && words[2].elementsEqual("attempts".utf8)
        guard isAttempts else {
            (attempts, unsent) = (AttemptCount(), 0)
            return
        }
        unsent = words.count > 3 ? MessageHead.digits(words[3], limit: MessageHead.mostAttempts) ?? 0 : 0
        attempts = MessageHead.count(message, from: end + 1, to: message.count)
    }

    /// The words of a first line.
    private static let (version, kind) = (Array("MD1 ".utf8), Array(" attempts ".utf8))

    /// Reads `MD1 NUMBER attempts UNSENT` of a message that ends with a line feed.
    private static func plain(_ buffer: [UInt8], _ length: Int) -> (number: Int, unsent: Int, lines: Int)? {
        guard length > 0, buffer[length - 1] == 0x0a, length > version.count + kind.count else { return nil }
        for offset in version.indices where buffer[offset] != version[offset] { return nil }
        var index = version.count
        /// Reads a number without leading zeros.
        func digits() -> Int? {
            let start = index
            var value = 0
            while index < length, index - start < 16, (0x30...0x39).contains(buffer[index]) {
                value = value * 10 + Int(buffer[index] - 0x30)
                index += 1
            }
            return index == start || (buffer[start] == 0x30 && index - start > 1) ? nil : value
        }
        guard let number = digits(), number <= AuditRecord.largestNumber, length - index > kind.count else {
            return nil
        }
        for offset in kind.indices where buffer[index + offset] != kind[offset] { return nil }
        index += kind.count
        guard let unsent = digits(), unsent <= mostAttempts, index < length, buffer[index] == 0x0a else { return nil }
        return (number, unsent, index + 1)
    }

    /// The beginning of the field with the number of attempts that a record counts.
    ///
    /// Within a text of JSON its quotation marks would be escaped.
    private static let field = RecordMember.count.bytes

    /// Counts the lines of a message and the attempts that they stand for.
    private static func count(_ message: [UInt8], from start: Int, to end: Int) -> AttemptCount {
        var (count, begin) = (AttemptCount(), start)
        while begin < end {
            let next = message.place(of: 0x0a, in: begin..<end) ?? end
            if next > begin { count += AttemptCount(lineOf: attempts(message, begin..<next)) }
            begin = next + 1
        }
        return count
    }

    /// The number of attempts that a line counts.
    private static func attempts(_ message: [UInt8], _ line: Range<Int>) -> Int {
        var (attempts, begin) = (1, line.lowerBound)
        while let comma = message.place(of: UInt8(ascii: ","), in: begin..<line.upperBound) {
            begin = comma + 1
            // The first letter distinguishes most fields from it.
            guard begin + 1 < line.upperBound, message[begin + 1] == UInt8(ascii: "c") else { continue }
            if let count = number(message, at: comma, to: line.upperBound) { attempts = count }
        }
        return attempts
    }

    /// The number of attempts that a field at a place counts; `nil` if it is another field.
    private static func number(_ message: [UInt8], at place: Int, to end: Int) -> Int? {
        guard place + field.count < end else { return nil }
        for offset in field.indices where message[place + offset] != field[offset] { return nil }
        var (index, value) = (place + field.count, 0)
        while index < end, index < place + field.count + 17, (0x30...0x39).contains(message[index]) {
            value = value * 10 + Int(message[index] - 0x30)
            index += 1
        }
        return value <= mostAttempts ? max(value, 1) : 1
    }

    /// Parses decimal digits; `nil` for anything else, or for more than the limit.
    private static func digits(_ text: ArraySlice<UInt8>, limit: Int) -> Int? {
        guard !text.isEmpty, text.count <= 17, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let value = text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return value <= limit ? value : nil
    }
}
