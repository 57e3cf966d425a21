import Engine
import PropertyList

extension ManagedDefaults {
    /// Whether an administrator decides the value of a key for this user and application.
    ///
    /// True exactly where the forced domains of the application, its suites or the global domain decide the lookup. A
    /// control for the key belongs disabled.
    ///
    /// Complexity: one hash lookup, no lock.
    public func objectIsForced(forKey key: String) -> Bool {
        read { $0.isForced(key) }
    }

    /// Whether an administrator decides the value of a key in one domain.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - domain: the domain, any application's or the global one; only its own entries count.
    /// - Returns: whether the key is forced there.
    public func objectIsForced(forKey key: String, inDomain domain: String) -> Bool {
        engine.forcedEntry(domain: PropertyList.Key(domain), key: PropertyList.Key(key)) != nil
    }

    /// Who forces a key, why, and where that is written; `nil` where nobody does.
    public func forcedKey(_ key: String) -> ForcedKey? {
        engine.decidingEntry(for: PropertyList.Key(key)).map { ForcedKey($0, in: engine.root) }
    }
}
