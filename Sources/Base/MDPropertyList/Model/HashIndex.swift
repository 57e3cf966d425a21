/// Finds numbered items by their hash.
///
/// The items stay in the caller's storage: a slot has the number of an item and half of its hash. Sets and dictionaries
/// of keys would hash each key with SipHash and store a copy of it.
package struct HashIndex {
    /// The number of an item and a part of its hash; `next` is 0 in an empty slot.
    private struct Slot {
        /// The upper half of the hash.
        var tag: UInt32 = 0
        /// The number plus one.
        var next: UInt32 = 0
    }

    /// The slots, a power of two; at least a quarter is empty.
    private var slots: [Slot]
    /// The number of used slots.
    private var count = 0

    /// Makes an index that holds a number of items without growing.
    package init(minimumCapacity: Int) {
        var size = 16
        while size < minimumCapacity + minimumCapacity / 2 { size *= 2 }
        slots = [Slot](repeating: Slot(), count: size)
    }

    /// Finds an equal item, or adds this one.
    ///
    /// Numbers are assigned in ascending order; they never exceed 32 bits, because no readable file has that many
    /// names.
    ///
    /// - Parameters:
    ///   - hash: the hash of the item.
    ///   - number: the number to assign if there is no equal item.
    ///   - isEqual: whether the item with a number is equal to it.
    /// - Returns: the number of the equal item, or `nil` if this one was added.
    package mutating func number(hash: UInt64, orAdd number: Int, isEqual: (Int) -> Bool) -> Int? {
        let (index, known) = find(hash, isEqual)
        if let known { return known }
        let tag = UInt32(truncatingIfNeeded: hash &>> 32)
        slots[index] = Slot(tag: tag, next: UInt32(truncatingIfNeeded: number + 1))
        count += 1
        return nil
    }

    /// The number of an equal item, or `nil` if there is none.
    package func number(hash: UInt64, isEqual: (Int) -> Bool) -> Int? { find(hash, isEqual).known }

    /// The slot and number of an equal item, or the free slot for this one.
    @inline(__always)
    private func find(_ hash: UInt64, _ isEqual: (Int) -> Bool) -> (slot: Int, known: Int?) {
        let tag = UInt32(truncatingIfNeeded: hash &>> 32)
        let mask = slots.count - 1
        var index = Int(truncatingIfNeeded: hash) & mask
        while slots[index].next != 0 {
            let known = Int(slots[index].next) - 1
            if slots[index].tag == tag, isEqual(known) { return (index, known) }
            index = (index + 1) & mask
        }
        return (index, nil)
    }

    /// Whether the caller must call ``grow(hash:)`` before it adds another item.
    package var isFull: Bool { count >= slots.count / 4 * 3 }

    /// Doubles the number of slots.
    ///
    /// - Parameter hash: returns the hash of the item with a number.
    package mutating func grow(hash: (Int) -> UInt64) {
        let old = slots
        let mask = old.count * 2 - 1
        slots = [Slot](repeating: Slot(), count: mask + 1)
        for slot in old where slot.next != 0 {
            var index = Int(truncatingIfNeeded: hash(Int(slot.next) - 1)) & mask
            while slots[index].next != 0 { index = (index + 1) & mask }
            slots[index] = slot
        }
    }
}
