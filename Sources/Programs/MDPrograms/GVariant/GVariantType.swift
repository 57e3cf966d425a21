/// A type of GVariant, the format of the values of GSettings.
///
/// Source: <https://docs.gtk.org/glib/gvariant-format-strings.html> and the GVariant specification.
package indirect enum GVariantType: Hashable, Sendable {
    /// A type of one letter that holds no other: `b y n q i u x t h d s o g`.
    case basic(UInt8)
    /// Any value with its type.
    case variant
    /// A value or none.
    case maybe(GVariantType)
    case array(GVariantType)
    case tuple([GVariantType])
    /// An entry of a dictionary, which is an array of entries.
    case entry(GVariantType, GVariantType)

    /// The most containers around each other.
    static let depthLimit = 64
    /// The most bytes of a type.
    private static let sizeLimit = 255

    /// Reads a whole type; `nil` if the text is not a type.
    package init?(_ text: some Collection<UInt8>) {
        let bytes = Array(text)
        guard bytes.count <= GVariantType.sizeLimit else { return nil }
        var index = 0
        guard let type = GVariantType.read(bytes, &index, depth: 0), index == bytes.count else { return nil }
        self = type
    }

    private static func read(_ bytes: [UInt8], _ index: inout Int, depth: Int) -> GVariantType? {
        guard depth < depthLimit, index < bytes.count else { return nil }
        let letter = bytes[index]
        index += 1
        switch letter {
        case UInt8(ascii: "v"): return .variant
        case UInt8(ascii: "m"): return read(bytes, &index, depth: depth + 1).map { .maybe($0) }
        case UInt8(ascii: "a"): return read(bytes, &index, depth: depth + 1, inArray: true).map { .array($0) }
        case UInt8(ascii: "("):
            var members: [GVariantType] = []
            while index < bytes.count, bytes[index] != UInt8(ascii: ")") {
                guard let member = read(bytes, &index, depth: depth + 1) else { return nil }
                members.append(member)
            }
            index += 1
            return index <= bytes.count ? .tuple(members) : nil
        default: return letters.contains(letter) ? .basic(letter) : nil
        }
    }

    /// Reads the type of an array's elements, which may be an entry.
    private static func read(_ bytes: [UInt8], _ index: inout Int, depth: Int, inArray: Bool) -> GVariantType? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "{") else { return read(bytes, &index, depth: depth) }
        index += 1
        guard case .basic(let letter) = read(bytes, &index, depth: depth + 1),
            let value = read(bytes, &index, depth: depth + 1), index < bytes.count,
            bytes[index] == UInt8(ascii: "}")
        else { return nil }
        index += 1
        return .entry(.basic(letter), value)
    }

    private static let letters = Set("bynqiuxthdsog".utf8)

    /// The type in letters.
    package var text: String {
        switch self {
        case .basic(let letter): String(Character(Unicode.Scalar(letter)))
        case .variant: "v"
        case .maybe(let inner): "m\(inner.text)"
        case .array(let element): "a\(element.text)"
        case .tuple(let members): "(\(members.map(\.text).joined()))"
        case .entry(let key, let value): "{\(key.text)\(value.text)}"
        }
    }

    /// The alignment of a value, in bytes.
    var alignment: Int {
        switch self {
        case .basic(let letter): GVariantType.width(of: letter) ?? 1
        case .variant: 8
        case .maybe(let inner), .array(let inner): inner.alignment
        case .tuple(let members): members.map(\.alignment).max() ?? 1
        case .entry(let key, let value): max(key.alignment, value.alignment)
        }
    }

    /// The size of each value in bytes; `nil` if it differs.
    var size: Int? {
        switch self {
        case .basic(let letter): GVariantType.width(of: letter)
        case .variant, .maybe, .array: nil
        case .entry(let key, let value): GVariantType.size(of: [key, value])
        case .tuple(let members): GVariantType.size(of: members)
        }
    }

    /// The size of a number; `nil` for text.
    private static func width(of letter: UInt8) -> Int? {
        switch letter {
        case UInt8(ascii: "b"), UInt8(ascii: "y"): 1
        case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
        case UInt8(ascii: "i"), UInt8(ascii: "u"), UInt8(ascii: "h"): 4
        case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): 8
        default: nil
        }
    }

    private static func size(of members: [GVariantType]) -> Int? {
        var end = 0
        for member in members {
            guard let size = member.size else { return nil }
            end = end.aligned(to: member.alignment) + size
        }
        // A tuple of nothing takes a byte.
        return members.isEmpty ? 1 : end.aligned(to: members.map(\.alignment).max() ?? 1)
    }
}

extension Int {
    /// The next multiple of a power of 2.
    func aligned(to alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}
