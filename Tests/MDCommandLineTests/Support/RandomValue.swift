import Foundation
import MDPropertyList
import MDTestSupport

/// Makes unusual values, the same ones in every run.
struct RandomValue {
    /// What a value may hold.
    enum Kind {
        /// Everything that a property list can be.
        case everything
        /// Everything but what XML has no way to hold: most control characters.
        case xml
        /// What OpenStep text holds: strings, arrays and dictionaries.
        case text
    }

    /// Where randomness comes from.
    private var random: SplitMix
    /// What the values may hold.
    private let kind: Kind

    /// Makes a source of values.
    init(seed: UInt64, _ kind: Kind) {
        random = SplitMix(state: seed)
        self.kind = kind
    }

    /// A dictionary of a few entries, without the empty key, which no domain takes.
    mutating func domain() -> [Key: Value] {
        var result: [Key: Value] = [:]
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let key = text()
            result[Key(key.isEmpty ? "key" : key)] = value(depth: 0)
        }
        return result
    }

    /// Any value.
    mutating func value(depth: Int) -> Value {
        switch Int.random(in: 0..<(depth < 4 ? 10 : 8), using: &random) {
        case 8: return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth + 1) })
        case 9:
            var entries: [Key: Value] = [:]
            for _ in 0..<Int.random(in: 0...4, using: &random) { entries[Key(text())] = value(depth: depth + 1) }
            return .dictionary(entries)
        case _ where kind == .text: return .string(text())
        case 0: return .boolean(.random(using: &random))
        case 1:
            return .integer(
                Integer(UInt64.random(in: 0 ... .max, using: &random) >> Int.random(in: 0...63, using: &random)))
        case 2:
            return .integer(
                Integer(Int64.random(in: .min ... -1, using: &random) >> Int64.random(in: 0...62, using: &random)))
        case 3: return .real(real())
        case 4: return .date(date())
        case 5:
            return .data((0..<Int.random(in: 0...70, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        default: return .string(text())
        }
    }

    /// A text: words, marks, other alphabets, controls, what has two normal forms, what looks like something else.
    private mutating func text() -> String {
        var result = ""
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            guard let piece = Self.pieces.randomElement(using: &random) else { continue }
            result += kind == .xml && piece.unicodeScalars.contains(where: Self.isForeignToXML) ? "x" : piece
        }
        return result
    }

    /// What texts are made of.
    private static let pieces: [String] = [
        "a", "Key", "42", "-1", "0.5", "YES", " ", "  ", "\n", "\r", "\r\n", "\t", "\"", "'", "\\", "\\n", "\\U0041",
        "{", "}", "(", ")", "<", ">", "&", "&amp;", ";", "=", ",", "/*", "//", "-->", "]]>", "<?x?>", "é", "e\u{301}",
        "日本", "😀", "\u{202e}", "\u{feff}", "\u{fffd}", "\u{e000}", "\u{10ffff}", "\u{0}", "\u{1}", "\u{1b}[31m",
        "\u{7f}", "\u{85}", "\u{2028}", "\u{fffe}", "$date", "-", "--json", "~", "%s", "2026-11-20T08:00:00Z",
    ]

    /// Whether XML cannot hold a character.
    private static func isForeignToXML(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9, 10, 13: false
        case 0..<32, 0xfffe, 0xffff: true
        default: false
        }
    }

    /// A number, often an odd one.
    private mutating func real() -> Double {
        switch Int.random(in: 0...9, using: &random) {
        case 0: .nan
        case 1: .infinity
        case 2: -.infinity
        case 3: -0.0
        case 4: .leastNonzeroMagnitude
        case 5: .greatestFiniteMagnitude
        case 6: 1
        default:
            Double(bitPattern: .random(in: 0..<0x7ff0_0000_0000_0000, using: &random))
        }
    }

    /// A date, often with a fraction of a second.
    private mutating func date() -> Double {
        switch Int.random(in: 0...4, using: &random) {
        case 0: 0
        case 1: -0.5
        case 2: Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &random))
        default: .random(in: -60_000_000_000...200_000_000_000, using: &random)
        }
    }
}

extension Value {
    /// Type and content in full, so that two values are the same exactly if these texts are.
    var exactDescription: String {
        switch self {
        case .string(let text): "string \(Array(text.utf8))"
        case .boolean(let value): "boolean \(value)"
        case .integer(let value): "integer \(value)"
        case .real(let value): "real \(value.isNaN ? "nan" : String(value.bitPattern, radix: 16))"
        case .date(let seconds): "date \(seconds.bitPattern)"
        case .data(let bytes): "data \(bytes)"
        case .array(let elements): "[\(elements.map(\.exactDescription).joined(separator: ", "))]"
        case .dictionary(let entries):
            "{\(entries.sorted { $0.key < $1.key }.map { "\(Array($0.key.string.utf8)): \($0.value.exactDescription)" }.joined(separator: ", "))}"
        }
    }
}
