import PropertyList

/// The whole search list as one hash table in one block of memory, immutable once built.
///
/// The block: a header of 32 bytes (mask, offset of the entries, number of entries, owner), slots of 8 bytes (upper half
/// of the hash, index of the entry plus one), entries of 32 bytes, then keys and strings, each at a multiple of eight.
@safe package final class LookupTable: Sendable {
    /// The bytes of the header.
    private static let headerSize = 32

    /// The block; written by `init` only, so that threads may share it.
    nonisolated(unsafe) let block: UnsafeRawPointer
    /// Values without a fixed size: data, arrays and dictionaries.
    private let boxes: [Value]
    /// The number of keys.
    package let count: Int

    /// Flattens a search list.
    ///
    /// Complexity: O(keys of all layers).
    package init(_ list: SearchList) {
        let keys = list.keys
        var builder = Builder(keys.count)
        for key in keys {
            let answer = list.answer(for: key)
            if answer.value != nil || answer.forced != nil {
                builder.add(key, answer.value, isForced: answer.forced != nil)
            }
        }
        count = builder.entries.count
        boxes = builder.boxes
        unsafe block = builder.finish()
        // The header names its owner so that a reader who borrowed the block finds the boxes. The pointer is valid for
        // as long as the block, which only this object frees.
        let owner = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        unsafe UnsafeMutableRawPointer(mutating: block).storeBytes(
            of: owner, toByteOffset: 24, as: UnsafeRawPointer.self)
    }

    deinit {
        unsafe block.deallocate()
    }

    /// Finds a key in a block.
    ///
    /// Complexity: O(length of the key); one probe where no hashes collide.
    @inline(__always)
    static func find(_ key: UnsafeRawBufferPointer, in block: UnsafeRawPointer) -> TableEntry? {
        // An empty key has no bytes that would be read; any address serves.
        let bytes = unsafe key.baseAddress ?? block
        let hash = unsafe KeyBytes.hash(bytes, count: key.count)
        // Header, slots and entries were laid out by `Builder.finish`; the mask keeps a slot inside of the slots, and
        // an index that stands in a slot is that of an entry.
        let mask = unsafe block.load(as: UInt64.self)
        let entries = unsafe block + block.load(fromByteOffset: 8, as: Int.self)
        let mark = UInt32(truncatingIfNeeded: hash &>> 32)
        var slot = hash & mask
        while true {
            let offset = headerSize &+ Int(truncatingIfNeeded: slot) &* 8
            let index = unsafe block.load(fromByteOffset: offset &+ 4, as: UInt32.self)
            if index == 0 { return nil }
            if unsafe block.load(fromByteOffset: offset, as: UInt32.self) == mark {
                let address = unsafe entries + (Int(index) &- 1) &* TableEntry.size
                let length = unsafe Int(address.load(fromByteOffset: 12, as: UInt32.self))
                if length == key.count {
                    let stored = unsafe block + Int(address.load(fromByteOffset: 8, as: UInt32.self))
                    if unsafe KeyBytes.equal(stored, bytes, count: length) {
                        return unsafe TableEntry(block: block, address: address)
                    }
                }
            }
            slot = (slot &+ 1) & mask
        }
    }

    /// A value that the owner of a block keeps as an object.
    static func box(in block: UnsafeRawPointer, at index: Int) -> Value? {
        let owner = unsafe block.load(fromByteOffset: 24, as: UnsafeRawPointer.self)
        // Whoever borrows the block keeps a reference to its owner meanwhile.
        return unsafe Unmanaged<LookupTable>.fromOpaque(owner)._withUnsafeGuaranteedRef { table in
            index < table.boxes.count ? table.boxes[index] : nil
        }
    }
}

extension LookupTable {
    /// Collects entries and lays them out.
    private struct Builder {
        /// An entry before it has its place.
        struct Entry {
            /// The name.
            var key: Key
            /// The type of the payload.
            var payload: TableEntry.Payload
            /// Whether policy decides the key.
            var isForced: Bool
            /// The payload; for strings set when they have their place.
            var bits: UInt64
            /// The text of a string payload.
            var text: String
        }

        /// The entries.
        var entries: [Entry] = []
        /// The values that stay objects.
        var boxes: [Value] = []

        /// Makes room.
        init(_ capacity: Int) {
            entries.reserveCapacity(capacity)
        }

        /// Adds a key once; the caller adds no key twice.
        mutating func add(_ key: Key, _ value: Value?, isForced: Bool) {
            var entry = Entry(key: key, payload: .none, isForced: isForced, bits: 0, text: "")
            switch value {
            case nil: break
            case .boolean(let value): (entry.payload, entry.bits) = (.boolean, value ? 1 : 0)
            case .integer(let value):
                if let value = value.int64 {
                    (entry.payload, entry.bits) = (.signed, UInt64(bitPattern: value))
                } else {
                    (entry.payload, entry.bits) = (.unsigned, value.uint64 ?? 0)
                }
            case .real(let value): (entry.payload, entry.bits) = (.real, value.bitPattern)
            case .date(let value): (entry.payload, entry.bits) = (.date, value.bitPattern)
            case .string(let value): (entry.payload, entry.text) = (.string, value)
            case .data, .array, .dictionary:
                (entry.payload, entry.bits) = (.boxed, UInt64(boxes.count))
                if let value { boxes.append(value) }
            }
            entries.append(entry)
        }

        /// A size rounded up to a multiple of eight.
        private static func aligned(_ count: Int) -> Int { (count + 7) & ~7 }

        /// Allocates and fills the block; the caller owns it.
        func finish() -> UnsafeRawPointer {
            // At most half of the slots are taken, so that probes stay short.
            var slots = 8
            while slots < entries.count * 2 { slots *= 2 }
            let entriesOffset = headerSize + slots * 8
            let textsOffset = entriesOffset + entries.count * TableEntry.size
            let textSize = entries.reduce(0) { size, entry in
                size + Builder.aligned(entry.key.string.utf8.count) + Builder.aligned(entry.text.utf8.count)
            }
            let size = textsOffset + textSize
            let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            // Everything is zero before it is filled: empty slots, and the bytes between texts.
            unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            unsafe block.storeBytes(of: UInt64(slots - 1), as: UInt64.self)
            unsafe block.storeBytes(of: entriesOffset, toByteOffset: 8, as: Int.self)
            unsafe block.storeBytes(of: entries.count, toByteOffset: 16, as: Int.self)
            var place = textsOffset
            for (index, entry) in entries.enumerated() {
                let address = unsafe block + entriesOffset + index * TableEntry.size
                let keyPlace = place
                unsafe Builder.copy(entry.key.string, to: block, at: &place)
                let key = unsafe UnsafeRawBufferPointer(start: block + keyPlace, count: entry.key.string.utf8.count)
                var bits = entry.bits
                if entry.payload == .string {
                    bits = UInt64(place)
                    unsafe Builder.copy(entry.text, to: block, at: &place)
                }
                let hash = unsafe KeyBytes.hash(UnsafeRawPointer(block + keyPlace), count: key.count)
                unsafe address.storeBytes(of: hash, as: UInt64.self)
                unsafe address.storeBytes(of: UInt32(truncatingIfNeeded: keyPlace), toByteOffset: 8, as: UInt32.self)
                unsafe address.storeBytes(of: UInt32(truncatingIfNeeded: key.count), toByteOffset: 12, as: UInt32.self)
                unsafe address.storeBytes(of: entry.payload.rawValue, toByteOffset: 16, as: UInt8.self)
                unsafe address.storeBytes(
                    of: entry.isForced ? TableEntry.forcedFlag : 0, toByteOffset: 17, as: UInt8.self)
                unsafe address.storeBytes(
                    of: UInt32(truncatingIfNeeded: entry.text.utf8.count), toByteOffset: 20, as: UInt32.self)
                unsafe address.storeBytes(of: bits, toByteOffset: 24, as: UInt64.self)
                unsafe Builder.link(hash, index: index, slots: slots, in: block)
            }
            return UnsafeRawPointer(block)
        }

        /// Copies a text's bytes and moves the place behind them, to the next multiple of eight.
        private static func copy(_ text: String, to block: UnsafeMutableRawPointer, at place: inout Int) {
            // `finish` reserved the bytes of every text.
            for (index, byte) in text.utf8.enumerated() {
                unsafe block.storeBytes(of: byte, toByteOffset: place + index, as: UInt8.self)
            }
            place += aligned(text.utf8.count)
        }

        /// Puts an entry's index into the first free slot from its hash on.
        private static func link(_ hash: UInt64, index: Int, slots: Int, in block: UnsafeMutableRawPointer) {
            var slot = Int(truncatingIfNeeded: hash & UInt64(slots - 1))
            // Half of the slots stay free, so there is one.
            while unsafe block.load(fromByteOffset: headerSize + slot * 8 + 4, as: UInt32.self) != 0 {
                slot = (slot + 1) & (slots - 1)
            }
            let offset = headerSize + slot * 8
            unsafe block.storeBytes(of: UInt32(truncatingIfNeeded: hash >> 32), toByteOffset: offset, as: UInt32.self)
            unsafe block.storeBytes(
                of: UInt32(truncatingIfNeeded: index + 1), toByteOffset: offset + 4, as: UInt32.self)
        }
    }
}
