/// What a value of one type gives when it is asked for as another, as NSUserDefaults documents it for its typed getters.
///
/// Strings and numbers convert into each other; dates, data, arrays and dictionaries are 0, false and no string. Where
/// Foundation wraps around or reads an integer beyond `Int64` as 0, the nearest integer is given here.
extension Value {
    /// The value as a truth value.
    ///
    /// A number is true unless it is 0 or NaN. A string is true where, after blanks, signs and zeros, a digit from 1 to
    /// 9 or one of `Y`, `y`, `T`, `t` follows: `YES`, `true`, `1`, `12abc` are true; `NO`, `on`, `0x10`, `.5` are not.
    package var boolValue: Bool {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != Integer(0)
        case .real(let value): value != 0 && !value.isNaN
        case .string(let text): NumericText.isTrue(text)
        case .date, .data, .array, .dictionary: false
        }
    }

    /// The value as a whole number, the nearest where it does not fit.
    ///
    /// A real loses its fraction, and NaN is 0. A string gives the decimal digits at its front, after blanks and a sign:
    /// `12.9` and `12abc` are 12, `1e3` is 1, `YES` is 0.
    package var integerValue: Int {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Int(clamping: value)
        case .real(let value): Int(clamping: value)
        case .string(let text): NumericText.integer(text)
        case .date, .data, .array, .dictionary: 0
        }
    }

    /// The value as a floating-point number.
    ///
    /// A string gives the longest decimal number at its front, correctly rounded; `inf`, `nan` and hexadecimal digits
    /// are 0, and a number that is too large is infinite.
    package var doubleValue: Double {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value.double
        case .real(let value): value
        case .string(let text): NumericText.decimal(text).flatMap { Double($0) } ?? 0
        case .date, .data, .array, .dictionary: 0
        }
    }

    /// The value as a floating-point number of single precision, rounded once; see ``doubleValue``.
    package var floatValue: Float {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value.int64.map { Float($0) } ?? Float(value.uint64 ?? 0)
        case .real(let value): Float(value)
        case .string(let text): NumericText.decimal(text).flatMap { Float($0) } ?? 0
        case .date, .data, .array, .dictionary: 0
        }
    }

    /// The value as text, or `nil` for dates, data, arrays and dictionaries.
    ///
    /// Truth values are `1` and `0`. A real has the fewest digits that read back as itself, and no `.0`: `1`, `0.1`,
    /// `1e+20`, `nan`.
    package var stringValue: String? {
        switch self {
        case .string(let text): return text
        case .boolean(let value): return value ? "1" : "0"
        case .integer(let value): return value.description
        case .real(let value):
            let text = value.description
            return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
        case .date, .data, .array, .dictionary: return nil
        }
    }

    /// The value as texts: those of an array that holds nothing but strings, `nil` for all else.
    package var stringArrayValue: [String]? {
        guard case .array(let values) = self else { return nil }
        var texts: [String] = []
        texts.reserveCapacity(values.count)
        for value in values {
            guard case .string(let text) = value else { return nil }
            texts.append(text)
        }
        return texts
    }
}

extension Int {
    /// The nearest number that fits.
    fileprivate init(clamping value: Integer) {
        self = value.int64.map { Int(clamping: $0) } ?? .max
    }

    /// The number without its fraction, the nearest that fits; 0 for NaN.
    fileprivate init(clamping value: Double) {
        if let exact = Int(exactly: value.rounded(.towardZero)) {
            self = exact
        } else {
            self = value.isNaN ? 0 : value < 0 ? .min : .max
        }
    }
}
