/// Hashing and comparing of keys over their UTF-8 bytes, without a load that straddles two words.
///
/// A string of up to 15 bytes reaches the stack as two words; a load that overlaps both waits until they are in the
/// cache and costs twice the whole lookup. So words are read at multiples of eight, and the tail in pieces.
enum KeyBytes {
    /// A hash of the bytes, never 0, so that 0 can mean an empty slot.
    ///
    /// Not keyed: an index is built from one user's settings and policy, and the builder bounds probe lengths by its
    /// load factor. A user that floods their own index with collisions slows down their own lookups only.
    @inline(__always)
    static func hash(_ bytes: UnsafeRawPointer, count: Int) -> UInt64 {
        var state = UInt64(truncatingIfNeeded: count) &* 0x9e37_79b9_7f4a_7c15
        var offset = 0
        while offset &+ 8 <= count {
            let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            state = mix(state ^ word)
            offset &+= 8
        }
        if offset < count {
            state = unsafe mix(state ^ tail(bytes, from: offset, to: count))
        }
        return state | 1
    }

    /// Whether two texts of the same length have the same bytes; both begin at a multiple of eight or on the stack.
    @inline(__always)
    static func equal(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, count: Int) -> Bool {
        var offset = 0
        while offset &+ 8 <= count {
            let (one, other) = unsafe (
                left.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            )
            if one != other { return false }
            offset &+= 8
        }
        return unsafe offset == count || tail(left, from: offset, to: count) == tail(right, from: offset, to: count)
    }

    /// The last one to seven bytes as one word, read in pieces of four, two and one.
    @inline(__always)
    private static func tail(_ bytes: UnsafeRawPointer, from start: Int, to count: Int) -> UInt64 {
        var word: UInt64 = 0
        var offset = start
        var shift: UInt64 = 0
        if count &- offset >= 4 {
            word = unsafe UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            offset &+= 4
            shift = 32
        }
        if count &- offset >= 2 {
            word |= unsafe UInt64(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)) &<< shift
            offset &+= 2
            shift &+= 16
        }
        if count &- offset >= 1 {
            word |= unsafe UInt64(bytes.load(fromByteOffset: offset, as: UInt8.self)) &<< shift
        }
        return word
    }

    /// Spreads the bits of a word over the whole state.
    @inline(__always)
    private static func mix(_ word: UInt64) -> UInt64 {
        let product = word &* 0xff51_afd7_ed55_8ccd
        return product ^ (product &>> 32)
    }
}
