import PropertyList

/// Reads values in GVariant's text form, as keyfiles of dconf have them.
///
/// What a property list has no word for becomes what is nearest, with a remark: tuples become arrays, object paths and
/// signatures strings, variants what they hold. What has no value at all, `nothing`, is a mistake here.
struct GVariantText {
    /// Why a text is no value.
    struct Mistake: Error, Hashable {
        /// Where, in bytes from the beginning.
        let offset: Int
        /// What is wrong, without place and without a full stop.
        let message: String
    }

    /// A value and what it was before.
    struct Result {
        /// The value.
        let value: Value
        /// What changed on the way.
        let remarks: [String]
    }

    /// The most containers within each other.
    private static let depthLimit = 64

    /// The text.
    let bytes: [UInt8]
    /// The offset of the byte that is looked at.
    var index = 0
    /// What changed on the way, each once.
    private var remarks: [String] = []
    /// Whether the next number is a real one, however it is written.
    private var isReal = false

    /// Reads a whole text.
    ///
    /// - Throws: the first mistake.
    static func parse(_ text: String) throws(Mistake) -> Result {
        var reader = GVariantText(bytes: Array(text.utf8))
        let value = try reader.value(depth: 0)
        reader.skipBlanks()
        guard reader.index == reader.bytes.count else { throw reader.mistake("something follows the value") }
        return Result(value: value, remarks: reader.remarks)
    }

    /// Makes a reader.
    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// The byte that is looked at, or `nil` at the end.
    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Steps over blanks.
    mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || (0x09...0x0d).contains(byte) { index += 1 }
    }

    /// A mistake at the byte that is looked at.
    func mistake(_ message: String) -> Mistake { Mistake(offset: index, message: message) }

    /// Keeps a remark.
    private mutating func remark(_ text: String) {
        if !remarks.contains(text) { remarks.append(text) }
    }

    /// Steps over a byte, and says whether it was there.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard current == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Reads one value.
    private mutating func value(depth: Int) throws(Mistake) -> Value {
        guard depth < GVariantText.depthLimit else {
            throw mistake("values are nested more than \(GVariantText.depthLimit) deep")
        }
        skipBlanks()
        guard let byte = current else { throw mistake("the value is missing") }
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
            guard take(">") else { throw mistake("a variant ends with '>'") }
            return inner
        case UInt8(ascii: "{"): return try dictionary(depth: depth)
        case UInt8(ascii: "@"):
            // A type before a value says what an empty container would hold.
            while let byte = current, byte != 0x20, !(0x09...0x0d).contains(byte) { index += 1 }
            return try value(depth: depth + 1)
        default: return try word(depth: depth)
        }
    }

    /// Reads values up to a closing bracket.
    private mutating func items(until end: Unicode.Scalar, depth: Int) throws(Mistake) -> [Value] {
        var items: [Value] = []
        if take(end) { return items }
        while true {
            items.append(try value(depth: depth + 1))
            if take(end) { return items }
            guard take(",") else { throw mistake("a ',' or '\(end)' is missing") }
            // A tuple of one value has a comma behind it.
            if end == ")", items.count == 1, take(end) { return items }
        }
    }

    /// Reads a dictionary, or a single entry of one.
    private mutating func dictionary(depth: Int) throws(Mistake) -> Value {
        index += 1
        var entries: [Key: Value] = [:]
        if take("}") { return .dictionary(entries) }
        while true {
            let offset = index
            let key: String
            switch try value(depth: depth + 1) {
            case .string(let text): key = text
            case .integer(let number):
                remark("numbers as keys became texts")
                key = "\(number)"
            default: throw Mistake(offset: offset, message: "only texts and numbers can be keys of a dictionary")
            }
            guard take(":") || take(",") else { throw mistake("a ':' is missing behind the key") }
            entries[Key(key)] = try value(depth: depth + 1)
            if take("}") { return .dictionary(entries) }
            guard take(",") else { throw mistake("a ',' or '}' is missing") }
        }
    }

    /// Reads a number, a truth value, or what a word begins.
    private mutating func word(depth: Int) throws(Mistake) -> Value {
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
        case "nothing": throw Mistake(offset: start, message: "nothing is no value; a policy file has Absent for it")
        default: break
        }
        if let number = GVariantText.number(word) {
            if case .real(let real) = number { try requireRange(real, word, at: start) }
            return number
        }
        throw Mistake(offset: start, message: word.isEmpty ? "no value begins here" : "\"\(word)\" is no value")
    }

    /// Refuses a number that no type of dconf can hold, as dconf does.
    private func requireRange(_ real: Double, _ word: String, at start: Int) throws(Mistake) {
        let isWhole = word.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2b || $0 == 0x2d }
        let isWritten = word.utf8.contains { $0 | 0x20 == UInt8(ascii: "i") }
        if isWhole, !isReal { throw Mistake(offset: start, message: "\(word) is beyond every whole number of dconf") }
        if real.isInfinite, !isWritten {
            throw Mistake(offset: start, message: "\(word) is beyond every number of dconf")
        }
    }

    /// The number of a word; `nil` where it is none.
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

    /// Whether a byte can stand in a word.
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
