/// The name of a default or of a domain, compared as exact UTF-8 bytes.
///
/// Swift's `String` equality treats canonically equivalent spellings (NFC and NFD) as equal. Another spelling must not
/// match a forced key or hide it, so below the public interface a `String` is never a dictionary key.
package struct Key: Sendable {
    /// The name as text; its UTF-8 bytes are compared.
    @usableFromInline package let string: String

    /// Makes a key of a text, byte for byte.
    @inlinable package init(_ string: String) {
        self.string = string
    }
}

extension Key: Hashable {
    /// Whether both names have the same UTF-8 bytes.
    @inlinable package static func == (left: Key, right: Key) -> Bool {
        #if _pointerBitWidth(_64)
            // A text is two words: the bytes of a short one, else a reference. Equal words are equal texts.
            let (one, other) = unsafe (
                unsafeBitCast(left.string, to: (UInt64, UInt64).self),
                unsafeBitCast(right.string, to: (UInt64, UInt64).self)
            )
            if one == other { return true }
        #endif
        let count = left.string.utf8.count
        guard count == right.string.utf8.count else { return false }
        // Both buffers have `count` bytes and are valid within the closures.
        let answer = unsafe left.string.utf8.withContiguousStorageIfAvailable { left in
            unsafe right.string.utf8.withContiguousStorageIfAvailable { right in
                let (left, right) = (UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
                var index = 0
                while count - index >= 8 {
                    guard
                        unsafe left.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                            == right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    else { return false }
                    index += 8
                }
                while index < count, unsafe left[index] == right[index] { index += 1 }
                return index == count
            }
        }
        return answer.flatMap { $0 } ?? left.string.utf8.elementsEqual(right.string.utf8)
    }

    /// Feeds the UTF-8 bytes into the hasher, in one piece if the string has contiguous storage.
    @inlinable package func hash(into hasher: inout Hasher) {
        // The hasher reads the bytes within the closure.
        let isDone: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        // Every native string has contiguous storage, and below the public interface all strings are native.
        if isDone == nil { unsafe Array(string.utf8).withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
        hasher.combine(0xff as UInt8)
    }

    /// The hash of a key by itself, as dictionaries and sets ask for it: a third of the cost of a `Hasher`.
    package func _rawHashValue(seed: Int) -> Int {
        Int(truncatingIfNeeded: quickHash(in: UInt64(truncatingIfNeeded: seed)))
    }
}

extension Key: Comparable {
    /// Whether `left` sorts before `right` in byte order.
    @inlinable package static func < (left: Key, right: Key) -> Bool {
        // Both buffers are read within their bounds and within the closures.
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

extension Key {
    /// Two random numbers of this process, so that the author of a file cannot choose keys that collide.
    private static let seeds: (UInt64, UInt64) = (seed(1), seed(2))

    /// Derives a number from the process's random hashing key.
    private static func seed(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// A fast hash of the UTF-8 bytes; it reads eight bytes at once.
    ///
    /// - Parameters:
    ///   - scope: a number that is part of the hash, such as that of the domain.
    ///   - ignoringCase: whether keys that differ only by the case of ASCII letters have the same hash.
    /// - Returns: a number that differs from process to process.
    package func quickHash(in scope: UInt64 = 0, ignoringCase: Bool = false) -> UInt64 {
        let (first, second) = Key.seeds
        // The bit that distinguishes small letters from capitals.
        let mask: UInt64 = ignoringCase ? 0x2020_2020_2020_2020 : 0
        // The bytes are read within their bounds and within the closure.
        let hash = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe Key.hash(UnsafeRawBufferPointer(bytes), first ^ scope, second, mask)
        }
        // Every native string has contiguous storage, and below the public interface all strings are native.
        if let hash { return hash }
        return unsafe Array(string.utf8).withUnsafeBytes { unsafe Key.hash($0, first ^ scope, second, mask) }
    }

    /// Hashes bytes after setting the bits of the mask in each.
    private static func hash(
        _ bytes: UnsafeRawBufferPointer, _ first: UInt64, _ second: UInt64, _ mask: UInt64
    ) -> UInt64 {
        var state = first
        var offset = 0
        while bytes.count - offset >= 8 {
            // Eight bytes are left.
            let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            state = fold(state ^ (word | mask), second)
            offset += 8
        }
        var rest: UInt64 = 0
        if bytes.count - offset >= 4 {
            // Four bytes are left.
            rest = unsafe UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            offset += 4
        }
        while offset < bytes.count {
            rest = unsafe rest &<< 8 | UInt64(bytes[offset])
            offset += 1
        }
        return fold(fold(state ^ (rest | mask), second) ^ UInt64(bytes.count), first | 1)
    }

    /// Whether both differ at most by the case of ASCII letters.
    package func isSameIgnoringCase(as other: Key) -> Bool {
        string.utf8.count == other.string.utf8.count
            && zip(string.utf8, other.string.utf8).allSatisfy { left, right in
                left == right || (left | 0x20 == right | 0x20 && (0x61...0x7a).contains(left | 0x20))
            }
    }

    /// Multiplies two numbers and folds the upper half of the product into the lower one.
    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
