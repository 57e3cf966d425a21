/// Describes values as OpenStep text, in the layout of `defaults read`; the text need not be readable by a parser.
package struct OpenStepWriter {
    /// The text so far.
    private var output = TextOutput()

    /// What `defaults read` prints for a value, without a line end after it.
    ///
    /// A string at the root has no quotation marks and no escapes. Data is `{length = 3, bytes = 0x010203}`; of more
    /// than 24 bytes, the first 16 and the last 8 are shown. Values below 512 levels are shown as `…`.
    package static func description(of value: Value) -> String {
        switch value {
        case .string(let text): return text
        case .boolean, .integer, .real, .date: return plainText(of: value)
        case .data, .array, .dictionary:
            var writer = OpenStepWriter()
            writer.write(value, level: 0)
            return String(decoding: writer.output.bytes, as: UTF8.self)
        }
    }

    /// Writes a value; containers begin with their own indentation, on the current line, as Apple prints them.
    private mutating func write(_ value: Value, level: Int) {
        switch value {
        case .data(let bytes): summarize(bytes)
        case .array, .dictionary:
            guard level < Limits.standard.depth else {
                output.write("…")
                return
            }
            writeContainer(value, level: level)
        default: output.write(OpenStepWriter.quoted(OpenStepWriter.plainText(of: value)))
        }
    }

    /// Writes an array or a dictionary.
    private mutating func writeContainer(_ value: Value, level: Int) {
        indent(level)
        if case .array(let elements) = value {
            output.write("(\n")
            for (index, element) in elements.enumerated() {
                indent(level + 1)
                write(element, level: level + 1)
                output.write(index == elements.count - 1 ? "\n" : ",\n")
            }
            indent(level)
            output.write(")")
        } else if case .dictionary(let entries) = value {
            output.write("{\n")
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                indent(level + 1)
                output.write(OpenStepWriter.quoted(key.string))
                output.write(" = ")
                write(value, level: level + 1)
                output.write(";\n")
            }
            indent(level)
            output.write("}")
        }
    }

    /// Writes length and beginning of data.
    private mutating func summarize(_ bytes: [UInt8]) {
        output.write("{length = \(bytes.count), bytes = 0x")
        if bytes.count <= 24 {
            for byte in bytes { write(hexadecimal: byte) }
        } else {
            for (index, byte) in bytes.prefix(16).enumerated() {
                if index > 0, index.isMultiple(of: 4) { output.write(" ") }
                write(hexadecimal: byte)
            }
            output.write(" ... ")
            for (index, byte) in bytes.suffix(8).enumerated() {
                if index == 4 { output.write(" ") }
                write(hexadecimal: byte)
            }
            output.write(" ")
        }
        output.write("}")
    }

    /// Writes a byte as two digits.
    private mutating func write(hexadecimal byte: UInt8) {
        output.write(Hexadecimal.character(byte >> 4))
        output.write(Hexadecimal.character(byte))
    }

    /// Writes four blanks a level.
    private mutating func indent(_ level: Int) {
        output.write(UInt8(ascii: " "), times: 4 * level)
    }

    /// A value without parts as text: what `defaults read` prints for it at the root.
    private static func plainText(of value: Value) -> String {
        switch value {
        case .string(let text): text
        case .boolean(let value): value ? "1" : "0"
        case .integer(let value): value.description
        // XML writes zero as CoreFoundation does, with a point; descriptions have none.
        case .real(0): "0"
        case .real(let value):
            value.isFinite ? DecimalReal.text(of: value) : value.isNaN ? "nan" : value < 0 ? "-inf" : "inf"
        case .date(let seconds): CalendarDate.openStep(seconds) ?? "\(seconds) seconds after 2001"
        case .data, .array, .dictionary: ""
        }
    }
}

extension OpenStepWriter {
    /// A string in OpenStep text.
    ///
    /// If it has only ASCII letters and digits, it is unchanged; else it has quotation marks, and everything but
    /// printable ASCII is escaped.
    static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return text }
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5c: result += "\\\\"
            case 0x0a: result += "\\n"
            case 0x09: result += "\\t"
            case 0x0d: result += "\\r"
            case 0x20...0x7e: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                let digits = String(unit, radix: 16)
                result += "\\U" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
        return result + "\""
    }

    /// Whether a byte needs no quotation marks.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
