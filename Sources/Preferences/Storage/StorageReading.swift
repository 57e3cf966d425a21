package import PropertyList

/// What reading a stored domain gave.
package enum StorageReading: Sendable {
    /// Nothing is stored.
    case missing
    /// The same is stored as when this storage last read or wrote the place.
    case unchanged
    /// These values are stored, in this file under the root.
    case values([Key: Value], path: String)
}
