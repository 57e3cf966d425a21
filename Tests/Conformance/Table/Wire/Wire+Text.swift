extension Wire: CustomStringConvertible {
    /// The value as one line; keys of dictionaries are sorted.
    package var description: String {
        switch self {
        case .string(let text): Wire.quoted(text)
        case .integer(let value): String(value)
        case .real(let value): Wire.text(of: value)
        case .boolean(let value): value ? "true" : "false"
        case .date(let seconds): "@" + Wire.text(of: seconds)
        case .data(let bytes): "<" + bytes.map { Wire.hexadecimal($0) }.joined() + ">"
        case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
        case .dictionary(let values):
            "{"
                + values.sorted { $0.key < $1.key }.map { "\(Wire.quoted($0.key)): \($0.value)" }
                .joined(separator: ", ") + "}"
        case .nothing: "nil"
        case .foreign(let word): "?" + word
        }
    }

    /// A number that reads back as one with a fraction.
    private static func text(of value: Double) -> String {
        value.isNaN ? "nan" : value.isInfinite ? (value < 0 ? "-inf" : "inf") : value.description
    }

    /// Two hexadecimal digits.
    private static func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    /// Text between quotation marks, control characters as `\u00XX`.
    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7f:
                result += "\\u00" + hexadecimal(UInt8(scalar.value))
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
