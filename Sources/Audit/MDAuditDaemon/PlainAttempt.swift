import MDAuditRecord

/// A line of a message that has the form in which programs send attempts, so that it needs no parsing: its last part is
/// stored byte for byte.
///
/// Only what parsing and writing would leave exactly as it is counts as such; every other line is parsed.
struct PlainAttempt {
    /// The most bytes of a program's path, beyond which it is cut.
    static let longestProgram = 512

    /// The fields by which attempts are compared, in the order of ``AttemptIdentity``: way, outcome, domain, key and value,
    /// texts without their quotes.
    let compared: InlineArray<5, Range<Int>?>
    /// The path of the program, as its sender says it; `nil` if it does not.
    let program: Range<Int>?
    /// From the way on to the end of the line.
    let rest: Range<Int>
    /// The domain.
    var domain: Range<Int>? { compared[2] }
    /// The key; `nil` if the attempt replaces the whole domain.
    var key: Range<Int>? { compared[3] }

    /// The most bytes of a value with its quotes, beyond which it is to be digested.
    private static let longestValue = ValueSummary.longestScalar + 2

    /// Examines a line; `nil` if it is to be parsed.
    ///
    /// - Parameters:
    ///   - bytes: the message.
    ///   - line: the line in it, without its line feed.
    init?(_ bytes: [UInt8], _ line: Range<Int>) {
        guard let beginning = Beginning(bytes, line) else { return nil }
        var scanner = beginning.scanner
        program = beginning.program
        let (start, via, domain, key) = (beginning.start, beginning.via, beginning.domain, beginning.key)
        guard Token.ways.contains(where: { scanner.is($0, at: via) }) else { return nil }
        /// Whether a value was read, and is short.
        func isShort(_ value: Range<Int>?) -> Bool { value.map { $0.count <= PlainAttempt.longestValue } ?? false }
        if scanner.skip(Token.forced), !isShort(scanner.value()) { return nil }
        var tried: Range<Int>?
        if scanner.skip(Token.tried) {
            tried = scanner.value()
            guard isShort(tried) else { return nil }
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

    /// The domain and the key of a line, whatever follows them; `nil` for a line of another form.
    static func names(_ bytes: [UInt8], _ line: Range<Int>) -> (domain: Range<Int>, key: Range<Int>?)? {
        Beginning(bytes, line).map { ($0.domain, $0.key) }
    }

    /// The beginning of a line, up to the key.
    private struct Beginning {
        /// What was read.
        let scanner: PlainScanner
        /// The path of the program, as its sender says it; `nil` if it does not.
        let program: Range<Int>?
        /// The place of the way.
        let start: Int
        /// The way, the domain and the key, texts without their quotes.
        let (via, domain, key): (Range<Int>, Range<Int>, Range<Int>?)

        /// Reads the beginning of a line.
        init?(_ bytes: [UInt8], _ line: Range<Int>) {
            var scanner = PlainScanner(bytes, from: line.lowerBound, to: line.upperBound)
            guard scanner.skip(Token.head) else { return nil }
            program = scanner.skip(Token.program) ? scanner.text() : nil
            if let program, program.count > PlainAttempt.longestProgram || !scanner.skip(Token.comma) { return nil }
            start = scanner.index
            guard scanner.skip(Token.via), let via = scanner.text(), scanner.skip(Token.domain),
                let domain = scanner.text()
            else { return nil }
            (self.via, self.domain, key) = (via, domain, scanner.skip(Token.key) ? scanner.text() : nil)
            self.scanner = scanner
        }
    }

    /// The pieces of a line.
    private enum Token {
        static let head = Array(AuditRecord(kind: .override, src: .client).encoded().dropLast() + comma)
        static let program = Array(RecordMember.exe.bytes.dropFirst())
        static let via = Array(RecordMember.via.bytes.dropFirst())
        static let domain = RecordMember.domain.bytes
        static let key = RecordMember.key.bytes
        static let forced = RecordMember.forced.bytes
        static let tried = RecordMember.tried.bytes
        static let policy = RecordMember.policy.bytes + [UInt8(ascii: "{")]
        static let outcome = RecordMember.outcome.bytes
        static let note = RecordMember.note.bytes
        static let comma = Array(",".utf8)
        static let brace = Array("}".utf8)
        static let ways = WriteVia.known.map { Array($0.rawValue.utf8) }
        static let outcomes = AttemptOutcome.known.map { Array($0.rawValue.utf8) }
    }
}
