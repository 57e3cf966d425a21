import MDAuditClient

/// A line of a message that has the form in which programs send attempts, so that it needs no parsing: its last part is
/// stored byte for byte.
///
/// Only what parsing and writing would leave exactly as it is counts as such; every other line is parsed.
struct PlainAttempt {
    /// The most bytes of a program's path, beyond which it is cut.
    static let longestProgram = 512
    /// The most digits of a whole number that is written as it is.
    private static let mostDigits = 15

    /// The fields by which attempts are compared, in the order of ``AttemptIdentity``: way, outcome, domain, key and value,
    /// texts without their quotes.
    let compared: [Range<Int>?]
    /// The path of the program, as its sender says it; `nil` if it does not.
    let program: Range<Int>?
    /// From the way on to the end of the line.
    let rest: Range<Int>

    /// Examines a line; `nil` if it is to be parsed.
    ///
    /// - Parameters:
    ///   - bytes: the message.
    ///   - line: the line in it, without its line feed.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        var scanner = Scanner(bytes: bytes, index: line.lowerBound, end: line.upperBound)
        guard scanner.skip(Token.head) else { return nil }
        program = scanner.skip(Token.program) ? scanner.text() : nil
        if let program, program.count > PlainAttempt.longestProgram || !scanner.skip(Token.comma) { return nil }
        let start = scanner.index
        guard scanner.skip(Token.via), let via = scanner.text(),
            Token.ways.contains(where: { scanner.is($0, at: via) }),
            scanner.skip(Token.domain), let domain = scanner.text()
        else { return nil }
        let key = scanner.skip(Token.key) ? scanner.text() : nil
        if scanner.skip(Token.forced), scanner.value() == nil { return nil }
        var tried: Range<Int>?
        if scanner.skip(Token.tried) {
            tried = scanner.value()
            if tried == nil { return nil }
        }
        if scanner.skip(Token.policy), !scanner.policy() { return nil }
        var outcome: Range<Int>?
        if scanner.skip(Token.outcome) {
            guard let word = scanner.text(), Token.outcomes.contains(where: { scanner.is($0, at: word) }) else {
                return nil
            }
            outcome = word
        }
        if scanner.skip(Token.note), scanner.text() == nil { return nil }
        guard scanner.skip(Token.brace), scanner.index == line.upperBound else { return nil }
        compared = [via, outcome, domain, key, tried]
        rest = start..<line.upperBound
    }

    /// The pieces of a line.
    private enum Token {
        static let head = Array("{\"v\":\(AuditRecord.formatVersion),\"kind\":\"override\",\"src\":\"client\",".utf8)
        static let program = Array(#""exe":"#.utf8)
        static let via = Array(#""via":"#.utf8)
        static let domain = Array(#","domain":"#.utf8)
        static let key = Array(#","key":"#.utf8)
        static let forced = Array(#","forced":"#.utf8)
        static let tried = Array(#","tried":"#.utf8)
        static let policy = Array(#","policy":{"#.utf8)
        static let id = Array(#""id":"#.utf8)
        static let file = Array(#""file":"#.utf8)
        static let line = Array(#""line":"#.utf8)
        static let sha256 = Array(#""sha256":"#.utf8)
        static let outcome = Array(#","outcome":"#.utf8)
        static let note = Array(#","note":"#.utf8)
        static let comma = Array(",".utf8)
        static let brace = Array("}".utf8)
        static let (yes, no) = (Array("true".utf8), Array("false".utf8))
        static let ways = WriteVia.known.map { Array($0.rawValue.utf8) }
        static let outcomes = AttemptOutcome.known.map { Array($0.rawValue.utf8) }
    }

    /// Reads the pieces one after the other.
    private struct Scanner {
        /// The message.
        let bytes: [UInt8]
        /// The next byte.
        var index: Int
        /// The end of the line.
        let end: Int

        /// Whether a place has a word.
        func `is`(_ word: [UInt8], at place: Range<Int>) -> Bool {
            guard word.count == place.count else { return false }
            for offset in word.indices where bytes[place.lowerBound + offset] != word[offset] { return false }
            return true
        }

        /// Passes over a piece, if it is there.
        mutating func skip(_ piece: [UInt8]) -> Bool {
            guard end - index >= piece.count else { return false }
            for offset in piece.indices where bytes[index + offset] != piece[offset] { return false }
            index += piece.count
            return true
        }

        /// Reads a text with its quotes, of printable ASCII characters that need no escape; the place without the quotes.
        mutating func text() -> Range<Int>? {
            guard index < end, bytes[index] == UInt8(ascii: "\"") else { return nil }
            let start = index + 1
            var next = start
            while next < end {
                let byte = bytes[next]
                if byte == UInt8(ascii: "\"") {
                    index = next + 1
                    return start..<next
                }
                if byte < 0x20 || byte >= 0x7f || byte == UInt8(ascii: "\\") { return nil }
                next += 1
            }
            return nil
        }

        /// Reads a whole number as it is written.
        mutating func number(isNegative: Bool = false) -> Range<Int>? {
            let start = index
            if isNegative, index < end, bytes[index] == UInt8(ascii: "-") { index += 1 }
            let digits = index
            while index < end, index - digits <= PlainAttempt.mostDigits, (0x30...0x39).contains(bytes[index]) {
                index += 1
            }
            let count = index - digits
            guard (1...PlainAttempt.mostDigits).contains(count) else { return nil }
            // Zero has no sign, and no other number begins with it.
            if bytes[digits] == 0x30, count > 1 || digits > start { return nil }
            return start..<index
        }

        /// Reads a text, a truth value or a whole number; the place of all of it.
        mutating func value() -> Range<Int>? {
            let start = index
            if skip(Token.yes) || skip(Token.no) { return start..<index }
            if index < end, bytes[index] == UInt8(ascii: "\"") { return text() == nil ? nil : start..<index }
            return number(isNegative: true)
        }

        /// Reads the members of a reference to a policy, and its brace.
        mutating func policy() -> Bool {
            var isFirst = true
            /// Passes over the name of a member.
            func member(_ name: [UInt8], _ scanner: inout Scanner) -> Bool {
                var next = scanner
                guard isFirst || next.skip(Token.comma), next.skip(name) else { return false }
                (scanner, isFirst) = (next, false)
                return true
            }
            if member(Token.id, &self), text() == nil { return false }
            if member(Token.file, &self), text() == nil { return false }
            if member(Token.line, &self), number() == nil { return false }
            if member(Token.sha256, &self) {
                guard let digest = text(), digest.count == 64,
                    bytes[digest].allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
                else { return false }
            }
            return skip(Token.brace)
        }
    }
}
