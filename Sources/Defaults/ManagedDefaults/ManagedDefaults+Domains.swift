import MDEngine
import MDPreferences
import MDPropertyList

extension ManagedDefaults {
    /// The keys and values that are stored for the user in a domain, without policy and other domains.
    ///
    /// - Parameter domainName: an application's domain or the global one.
    /// - Returns: `nil` if nothing is stored, or the name is that of a volatile domain, or no file can have it.
    public func persistentDomain(forName domainName: String) -> [String: any Sendable]? {
        engine.storedDomain(MDPropertyList.Key(domainName)).map { Value.bridged($0) }
    }

    /// Replaces the keys and values of a stored domain, except those that are forced in it.
    ///
    /// Every key that is not forced is written; a forced one with another value is refused and recorded in the audit log,
    /// each by itself.
    ///
    /// - Parameters:
    ///   - domain: the new keys and values, of the types that `set(_:forKey:)` takes.
    ///   - domainName: an application's domain or the global one.
    /// - Returns: the outcome for each key. Nothing is written, and ``DomainOutcome/error`` gives the reason, if a volatile
    ///   domain has the name, no file can have it, a value is not a property list, or a key is empty.
    @discardableResult
    public func setPersistentDomain(_ domain: [String: Any], forName domainName: String) -> DomainOutcome {
        var values: [MDPropertyList.Key: Value] = [:]
        for (key, value) in domain {
            guard !key.isEmpty else { return DomainOutcome(nothingWritten: .invalid(.emptyKey)) }
            guard let stored = storable(value) else {
                return DomainOutcome(nothingWritten: .invalid(.notPropertyList(key, value)))
            }
            values[MDPropertyList.Key(key)] = stored
        }
        return replace(MDPropertyList.Key(domainName), values)
    }

    /// Removes everything that is stored for the user in a domain; forced values stay in effect.
    ///
    /// - Parameter domainName: an application's domain or the global one.
    /// - Returns: the outcome for each key that was stored.
    @discardableResult
    public func removePersistentDomain(forName domainName: String) -> DomainOutcome {
        replace(MDPropertyList.Key(domainName), [:])
    }

    /// The names of the domains that have stored values for the user, the global one included, sorted by their bytes.
    public var persistentDomainNames: [String] {
        engine.storedDomainNames.map(\.string)
    }

    /// The values of a volatile domain of this object; empty if it has no such domain.
    public func volatileDomain(forName domainName: String) -> [String: any Sendable] {
        Value.bridged(engine.volatileDomain(MDPropertyList.Key(domainName)))
    }

    /// Makes a volatile domain of this object, in memory only.
    ///
    /// It is searched if ``searchList`` contains its name.
    ///
    /// - Parameters:
    ///   - domain: the keys and values, of the types that `set(_:forKey:)` takes.
    ///   - domainName: a name that no volatile or persistent domain has; remove an old volatile domain first. Registered
    ///     defaults are set by ``register(defaults:)`` only.
    /// - Returns: ``WriteOutcome/stored``, or ``WriteOutcome/invalid(_:)`` with the reason; nothing is changed then.
    @discardableResult
    public func setVolatileDomain(_ domain: [String: Any], forName domainName: String) -> WriteOutcome {
        let name = MDPropertyList.Key(domainName)
        guard name != .registration else {
            return .invalid(
                .domainName(domainName, reason: "Defaults are registered with register(defaults:)."))
        }
        guard !engine.isVolatile(name), !engine.isStored(name) else { return .invalid(.domainExists(domainName)) }
        var values: [MDPropertyList.Key: Value] = [:]
        for (key, value) in domain {
            guard !key.isEmpty else { return .invalid(.emptyKey) }
            guard let stored = storable(value) else { return .invalid(.notPropertyList(key, value)) }
            values[MDPropertyList.Key(key)] = stored
        }
        engine.setVolatileDomain(name, values)
        return .stored
    }

    /// Removes a volatile domain of this object; the name of the registration domain removes all registered defaults.
    public func removeVolatileDomain(forName domainName: String) {
        engine.removeVolatileDomain(MDPropertyList.Key(domainName))
    }

    /// The names of this object's volatile domains, sorted by their bytes: arguments, languages, registration, and those
    /// that ``setVolatileDomain(_:forName:)`` made.
    public var volatileDomainNames: [String] {
        engine.volatileDomainNames.map(\.string)
    }

    /// Adds a shared domain to this object's search list, directly after the application's domain.
    ///
    /// - Parameter suiteName: the suite's domain.
    /// - Returns: false if no domain can have the name; the search list is unchanged then.
    @discardableResult
    public func addSuite(named suiteName: String) -> Bool {
        engine.addSuite(MDPropertyList.Key(suiteName))
    }

    /// Removes a shared domain from this object's search list.
    public func removeSuite(named suiteName: String) {
        engine.removeSuite(MDPropertyList.Key(suiteName))
    }

    /// The names of the domains that lookups search, in order, after the forced entries.
    ///
    /// Forced entries of the application, its suites and the global domain always come first, even if the list is empty.
    /// Names that no domain has are ignored; of a repeated name the first counts.
    public var searchList: [String] {
        get { engine.searchList.map(\.string) }
        set { engine.setSearchList(newValue.map { MDPropertyList.Key($0) }) }
    }

    /// Replaces a stored domain.
    private func replace(_ name: MDPropertyList.Key, _ values: [MDPropertyList.Key: Value]) -> DomainOutcome {
        if engine.isVolatile(name) { return DomainOutcome(nothingWritten: .invalid(.domainExists(name.string))) }
        do {
            let outcomes = try engine.replaceDomain(name, with: values)
            return DomainOutcome(
                Dictionary(
                    outcomes.map { ($0.key.string, translate($0.value)) }, uniquingKeysWith: { first, _ in first }))
        } catch {
            return DomainOutcome(
                nothingWritten: .invalid(.domainName(name.string, reason: error.description)))
        }
    }
}
