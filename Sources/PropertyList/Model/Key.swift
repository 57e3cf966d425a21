/// The name of a default or of a domain, compared as exact UTF-8 bytes.
///
/// Swift's `String` equality joins canonically equivalent spellings (NFC and NFD). A forced key must not be reached, or
/// missed, through another spelling, so below the public interface a `String` is never a dictionary key.
package struct Key: Sendable {
    /// The name as text; its UTF-8 bytes are what is compared.
    package let string: String

    /// Makes a key of a text, byte for byte.
    package init(_ string: String) {
        self.string = string
    }
}

extension Key: Hashable {
    /// Whether both names have the same UTF-8 bytes.
    package static func == (left: Key, right: Key) -> Bool {
        left.string.utf8.count == right.string.utf8.count && left.string.utf8.elementsEqual(right.string.utf8)
    }

    /// Feeds the UTF-8 bytes into the hasher.
    package func hash(into hasher: inout Hasher) {
        for byte in string.utf8 { hasher.combine(byte) }
        hasher.combine(0xff as UInt8)
    }
}

extension Key: Comparable {
    /// Whether `left` sorts before `right` in byte order.
    package static func < (left: Key, right: Key) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }
}

extension Key: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Makes a key of a literal.
    package init(stringLiteral value: String) {
        self.init(value)
    }

    /// The name as text.
    package var description: String { string }
}
