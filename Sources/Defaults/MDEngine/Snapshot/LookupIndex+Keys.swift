package import MDPropertyList

extension LookupIndex {
    /// Every key that has a value, in no order.
    ///
    /// Complexity: O(slots).
    package var keys: [Key] {
        // Header, slots and entries were laid out by `LookupIndexRoom`, as `find` reads them; a slot that is not empty
        // names an entry, whose key lies in the block.
        let mask = unsafe block.load(as: UInt64.self)
        let entries = unsafe block + block.load(fromByteOffset: 8, as: Int.self)
        return (0...mask).compactMap { slot in
            let word = unsafe LookupSlot.load(block, at: slot)
            if word == 0 { return nil }
            let address = unsafe entries + LookupSlot.index(word) &* LookupEntry.size
            guard unsafe LookupEntry(block: block, address: address).hasValue else { return nil }
            let length = unsafe Int(address.load(fromByteOffset: 12, as: UInt32.self))
            let start = unsafe block + Int(address.load(fromByteOffset: 8, as: UInt32.self))
            return unsafe Key(
                String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self))
        }
    }
}
