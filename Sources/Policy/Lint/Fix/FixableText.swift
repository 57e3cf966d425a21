import PropertyList

/// Finds, in the text of a file, the bytes that a change replaces.
struct FixableText {
    /// The text.
    let utf8: [UInt8]
    /// Whether the text is JSON, whose values can be told from their surroundings.
    let isJSON: Bool

    /// The text of a document; `nil` for a binary file.
    init?(_ document: Document) {
        guard document.format != .binary else { return nil }
        utf8 = document.source.utf8
        isJSON = document.format == .json
    }

    /// The bytes of a name or text that begins at an offset, without its quotes or tags.
    ///
    /// - Returns: `nil` where it is written with escapes, so that its bytes are others.
    func literal(_ text: String, at offset: Int) -> Range<Int>? {
        for opening in ["\"", "'", "<key>", "<string>", ""] {
            let start = offset + opening.utf8.count
            let end = start + text.utf8.count
            guard offset >= 0, end < utf8.count, utf8[offset..<start].elementsEqual(opening.utf8),
                utf8[start..<end].elementsEqual(text.utf8)
            else { continue }
            switch opening {
            case "\"", "'": if utf8[end] == utf8[offset] { return start..<end }
            // A bare word of OpenStep text, or text behind a tag, ends where no letter of a name follows.
            default: if !FixableText.isOfWord(utf8[end]) { return start..<end }
            }
        }
        return nil
    }

    /// The bytes of a JSON value that begins at an offset; `nil` where the text is no JSON or does not end.
    func value(at offset: Int) -> Range<Int>? {
        guard isJSON, utf8.indices.contains(offset) else { return nil }
        var depth = 0
        var index = offset
        while index < utf8.count {
            switch utf8[index] {
            case UInt8(ascii: "\""):
                guard let end = endOfString(at: index) else { return nil }
                index = end
                if depth == 0 { return offset..<index }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return offset..<index }
                depth -= 1
                if depth == 0 { return offset..<index + 1 }
            case UInt8(ascii: "/"):
                if depth == 0 { return offset..<index }
                index = endOfComment(at: index)
                continue
            case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "\t"), 0x0a, 0x0d:
                if depth == 0 { return offset..<index }
            default: break
            }
            index += 1
        }
        return depth == 0 ? offset..<index : nil
    }

    /// The bytes to take out so that an element, or an entry of a dictionary, is gone; it is not the first one.
    ///
    /// - Parameters:
    ///   - offset: where it begins.
    ///   - valueOffset: where its value begins.
    /// - Returns: the bytes, with a comma that loses its use; `nil` where its value has no end.
    func removal(from offset: Int, valueAt valueOffset: Int) -> Range<Int>? {
        guard let value = value(at: valueOffset), offset <= value.lowerBound else { return nil }
        var (start, end) = (offset, value.upperBound)
        let next = skipBlanks(from: end)
        if next < utf8.count, utf8[next] == UInt8(ascii: ",") {
            end = next + 1
        } else {
            // The last one leaves the comma before it without a use.
            var before = start
            while before > 0, FixableText.isBlank(utf8[before - 1]) { before -= 1 }
            if before > 0, utf8[before - 1] == UInt8(ascii: ",") { start = before - 1 }
        }
        // A line that has nothing else goes as a whole.
        var lineStart = start
        while lineStart > 0, FixableText.isSpace(utf8[lineStart - 1]) { lineStart -= 1 }
        var lineEnd = end
        while lineEnd < utf8.count, FixableText.isSpace(utf8[lineEnd]) { lineEnd += 1 }
        let isAlone = (lineStart == 0 || utf8[lineStart - 1] == 0x0a) && lineEnd < utf8.count && utf8[lineEnd] == 0x0a
        if isAlone, utf8[start] != UInt8(ascii: ",") { return lineStart..<lineEnd + 1 }
        // Between two others on one line one blank is left.
        if start > 0, utf8[start] != UInt8(ascii: ","), FixableText.isSpace(utf8[start - 1]) {
            while end < utf8.count, FixableText.isSpace(utf8[end]) { end += 1 }
        }
        return start..<end
    }

    /// The offset behind a string that begins at an offset.
    private func endOfString(at offset: Int) -> Int? {
        var index = offset + 1
        while index < utf8.count, utf8[index] != UInt8(ascii: "\"") {
            index += utf8[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index < utf8.count ? index + 1 : nil
    }

    /// The offset behind a comment that begins at an offset, or behind a slash that begins none.
    private func endOfComment(at offset: Int) -> Int {
        var index = offset + 1
        guard index < utf8.count else { return index }
        if utf8[index] == UInt8(ascii: "/") {
            while index < utf8.count, utf8[index] != 0x0a, utf8[index] != 0x0d { index += 1 }
        } else if utf8[index] == UInt8(ascii: "*") {
            index += 2
            while index < utf8.count, !(utf8[index] == UInt8(ascii: "/") && utf8[index - 1] == UInt8(ascii: "*")) {
                index += 1
            }
            index = min(index + 1, utf8.count)
        }
        return index
    }

    /// The first offset from one on that is no blank.
    private func skipBlanks(from offset: Int) -> Int {
        var index = offset
        while index < utf8.count, FixableText.isBlank(utf8[index]) { index += 1 }
        return index
    }

    /// Whether a byte is a blank, a tab or a line end.
    private static func isBlank(_ byte: UInt8) -> Bool { isSpace(byte) || byte == 0x0a || byte == 0x0d }

    /// Whether a byte is a blank or a tab, or the carriage return before a line feed.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

    /// Whether a byte may stand in a bare word.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
