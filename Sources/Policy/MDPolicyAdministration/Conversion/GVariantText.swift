import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Parses values in GVariant's text form, which keyfiles of dconf use.
///
/// Types that property lists lack become the nearest type, with a remark: tuples become arrays, object paths and
/// signatures strings, variants their content. `nothing`, which has no value, is an error.
struct GVariantText {
    /// Why a text is not a valid value.
    struct FormatError: Error, Hashable {
        /// The offset in bytes.
        let offset: Int
        /// The message, without place and full stop.
        let message: String
    }

    /// A value and the remarks about its conversion.
    struct Parsed {
        let value: Value
        /// What changed in the conversion.
        let remarks: [String]
    }

    /// The greatest nesting depth of containers.
    private static let depthLimit = 64

    let bytes: [UInt8]
    /// The offset of the current byte.
    var index = 0
    /// What changed in the conversion, each once.
    private var remarks: [String] = []
    /// Whether the next number is real because of a type annotation.
    private var isReal = false

    /// Parses a whole text.
    ///
    /// - Throws: the first error.
    static func parse(_ text: String) throws(FormatError) -> Parsed {
        var reader = GVariantText(bytes: Array(text.utf8))
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.index == reader.bytes.count else { throw reader.formatError("something follows the value") }
        return Parsed(value: value, remarks: reader.remarks)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The current byte; `nil` at the end.
    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || (0x09...0x0d).contains(byte) { index += 1 }
    }

    /// Makes an error at the current byte.
    func formatError(_ message: String) -> FormatError { FormatError(offset: index, message: message) }

    /// Adds a remark once.
    private mutating func remark(_ text: String) {
        if !remarks.contains(text) { remarks.append(text) }
    }

    /// Consumes a character if it is the next one; returns whether it was.
    private mutating func consume(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard current == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Parses one value.
    private mutating func value(depth: Int) throws(FormatError) -> Value {
        guard depth < GVariantText.depthLimit else {
            throw formatError("values are nested more than \(GVariantText.depthLimit) deep")
        }
        skipBlanks()
        guard let byte = current else { throw formatError("the value is missing") }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return .string(try quoted())
        case UInt8(ascii: "["):
            index += 1
            return .array(try items(until: "]", depth: depth))
        case UInt8(ascii: "("):
            index += 1
            remark("a tuple became an array")
            return .array(try items(until: ")", depth: depth))
        case UInt8(ascii: "<"):
            index += 1
            let inner = try value(depth: depth + 1)
            guard consume(">") else { throw formatError("a variant ends with '>'") }
            return inner
        case UInt8(ascii: "{"): return try dictionary(depth: depth)
        case UInt8(ascii: "@"):
            // A type annotation before a value says what an empty container would hold.
            while let byte = current, byte != 0x20, !(0x09...0x0d).contains(byte) { index += 1 }
            return try value(depth: depth + 1)
        default: return try word(depth: depth)
        }
    }

    /// Parses values up to a closing bracket.
    private mutating func items(until end: Unicode.Scalar, depth: Int) throws(FormatError) -> [Value] {
        var items: [Value] = []
        if consume(end) { return items }
        while true {
            items.append(try value(depth: depth + 1))
            if consume(end) { return items }
            guard consume(",") else { throw formatError("a ',' or '\(end)' is missing") }
            // A tuple of one value has a trailing comma.
            if end == ")", items.count == 1, consume(end) { return items }
        }
    }

    /// Parses a dictionary, or a single entry of one.
    private mutating func dictionary(depth: Int) throws(FormatError) -> Value {
        index += 1
        var entries: [Key: Value] = [:]
        if consume("}") { return .dictionary(entries) }
        while true {
            let offset = index
            let key: String
            switch try value(depth: depth + 1) {
            case .string(let text): key = text
            case .integer(let number):
                remark("numbers as keys became texts")
                key = "\(number)"
            default: throw FormatError(offset: offset, message: "only texts and numbers can be keys of a dictionary")
            }
            guard consume(":") || consume(",") else { throw formatError("a ':' is missing behind the key") }
            entries[Key(key)] = try value(depth: depth + 1)
            if consume("}") { return .dictionary(entries) }
            guard consume(",") else { throw formatError("a ',' or '}' is missing") }
        }
    }

    /// Parses a number, a boolean, or a value that begins with a keyword.
    private mutating func word(depth: Int) throws(FormatError) -> Value {
        let start = index
        while let byte = current, GVariantText.isWordByte(byte) { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self)
        switch word {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "boolean", "byte", "int16", "uint16", "int32", "uint32", "handle", "int64", "uint64", "string", "just":
            return try value(depth: depth + 1)
        case "double":
            isReal = true
            let number = try value(depth: depth + 1)
            isReal = false
            if case .integer(let whole) = number { return .real(whole.double) }
            return number
        case "objectpath", "signature":
            remark("\(word == "signature" ? "a signature" : "an object path") became a string")
            return try value(depth: depth + 1)
        case "b" where current == UInt8(ascii: "'") || current == UInt8(ascii: "\""):
            return .data(try quotedBytes(areBytes: true) + [0])
        case "nothing":
            throw FormatError(offset: start, message: "nothing is no value; a policy file has Absent for it")
        default: break
        }
        if let number = GVariantText.number(word) {
            if case .real(let real) = number { try requireRange(real, word, at: start) }
            return number
        }
        throw FormatError(offset: start, message: word.isEmpty ? "no value begins here" : "\"\(word)\" is no value")
    }

    /// Refuses a number that no type of dconf can represent, as dconf does.
    private func requireRange(_ real: Double, _ word: String, at start: Int) throws(FormatError) {
        let isWhole = word.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2b || $0 == 0x2d }
        let isWritten = word.utf8.contains { $0 | 0x20 == UInt8(ascii: "i") }
        if isWhole, !isReal {
            throw FormatError(offset: start, message: "\(word) is beyond every whole number of dconf")
        }
        if real.isInfinite, !isWritten {
            throw FormatError(offset: start, message: "\(word) is beyond every number of dconf")
        }
    }

    /// The number of a word; `nil` if the word is not a number.
    private static func number(_ word: String) -> Value? {
        let digits =
            word.utf8.first == UInt8(ascii: "-") || word.utf8.first == UInt8(ascii: "+") ? word.dropFirst() : word[...]
        guard let first = digits.utf8.first,
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) || first == 0x2e || digits == "inf"
                || digits == "nan"
        else { return nil }
        let lower = digits.lowercased()
        if lower.utf8.starts(with: "0x".utf8) {
            guard let magnitude = UInt64(lower.dropFirst(2), radix: 16) else { return nil }
            guard word.utf8.first == UInt8(ascii: "-") else { return .integer(Integer(magnitude)) }
            return Int64(exactly: magnitude).map { .integer(Integer(-$0)) }
        }
        // As in C, a zero before other digits begins an octal number.
        if digits.utf8.count > 1, first == UInt8(ascii: "0"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            guard let magnitude = UInt64(digits, radix: 8) else { return nil }
            guard word.utf8.first == UInt8(ascii: "-") else { return .integer(Integer(magnitude)) }
            return Int64(exactly: magnitude).map { .integer(Integer(-$0)) }
        }
        if let whole = Integer(decimal: word) { return .integer(whole) }
        return Double(word).map { .real($0) }
    }

    /// Whether a byte can be part of a word.
    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }
}

extension GVariantText {
    /// Parses a quoted text with its escapes.
    mutating func quoted() throws(FormatError) -> String { String(decoding: try quotedBytes(), as: UTF8.self) }

    /// Parses a quoted text as bytes; in a byte string, escapes can also be octal numbers.
    mutating func quotedBytes(areBytes isBytes: Bool = false) throws(FormatError) -> [UInt8] {
        guard let mark = current else { throw formatError("a text is missing") }
        let start = index
        index += 1
        var content: [UInt8] = []
        while let byte = current {
            index += 1
            if byte == mark { return content }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            if isBytes, let number = octal() {
                content.append(number)
            } else {
                try escape(into: &content)
            }
        }
        throw FormatError(offset: start, message: "the text that begins here does not end")
    }

    /// Consumes up to three octal digits of one byte; `nil` if there are none.
    private mutating func octal() -> UInt8? {
        var number: Int?
        let end = index + 3
        while index < end, let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) {
            number = (number ?? 0) * 8 + Int(byte - UInt8(ascii: "0"))
            index += 1
        }
        return number.map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Parses the rest of an escape after its backslash.
    private mutating func escape(into content: inout [UInt8]) throws(FormatError) {
        guard let byte = current else { throw formatError("the text ends behind a backslash") }
        index += 1
        switch byte {
        case UInt8(ascii: "a"): content.append(0x07)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0c)
        case UInt8(ascii: "n"): content.append(0x0a)
        case UInt8(ascii: "r"): content.append(0x0d)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "v"): content.append(0x0b)
        case UInt8(ascii: "u"): content += try scalar(digits: 4)
        case UInt8(ascii: "U"): content += try scalar(digits: 8)
        case 0x0a: break
        default: content.append(byte)
        }
    }

    /// Parses a character from hexadecimal digits.
    private mutating func scalar(digits: Int) throws(FormatError) -> [UInt8] {
        let end = index + digits
        guard end <= bytes.count,
            let code = UInt32(String(decoding: bytes[index..<end], as: UTF8.self), radix: 16),
            let scalar = Unicode.Scalar(code), code != 0
        else { throw formatError("\(digits) hexadecimal digits of a character are missing") }
        index = end
        return Array(String(Character(scalar)).utf8)
    }
}
