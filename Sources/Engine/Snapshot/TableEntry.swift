import PropertyList
import Synchronization

/// One key of a lookup table, borrowed for as long as the table's block is.
///
/// 32 bytes: hash (8), key offset (4), key length (4), type (1), flags (1), unused (2), value length (4), payload (8).
@safe struct TableEntry {
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
        /// The index of a value that the table keeps as an object.
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
        // The table's builder wrote every entry whole, so each of these loads is inside of the block.
        unsafe address.load(fromByteOffset: 16, as: UInt8.self)
    }

    /// Whether policy decides the key.
    @inline(__always)
    var isForced: Bool {
        unsafe address.load(fromByteOffset: 17, as: UInt8.self) & TableEntry.forcedFlag != 0
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

    /// Gives the entry another payload of the same type, where that is one word.
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

    /// The text of a string payload, decoded anew so that no reference count is shared between threads.
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
        case .boxed: unsafe LookupTable.box(in: block, at: Int(truncatingIfNeeded: bits))
        case .some(.none), nil: nil
        }
    }
}
