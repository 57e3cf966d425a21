import Synchronization

/// A slot of a lookup table: the upper half of a key's hash, and the index of its entry plus one, in one word.
enum TableSlot {
    /// The slot's word at this moment, 0 where it is empty.
    ///
    /// What was written before the word was stored is visible.
    @inline(__always)
    static func load(_ block: UnsafeRawPointer, at slot: UInt64) -> UInt64 {
        // Slots stand at multiples of eight behind the header, and the caller's mask keeps the number in range. An
        // `Atomic<UInt64>` is laid out as its value.
        unsafe (block + LookupTable.headerSize + Int(truncatingIfNeeded: slot) * 8)
            .assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .acquiring)
    }

    /// Publishes an entry.
    static func store(_ word: UInt64, _ block: UnsafeRawPointer, at slot: UInt64) {
        // As in `load`; the entry was written before.
        unsafe (block + LookupTable.headerSize + Int(truncatingIfNeeded: slot) * 8)
            .assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(word, ordering: .releasing)
    }

    /// The upper half of the hash.
    @inline(__always)
    static func mark(_ word: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: word) }

    /// The index of the entry; the word is not 0.
    @inline(__always)
    static func index(_ word: UInt64) -> Int { Int(truncatingIfNeeded: word &>> 32) &- 1 }

    /// The word of a hash and an entry.
    static func word(hash: UInt64, index: Int) -> UInt64 {
        UInt64(UInt32(truncatingIfNeeded: hash &>> 32)) | UInt64(truncatingIfNeeded: index &+ 1) &<< 32
    }
}
