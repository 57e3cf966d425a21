/// Finds things that are numbered from 0 by the hash of what they stand for.
///
/// The things stay where the caller has them: a slot holds a number and half of the hash. Sets and dictionaries of keys
/// would hash each with SipHash, and keep a copy of it.
package struct NumberTable {
    /// A number and a part of the hash of its thing; the number 0 is an empty slot, as numbers count from 1 in here.
    private struct Slot {
        /// The upper half of the hash.
        var tag: UInt32 = 0
        /// The number and one.
        var next: UInt32 = 0
    }

    /// The slots, a power of two; at least a quarter is empty.
    private var slots: [Slot]
    /// How many are taken.
    private var count = 0

    /// Makes a table that numbers some things without growing.
    package init(minimumCapacity: Int) {
        var size = 16
        while size < minimumCapacity + minimumCapacity / 2 { size *= 2 }
        slots = [Slot](repeating: Slot(), count: size)
    }

    /// The number of an equal thing, or, after giving this one `number`, `nil`.
    ///
    /// Numbers are given in ascending order; those beyond 32 bits are never reached, because no file that is read has as
    /// many names.
    ///
    /// - Parameters:
    ///   - hash: the hash of the thing.
    ///   - number: its number, if there is none equal to it.
    ///   - isEqual: whether the thing of a number is equal to it.
    /// - Returns: the number that was given before.
    package mutating func number(hash: UInt64, orAdd number: Int, isEqual: (Int) -> Bool) -> Int? {
        let (index, known) = find(hash, isEqual)
        if let known { return known }
        let tag = UInt32(truncatingIfNeeded: hash &>> 32)
        slots[index] = Slot(tag: tag, next: UInt32(truncatingIfNeeded: number + 1))
        count += 1
        return nil
    }

    /// The number of a thing equal to one with this hash, or `nil` where none was added.
    package func number(hash: UInt64, isEqual: (Int) -> Bool) -> Int? { find(hash, isEqual).known }

    /// The slot of an equal thing and its number, or the slot that is free for it.
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

    /// Whether there must be more room before the next number is given; ``grow(hash:)`` makes it.
    package var isFull: Bool { count >= slots.count / 4 * 3 }

    /// Makes the table twice as large.
    ///
    /// - Parameter hash: the hash of the thing of a number.
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
