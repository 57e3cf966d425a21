/// Writes JSON text, compact or indented, value after value.
///
/// The text is valid JSON and harmless on a terminal: control characters, line separators and bidirectional controls
/// are written as `\u` escapes. Containers that are left open are an error of the caller, as is a value without
/// ``member(_:)`` inside an object; debug builds detect both. Consecutive values at the root are separated by a line
/// feed.
package struct JSONWriter {
    /// An array or object that is still open.
    private struct Container {
        /// Whether it is an object.
        let isObject: Bool
        /// Whether nothing has been written into it.
        var isEmpty = true
    }

    /// The text so far, as UTF-8.
    package private(set) var utf8: [UInt8] = []
    /// Whether every member has its own line, indented by two blanks for each level.
    private let isPretty: Bool
    /// The open containers, innermost last.
    private var containers: [Container] = []
    /// Whether a member's name has been written and its value has not.
    private var isAfterName = false

    /// Makes a writer of an empty text.
    ///
    /// - Parameter pretty: whether to write each member on its own line.
    package init(pretty: Bool = false) {
        isPretty = pretty
    }

    /// The text so far.
    package var text: String { String(decoding: utf8, as: UTF8.self) }
}

extension JSONWriter {
    /// Opens an object.
    package mutating func beginObject() {
        begin(isObject: true, "{")
    }

    /// Closes the innermost object.
    package mutating func endObject() {
        end(isObject: true, "}")
    }

    /// Opens an array.
    package mutating func beginArray() {
        begin(isObject: false, "[")
    }

    /// Closes the innermost array.
    package mutating func endArray() {
        end(isObject: false, "]")
    }

    /// Writes the name of the next value in an object.
    package mutating func member(_ name: String) {
        assert(containers.last?.isObject == true && !isAfterName, "a name belongs into an object")
        separate()
        appendQuoted(name)
        append(":")
        if isPretty { append(" ") }
        isAfterName = true
    }

    /// Opens a container.
    private mutating func begin(isObject: Bool, _ bracket: Unicode.Scalar) {
        beginValue()
        containers.append(Container(isObject: isObject))
        append(bracket)
    }

    /// Closes the innermost container.
    private mutating func end(isObject: Bool, _ bracket: Unicode.Scalar) {
        let closed = containers.popLast()
        assert(closed?.isObject == isObject && !isAfterName, "what is closed must be open")
        if closed?.isEmpty == false { breakLine() }
        append(bracket)
    }

    /// Writes the separator between the previous value and this one.
    private mutating func beginValue() {
        if isAfterName {
            isAfterName = false
        } else {
            assert(containers.last?.isObject != true, "a value in an object needs a name")
            separate()
        }
    }

    /// Writes the comma and the line break before an element or a member.
    private mutating func separate() {
        guard let last = containers.indices.last else {
            if !utf8.isEmpty { append("\n") }
            return
        }
        if !containers[last].isEmpty { append(",") }
        containers[last].isEmpty = false
        breakLine()
    }

    /// Begins an indented line, unless the text is compact.
    private mutating func breakLine() {
        guard isPretty else { return }
        append("\n")
        utf8.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * containers.count))
    }

    /// Appends an ASCII character.
    private mutating func append(_ character: Unicode.Scalar) {
        utf8.append(UInt8(ascii: character))
    }

    /// Appends one byte of UTF-8.
    mutating func append(byte: UInt8) {
        utf8.append(byte)
    }

    /// Appends bytes of UTF-8.
    mutating func append(bytes: some Sequence<UInt8>) {
        utf8.append(contentsOf: bytes)
    }
}

extension JSONWriter {
    /// Writes a string.
    package mutating func string(_ value: String) {
        beginValue()
        appendQuoted(value)
    }

    /// Writes a whole number.
    package mutating func integer(_ value: Int) {
        raw(String(value))
    }

    /// Writes a whole number, digit for digit.
    package mutating func integer(_ value: Integer) {
        raw(value.description)
    }

    /// Writes `true` or `false`.
    package mutating func boolean(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    /// Writes the shortest number that reads back as this one, with a `.` or an `e`.
    ///
    /// Infinities and NaN, which JSON lacks, are written as `{"$real":"inf"}`.
    package mutating func real(_ value: Double) {
        if value.isFinite {
            raw(value.description)
        } else {
            form("$real", value.isNaN ? "nan" : value < 0 ? "-inf" : "inf")
        }
    }

    /// Writes `null`.
    package mutating func null() {
        raw("null")
    }

    /// Writes a text that is a JSON value already.
    package mutating func raw(_ text: String) {
        beginValue()
        utf8.append(contentsOf: text.utf8)
    }

    /// Writes an object with one member, a string.
    mutating func form(_ name: String, _ content: String) {
        beginObject()
        member(name)
        string(content)
        endObject()
    }
}

extension JSONWriter {
    /// Writes a member that is a string, or nothing for `nil`.
    package mutating func field(_ name: String, _ value: String?) {
        guard let value else { return }
        member(name)
        string(value)
    }

    /// Writes a member that is a whole number, or nothing for `nil`.
    package mutating func field(_ name: String, _ value: Int?) {
        guard let value else { return }
        member(name)
        integer(value)
    }

    /// Writes a member that is a boolean, or nothing for `nil`.
    package mutating func field(_ name: String, _ value: Bool?) {
        guard let value else { return }
        member(name)
        boolean(value)
    }

    /// Writes a member that is a property list, or nothing for `nil`.
    package mutating func field(_ name: String, _ value: Value?) {
        guard let value else { return }
        member(name)
        self.value(value)
    }
}

extension JSONWriter {
    /// Appends a string with its quotes.
    ///
    /// Complexity: O(n); a string without escapes is copied in one piece.
    mutating func appendQuoted(_ text: String) {
        append(byte: UInt8(ascii: "\""))
        if JSONWriter.mayNeedEscape(text) {
            for scalar in text.unicodeScalars { append(escaping: scalar) }
        } else {
            append(bytes: text.utf8)
        }
        append(byte: UInt8(ascii: "\""))
    }

    /// Whether a text has a byte that can begin an escaped character.
    private static func mayNeedEscape(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x22 || byte == 0x5c || byte >= 0x7f { return true }
        }
        return false
    }

    /// Appends one character, escaped if necessary.
    private mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": append(bytes: "\\\"".utf8)
        case "\\": append(bytes: "\\\\".utf8)
        case "\n": append(bytes: "\\n".utf8)
        case "\r": append(bytes: "\\r".utf8)
        case "\t": append(bytes: "\\t".utf8)
        case "\u{8}": append(bytes: "\\b".utf8)
        case "\u{c}": append(bytes: "\\f".utf8)
        default:
            // Hidden characters control terminals, end lines for some readers of JSON lines, reorder the visible text,
            // or are invisible.
            guard scalar.isHidden else {
                return append(bytes: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let digits = String(unit, radix: 16)
                append(bytes: "\\u".utf8)
                append(bytes: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
                append(bytes: digits.utf8)
            }
        }
    }
}
