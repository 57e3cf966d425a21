package import MDPolicyModel
package import MDPropertyList

/// What a schema says of a key.
package struct SettingsKey: Sendable {
    /// Why a key cannot have a value, as a clause.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        package let description: String

        init(_ description: String) { self.description = description }
    }

    /// The value where nothing else is said; a program of another desktop or language may have another one.
    package let standard: GVariant
    /// The least and the greatest number, if the schema limits it.
    private let range: (least: Value, greatest: Value)?
    /// The words that a text may be, each with the one that it is an alias of; `nil` if any text is good.
    private let words: [Key: Key]?

    package var type: GVariantType { standard.type }

    /// Reads the entry of a compiled schema: the value, then what limits it.
    init?(_ entry: GVariant) {
        guard case .tuple(let parts) = entry, let standard = parts.first else { return nil }
        self.standard = standard
        var (range, words): ((Value, Value)?, [Key: Key]?)
        for case .tuple(let part) in parts.dropFirst() {
            guard part.count == 2, case .integer(UInt8(ascii: "y"), let letter) = part[0] else { return nil }
            switch letter.uint64.flatMap({ UInt8(exactly: $0) }) {
            case UInt8(ascii: "c"), UInt8(ascii: "e"), UInt8(ascii: "f"):
                guard let all = SettingsKey.words(part[1]) else { return nil }
                words = all
            case UInt8(ascii: "r"):
                guard case .tuple(let ends) = part[1], ends.count == 2, let least = ends[0].value,
                    let greatest = ends[1].value
                else { return nil }
                range = (least, greatest)
            // Languages and desktops with values of their own.
            default: continue
            }
        }
        (self.range, self.words) = (range, words)
    }

    /// Reads the table of words: each has its number, then, in whole groups of four bytes, a mark, the text and zeros.
    private static func words(_ value: GVariant) -> [Key: Key]? {
        guard case .array(_, let numbers) = value else { return nil }
        var bytes: [UInt8] = []
        for case .integer(_, let number) in numbers {
            bytes += GVariant.littleEndian(number.uint64 ?? 0, width: 4)
        }
        var (names, aliases, offset): ([Int: Key], [(Key, Int)], Int) = ([:], [], 0)
        while offset + 8 <= bytes.count {
            let end = stride(from: offset + 7, to: bytes.count, by: 4).first { bytes[$0] == 0xff }
            guard let end, bytes[offset + 4] >= 0xfe,
                let text = String(validating: bytes[offset + 5..<end].prefix { $0 != 0 }, as: UTF8.self)
            else { return nil }
            let number = bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
            // The number of an alias is the place of its word, in groups of four bytes.
            if bytes[offset + 4] == 0xff { names[offset / 4] = Key(text) } else { aliases.append((Key(text), number)) }
            offset = end + 1
        }
        guard offset == bytes.count else { return nil }
        var words: [Key: Key] = [:]
        for name in names.values { words[name] = name }
        for (alias, place) in aliases { words[alias] = names[place] }
        return words
    }

    /// The value of a policy as the key has it.
    ///
    /// - Throws: why the program would not take it.
    package func checked(_ value: Value) throws(Refusal) -> GVariant {
        var variant: GVariant
        do {
            variant = try GVariant(value, as: type)
        } catch {
            throw Refusal(error.description)
        }
        if let words { variant = try variant.inWords(words) }
        if let range, let number = variant.value, SettingsKey.isLess(number, range.least) {
            throw Refusal("the value is less than \(SettingsKey.text(range.least)), the least that it may be")
        }
        if let range, let number = variant.value, SettingsKey.isLess(range.greatest, number) {
            throw Refusal("the value is greater than \(SettingsKey.text(range.greatest)), the greatest that it may be")
        }
        return variant
    }

    /// The values that a constraint leaves, if they are few enough to tell; `nil` if it leaves many.
    package func values(allowedBy constraint: Constraint) -> [GVariant]? {
        let candidates: [Value]
        if let oneOf = constraint.oneOf {
            candidates = oneOf
        } else if type == .basic(UInt8(ascii: "b")) {
            candidates = [.boolean(false), .boolean(true)]
        } else if let words, type == .basic(UInt8(ascii: "s")) {
            candidates = Set(words.values).sorted().map { .string($0.string) }
        } else if let least = constraint.minimum ?? range?.least, let greatest = constraint.maximum ?? range?.greatest,
            least == greatest
        {
            candidates = [least]
        } else {
            return nil
        }
        return candidates.filter { constraint.verdict(on: $0) == .allowed }.compactMap { try? checked($0) }
    }

    private static func isLess(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.real(let left), .real(let right)): left < right
        default: false
        }
    }

    private static func text(_ number: Value) -> String {
        switch number {
        case .integer(let number): number.description
        case .real(let number): number.description
        default: "its limit"
        }
    }
}

extension GVariant {
    /// The value with each word in the spelling of the schema.
    fileprivate func inWords(_ words: [Key: Key]) throws(SettingsKey.Refusal) -> GVariant {
        switch self {
        case .text(let letter, let text):
            guard let word = words[Key(text)] else {
                let all = Set(words.values).sorted().map(\.string)
                throw SettingsKey.Refusal(
                    "the value is not one of \(all.prefix(12).joined(separator: ", "))\(all.count > 12 ? ", …" : "")")
            }
            return .text(letter, word.string)
        case .array(let element, let elements):
            var inWords: [GVariant] = []
            for value in elements { inWords.append(try value.inWords(words)) }
            return .array(element, inWords)
        case .maybe(let inner, let value):
            guard let value else { return self }
            return .maybe(inner, try value.inWords(words))
        default: return self
        }
    }
}
