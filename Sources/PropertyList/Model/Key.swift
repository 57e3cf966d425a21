/// The name of a default or of a domain, compared as exact UTF-8 bytes.
///
/// Swift's `String` equality joins canonically equivalent spellings (NFC and NFD). A forced key must not be reached, or
/// missed, through another spelling, so below the public interface a `String` is never a dictionary key.
package struct Key: Sendable {
    /// The name as text; its UTF-8 bytes are what is compared.
    @usableFromInline package let string: String

    /// Makes a key of a text, byte for byte.
    @inlinable package init(_ string: String) {
        self.string = string
    }
}

extension Key: Hashable {
    /// Whether both names have the same UTF-8 bytes.
    @inlinable package static func == (left: Key, right: Key) -> Bool {
        let count = left.string.utf8.count
        guard count == right.string.utf8.count else { return false }
        // Both buffers have `count` bytes and are read only while they are lent.
        let answer = unsafe left.string.utf8.withContiguousStorageIfAvailable { left in
            unsafe right.string.utf8.withContiguousStorageIfAvailable { right in
                var index = 0
                while index < count, unsafe left[index] == right[index] { index += 1 }
                return index == count
            }
        }
        return answer.flatMap { $0 } ?? left.string.utf8.elementsEqual(right.string.utf8)
    }

    /// Feeds the UTF-8 bytes into the hasher, as one run where the string lends them.
    @inlinable package func hash(into hasher: inout Hasher) {
        // The hasher reads the bytes while they are lent.
        let isDone: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        // Every string that is not bridged lends its bytes, and below the public interface none is.
        if isDone == nil { unsafe Array(string.utf8).withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
        hasher.combine(0xff as UInt8)
    }
}

extension Key: Comparable {
    /// Whether `left` sorts before `right` in byte order.
    @inlinable package static func < (left: Key, right: Key) -> Bool {
        // Both buffers are read within their bounds, and only while they are lent.
        let answer = unsafe left.string.utf8.withContiguousStorageIfAvailable { left in
            unsafe right.string.utf8.withContiguousStorageIfAvailable { right in
                let count = min(left.count, right.count)
                var index = 0
                while index < count, unsafe left[index] == right[index] { index += 1 }
                return unsafe index < count ? left[index] < right[index] : left.count < right.count
            }
        }
        return answer.flatMap { $0 } ?? left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
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
