/// Escapes text for XML documents.
enum XMLEscape {
    /// The text of an element.
    ///
    /// - Returns: `nil` if XML cannot have one of its characters.
    static func content(_ text: String) -> String? { escape(text, inAttribute: false) }

    /// The value of an attribute between double quotes.
    ///
    /// - Returns: `nil` if XML cannot have one of its characters.
    static func attribute(_ text: String) -> String? { escape(text, inAttribute: true) }

    private static func escape(_ text: String, inAttribute: Bool) -> String? {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"" where inAttribute: result += "&quot;"
            // Readers make other blanks of these.
            case "\r": result += "&#13;"
            case "\n" where inAttribute: result += "&#10;"
            case "\t" where inAttribute: result += "&#9;"
            case "\t", "\n": result.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": return nil
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

/// The tags of an XML document that a package brings.
struct XMLTags {
    /// One tag.
    struct Tag {
        let name: Substring
        /// Whether it ends an element.
        let isEnd: Bool
        /// Whether the element has no content, so that no other tag ends it.
        let isEmpty: Bool
        /// The attributes as they are written.
        fileprivate let text: Substring

        /// The value of an attribute, without references; `nil` if there is none.
        func attribute(_ name: String) -> Substring? {
            var rest = text.utf8[...]
            while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
                let key = rest[..<equals].drop { XMLTags.isBlank($0) }
                guard let open = rest[equals...].firstIndex(where: { $0 == 0x22 || $0 == 0x27 }) else { return nil }
                let value = rest[rest.index(after: open)...]
                guard let close = value.firstIndex(of: rest[open]) else { return nil }
                if key.elementsEqual(name.utf8) { return Substring(value[..<close]) }
                rest = value[value.index(after: close)...]
            }
            return nil
        }
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next tag, without comments and instructions; `nil` at the end, or if the document ends in a tag.
    mutating func next() -> Tag? {
        while let open = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            var index = open + 1
            var quote: UInt8?
            while index < bytes.count, quote != nil || bytes[index] != UInt8(ascii: ">") {
                let byte = bytes[index]
                if let started = quote {
                    if byte == started { quote = nil }
                } else if byte == 0x22 || byte == 0x27 {
                    quote = byte
                }
                index += 1
            }
            guard index < bytes.count else { break }
            position = index + 1
            let first = bytes[open + 1]
            if first == UInt8(ascii: "!") || first == UInt8(ascii: "?") { continue }
            let isEnd = first == UInt8(ascii: "/")
            let isEmpty = bytes[index - 1] == UInt8(ascii: "/")
            let inner = bytes[(open + (isEnd ? 2 : 1))..<(isEmpty && !isEnd ? index - 1 : index)]
            let name = inner.prefix { !XMLTags.isBlank($0) }
            return Tag(
                name: Substring(decoding: name, as: UTF8.self), isEnd: isEnd, isEmpty: isEmpty,
                text: Substring(decoding: inner.dropFirst(name.count), as: UTF8.self))
        }
        position = bytes.count
        return nil
    }

    /// The text between the last tag and the next one, without blanks around it and with references as they are.
    var text: Substring {
        let inner = bytes[position...].prefix { $0 != UInt8(ascii: "<") }.drop(while: XMLTags.isBlank)
        return Substring(decoding: inner.reversed().drop(while: XMLTags.isBlank).reversed(), as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
