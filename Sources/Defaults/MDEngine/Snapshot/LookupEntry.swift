import MDPropertyList
import Synchronization

/// One key of a lookup index, borrowed for as long as the index's block is.
///
/// 32 bytes: hash (8), key offset (4), key length (4), type (1), flags (1), unused (2), value length (4), payload (8).
@safe struct LookupEntry {
    /// The number of bytes of an entry.
    static let size = 32

    /// How the payload is read.
    enum Payload: UInt8 {
        /// No value: the key is absent by policy and nothing is registered.
        case none
        /// 0 or 1.
        case boolean
        /// The bits of an `Int64`.
        case signed
        /// A number above `Int64.max`.
        case unsigned
        /// The bits of a `Double`.
        case real
        /// The bits of a `Double`, in seconds since 2001.
        case date
        /// The offset of UTF-8 bytes in the block; their number is the value length.
        case string
        /// The number of a value that the index holds as an object.
        case boxed
    }

    /// The flag of a key that policy decides.
    static let forcedFlag: UInt8 = 1

    /// The block that the entry's offsets count in.
    let block: UnsafeRawPointer
    /// The first byte of the entry.
    let address: UnsafeRawPointer

    /// The type of the payload.
    @inline(__always)
    var payloadKind: UInt8 {
        // The index's builder wrote every entry whole, so each of these loads is inside of the block.
        unsafe address.load(fromByteOffset: 16, as: UInt8.self)
    }

    /// Whether policy decides the key.
    @inline(__always)
    var isForced: Bool {
        unsafe address.load(fromByteOffset: 17, as: UInt8.self) & LookupEntry.forcedFlag != 0
    }

    /// Whether lookups find something.
    @inline(__always)
    var hasValue: Bool { payloadKind != Payload.none.rawValue }

    /// The number of bytes of a string.
    @inline(__always)
    var length: Int {
        unsafe Int(address.load(fromByteOffset: 20, as: UInt32.self))
    }

    /// The payload's bits.
    ///
    /// Of a number, a truth value or a date they change under the reader, in one step.
    @inline(__always)
    var bits: UInt64 {
        // The offset is a multiple of eight, and an `Atomic<UInt64>` is laid out as its value.
        unsafe (address + 24).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .relaxed)
    }

    /// Gives the entry another payload of the same type, if that is one word.
    ///
    /// - Returns: whether it could be done; text and boxes need an entry of their own.
    func replaceBits(_ bits: UInt64, kind: Payload, isForced: Bool) -> Bool {
        guard payloadKind == kind.rawValue, self.isForced == isForced else { return false }
        switch kind {
        case .boolean, .signed, .unsigned, .real, .date: break
        case .none, .string, .boxed: return false
        }
        // As in `bits`; readers see the old word or the new one.
        unsafe (address + 24).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(bits, ordering: .relaxed)
        return true
    }

    /// The text of a string payload, decoded at each call so that no reference count is shared between threads.
    var text: String {
        let count = length
        // The builder copied `count` bytes of valid UTF-8 to this offset of the block.
        let bytes = unsafe UnsafeRawBufferPointer(start: block + Int(truncatingIfNeeded: bits), count: count)
        return unsafe String(unsafeUninitializedCapacity: count) { target in
            unsafe UnsafeMutableRawBufferPointer(target).copyMemory(from: bytes)
            return count
        }
    }

    /// The value; `nil` for a key that is absent by policy.
    var value: Value? {
        switch Payload(rawValue: payloadKind) {
        case .boolean: .boolean(bits != 0)
        case .signed: .integer(Integer(Int64(bitPattern: bits)))
        case .unsigned: .integer(Integer(bits))
        case .real: .real(Double(bitPattern: bits))
        case .date: .date(Double(bitPattern: bits))
        case .string: .string(text)
        case .boxed: unsafe LookupIndex.box(in: block, at: Int(truncatingIfNeeded: bits))
        case .some(.none), nil: nil
        }
    }
}

/// A slot of a lookup index: the upper half of a key's hash, and the index of its entry plus one, in one word.
enum LookupSlot {
    /// The slot's word at this moment, 0 if it is empty.
    ///
    /// What was written before the word was stored is visible.
    @inline(__always)
    static func load(_ block: UnsafeRawPointer, at slot: UInt64) -> UInt64 {
        // Slots are at multiples of eight behind the header, and the caller's mask keeps the number in range. An
        // `Atomic<UInt64>` is laid out as its value.
        unsafe (block + LookupIndex.headerSize + Int(truncatingIfNeeded: slot) * 8)
            .assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .acquiring)
    }

    /// Publishes an entry.
    static func store(_ word: UInt64, _ block: UnsafeRawPointer, at slot: UInt64) {
        // As in `load`; the entry was written before.
        unsafe (block + LookupIndex.headerSize + Int(truncatingIfNeeded: slot) * 8)
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
