/// Splits a JSON text (RFC 8259) into tokens, each with its offset.
///
/// All JSON is read by this tokenizer: policy files may have comments, the package's own files may not. Complexity:
/// O(n) for a whole text.
struct JSONTokenizer {
    /// The text, for positions.
    let source: SourceText
    /// Whether `//` and `/* */` comments count as blanks.
    let allowsComments: Bool
    /// Whether strings may have control characters and the escapes `\x` and `\v`, and integers any size.
    let isLenient: Bool
    /// The text's bytes, valid UTF-8.
    let utf8: [UInt8]
    /// The offset of the next byte.
    var offset = 0

    /// Makes a tokenizer at the beginning of a text.
    init(_ source: SourceText, allowsComments: Bool, isLenient: Bool = false) {
        self.source = source
        self.allowsComments = allowsComments
        self.isLenient = isLenient
        utf8 = source.utf8
    }

    /// The next byte, or `nil` at the end.
    var next: UInt8? { offset < utf8.count ? utf8[offset] : nil }

    /// The byte after the next, or `nil` at the end.
    private var afterNext: UInt8? { offset + 1 < utf8.count ? utf8[offset + 1] : nil }

    /// Reads the next token; at the end, ``JSONToken/Kind/end`` on every call.
    ///
    /// - Throws: `syntax`, `number`, `encoding` or `truncated` if the text here is not a token.
    mutating func token() throws(PropertyListError) -> JSONToken {
        try skipBlanks()
        let start = offset
        return JSONToken(kind: try kind(), offset: start)
    }

    /// Reads the token that begins at the next byte, which is not a blank.
    private mutating func kind() throws(PropertyListError) -> JSONToken.Kind {
        guard let byte = next else { return .end }
        switch byte {
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "{"): return punctuation(.beginObject)
        case UInt8(ascii: "}"): return punctuation(.endObject)
        case UInt8(ascii: "["): return punctuation(.beginArray)
        case UInt8(ascii: "]"): return punctuation(.endArray)
        case UInt8(ascii: ":"): return punctuation(.colon)
        case UInt8(ascii: ","): return punctuation(.comma)
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: "$"):
            return try word()
        default: throw strayCharacter()
        }
    }

    /// Reads a token of one byte.
    private mutating func punctuation(_ kind: JSONToken.Kind) -> JSONToken.Kind {
        offset += 1
        return kind
    }

    /// Reads `true`, `false` or `null`.
    private mutating func word() throws(PropertyListError) -> JSONToken.Kind {
        let start = offset
        while let byte = next, JSONTokenizer.isWordByte(byte) { offset += 1 }
        switch utf8[start..<offset] {
        case let word where word.elementsEqual("true".utf8): return .boolean(true)
        case let word where word.elementsEqual("false".utf8): return .boolean(false)
        case let word where word.elementsEqual("null".utf8): return .null
        case let word: throw error(forWord: word)
        }
    }

    /// Whether a byte belongs to a bare word: an ASCII letter, a digit, `_` or `$`.
    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }

    /// An error at an offset.
    func error(_ code: PropertyListError.Code, _ message: String, at offset: Int) -> PropertyListError {
        PropertyListError(code, message, at: source.position(at: offset))
    }

    /// An error of syntax at an offset.
    func error(_ message: String, at offset: Int) -> PropertyListError {
        error(.syntax, message, at: offset)
    }
}

extension JSONTokenizer {
    /// Skips blanks, and comments if they are allowed.
    private mutating func skipBlanks() throws(PropertyListError) {
        while let byte = next {
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0d: offset += 1
            case UInt8(ascii: "/") where afterNext == UInt8(ascii: "/") || afterNext == UInt8(ascii: "*"):
                guard allowsComments else { throw error("a comment is not allowed in this file", at: offset) }
                try skipComment()
            default: return
            }
        }
    }

    /// Skips the comment that begins at the next byte.
    private mutating func skipComment() throws(PropertyListError) {
        let start = offset
        let isLine = afterNext == UInt8(ascii: "/")
        offset += 2
        while let byte = next {
            if isLine {
                if byte == 0x0a || byte == 0x0d { return }
            } else if byte == UInt8(ascii: "*"), afterNext == UInt8(ascii: "/") {
                offset += 2
                return
            }
            offset += 1
        }
        if !isLine { throw error(.truncated, "the text ends, but this comment has no closing */", at: start) }
    }
}

/// A token of a JSON text and its offset.
struct JSONToken {
    /// What a token is.
    enum Kind {
        /// `{`
        case beginObject
        /// `}`
        case endObject
        /// `[`
        case beginArray
        /// `]`
        case endArray
        /// `:`
        case colon
        /// `,`
        case comma
        /// A string, its escapes resolved.
        case string(String)
        /// A number without fraction and exponent.
        case integer(Integer)
        /// A number with a fraction or an exponent; always finite.
        case real(Double)
        /// `true` or `false`.
        case boolean(Bool)
        /// `null`
        case null
        /// Nothing is left.
        case end
    }

    /// What the token is.
    let kind: Kind
    /// The offset of its first byte.
    let offset: Int
}

extension JSONTokenizer {
    /// The error for a bare word, and what to write instead.
    func error(forWord word: ArraySlice<UInt8>) -> PropertyListError {
        let start = word.startIndex
        let text = String(decoding: word, as: UTF8.self)
        switch text.lowercased() {
        case "true": return error("'\(text)' is not JSON; write true", at: start)
        case "false": return error("'\(text)' is not JSON; write false", at: start)
        case "yes", "on": return error("'\(text)' is not JSON; write true, or \"\(text)\" for a text", at: start)
        case "no", "off": return error("'\(text)' is not JSON; write false, or \"\(text)\" for a text", at: start)
        case "null", "nil", "none", "undefined":
            return error("'\(text)' is not JSON, and a property list has no null; leave the key out", at: start)
        case "nan": return error(.number, "'\(text)' is not JSON; write {\"$real\":\"nan\"}", at: start)
        case "infinity", "inf": return error(.number, "'\(text)' is not JSON; write {\"$real\":\"inf\"}", at: start)
        // It may be a password, or part of an unrelated file.
        default: return error("text stands in double quotes", at: start)
        }
    }

    /// The error for the next character, with which no token begins.
    func strayCharacter() -> PropertyListError {
        let rest = utf8[offset...].prefix(4)
        guard let byte = rest.first else { return error(.truncated, "the text ends here", at: offset) }
        if isMergeMark {
            return error(
                "two versions of the text stand here, from <<<<<<< to >>>>>>>, as a merge left them", at: offset)
        }
        switch byte {
        case UInt8(ascii: "'"), UInt8(ascii: "`"):
            return error("text stands in double quotes, not in single quotes", at: offset)
        case UInt8(ascii: "+"): return error(.number, "a number has no plus sign", at: offset)
        case UInt8(ascii: "."):
            return error(.number, "a number begins with a digit: 0.5, not .5", at: offset)
        case UInt8(ascii: "="): return error("between a key and its value stands a colon, not '='", at: offset)
        case UInt8(ascii: ";"): return error("members are parted by commas, not by semicolons", at: offset)
        case UInt8(ascii: "("), UInt8(ascii: ")"):
            return error("an array stands in square brackets, not in parentheses", at: offset)
        case UInt8(ascii: "#") where allowsComments:
            return error("a comment begins with //, not with #", at: offset)
        case UInt8(ascii: "<"):
            return error(markup ?? "this is not JSON; data is written as {\"$data\":\"…\"}, in Base64", at: offset)
        case 0x21..<0x7f:
            return error("the character '\(Unicode.Scalar(byte))' does not belong here", at: offset)
        default:
            guard let scalar = String(decoding: rest, as: UTF8.self).unicodeScalars.first else {
                return error("the character here does not belong here", at: offset)
            }
            return error(forForeign: scalar)
        }
    }

    /// Whether a conflict marker of version control comes next.
    private var isMergeMark: Bool {
        let isLine = offset == 0 || utf8[offset - 1] == 0x0a
        return isLine && ["<<<<<<<", "=======", ">>>>>>>"].contains { utf8[offset...].starts(with: $0.utf8) }
    }

    /// The error message if the file begins as text in another language, else `nil`.
    private var markup: String? {
        guard utf8[..<offset].allSatisfy({ $0 == 0x20 || (0x09...0x0d).contains($0) }) else { return nil }
        let start = String(decoding: utf8[offset...].prefix(14), as: UTF8.self).lowercased()
        if start.hasPrefix("<html") || start.hasPrefix("<!doctype html") {
            return "this is a page of a web site, not a file that it offers"
        }
        let isXML = start.hasPrefix("<?xml") || start.hasPrefix("<!") || start.hasPrefix("<plist")
        return isXML ? "this is XML, and the file's name says JSON; a property list has a name in .plist" : nil
    }

    /// The error for a character beyond ASCII, or a control character, outside of a string.
    private func error(forForeign scalar: Unicode.Scalar) -> PropertyListError {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let name = "U+" + String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        switch scalar.value {
        case 0x2018...0x201f, 0xab, 0xbb:
            return error("these are typographic quotes; text stands in straight ones: \"", at: offset)
        case 0xa0, 0x2000...0x200b, 0x202f, 0x3000, 0xfeff:
            return error("the blank here is the character \(name); write an ordinary one", at: offset)
        default: return error("the character \(name) does not belong outside of a string", at: offset)
        }
    }
}
