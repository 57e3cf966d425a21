import CPlatform
package import PropertyList
import Synchronization

/// Publishes lookup tables to readers that take no lock and touch no shared reference count.
///
/// Each thread keeps the table that it last read, with its generation, in a slot of its own. While the generation is
/// current a read costs one atomic load and the lookup; after a change the thread fetches the new table once. What a
/// thread borrowed cannot be freed under it, because its slot holds a reference until the same thread lets go.
package final class SnapshotCell: Sendable {
    /// The source of generations: unique in the process, so that no slot mistakes one cell's table for another's.
    private static let lastGeneration = Atomic<UInt64>(0)

    /// The generation of the current table.
    private let generation: Atomic<UInt64>
    /// Gives the current table and its generation, both under the owner's lock.
    private let provide: @Sendable (_ generation: () -> UInt64) -> (LookupTable, UInt64)

    /// Makes a cell.
    ///
    /// - Parameter provide: gives the current table, and the generation that its argument tells; called by a reader that
    ///   has another one. It must call its argument under the lock under which ``invalidate()`` is called, and not read
    ///   through this cell.
    package init(_ provide: @escaping @Sendable (_ generation: () -> UInt64) -> (LookupTable, UInt64)) {
        generation = Atomic(SnapshotCell.nextGeneration())
        self.provide = provide
    }

    /// The next unused generation.
    private static func nextGeneration() -> UInt64 {
        lastGeneration.add(1, ordering: .relaxed).newValue
    }

    /// Has readers ask for the table anew; called under the lock that protects it.
    package func invalidate() {
        generation.store(SnapshotCell.nextGeneration(), ordering: .releasing)
    }

    /// The block of the current table, which stays valid until this thread asks a cell again.
    @inline(__always)
    private var block: UnsafeRawPointer {
        let now = generation.load(ordering: .acquiring)
        // The slot keeps a reference to the owner of its block.
        if let block = unsafe cplatform_thread_slot_block(now) { return unsafe block }
        return unsafe fetch()
    }

    /// Fetches the current table into this thread's slot.
    @inline(never)
    private func fetch() -> UnsafeRawPointer {
        let (table, generation) = provide { self.generation.load(ordering: .relaxed) }
        let block = unsafe table.block
        // The slot takes over one reference; the release function gives it back.
        unsafe cplatform_thread_slot_keep(
            generation, block, UnsafeRawPointer(Unmanaged.passRetained(table).toOpaque())
        ) { owner in
            if let owner = unsafe owner { unsafe Unmanaged<LookupTable>.fromOpaque(owner).release() }
        }
        return unsafe block
    }

    /// The entry of a key, or `nil`; valid until this thread asks a cell again.
    @inline(__always)
    func entry(_ key: String) -> TableEntry? {
        // The key's bytes are lent during the search.
        unsafe key.utf8.span.withUnsafeBytes { bytes in unsafe LookupTable.find(bytes, in: block) }
    }
}

extension SnapshotCell {
    /// The value of a key, or `nil`.
    package func value(_ key: String) -> Value? {
        entry(key)?.value
    }

    /// Whether policy decides a key.
    package func isForced(_ key: String) -> Bool {
        // The key's bytes are lent during the search; the block stays until this thread asks a cell again.
        unsafe key.utf8.span.withUnsafeBytes { bytes in
            let block = unsafe self.block
            return unsafe LookupTable.find(bytes, in: block)?.isForced ?? LookupTable.isSealed(block)
        }
    }

    /// The value as a truth value, false where there is none.
    package func boolean(_ key: String) -> Bool {
        guard let entry = entry(key) else { return false }
        if entry.payloadKind == TableEntry.Payload.boolean.rawValue { return entry.bits != 0 }
        return entry.value?.boolValue ?? false
    }

    /// The value as a whole number, 0 where there is none.
    package func integer(_ key: String) -> Int {
        guard let entry = entry(key) else { return 0 }
        if entry.payloadKind == TableEntry.Payload.signed.rawValue { return Int(Int64(bitPattern: entry.bits)) }
        return entry.value?.integerValue ?? 0
    }

    /// The value as a floating-point number, 0 where there is none.
    package func double(_ key: String) -> Double {
        guard let entry = entry(key) else { return 0 }
        if entry.payloadKind == TableEntry.Payload.real.rawValue { return Double(bitPattern: entry.bits) }
        return entry.value?.doubleValue ?? 0
    }

    /// The value as a floating-point number of single precision, 0 where there is none.
    package func float(_ key: String) -> Float {
        guard let entry = entry(key) else { return 0 }
        if entry.payloadKind == TableEntry.Payload.real.rawValue { return Float(Double(bitPattern: entry.bits)) }
        return entry.value?.floatValue ?? 0
    }

    /// The value as text, or `nil`.
    package func string(_ key: String) -> String? {
        guard let entry = entry(key) else { return nil }
        if entry.payloadKind == TableEntry.Payload.string.rawValue { return entry.text }
        return entry.value?.stringValue
    }
}
