import Preferences
import PropertyList

/// What is in memory of one domain: a stored one with what is not on disk yet, or a volatile one.
///
/// Shared by every view that searches the domain, and touched under the store's lock only, which is what makes it
/// sendable.
@safe
final class DomainContent: @unchecked Sendable {
    /// A change that is not on disk yet.
    struct PendingChange {
        /// The value; `nil` removes the key.
        let value: Value?
        /// The number of the change, by which a save knows what came later.
        let serial: UInt64
    }

    /// Which file the domain has; `nil` for a volatile one.
    let place: StoredPlace?
    /// What lookups find, pending changes included.
    var values: [Key: Value]
    /// The changes that are not on disk.
    private(set) var pending: [Key: PendingChange] = [:]
    /// Whether the domain has a file, or will have.
    var exists: Bool
    /// The number of the last change.
    private var serial: UInt64 = 0

    /// Makes the content of a domain.
    init(_ place: StoredPlace?, values: [Key: Value] = [:], exists: Bool = true) {
        self.place = place
        self.values = values
        self.exists = exists
    }

    /// Changes a key; a pending change is noted for the next save.
    func apply(_ key: Key, _ value: Value?, isPending: Bool) {
        values[key] = value
        guard isPending else { return }
        serial += 1
        pending[key] = PendingChange(value: value, serial: serial)
        exists = true
    }

    /// Changes some keys; pending changes are noted for the next save.
    func apply(_ changes: [Key: Value?], isPending: Bool) {
        for (key, value) in changes { apply(key, value, isPending: isPending) }
    }

    /// Leaves all changes that are not on disk to somebody else.
    func forgetPending() {
        pending = [:]
    }

    /// Leaves changes that are not on disk to whoever wrote the keys anew.
    func forgetPending(of keys: some Sequence<Key>) {
        for key in keys { pending[key] = nil }
    }

    /// The changes that a save takes along, and the number of the newest.
    var unsaved: (changes: [Key: Value?], serial: UInt64) {
        (pending.mapValues(\.value), serial)
    }

    /// Forgets the changes up to one that are on disk now.
    func didSave(_ changes: [Key: Value?], upTo serial: UInt64) {
        for key in changes.keys where pending[key].map({ $0.serial <= serial }) ?? false { pending[key] = nil }
    }
}
