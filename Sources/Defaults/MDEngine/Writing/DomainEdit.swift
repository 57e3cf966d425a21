package import MDAuditClient
package import MDPreferences
package import MDPropertyList

/// One change of a stored domain, as a command line asks for it.
package enum DomainEdit: Sendable {
    /// Gives keys new values and leaves all others as they are.
    case set([Key: Value])
    /// Gives the domain exactly these values.
    case replace([Key: Value])
    /// Puts elements behind those of a stored array; without one, they are the array.
    case append([Value], to: Key)
    /// Puts entries into a stored dictionary; without one, they are the dictionary.
    case merge([Key: Value], into: Key)
    /// Removes a key.
    case remove(Key)
    /// Removes the whole domain.
    case removeAll
    /// Gives a stored value another key.
    case rename(Key, to: Key)
}

extension DomainEdit {
    /// The keys that the edit names, with the values they are to have; `nil` removes a key.
    ///
    /// - Parameter before: the values that are stored.
    /// - Returns: the changes, by key.
    /// - Throws: `missingKey`, `notArray`, `notDictionary`, `emptyKey`.
    package func changes(of before: [Key: Value]) throws(DomainEditError) -> [Key: Value?] {
        let changes = try allChanges(of: before)
        // One that another program stored can be removed.
        if case .some(.some) = changes[Key("")] { throw .emptyKey }
        return changes
    }

    /// The keys that the edit names, the empty one included.
    private func allChanges(of before: [Key: Value]) throws(DomainEditError) -> [Key: Value?] {
        switch self {
        case .set(let values): return values.mapValues(Optional.some)
        case .replace(let values):
            return before.mapValues { _ in nil }.merging(values.mapValues(Optional.some)) { _, new in new }
        case .append(let elements, let key):
            switch before[key] {
            case nil: return [key: .array(elements)]
            case .array(let stored): return [key: .array(stored + elements)]
            default: throw .notArray(key)
            }
        case .merge(let entries, let key):
            switch before[key] {
            case nil: return [key: .dictionary(entries)]
            case .dictionary(let stored): return [key: .dictionary(stored.merging(entries) { _, new in new })]
            default: throw .notDictionary(key)
            }
        case .remove(let key):
            guard before[key] != nil else { throw .missingKey(key) }
            return [key: nil]
        case .removeAll: return before.mapValues { _ in nil }
        case .rename(let old, let new):
            guard let value = before[old] else { throw .missingKey(old) }
            var changes: [Key: Value?] = [:]
            changes.updateValue(nil, forKey: old)
            changes.updateValue(value, forKey: new)
            return changes
        }
    }
}

/// Why an edit changed nothing.
package enum DomainEditError: Error, Sendable {
    /// The user's domain has no such key.
    case missingKey(Key)
    /// The user has nothing stored in the domain.
    case missingDomain
    /// Elements were to be added to a value that is not an array.
    case notArray(Key)
    /// Entries were to be added to a value that is not a dictionary.
    case notDictionary(Key)
    /// A value was to be stored under the empty key, which no policy can name.
    case emptyKey
    /// It is unknown what is forced: why, as a clause, and what became of the records.
    case unknownPolicy(String, [Delivery])
    /// The domain could not be read or written.
    case storage(PreferencesError)
}
