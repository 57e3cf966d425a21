import Glibc
import MDPropertyList

extension GVariant {
    /// The value in GVariant's text form, with as many types as are needed to read it back, as `gsettings get` prints it.
    package var text: String { text(isAnnotated: true) }

    private func text(isAnnotated: Bool) -> String {
        func annotation(_ word: String) -> String { isAnnotated ? "\(word) " : "" }
        switch self {
        case .boolean(let value): return value ? "true" : "false"
        case .integer(UInt8(ascii: "y"), let number):
            let digits = String(number.uint64 ?? 0, radix: 16)
            return "\(annotation("byte"))0x\(digits.utf8.count < 2 ? "0" : "")\(digits)"
        case .integer(let letter, let number):
            return (GVariant.words[letter].map(annotation) ?? "") + number.description
        case .double(let number): return GVariant.text(of: number)
        case .text(let letter, let text):
            return (GVariant.words[letter].map(annotation) ?? "") + GVariant.quoted(text)
        case .variant(let inner): return "<\(inner.text)>"
        case .maybe(_, let inner):
            let text = inner.map { ($0.isMaybeNothing ? "just " : "") + $0.text(isAnnotated: false) }
            return annotation("@\(type.text)") + (text ?? "nothing")
        case .array(.basic(UInt8(ascii: "y")), let elements) where byteString(elements) != nil:
            return byteString(elements) ?? ""
        case .array(let element, let elements):
            let isDictionary = if case .entry = element { true } else { false }
            if elements.isEmpty { return annotation("@\(type.text)") + (isDictionary ? "{}" : "[]") }
            let parts = elements.enumerated().map { $1.text(isAnnotated: isAnnotated && $0 == 0) }
            let list = parts.joined(separator: ", ")
            return isDictionary ? "{\(list)}" : "[\(list)]"
        case .tuple(let members):
            let list = members.map { $0.text(isAnnotated: isAnnotated) }.joined(separator: ", ")
            return members.count == 1 ? "(\(list),)" : "(\(list))"
        case .entry(let key, let value):
            return "\(key.text(isAnnotated: isAnnotated)): \(value.text(isAnnotated: isAnnotated))"
        }
    }

    /// Whether the text would be read as a missing value of the container.
    private var isMaybeNothing: Bool {
        guard case .maybe(_, let inner) = self else { return false }
        return inner?.isMaybeNothing ?? true
    }

    /// The types that their values do not show.
    private static let words: [UInt8: String] = [
        UInt8(ascii: "n"): "int16", UInt8(ascii: "q"): "uint16", UInt8(ascii: "u"): "uint32",
        UInt8(ascii: "x"): "int64", UInt8(ascii: "t"): "uint64", UInt8(ascii: "h"): "handle",
        UInt8(ascii: "o"): "objectpath", UInt8(ascii: "g"): "signature",
    ]

    /// A number with all its digits, and a point if it looks like a whole one.
    private static func text(of number: Double) -> String {
        var buffer = [CChar](repeating: 0, count: 64)
        // 17 digits with sign, point and exponent take at most 24 bytes of the buffer, which outlives the call.
        _ = unsafe gcvt(number, 17, &buffer)
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        let isWhole = bytes.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
        return isWhole ? text + ".0" : text
    }

    /// A text in quotation marks, with what cannot be printed escaped.
    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let mark: Unicode.Scalar = scalars.contains("'") ? "\"" : "'"
        var quoted = String(Character(mark))
        for scalar in scalars {
            switch scalar {
            case mark, "\\": quoted += "\\\(Character(scalar))"
            case "\u{07}": quoted += "\\a"
            case "\u{08}": quoted += "\\b"
            case "\u{0c}": quoted += "\\f"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\u{0b}": quoted += "\\v"
            default: quoted += isPrintable(scalar) ? String(Character(scalar)) : escape(scalar)
            }
        }
        return quoted + String(Character(mark))
    }

    private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .unassigned, .privateUse, .surrogate, .lineSeparator, .paragraphSeparator: false
        case .spaceSeparator: scalar == " "
        default: true
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        let width = scalar.value > 0xffff ? 8 : 4
        return (width == 8 ? "\\U" : "\\u") + String(repeating: "0", count: width - digits.utf8.count) + digits
    }

    /// Bytes that end with their only NUL, which are written as a text.
    private func byteString(_ elements: [GVariant]) -> String? {
        let bytes = elements.compactMap { element -> UInt8? in
            guard case .integer(_, let number) = element else { return nil }
            return number.uint64.flatMap { UInt8(exactly: $0) }
        }
        guard bytes.last == 0, bytes.firstIndex(of: 0) == bytes.count - 1 else { return nil }
        let mark = bytes.contains(UInt8(ascii: "'")) ? UInt8(ascii: "\"") : UInt8(ascii: "'")
        var text = [UInt8(ascii: "b"), mark]
        for byte in bytes.dropLast() {
            switch byte {
            case mark, UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x20..<0x7f: text.append(byte)
            default:
                let digits = String(byte, radix: 8)
                text += "\\\(String(repeating: "0", count: 3 - digits.utf8.count))\(digits)".utf8
            }
        }
        return String(decoding: text + [mark], as: UTF8.self)
    }
}
