import PropertyList

/// How a domain differs from what was known of it.
enum Refreshed {
    /// Nobody changed it.
    case unchanged
    /// Others gave these keys other values; `nil` where they removed one.
    case changed([Key: Value?])
    /// It was read anew; before, these values were known, or nothing.
    case replaced([Key: Value]?)

    /// What others changed; everything, where nothing was known before.
    ///
    /// - Parameter values: the values that are known now.
    /// - Returns: the keys and their new values.
    func foreign(in values: [Key: Value]) -> [Key: Value?] {
        switch self {
        case .unchanged: [:]
        case .changed(let changes): changes
        case .replaced(nil): values.mapValues(Optional.some)
        case .replaced(let known?): DomainChange.all(values).effective(on: known)
        }
    }

    /// Whether there is anything that a reader does not know yet.
    ///
    /// - Parameter values: the values that are known now.
    /// - Returns: `false` where a file was written anew with the same values.
    func isNew(in values: [Key: Value]) -> Bool {
        switch self {
        case .unchanged: false
        case .changed(let changes): !changes.isEmpty
        case .replaced(let known): known.map { !Value.areIdentical($0, values) } ?? true
        }
    }
}
