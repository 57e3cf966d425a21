/// Writes property lists as OpenStep text, laid out as `defaults read` prints them.
///
/// The format has strings, data, arrays and dictionaries. ``write(_:)`` makes text that reads back: numbers and booleans
/// (`1` and `0`) come back as strings, and so do dates. ``description(of:)`` is for people.
package struct OpenStepWriter {
    /// What was written so far.
    private var output = TextOutput()
    /// Whether the text is for people and need not read back.
    private let isDescription: Bool

    /// Makes a writer.
    private init(isDescription: Bool) {
        self.isDescription = isDescription
    }

    /// Writes a value so that it reads back, its numbers, booleans and dates as strings.
    ///
    /// - Returns: the text as ASCII, with a line end after its last line.
    /// - Throws: `date` outside of the years 0 to 9999, `tooDeep` for more nested containers than the readers take. The
    ///   message names the keys that lead there.
    package static func write(_ value: Value) throws(PropertyListError) -> [UInt8] {
        var path = ValuePath()
        try check(value, &path)
        var writer = OpenStepWriter(isDescription: false)
        writer.write(value, level: 0)
        writer.output.write(UInt8(ascii: "\n"))
        return writer.output.bytes
    }

    /// What `defaults read` prints for a value, without a line end after it.
    ///
    /// A string at the root stands as it is, without quotation marks or escapes. Data is `{length = 3, bytes =
    /// 0x010203}`; of more than 24 bytes, the first 16 and the last 8 are shown. Below 512 levels stands `…`.
    package static func description(of value: Value) -> String {
        switch value {
        case .string(let text): return text
        case .boolean, .integer, .real, .date: return plainText(of: value)
        case .data, .array, .dictionary:
            var writer = OpenStepWriter(isDescription: true)
            writer.write(value, level: 0)
            return String(decoding: writer.output.bytes, as: UTF8.self)
        }
    }

    /// Refuses what does not read back.
    private static func check(_ value: Value, _ path: inout ValuePath, depth: Int = 0) throws(PropertyListError) {
        switch value {
        case .date(let seconds) where CalendarDate.openStep(seconds) == nil:
            throw path.mistake(.date, "the date \(seconds) seconds after 2001 is outside of the years 0 to 9999")
        case .array where depth >= Limits.standard.depth, .dictionary where depth >= Limits.standard.depth:
            throw path.mistake(.tooDeep, "arrays and dictionaries are nested more than \(Limits.standard.depth) deep")
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                path.enter(index: index)
                try check(element, &path, depth: depth + 1)
                path.leave()
            }
        case .dictionary(let entries):
            for (key, value) in entries {
                path.enter(key: key)
                try check(value, &path, depth: depth + 1)
                path.leave()
            }
        default: break
        }
    }

    /// Writes a value; containers begin with their own indentation, on the line that is open, as Apple prints them.
    private mutating func write(_ value: Value, level: Int) {
        switch value {
        case .data(let bytes): isDescription ? summarize(bytes) : write(bytes)
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

    /// Writes data in hexadecimal, four bytes a group.
    private mutating func write(_ bytes: [UInt8]) {
        output.write("<")
        for (index, byte) in bytes.enumerated() {
            if index > 0, index.isMultiple(of: 4) { output.write(" ") }
            write(hexadecimal: byte)
        }
        output.write(">")
    }

    /// Writes length and beginning of data, for people.
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
            value.isFinite ? XMLWriter.text(of: value) : value.isNaN ? "nan" : value < 0 ? "-inf" : "inf"
        case .date(let seconds): CalendarDate.openStep(seconds) ?? "\(seconds) seconds after 2001"
        case .data, .array, .dictionary: ""
        }
    }
}
