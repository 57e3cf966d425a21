extension JSONWriter {
    /// Writes a property list.
    ///
    /// Dates, data, NaN and infinities have the forms `{"$date":…}`, `{"$data":…}`, `{"$real":…}`; a dictionary whose
    /// only key begins with `$` is wrapped in `{"$dict":…}`. Keys are sorted by their bytes. A date outside of the years
    /// 0 to 9999, for which there is no text, is written as its number of seconds since 2001: `{"$date":1e15}`.
    package mutating func value(_ value: Value) {
        write(value)
    }

    /// Writes a property list so that each date reads back as it is.
    ///
    /// As ``value(_:)``, with a date that is no whole second as its number of seconds since 2001: `{"$date":0.5}`.
    package mutating func exactValue(_ value: Value) {
        write(value, keepsFractions: true)
    }

    /// Writes a property list for readers that keep numbers as doubles (I-JSON, RFC 7493).
    ///
    /// As ``value(_:)``, with whole numbers beyond ±(2^53 - 1) as `{"$int":"9007199254740993"}`.
    package mutating func iJSONValue(_ value: Value) {
        write(value, marksLargeIntegers: true)
    }

    /// Writes a property list of any type.
    private mutating func write(_ value: Value, marksLargeIntegers: Bool = false, keepsFractions: Bool = false) {
        switch value {
        case .string(let value): string(value)
        case .boolean(let value): boolean(value)
        case .integer(let value):
            if marksLargeIntegers && JSONWriter.isBeyondDouble(value) {
                form("$int", value.description)
            } else {
                integer(value)
            }
        case .real(let value): real(value)
        case .date(let seconds):
            let isWhole = !keepsFractions || seconds.rounded() == seconds
            if isWhole, let text = CalendarDate.iso8601(seconds) {
                form("$date", text)
            } else {
                beginObject()
                member("$date")
                real(seconds)
                endObject()
            }
        case .data(let bytes): form("$data", Base64.encode(bytes))
        case .array(let values):
            beginArray()
            for value in values {
                write(value, marksLargeIntegers: marksLargeIntegers, keepsFractions: keepsFractions)
            }
            endArray()
        case .dictionary(let values):
            let isForm = values.count == 1 && values.first?.key.string.utf8.first == UInt8(ascii: "$")
            if isForm {
                beginObject()
                member("$dict")
            }
            beginObject()
            for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                member(key.string)
                write(value, marksLargeIntegers: marksLargeIntegers, keepsFractions: keepsFractions)
            }
            endObject()
            if isForm { endObject() }
        }
    }

    /// Whether a number lies outside of ±(2^53 - 1), where not every whole number is a double.
    private static func isBeyondDouble(_ value: Integer) -> Bool {
        let bound = 1 << 53 - 1
        guard let number = value.int64 else { return true }
        return number > bound || number < -bound
    }
}
