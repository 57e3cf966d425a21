import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// Finds the bytes of a file that a fix replaces.
package struct FixableText {
    package let utf8: [UInt8]
    /// Whether the text is JSON, whose values are delimited by their syntax.
    let isJSON: Bool

    /// Makes the text of a document; `nil` for a binary file.
    package init?(_ document: Document) {
        guard document.format != .binary else { return nil }
        utf8 = document.source.utf8
        isJSON = document.format == .json
    }

    /// The bytes of a name or text that begins at an offset, without its quotes or tags.
    ///
    /// - Returns: `nil` if it is written with escapes, so that its bytes differ.
    package func literal(_ text: String, at offset: Int) -> Range<Int>? {
        for opening in ["\"", "'", "<key>", "<string>", ""] {
            let start = offset + opening.utf8.count
            let end = start + text.utf8.count
            guard offset >= 0, end < utf8.count, utf8[offset..<start].elementsEqual(opening.utf8),
                utf8[start..<end].elementsEqual(text.utf8)
            else { continue }
            switch opening {
            case "\"", "'": if utf8[end] == utf8[offset] { return start..<end }
            // A bare word of OpenStep text, or text after a tag, must not continue with a letter of a name.
            default: if !FixableText.isOfWord(utf8[end]) { return start..<end }
            }
        }
        return nil
    }

    /// The bytes of a JSON value that begins at an offset; `nil` if the text is not JSON or the value does not end.
    package func value(at offset: Int) -> Range<Int>? {
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

    /// The bytes to remove with an element, or an entry of a dictionary, that is not the first one.
    ///
    /// - Parameters:
    ///   - offset: the offset of its beginning.
    ///   - valueOffset: the offset of its value.
    /// - Returns: the bytes, including a comma that is no longer needed; `nil` if its value has no end.
    func removal(from offset: Int, valueAt valueOffset: Int) -> Range<Int>? {
        guard let value = value(at: valueOffset), offset <= value.lowerBound else { return nil }
        var (start, end) = (offset, value.upperBound)
        let next = skipBlanks(from: end)
        if next < utf8.count, utf8[next] == UInt8(ascii: ",") {
            end = next + 1
        } else {
            // After the last element is removed, the comma before it is not needed.
            var before = start
            while before > 0, FixableText.isBlank(utf8[before - 1]) { before -= 1 }
            if before > 0, utf8[before - 1] == UInt8(ascii: ",") { start = before - 1 }
        }
        // If the line has nothing else, the whole line is removed.
        var lineStart = start
        while lineStart > 0, FixableText.isSpace(utf8[lineStart - 1]) { lineStart -= 1 }
        var lineEnd = end
        while lineEnd < utf8.count, FixableText.isSpace(utf8[lineEnd]) { lineEnd += 1 }
        let isAlone = (lineStart == 0 || utf8[lineStart - 1] == 0x0a) && lineEnd < utf8.count && utf8[lineEnd] == 0x0a
        if isAlone, utf8[start] != UInt8(ascii: ",") { return lineStart..<lineEnd + 1 }
        // Between two others on one line one blank stays.
        if start > 0, utf8[start] != UInt8(ascii: ","), FixableText.isSpace(utf8[start - 1]) {
            while end < utf8.count, FixableText.isSpace(utf8[end]) { end += 1 }
        }
        return start..<end
    }

    /// The offset after a string that begins at an offset.
    private func endOfString(at offset: Int) -> Int? {
        var index = offset + 1
        while index < utf8.count, utf8[index] != UInt8(ascii: "\"") {
            index += utf8[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index < utf8.count ? index + 1 : nil
    }

    /// The offset after a comment that begins at an offset, or after a slash that begins none.
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

    /// The offset of the next byte that is not a blank.
    private func skipBlanks(from offset: Int) -> Int {
        var index = offset
        while index < utf8.count, FixableText.isBlank(utf8[index]) { index += 1 }
        return index
    }

    /// Whether a byte is a blank, a tab or a line end.
    private static func isBlank(_ byte: UInt8) -> Bool { isSpace(byte) || byte == 0x0a || byte == 0x0d }

    /// Whether a byte is a blank or a tab, or the carriage return before a line feed.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0d }

    /// Whether a byte can be part of a bare word.
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

/// A change of a file that corrects a finding, if only one correction is possible.
package struct LintFix: Hashable, Sendable {
    /// The place, in the file before the change.
    package let position: Position
    /// The finding that the change corrects.
    package let code: LintCode
    /// A description of the change, as a clause: `replaced "Enforce" by "Enforced"`.
    package let words: String
    /// The bytes of the text to replace.
    package let range: Range<Int>
    /// The new bytes.
    package let replacement: [UInt8]

    package init(position: Position, code: LintCode, words: String, range: Range<Int>, replacement: [UInt8]) {
        (self.position, self.code, self.words) = (position, code, words)
        (self.range, self.replacement) = (range, replacement)
    }
}

extension PolicyParser {
    /// Offers to replace a name or a text by another one.
    mutating func offer(_ code: LintCode, at offset: Int, replacing text: String, by other: String) {
        guard let range = fixable?.literal(text, at: offset) else { return }
        offer(code, at: offset, range, other, "replaced \"\(Printable.escape(text))\" by \"\(other)\"")
    }

    /// Offers to correct the spelling of a field, if only one name can be meant and that field is missing.
    mutating func offerName(of entry: Node.Entry, among fields: [Node.Entry], known: [String]) {
        guard fixable != nil, let name = Suggestion.only(for: entry.key.string, among: known),
            !fields.contains(where: { $0.key == Key(name) })
        else { return }
        offer(.unknownField, at: entry.keyOffset, replacing: entry.key.string, by: name)
    }

    /// Offers to correct the spelling of a keyword.
    ///
    /// Corrected are its case, and one letter in a word of five letters or more. A short word is ambiguous, as `xor` is not
    /// `or`.
    mutating func offerWord(_ text: String, at offset: Int, known: [String]) {
        guard fixable != nil, let word = Suggestion.only(for: text, among: known) else { return }
        let (bytes, others) = (Array(text.lowercased().utf8), Array(word.utf8))
        guard bytes == others || others.count >= 5 && Suggestion.distance(bytes, others) == 1 else { return }
        offer(.invalidValue, at: offset, replacing: text, by: word)
    }

    /// Offers to remove the quotes of a JSON boolean or number.
    ///
    /// - Parameters:
    ///   - node: the text.
    ///   - word: the replacement; `nil` for the text itself.
    mutating func offerUnquoted(_ node: Node, as word: String? = nil) {
        guard let fixable, fixable.isJSON, case .scalar(.string(let text)) = node.content,
            let range = fixable.literal(text, at: node.offset)
        else { return }
        let quoted = range.lowerBound - 1..<range.upperBound + 1
        let shown = Printable.escape(text)
        if let word, word != text {
            return offer(.wrongType, at: node.offset, quoted, word, "replaced \"\(shown)\" by \(word)")
        }
        offer(.wrongType, at: node.offset, quoted, text, "took the quotes off \(shown)")
    }

    /// Offers to make a list of a single JSON text, unless it has a comma and may be several.
    mutating func offerList(_ node: Node) {
        guard let fixable, fixable.isJSON, case .scalar(.string(let text)) = node.content,
            text.utf8.allSatisfy({ PolicyParser.namesOne($0) }),
            let range = fixable.value(at: node.offset)
        else { return }
        let list = "[" + String(decoding: fixable.utf8[range], as: UTF8.self) + "]"
        offer(.wrongType, at: node.offset, range, list, "made a list of \"\(Printable.escape(text))\"")
    }

    /// Whether a byte belongs to a single name or pattern and does not separate several.
    private static func namesOne(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "._-@*?[]".utf8.contains(byte)
        }
    }

    /// Offers to remove a repetition with the same value.
    mutating func offerRemoval(of name: String, at offset: Int, value: Node) {
        guard let range = fixable?.removal(from: offset, valueAt: value.offset) else { return }
        offer(.duplicateKey, at: offset, range, "", "removed the second \"\(Printable.escape(name))\"")
    }

    /// Offers to correct the first unknown variable of a text.
    mutating func offerVariable(_ text: String, at offset: Int) {
        guard let range = fixable?.literal(text, at: offset) else { return }
        let bytes = Array(text.utf8)
        var index = 0
        while index < bytes.count {
            if bytes[index...].starts(with: "$${".utf8) {
                index += 3
            } else if bytes[index...].starts(with: "${".utf8),
                let end = bytes[index...].firstIndex(of: UInt8(ascii: "}"))
            {
                let name = String(decoding: bytes[index + 2..<end], as: UTF8.self)
                if Template.Variable(rawValue: name) == nil {
                    let known = Template.Variable.allCases.map(\.rawValue)
                    guard let other = Suggestion.only(for: name, among: known) else { return }
                    let start = range.lowerBound + index + 2
                    let words = "replaced ${\(Printable.escape(name))} by ${\(other)}"
                    return offer(.unknownVariable, at: offset, start..<start + name.utf8.count, other, words)
                }
                index = end + 1
            } else {
                index += 1
            }
        }
    }

    private mutating func offer(
        _ code: LintCode, at offset: Int, _ range: Range<Int>, _ replacement: String, _ words: String
    ) {
        guard fixes.count < PolicyParser.findingLimit else { return }
        fixes.append(
            LintFix(
                position: cursor.position(of: offset), code: code, words: words, range: range,
                replacement: Array(replacement.utf8)))
    }
}
