import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The layout of a lookup index and its free parts, as its writer has them.
struct LookupIndexRoom {
    /// A part of the index that is filled from its beginning.
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

    /// Plans an index of so many entries, with a quarter as much space for changes, so that building it again costs
    /// each change little.
    init(_ size: LookupIndexSize) {
        let entries = size.entries + size.entries / 4 + 32
        var slots = 64
        while slots < entries * 2 { slots *= 2 }
        self.slots = Part(limit: slots)
        self.entries = Part(limit: entries)
        let texts = LookupIndex.headerSize + slots * 8 + entries * LookupEntry.size
        text = Part(used: texts, limit: texts + size.text + size.text / 4 + 2048)
        boxes = Part(limit: size.boxes + size.boxes / 4 + 16)
    }

    /// Allocates the block of a plan; the caller owns it.
    static func allocate(_ room: LookupIndexRoom) -> UnsafeRawPointer {
        let block = UnsafeMutableRawPointer.allocate(byteCount: room.text.limit, alignment: 16)
        // Empty slots are zero; entries and texts are written whole before anybody reads them, but for the bytes that
        // fill texts up to a multiple of eight, which are never read.
        unsafe block.initializeMemory(as: UInt8.self, repeating: 0, count: room.entriesOffset)
        unsafe block.storeBytes(of: UInt64(room.slots.limit - 1), as: UInt64.self)
        unsafe block.storeBytes(of: room.entriesOffset, toByteOffset: 8, as: Int.self)
        return UnsafeRawPointer(block)
    }

    /// The offset of the first entry.
    private var entriesOffset: Int { LookupIndex.headerSize + slots.limit * 8 }

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
            if let known, let word = LookupIndexRoom.word(of: value),
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
                mutating: block + entriesOffset + entries.used * LookupEntry.size)
            unsafe address.storeBytes(of: hash, as: UInt64.self)
            unsafe address.storeBytes(of: UInt32(truncatingIfNeeded: place), toByteOffset: 8, as: UInt32.self)
            unsafe address.storeBytes(of: UInt32(truncatingIfNeeded: bytes.count), toByteOffset: 12, as: UInt32.self)
            unsafe address.storeBytes(of: payload.kind.rawValue, toByteOffset: 16, as: UInt8.self)
            unsafe address.storeBytes(of: isForced ? LookupEntry.forcedFlag : 0, toByteOffset: 17, as: UInt8.self)
            unsafe address.storeBytes(of: UInt32(payload.length), toByteOffset: 20, as: UInt32.self)
            unsafe address.storeBytes(of: payload.bits, toByteOffset: 24, as: UInt64.self)
            unsafe LookupSlot.store(LookupSlot.word(hash: hash, index: entries.used), block, at: slot)
            entries.used += 1
            return true
        }
    }

    /// The slot of a key: the one that names its entry, with the entry, or the first free one.
    private func find(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, in block: UnsafeRawPointer
    ) -> (slot: UInt64, entry: LookupEntry?) {
        let mask = UInt64(slots.limit - 1)
        var slot = hash & mask
        while true {
            // As in `LookupIndex.find`.
            let word = unsafe LookupSlot.load(block, at: slot)
            if word == 0 { return (slot, nil) }
            let address = unsafe block + entriesOffset + LookupSlot.index(word) * LookupEntry.size
            if unsafe address.load(as: UInt64.self) == hash,
                unsafe Int(address.load(fromByteOffset: 12, as: UInt32.self)) == key.count
            {
                let place = unsafe Int(address.load(fromByteOffset: 8, as: UInt32.self))
                if unsafe KeyBytes.equal(block + place, key.baseAddress ?? block, count: key.count) {
                    return unsafe (slot, LookupEntry(block: block, address: address))
                }
            }
            slot = (slot + 1) & mask
        }
    }

    /// What an entry holds of a value that is one word; `nil` for any other.
    private static func word(of value: Value?) -> (kind: LookupEntry.Payload, bits: UInt64)? {
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
    /// - Returns: `nil` if there is no room.
    private mutating func payload(
        of value: Value?, in block: UnsafeRawPointer, _ values: UnsafeMutablePointer<Value>
    ) -> (kind: LookupEntry.Payload, bits: UInt64, length: Int)? {
        if let word = LookupIndexRoom.word(of: value) { return (word.kind, word.bits, 0) }
        switch value {
        case nil: return (.none, 0, 0)
        case .string(var value):
            return value.withUTF8 { bytes in
                // The bytes are lent during the call.
                unsafe copy(UnsafeRawBufferPointer(bytes), to: block).map { (.string, UInt64($0), bytes.count) }
            }
        case .some(let value):
            guard boxes.fits(1) else { return nil }
            // The place is inside of the allocated memory, and no entry names it yet.
            unsafe (values + boxes.used).initialize(to: value)
            defer { boxes.used += 1 }
            return (.boxed, UInt64(boxes.used), 0)
        }
    }

    /// Copies a text behind the last one.
    ///
    /// - Returns: its place in the block; `nil` if there is no room.
    private mutating func copy(_ bytes: UnsafeRawBufferPointer, to block: UnsafeRawPointer) -> Int? {
        let size = LookupIndexSize.aligned(bytes.count)
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

/// How much room the entries of some layers need.
struct LookupIndexSize {
    /// Keys, those that several layers have counted each time.
    var entries = 0
    /// Bytes of keys and texts, each rounded up to a multiple of eight.
    var text = 0
    /// Values that stay objects.
    var boxes = 0

    /// Counts a key and its value.
    mutating func add(_ key: Key, _ value: Value?) {
        entries += 1
        text += LookupIndexSize.aligned(key.string.utf8.count)
        switch value {
        case .string(let value): text += LookupIndexSize.aligned(value.utf8.count)
        case .data, .array, .dictionary: boxes += 1
        case .boolean, .integer, .real, .date, nil: break
        }
    }

    /// Counts the keys of a layer.
    mutating func add(_ layer: some SearchedLayer) {
        if layer.kind == .forced {
            for (key, entry) in layer.entries { add(key, entry.value) }
        } else {
            for (key, value) in layer.values { add(key, value) }
        }
    }

    /// A size rounded up to a multiple of eight.
    static func aligned(_ count: Int) -> Int { (count + 7) & ~7 }
}
