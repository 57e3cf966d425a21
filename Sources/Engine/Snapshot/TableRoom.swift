import PropertyList

/// Where a lookup table's next entry, text and box go, and how it is laid out; known to the writer only.
struct TableRoom {
    /// A part of the table that is filled from its beginning.
    struct Part {
        /// How much is taken.
        var used = 0
        /// How much there is.
        let limit: Int

        /// Whether so much more fits.
        func fits(_ count: Int) -> Bool { count <= limit - used }
    }

    /// The slots; at most half of them are taken, so that probes stay short.
    private var slots: Part
    /// The entries, replaced ones included.
    private var entries: Part
    /// The bytes of keys and texts, counted from the block's beginning.
    private var text: Part
    /// The values that stay objects.
    private(set) var boxes: Part

    /// Plans a table of so many entries, with room for changes: a quarter as much again, so that building anew costs
    /// each change little.
    init(_ size: TableSize) {
        let entries = size.entries + size.entries / 4 + 32
        var slots = 64
        while slots < entries * 2 { slots *= 2 }
        self.slots = Part(limit: slots)
        self.entries = Part(limit: entries)
        let texts = LookupTable.headerSize + slots * 8 + entries * TableEntry.size
        text = Part(used: texts, limit: texts + size.text + size.text / 4 + 2048)
        boxes = Part(limit: size.boxes + size.boxes / 4 + 16)
    }

    /// Allocates the block of a plan; the caller owns it.
    static func allocate(_ room: TableRoom) -> UnsafeRawPointer {
        let block = UnsafeMutableRawPointer.allocate(byteCount: room.text.limit, alignment: 16)
        // Empty slots are zero; entries and texts are written whole before anybody reads them, but for the bytes that
        // fill texts up to a multiple of eight, which nobody reads.
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: room.entriesOffset)
        unsafe block.storeBytes(of: UInt64(room.slots.limit - 1), as: UInt64.self)
        unsafe block.storeBytes(of: room.entriesOffset, toByteOffset: 8, as: Int.self)
        return UnsafeRawPointer(block)
    }

    /// Where the entries begin.
    private var entriesOffset: Int { LookupTable.headerSize + slots.limit * 8 }

    /// Writes an entry and publishes it in its slot.
    ///
    /// - Returns: whether there was room.
    mutating func put(
        _ key: Key, _ value: Value?, isForced: Bool, block: UnsafeRawPointer, boxes: UnsafeMutablePointer<Value>
    ) -> Bool {
        var name = key.string
        return name.withUTF8 { bytes in
            // The bytes are lent during the call, and an empty buffer's address is never read.
            let bytes = UnsafeRawBufferPointer(bytes)
            let hash = unsafe KeyBytes.hash(bytes.baseAddress ?? block, count: bytes.count)
            let (slot, known) = unsafe find(hash, bytes, in: block)
            if let known, let word = TableRoom.word(of: value),
                known.replaceBits(word.bits, kind: word.kind, isForced: isForced)
            {
                return true
            }
            let old = known.map { unsafe Int($0.address.load(fromByteOffset: 8, as: UInt32.self)) }
            guard entries.fits(1), old != nil || slots.used * 2 < slots.limit else { return false }
            guard let payload = unsafe payload(of: value, in: block, boxes) else { return false }
            let place: Int
            if let old {
                place = old
            } else {
                guard let new = unsafe copy(bytes, to: block) else { return false }
                place = new
                slots.used += 1
            }
            // The entry is inside of the part that was laid out, and no slot names it yet.
            let address = unsafe UnsafeMutableRawPointer(
                mutating: block + entriesOffset + entries.used * TableEntry.size)
            unsafe address.storeBytes(of: hash, as: UInt64.self)
            unsafe address.storeBytes(of: UInt32(truncatingIfNeeded: place), toByteOffset: 8, as: UInt32.self)
            unsafe address.storeBytes(of: UInt32(truncatingIfNeeded: bytes.count), toByteOffset: 12, as: UInt32.self)
            unsafe address.storeBytes(of: payload.kind.rawValue, toByteOffset: 16, as: UInt8.self)
            unsafe address.storeBytes(of: isForced ? TableEntry.forcedFlag : 0, toByteOffset: 17, as: UInt8.self)
            unsafe address.storeBytes(of: UInt32(payload.length), toByteOffset: 20, as: UInt32.self)
            unsafe address.storeBytes(of: payload.bits, toByteOffset: 24, as: UInt64.self)
            unsafe TableSlot.store(TableSlot.word(hash: hash, index: entries.used), block, at: slot)
            entries.used += 1
            return true
        }
    }

    /// The slot of a key: the one that names its entry, with the entry, or the first free one.
    private func find(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, in block: UnsafeRawPointer
    ) -> (slot: UInt64, entry: TableEntry?) {
        let mask = UInt64(slots.limit - 1)
        var slot = hash & mask
        while true {
            // As in `LookupTable.find`.
            let word = unsafe TableSlot.load(block, at: slot)
            if word == 0 { return (slot, nil) }
            let address = unsafe block + entriesOffset + TableSlot.index(word) * TableEntry.size
            if unsafe address.load(as: UInt64.self) == hash,
                unsafe Int(address.load(fromByteOffset: 12, as: UInt32.self)) == key.count
            {
                let place = unsafe Int(address.load(fromByteOffset: 8, as: UInt32.self))
                if unsafe KeyBytes.equal(block + place, key.baseAddress ?? block, count: key.count) {
                    return unsafe (slot, TableEntry(block: block, address: address))
                }
            }
            slot = (slot + 1) & mask
        }
    }

    /// What an entry holds of a value that is one word; `nil` for any other.
    private static func word(of value: Value?) -> (kind: TableEntry.Payload, bits: UInt64)? {
        switch value {
        case .boolean(let value): return (.boolean, value ? 1 : 0)
        case .integer(let value):
            if let value = value.int64 { return (.signed, UInt64(bitPattern: value)) }
            return (.unsigned, value.uint64 ?? 0)
        case .real(let value): return (.real, value.bitPattern)
        case .date(let value): return (.date, value.bitPattern)
        case nil, .string, .data, .array, .dictionary: return nil
        }
    }

    /// What an entry holds of a value; texts are copied into the block, values of no fixed size become boxes.
    ///
    /// - Returns: `nil` where there is no room.
    private mutating func payload(
        of value: Value?, in block: UnsafeRawPointer, _ values: UnsafeMutablePointer<Value>
    ) -> (kind: TableEntry.Payload, bits: UInt64, length: Int)? {
        if let word = TableRoom.word(of: value) { return (word.kind, word.bits, 0) }
        switch value {
        case nil: return (.none, 0, 0)
        case .string(var value):
            return value.withUTF8 { bytes in
                // The bytes are lent during the call.
                unsafe copy(UnsafeRawBufferPointer(bytes), to: block).map { (.string, UInt64($0), bytes.count) }
            }
        case .some(let value):
            guard boxes.fits(1) else { return nil }
            // The place is inside of what was allocated, and no entry names it yet.
            unsafe (values + boxes.used).initialize(to: value)
            defer { boxes.used += 1 }
            return (.boxed, UInt64(boxes.used), 0)
        }
    }

    /// Copies a text behind the last one.
    ///
    /// - Returns: its place in the block; `nil` where there is no room.
    private mutating func copy(_ bytes: UnsafeRawBufferPointer, to block: UnsafeRawPointer) -> Int? {
        let size = TableSize.aligned(bytes.count)
        guard text.fits(size), text.used + size <= Int(UInt32.max) else { return nil }
        let place = text.used
        // The room was checked, and nothing names these bytes yet.
        unsafe UnsafeMutableRawBufferPointer(
            start: UnsafeMutableRawPointer(mutating: block + place), count: bytes.count
        ).copyMemory(from: bytes)
        text.used += size
        return place
    }
}
