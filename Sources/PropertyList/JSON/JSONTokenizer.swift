/// Takes a JSON text (RFC 8259) apart into tokens, each with its place.
///
/// The one tokenizer of all JSON that is read: policy files may have comments, our own files may not.
/// Complexity: O(n) for a whole text.
struct JSONTokenizer {
    /// The text, for places.
    let source: SourceText
    /// Whether `//` and `/* */` comments count as blanks.
    let allowsComments: Bool
    /// The text's bytes, valid UTF-8.
    let utf8: [UInt8]
    /// The offset of the next byte.
    var offset = 0

    /// Makes a tokenizer that stands at the beginning of a text.
    init(_ source: SourceText, allowsComments: Bool) {
        self.source = source
        self.allowsComments = allowsComments
        utf8 = source.utf8
    }

    /// The next byte, or `nil` at the end.
    var next: UInt8? { offset < utf8.count ? utf8[offset] : nil }

    /// The byte after the next, or `nil` at the end.
    private var afterNext: UInt8? { offset + 1 < utf8.count ? utf8[offset + 1] : nil }

    /// Takes the next token; at the end, ``JSONToken/Kind/end`` again and again.
    ///
    /// - Throws: `syntax`, `number`, `encoding` or `truncated`, where the text here is no token.
    mutating func token() throws(PropertyListError) -> JSONToken {
        try skipBlanks()
        let start = offset
        return JSONToken(kind: try kind(), offset: start)
    }

    /// Takes the token that begins at the next byte, which is no blank.
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

    /// Takes a token of one byte.
    private mutating func punctuation(_ kind: JSONToken.Kind) -> JSONToken.Kind {
        offset += 1
        return kind
    }

    /// Takes `true`, `false` or `null`.
    private mutating func word() throws(PropertyListError) -> JSONToken.Kind {
        let start = offset
        while let byte = next, JSONTokenizer.isWordByte(byte) { offset += 1 }
        switch utf8[start..<offset] {
        case let word where word.elementsEqual("true".utf8): return .boolean(true)
        case let word where word.elementsEqual("false".utf8): return .boolean(false)
        case let word where word.elementsEqual("null".utf8): return .null
        case let word: throw mistake(forWord: word)
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

    /// A mistake at an offset.
    func mistake(_ code: PropertyListError.Code, _ message: String, at offset: Int) -> PropertyListError {
        PropertyListError(code, message, at: source.position(at: offset))
    }

    /// A mistake of syntax at an offset.
    func mistake(_ message: String, at offset: Int) -> PropertyListError {
        mistake(.syntax, message, at: offset)
    }
}

extension JSONTokenizer {
    /// Skips blanks and, where they are allowed, comments.
    private mutating func skipBlanks() throws(PropertyListError) {
        while let byte = next {
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0d: offset += 1
            case UInt8(ascii: "/") where afterNext == UInt8(ascii: "/") || afterNext == UInt8(ascii: "*"):
                guard allowsComments else { throw mistake("a comment is not allowed in this file", at: offset) }
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
        if !isLine { throw mistake(.truncated, "the text ends, but this comment has no closing */", at: start) }
    }
}
