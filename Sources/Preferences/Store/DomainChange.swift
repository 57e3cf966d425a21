import PropertyList

/// What a writer does to a domain.
enum DomainChange {
    /// These keys get other values; `nil` removes one.
    case some([Key: Value?])
    /// The domain has exactly these values afterwards.
    case all([Key: Value])

    /// The keys that the change gives other values than are stored.
    ///
    /// Complexity: O(changes), and O(stored) too for a whole domain.
    func effective(on stored: [Key: Value]) -> [Key: Value?] {
        switch self {
        case .some(let changes):
            return changes.filter { key, value in
                switch (value, stored[key]) {
                case (nil, nil): false
                case (let value?, let stored?): !value.isIdentical(to: stored)
                default: true
                }
            }
        case .all(let values):
            var changes: [Key: Value?] = [:]
            for (key, value) in values where stored[key].map({ value.isIdentical(to: $0) }) != true {
                changes[key] = .some(value)
            }
            for key in stored.keys where values[key] == nil { changes[key] = .some(nil) }
            return changes
        }
    }
}
