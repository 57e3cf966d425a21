import Platform
import PropertyList

extension PolicyParser {
    /// Offers to replace a name or a text by another one.
    mutating func offer(_ code: LintCode, at offset: Int, replacing text: String, by other: String) {
        guard let range = fixable?.literal(text, at: offset) else { return }
        offer(code, at: offset, range, other, "replaced \"\(Printable.escape(text))\" by \"\(other)\"")
    }

    /// Offers to correct the spelling of a field, where one name is meant and does not stand beside it.
    mutating func offerName(of entry: Node.Entry, among fields: [Node.Entry], known: [String]) {
        guard fixable != nil, let name = Suggestion.only(for: entry.key.string, among: known),
            !fields.contains(where: { $0.key == Key(name) })
        else { return }
        offer(.unknownField, at: entry.keyOffset, replacing: entry.key.string, by: name)
    }

    /// Offers to correct the spelling of a word that must be one of several: its case, and in a word of five letters or
    /// more one letter; of short ones another may be meant, as `xor` is no `or`.
    mutating func offerWord(_ text: String, at offset: Int, known: [String]) {
        guard fixable != nil, let word = Suggestion.only(for: text, among: known) else { return }
        let (bytes, others) = (Array(text.lowercased().utf8), Array(word.utf8))
        guard bytes == others || others.count >= 5 && Suggestion.distance(bytes, others) == 1 else { return }
        offer(.invalidValue, at: offset, replacing: text, by: word)
    }

    /// Offers to take the quotes off a JSON truth value or number.
    ///
    /// - Parameters:
    ///   - node: the text.
    ///   - word: what stands there afterwards; `nil` for the text itself.
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

    /// Offers to make a list of a single JSON text; one with a comma may stand for several.
    mutating func offerList(_ node: Node) {
        guard let fixable, fixable.isJSON, case .scalar(.string(let text)) = node.content,
            text.utf8.allSatisfy({ PolicyParser.namesOne($0) }),
            let range = fixable.value(at: node.offset)
        else { return }
        let list = "[" + String(decoding: fixable.utf8[range], as: UTF8.self) + "]"
        offer(.wrongType, at: node.offset, range, list, "made a list of \"\(Printable.escape(text))\"")
    }

    /// Whether a byte is of a single name or pattern, and not of several that something stands between.
    private static func namesOne(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: "._-@*?[]".utf8.contains(byte)
        }
    }

    /// Offers to take out what stands twice with the same value.
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

    /// Adds a change.
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
