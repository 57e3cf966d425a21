import MDPlatform
import MDPropertyList
import MDTools

/// The types of scalar values, which are flags before one argument.
enum ScalarType {
    /// `-string`.
    case string
    /// `-data`, in hexadecimal.
    case data
    /// `-int`, `-integer`.
    case integer
    /// `-float`.
    case real
    /// `-bool`, `-boolean`.
    case boolean
    /// `-date`.
    case date

    /// Makes the type of a flag; `nil` for another word.
    init?(flag: String) {
        switch flag {
        case "-string": self = .string
        case "-data": self = .data
        case "-int", "-integer": self = .integer
        case "-float": self = .real
        case "-bool", "-boolean": self = .boolean
        case "-date": self = .date
        default: return nil
        }
    }

    /// Parses a value of this type.
    ///
    /// - Parameters:
    ///   - word: the argument.
    ///   - root: the machine whose time zone a date without zone is in.
    /// - Returns: the value.
    /// - Throws: exit 5 with what was expected.
    func value(of word: String, _ root: Root) throws(Failure) -> Value {
        switch self {
        case .string: return .string(word)
        case .data: return .data(try bytes(of: word))
        case .integer:
            // Scripts pass the output of `wc -l`, which begins with blanks.
            guard let number = Integer(decimal: ScalarType.trimmed(word)) else {
                throw failure(word, "no whole number from -9223372036854775808 to 18446744073709551615")
            }
            return .integer(number)
        case .real:
            guard let number = DecimalReal.parse(ScalarType.trimmed(word)) else {
                throw failure(word, "no number; 1.5, -2e3, inf and nan are some")
            }
            return .real(number)
        case .boolean:
            switch ScalarType.trimmed(word).lowercased() {
            case "true", "yes", "1": return .boolean(true)
            case "false", "no", "0": return .boolean(false)
            default: throw failure(word, "neither true nor false; -bool takes true, false, yes, no, 1 and 0")
            }
        case .date:
            guard let seconds = try ScalarType.date(of: word, root) else {
                throw failure(
                    word, "no date; 2026-11-20, 2026-11-20T08:00:00Z and \"2026-11-20 08:00:00\" are some")
            }
            return .date(seconds)
        }
    }

    /// Removes blanks at both ends.
    private static func trimmed(_ word: String) -> String {
        var rest = Substring(word)
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }

    /// The failure for a word that is not such a value.
    private func failure(_ word: String, _ reason: String) -> Failure {
        let shown = word.count > 80 ? word.prefix(80) + "…" : word
        let rest = "is \(reason). Defaults have not been changed."
        return Failure(
            code: .badInput, message: "\"\(Printable.escape(shown))\" \(rest)", withoutValue: "The value \(rest)")
    }

    /// Parses pairs of hexadecimal digits; ignores blanks.
    private func bytes(of word: String) throws(Failure) -> [UInt8] {
        var digits: [UInt8] = []
        for byte in word.utf8 where byte != 0x20 && !(0x09...0x0d).contains(byte) {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw failure(word, "no data; -data takes pairs of hexadecimal digits: 0fbd77")
            }
            digits.append(UInt8(truncatingIfNeeded: digit))
        }
        guard digits.count.isMultiple(of: 2) else {
            throw failure(word, "no data; it has \(digits.count) hexadecimal digits, and two make a byte")
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Parses a date in one of the common notations; returns seconds since 2001.
    ///
    /// A day with a time and without zone is the machine's, because Ansible writes dates so.
    private static func date(of word: String, _ root: Root) throws(Failure) -> Double? {
        let text = word.utf8
        if let seconds = CalendarDate.parse(iso8601: text) ?? CalendarDate.parse(openStep: text) { return seconds }
        if let seconds = CalendarDate.parse(iso8601: (word + "T00:00:00Z").utf8) { return seconds }
        var moment = Timestamp(rfc3339: word)
        if moment == nil, CalendarDate.parse(openStep: (word + " +0000").utf8) != nil,
            let expression = TimeExpression(word)
        {
            let zone = try TimeArgument.zone(of: expression, ZoneDatabase(root: root))
            moment = expression.resolve(at: Clock.now(), in: zone, .ahead)
        }
        guard let moment else { return nil }
        return Double(moment.microseconds) / 1_000_000 - secondsTo2001
    }

    /// Seconds from 1970-01-01 to 2001-01-01 UTC.
    private static let secondsTo2001: Double = 978_307_200
}
