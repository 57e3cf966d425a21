import MDCPlatform
package import MDPropertyList
import Synchronization

/// Publishes lookup indexes to readers that need no lock and touch no shared reference count.
///
/// Each thread has the index that it last read, with its revision, in a slot of its own. While the revision is
/// current a read costs one atomic load and the lookup; after a change the thread fetches the new index once. What a
/// thread borrowed cannot be freed under it, because its slot holds a reference until the same thread lets go.
package final class SnapshotCell: Sendable {
    /// The source of revisions: unique in the process, so that no slot confuses one cell's index with another's.
    private static let lastRevision = Atomic<UInt64>(0)

    /// The revision of the current index.
    private let revision: Atomic<UInt64>
    /// The number of the last change of what a lookup returns, whether or not it brought another index.
    private let lastChange: Atomic<UInt64>
    /// Gives the current index and its revision, both under the owner's lock.
    private let provide: @Sendable (_ revision: () -> UInt64) -> (LookupIndex, UInt64)

    /// Makes a cell.
    ///
    /// - Parameter provide: returns the current index, and the revision that its argument returns; called by a reader
    ///   that has another one. It must call its argument under the lock under which ``invalidate()`` is called, and not
    ///   read through this cell.
    package init(_ provide: @escaping @Sendable (_ revision: () -> UInt64) -> (LookupIndex, UInt64)) {
        let first = SnapshotCell.nextRevision()
        revision = Atomic(first)
        lastChange = Atomic(first)
        self.provide = provide
    }

    /// The next unused revision.
    private static func nextRevision() -> UInt64 {
        lastRevision.add(1, ordering: .relaxed).newValue
    }

    /// Makes readers ask for the index again; called under the lock that protects it.
    package func invalidate() {
        let next = SnapshotCell.nextRevision()
        revision.store(next, ordering: .releasing)
        lastChange.store(next, ordering: .releasing)
    }

    /// Notes that a lookup may return something else, by the same index; called under the lock that protects it.
    func noteChange() {
        lastChange.store(SnapshotCell.nextRevision(), ordering: .releasing)
    }

    /// A number that changes with each change of what a lookup returns, and that no other cell has.
    package var moment: UInt64 { lastChange.load(ordering: .acquiring) }

    /// The block of the current index, which stays valid until this thread asks a cell again.
    @inline(__always)
    private var block: UnsafeRawPointer {
        let now = revision.load(ordering: .acquiring)
        // The slot holds a reference to the owner of its block.
        if let block = unsafe cplatform_thread_slot_block(now) { return unsafe block }
        return unsafe fetch()
    }

    /// Fetches the current index into this thread's slot.
    @inline(never)
    private func fetch() -> UnsafeRawPointer {
        let (index, revision) = provide { self.revision.load(ordering: .relaxed) }
        let block = unsafe index.block
        // The slot owns one reference; the release function gives it back.
        unsafe cplatform_thread_slot_store(
            revision, block, UnsafeRawPointer(Unmanaged.passRetained(index).toOpaque())
        ) { owner in
            if let owner = unsafe owner { unsafe Unmanaged<LookupIndex>.fromOpaque(owner).release() }
        }
        return unsafe block
    }

    /// The entry of a key, or `nil`; valid until this thread asks a cell again.
    @inline(__always)
    func entry(_ key: String) -> LookupEntry? {
        // The key's bytes are lent during the search.
        unsafe key.utf8.span.withUnsafeBytes { bytes in unsafe LookupIndex.find(bytes, in: block) }
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
            return unsafe LookupIndex.find(bytes, in: block)?.isForced ?? LookupIndex.isSealed(block)
        }
    }

    /// Whether this thread has the current index already and policy does not decide the key; false if it would have to
    /// fetch the index, which takes the owner's lock.
    func isKnownFree(_ key: String) -> Bool {
        let now = revision.load(ordering: .acquiring)
        // As in `isForced`; the slot holds a reference to the owner of its block.
        return unsafe key.utf8.span.withUnsafeBytes { bytes in
            guard let block = unsafe cplatform_thread_slot_block(now) else { return false }
            return unsafe !(LookupIndex.find(bytes, in: block)?.isForced ?? LookupIndex.isSealed(block))
        }
    }

    /// The value as a truth value, false if there is none.
    package func boolean(_ key: String) -> Bool {
        guard let entry = entry(key) else { return false }
        if entry.payloadKind == LookupEntry.Payload.boolean.rawValue { return entry.bits != 0 }
        return entry.value?.boolValue ?? false
    }

    /// The value as a whole number, 0 if there is none.
    package func integer(_ key: String) -> Int {
        guard let entry = entry(key) else { return 0 }
        if entry.payloadKind == LookupEntry.Payload.signed.rawValue { return Int(Int64(bitPattern: entry.bits)) }
        return entry.value?.integerValue ?? 0
    }

    /// The value as a floating-point number, 0 if there is none.
    package func double(_ key: String) -> Double {
        guard let entry = entry(key) else { return 0 }
        if entry.payloadKind == LookupEntry.Payload.real.rawValue { return Double(bitPattern: entry.bits) }
        return entry.value?.doubleValue ?? 0
    }

    /// The value as a floating-point number of single precision, 0 if there is none.
    package func float(_ key: String) -> Float {
        guard let entry = entry(key) else { return 0 }
        if entry.payloadKind == LookupEntry.Payload.real.rawValue { return Float(Double(bitPattern: entry.bits)) }
        return entry.value?.floatValue ?? 0
    }

    /// The value as text, or `nil`.
    package func string(_ key: String) -> String? {
        guard let entry = entry(key) else { return nil }
        if entry.payloadKind == LookupEntry.Payload.string.rawValue { return entry.text }
        return entry.value?.stringValue
    }
}

/// What a read finds that wants one type: the value as it lies in the index, without a box around it.
package enum PlainAnswer<Scalar> {
    /// There is no value.
    case missing
    /// A value of that type.
    case plain(Scalar)
    /// A value of another type.
    case other
}

extension SnapshotCell {
    /// A truth value.
    package func plainBoolean(_ key: String) -> PlainAnswer<Bool> {
        guard let entry = entry(key), entry.hasValue else { return .missing }
        return entry.payloadKind == LookupEntry.Payload.boolean.rawValue ? .plain(entry.bits != 0) : .other
    }

    /// A whole number; `other` beyond `Int`.
    package func plainInteger(_ key: String) -> PlainAnswer<Int> {
        guard let entry = entry(key), entry.hasValue else { return .missing }
        guard entry.payloadKind == LookupEntry.Payload.signed.rawValue else { return .other }
        return .plain(Int(Int64(bitPattern: entry.bits)))
    }

    /// A floating-point number.
    package func plainReal(_ key: String) -> PlainAnswer<Double> {
        guard let entry = entry(key), entry.hasValue else { return .missing }
        guard entry.payloadKind == LookupEntry.Payload.real.rawValue else { return .other }
        return .plain(Double(bitPattern: entry.bits))
    }

    /// A text.
    package func plainText(_ key: String) -> PlainAnswer<String> {
        guard let entry = entry(key), entry.hasValue else { return .missing }
        return entry.payloadKind == LookupEntry.Payload.string.rawValue ? .plain(entry.text) : .other
    }
}
