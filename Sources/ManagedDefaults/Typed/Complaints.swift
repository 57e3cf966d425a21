import Platform
import PropertyList

/// The unreadable values that were complained about, so that each is said once.
package final class Complaints: Sendable {
    /// The last unreadable value of each key.
    private let values = Guarded<[PropertyList.Key: PropertyList.Value]>([:])

    /// Makes a list without complaints.
    init() {}

    /// Whether a value of a key was not complained about yet; from now on it is.
    func isNew(_ value: PropertyList.Value, of key: PropertyList.Key) -> Bool {
        values.withLock { values in
            guard values[key] != value else { return false }
            values[key] = value
            return true
        }
    }
}
