import MDPlatform
package import MDPropertyList

/// Stores the persistent domains of a user in memory, for the tests of applications.
package final class MemoryStorage: DomainStorage {
    /// The values, and which of them were returned.
    private struct State {
        /// The values of each domain that has any.
        var domains: [StoredPlace: [Key: Value]]
        /// The places whose current values were already returned to the caller.
        var known: Set<StoredPlace> = []
    }

    /// What is stored.
    private let state: Guarded<State>

    /// Starts with some domains.
    package init(_ domains: [StoredPlace: [Key: Value]] = [:]) {
        state = Guarded(State(domains: domains.filter { !$0.value.isEmpty }))
    }

    /// Reads a domain.
    package func read(_ place: StoredPlace) throws(PreferencesError) -> StorageReading {
        try DomainName.validate(place.domain)
        return state.withLock { state in
            guard let values = state.domains[place] else { return .missing }
            guard state.known.insert(place).inserted else { return .unchanged }
            return .values(values, path: MemoryStorage.name(of: place))
        }
    }

    /// Changes or replaces a domain.
    package func save(
        _ place: StoredPlace, _ changes: [Key: Value?], replacing: Bool
    ) throws(PreferencesError) -> SaveResult {
        try write(place) { _ in (changes, replacing) }
    }

    /// Changes a domain depending on what it holds.
    package func modify(
        _ place: StoredPlace, _ body: ([Key: Value]) -> [Key: Value?]
    ) throws(PreferencesError) -> SaveResult {
        try write(place) { (body($0), false) }
    }

    /// Changes a domain; one writer at a time.
    private func write(
        _ place: StoredPlace, _ body: ([Key: Value]) -> (changes: [Key: Value?], replacing: Bool)
    ) throws(PreferencesError) -> SaveResult {
        try DomainName.validate(place.domain)
        return state.withLock { state in
            let before = state.domains[place] ?? [:]
            let (changes, replacing) = body(before)
            var after = replacing ? [:] : before
            for (key, value) in changes { after[key] = value }
            state.domains[place] = after.isEmpty ? nil : after
            let isKnown = !state.known.insert(place).inserted
            let foreign = isKnown || replacing ? [:] : before.filter { changes[$0.key] == nil }.mapValues(Optional.some)
            return SaveResult(
                foreign: foreign, damaged: [], isWritten: !Value.areIdentical(before, after),
                path: MemoryStorage.name(of: place))
        }
    }

    /// The values of a domain.
    package func values(of place: StoredPlace) -> [Key: Value] {
        state.withLock { $0.domains[place] ?? [:] }
    }

    /// Changes a key as another process would: the next read or write reports the change.
    package func changeElsewhere(_ key: Key, to value: Value?, in place: StoredPlace) {
        state.withLock { state in
            var values = state.domains[place] ?? [:]
            values[key] = value
            state.domains[place] = values.isEmpty ? nil : values
            state.known.remove(place)
        }
    }

    /// The domains that have values, sorted.
    package func domains() throws(PreferencesError) -> [Key] {
        state.withLock { state in
            state.domains.keys.filter { $0.host == .anyHost }.map(\.domain).sorted()
        }
    }

    /// Always `nil`, because there are no files.
    package func path(of place: StoredPlace) -> String? { nil }

    /// Always empty, because there are no files.
    package var folders: [String] { [] }

    /// Always `nil`, because there are no files.
    package func place(ofName name: String, inFolder folder: String) -> StoredPlace? { nil }

    /// What results show instead of a path.
    private static func name(of place: StoredPlace) -> String { "(memory)/\(place.domain)" }
}
