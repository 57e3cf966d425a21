import PropertyList

@testable import Preferences

extension StorageReading {
    /// Whether nothing has changed.
    var isUnchanged: Bool {
        if case .unchanged = self { true } else { false }
    }

    /// Whether nothing is stored.
    var isMissing: Bool {
        if case .missing = self { true } else { false }
    }

    /// The values, where they were given.
    var values: [Key: Value]? {
        if case .values(let values, _) = self { values } else { nil }
    }
}
