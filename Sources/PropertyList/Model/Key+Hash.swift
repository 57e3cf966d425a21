extension Key {
    /// Two numbers that nobody outside of the process knows: whoever writes files cannot choose keys that collide.
    private static let seeds: (UInt64, UInt64) = (seed(1), seed(2))

    /// A number from the process's own random hashing key.
    private static func seed(_ number: Int) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(number)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// A hash of the UTF-8 bytes for tables that live as long as one file or one compilation: eight bytes a step.
    ///
    /// - Parameters:
    ///   - scope: what else counts, such as the number of the domain.
    ///   - ignoringCase: whether keys that differ only by the case of ASCII letters have the same hash.
    /// - Returns: a number that differs from process to process.
    package func quickHash(in scope: UInt64 = 0, ignoringCase: Bool = false) -> UInt64 {
        let (first, second) = Key.seeds
        // The bit that tells small letters from capitals.
        let mask: UInt64 = ignoringCase ? 0x2020_2020_2020_2020 : 0
        // The bytes are read within their bounds, and only while they are lent.
        let hash = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
            unsafe Key.hash(UnsafeRawBufferPointer(bytes), first ^ scope, second, mask)
        }
        // Every string that is not bridged lends its bytes, and below the public interface none is.
        if let hash { return hash }
        return unsafe Array(string.utf8).withUnsafeBytes { unsafe Key.hash($0, first ^ scope, second, mask) }
    }

    /// Hashes bytes, in each of which the bits of the mask count as set.
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
