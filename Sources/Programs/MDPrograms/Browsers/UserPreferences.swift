import MDPropertyList

/// The statements `user_pref("name", value);` of a profile, as Firefox reads them.
///
/// Blanks, line breaks and three kinds of comments may lie between any two parts, strings in either kind of quotes, and
/// several statements in a line. After a mistake reading goes on behind the next semicolon, so that no file is damaged.
///
/// Source: `modules/libpref/parser/src/lib.rs` of Firefox.
struct UserPreferences {
    /// A part of a statement.
    private enum Token: Equatable {
        case word(String)
        case text(String)
        case mark(UInt8)
        /// A string without an end, or with an escape that Firefox has not.
        case mistake
        case end
    }

    private let bytes: [UInt8]
    /// The offset of the next byte.
    private var offset = 0
    /// The part that is looked at.
    private var token = Token.end

    /// Reads some preferences; what is not a string, number or boolean is left out.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - isWanted: whether a name is looked for.
    /// - Returns: the last value of each, in byte order of their names.
    static func values(in bytes: [UInt8], where isWanted: (Key) -> Bool) -> [(Key, Value)] {
        var found: [Key: Value] = [:]
        var reader = UserPreferences(bytes: bytes.starts(with: [0xef, 0xbb, 0xbf]) ? Array(bytes.dropFirst(3)) : bytes)
        reader.advance()
        while reader.token != .end {
            if let (name, value) = reader.statement() {
                if isWanted(name) { found[name] = value }
            } else {
                while reader.token != .end, reader.token != .mark(UInt8(ascii: ";")) { reader.advance() }
            }
            reader.advance()
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Reads a statement up to its semicolon; `nil` at a mistake.
    private mutating func statement() -> (Key, Value)? {
        guard case .word(let kind) = token, ["user_pref", "pref", "sticky_pref"].contains(Key(kind)) else { return nil }
        advance()
        guard skip("("), case .text(let name) = token else { return nil }
        advance()
        guard skip(","), let value = value() else { return nil }
        while skip(",") {
            guard case .word = token else { return nil }
            advance()
        }
        return skip(")") && token == .mark(UInt8(ascii: ";")) ? (Key(name), value) : nil
    }

    private mutating func value() -> Value? {
        var sign = ""
        if skip("-") { sign = "-" } else if skip("+") { sign = "+" }
        defer { advance() }
        switch token {
        case .text(let text) where sign.isEmpty: return .string(text)
        case .word("true") where sign.isEmpty: return .boolean(true)
        case .word("false") where sign.isEmpty: return .boolean(false)
        case .word(let digits): return Int32(sign + digits).map { .integer(Integer(Int($0))) }
        default: return nil
        }
    }

    /// Goes on if a character is next.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard token == .mark(UInt8(ascii: character)) else { return false }
        advance()
        return true
    }

    // MARK: Parts

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// Reads the next part.
    private mutating func advance() {
        while let byte = next {
            offset += 1
            switch byte {
            case 0x20, 0x09...0x0d: continue
            case UInt8(ascii: "#"): skipLine()
            case UInt8(ascii: "/") where next == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
                offset += 1
                while let byte = next,
                    byte != UInt8(ascii: "*") || bytes[offset...].dropFirst().first != UInt8(ascii: "/")
                {
                    offset += 1
                }
                offset = min(offset + 2, bytes.count)
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                token = text(upTo: byte)
                return
            case let byte where UserPreferences.isWordByte(byte):
                let start = offset - 1
                while let byte = next, UserPreferences.isWordByte(byte) { offset += 1 }
                token = .word(String(decoding: bytes[start..<offset], as: UTF8.self))
                return
            default:
                token = .mark(byte)
                return
            }
        }
        token = .end
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private mutating func skipLine() {
        while let byte = next, byte != 0x0a, byte != 0x0d { offset += 1 }
    }

    /// Reads the rest of a string and its closing quote.
    private mutating func text(upTo quote: UInt8) -> Token {
        var (content, isMistake): ([UInt8], Bool) = ([], false)
        while let byte = next {
            offset += 1
            if byte == quote { return isMistake ? .mistake : .text(String(decoding: content, as: UTF8.self)) }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            let escape = next
            offset += 1
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): content.append(escape ?? 0)
            case UInt8(ascii: "n"): content.append(0x0a)
            case UInt8(ascii: "r"): content.append(0x0d)
            case UInt8(ascii: "x"):
                if let unit = codeUnit(of: 2) {
                    content.append(UInt8(truncatingIfNeeded: unit))
                } else {
                    isMistake = true
                }
            case UInt8(ascii: "u"):
                if let scalar = scalar() { content += Array(String(scalar).utf8) } else { isMistake = true }
            default: isMistake = true
            }
        }
        return .mistake
    }

    /// Reads the digits after `\u`, and those of a second escape if the first is half of a pair.
    private mutating func scalar() -> Unicode.Scalar? {
        guard let lead = codeUnit(of: 4) else { return nil }
        if let scalar = Unicode.Scalar(lead) { return scalar }
        guard UTF16.isLeadSurrogate(lead), bytes[min(offset, bytes.count)...].starts(with: Array("\\u".utf8)) else {
            return nil
        }
        offset += 2
        guard let trail = codeUnit(of: 4), UTF16.isTrailSurrogate(trail) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([lead, trail]))
    }

    /// Reads hexadecimal digits; a number of zero is a mistake.
    private mutating func codeUnit(of digits: Int) -> UInt16? {
        let text = String(decoding: bytes[min(offset, bytes.count)...].prefix(digits), as: UTF8.self)
        guard text.utf8.count == digits, text.utf8.allSatisfy(UserPreferences.isWordByte),
            let unit = UInt16(text, radix: 16), unit != 0
        else { return nil }
        offset += digits
        return unit
    }
}
