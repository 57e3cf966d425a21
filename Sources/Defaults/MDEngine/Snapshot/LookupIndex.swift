package import MDPolicyCore
import MDPolicyFormats
import MDPolicyStore
package import MDPropertyList

/// The whole search list as one hash index in one block of memory, read without a lock while one writer changes it.
///
/// The block: a header of 32 bytes (mask, offset of the entries, whether a key without an entry is forced, owner),
/// slots of 8 bytes (upper half of the hash, number of the entry plus one), entries of 32 bytes, then keys and strings,
/// each at a multiple of eight. A value of one word replaces one of the same type in one atomic store. Any other new
/// value is a new entry, and one atomic store of the slot puts it in the place of the old one. So a reader sees either,
/// and nothing else is written twice. What is replaced stays until the index is freed; when the room that was left for
/// changes is used up, the index says so and its owner builds another.
@safe package final class LookupIndex: Sendable {
    /// The bytes of the header.
    static let headerSize = 32

    /// The block; entries and slots change as the type's description says.
    nonisolated(unsafe) let block: UnsafeRawPointer
    /// Values without a fixed size, data, arrays and dictionaries; an element is written before an entry names it.
    nonisolated(unsafe) let boxes: UnsafeMutablePointer<Value>
    /// The state of the writer; used by one thread at a time, the one that holds the owner's lock.
    nonisolated(unsafe) private var room: LookupIndexRoom

    /// Merges layers that are in the order of the search list.
    ///
    /// Values of the forced layers are tried first; behind an absent entry only the registered defaults answer. What
    /// the user controls is clamped or passed over if a constraint says so. Under a seal, a key that no layer has is
    /// forced too.
    ///
    /// Complexity: O(keys of all layers).
    package convenience init(
        _ layers: [some SearchedLayer], under constraints: [Key: ResolvedConstraint] = [:]
    ) {
        var size = LookupIndexSize()
        for layer in layers { size.add(layer) }
        let seals = layers.compactMap(\.seal)
        for key in seals.free { size.add(key, nil) }
        self.init(size, isSealed: !seals.isEmpty)
        var index = self
        layers.collect(into: &index, under: constraints)
    }

    /// Makes an empty index.
    private init(_ size: LookupIndexSize, isSealed: Bool) {
        let room = LookupIndexRoom(size)
        unsafe block = LookupIndexRoom.allocate(room)
        unsafe boxes = UnsafeMutablePointer<Value>.allocate(capacity: room.boxes.limit)
        unsafe self.room = room
        // The header names its owner so that a reader who borrowed the block finds the boxes. The pointer is valid for
        // as long as the block, which only this object frees.
        let owner = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        unsafe UnsafeMutableRawPointer(mutating: block).storeBytes(
            of: owner, toByteOffset: 24, as: UnsafeRawPointer.self)
        // The header's third word, which is not read yet.
        unsafe UnsafeMutableRawPointer(mutating: block).storeBytes(
            of: isSealed ? 1 : 0, toByteOffset: 16, as: UInt64.self)
    }

    deinit {
        // A reader that borrows the block or a box keeps this object alive, so there is none now.
        unsafe boxes.deinitialize(count: room.boxes.used)
        unsafe boxes.deallocate()
        unsafe block.deallocate()
    }

    /// Finds a key in a block.
    ///
    /// Complexity: O(length of the key); one probe if no hashes collide.
    @inline(never)
    static func find(_ key: UnsafeRawBufferPointer, in block: UnsafeRawPointer) -> LookupEntry? {
        // An empty key has no bytes that would be read; any address serves.
        let bytes = unsafe key.baseAddress ?? block
        let hash = unsafe KeyBytes.hash(bytes, count: key.count)
        // Header, slots and entries were laid out by `LookupIndexRoom`; the mask limits a slot to those there are, and
        // a number in a slot is that of an entry. Some slot is always empty.
        let mask = unsafe block.load(as: UInt64.self)
        let entries = unsafe block + block.load(fromByteOffset: 8, as: Int.self)
        let mark = UInt32(truncatingIfNeeded: hash &>> 32)
        var slot = hash & mask
        while true {
            let word = unsafe LookupSlot.load(block, at: slot)
            if word == 0 { return nil }
            if LookupSlot.mark(word) == mark {
                let address = unsafe entries + LookupSlot.index(word) &* LookupEntry.size
                let length = unsafe Int(address.load(fromByteOffset: 12, as: UInt32.self))
                if length == key.count {
                    let stored = unsafe block + Int(address.load(fromByteOffset: 8, as: UInt32.self))
                    if unsafe KeyBytes.equal(stored, bytes, count: length) {
                        return unsafe LookupEntry(block: block, address: address)
                    }
                }
            }
            slot = (slot &+ 1) & mask
        }
    }

    /// Whether policy decides a key that a block has no entry of.
    @inline(never)
    static func isSealed(_ block: UnsafeRawPointer) -> Bool {
        // Every block has the header that its maker wrote.
        unsafe block.load(fromByteOffset: 16, as: UInt64.self) != 0
    }

    /// A value that the owner of a block holds as an object.
    static func box(in block: UnsafeRawPointer, at index: Int) -> Value? {
        let owner = unsafe block.load(fromByteOffset: 24, as: UnsafeRawPointer.self)
        // A reader that borrows the block holds a reference to its owner meanwhile, and an entry names only a box that
        // was written before it.
        return unsafe Unmanaged<LookupIndex>.fromOpaque(owner)._withUnsafeGuaranteedRef { owner in
            unsafe owner.boxes[index]
        }
    }

    /// Gives a key a value, or none; readers see it as soon as this returns.
    ///
    /// One thread at a time writes. Complexity: O(length of key and value).
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - value: what a lookup returns; `nil` for nothing.
    ///   - isForced: whether policy decides the key.
    /// - Returns: whether there was room; if not, nothing changed.
    package func put(_ key: Key, _ value: Value?, isForced: Bool) -> Bool {
        // The writer's own knowledge, and the writer is alone.
        unsafe room.put(key, value, isForced: isForced, block: block, boxes: boxes)
    }

    /// What the index says of a key, for the writer.
    func state(of key: Key) -> (hasValue: Bool, isForced: Bool)? {
        var text = key.string
        return text.withUTF8 { bytes in
            // The bytes are lent for the time of the search.
            unsafe LookupIndex.find(UnsafeRawBufferPointer(bytes), in: block).map { ($0.hasValue, $0.isForced) }
        }
    }
}

extension LookupIndex: LookupCollector {
    /// Adds a key; there is room for all keys of the layers that the size was made of.
    func collect(_ key: Key, _ value: Value?, isForced: Bool) {
        _ = put(key, value, isForced: isForced)
    }
}
