import Engine
import Preferences
import PropertyList

extension ManagedDefaults {
    /// What is stored for the user in a domain: neither policy nor other domains show in it.
    ///
    /// - Parameter domainName: the domain, an application's or the global one.
    /// - Returns: `nil` where nothing is stored, or the name is no stored domain's.
    public func persistentDomain(forName domainName: String) -> [String: any Sendable]? {
        engine.storedDomain(PropertyList.Key(domainName)).map { Value.bridged($0) }
    }

    /// Gives a stored domain exactly these keys and values, but for those that are forced in it.
    ///
    /// Every key that is not forced is done; a forced one with another value is refused and audited, one by one.
    ///
    /// - Parameters:
    ///   - domain: the keys and values.
    ///   - domainName: the domain, an application's or the global one.
    /// - Returns: what became of each key. Where a volatile domain has the name, where the name cannot be a domain's or
    ///   a value is no property list, or a key is empty, nothing is done, and ``DomainOutcome/message`` says so.
    @discardableResult
    public func setPersistentDomain(_ domain: [String: Any], forName domainName: String) -> DomainOutcome {
        var values: [PropertyList.Key: Value] = [:]
        for (key, value) in domain {
            guard !key.isEmpty else { return DomainOutcome(outcomes: [:], message: ManagedDefaults.emptyKey) }
            guard let value = storable(value) else {
                return DomainOutcome(outcomes: [:], message: ManagedDefaults.noPropertyList(key))
            }
            values[PropertyList.Key(key)] = value
        }
        return replace(PropertyList.Key(domainName), values)
    }

    /// Removes what is stored for the user in a domain; what is forced stays forced.
    ///
    /// - Parameter domainName: the domain.
    /// - Returns: what became of each key that was stored.
    @discardableResult
    public func removePersistentDomain(forName domainName: String) -> DomainOutcome {
        replace(PropertyList.Key(domainName), [:])
    }

    /// The names of the domains for which something is stored, the global one among them, sorted.
    public var persistentDomainNames: [String] {
        engine.storedDomainNames.map(\.string)
    }

    /// The values of a volatile domain of this object; none where it has no such domain.
    public func volatileDomain(forName domainName: String) -> [String: any Sendable] {
        Value.bridged(engine.volatileDomain(PropertyList.Key(domainName)))
    }

    /// Makes a volatile domain of this object.
    ///
    /// It is searched where ``searchList`` names it.
    ///
    /// - Parameters:
    ///   - domain: the keys and values.
    ///   - domainName: a name that neither a volatile nor a persistent domain has; remove the former first. Registered
    ///     defaults are set by ``register(defaults:)`` only.
    /// - Returns: `.stored`, or `.invalid` with the reason.
    @discardableResult
    public func setVolatileDomain(_ domain: [String: Any], forName domainName: String) -> WriteOutcome {
        let name = PropertyList.Key(domainName)
        guard name != .registration else { return .invalid("Defaults are registered with register(defaults:).") }
        guard !engine.isVolatile(name) else {
            return .invalid("A volatile domain with the name \(domainName) exists already.")
        }
        guard !engine.isStored(name) else {
            return .invalid("A persistent domain with the name \(domainName) exists already.")
        }
        var values: [PropertyList.Key: Value] = [:]
        for (key, value) in domain {
            guard !key.isEmpty else { return .invalid(ManagedDefaults.emptyKey) }
            guard let value = storable(value) else { return .invalid(ManagedDefaults.noPropertyList(key)) }
            values[PropertyList.Key(key)] = value
        }
        engine.setVolatileDomain(name, values)
        return .stored
    }

    /// Removes a volatile domain of this object; of registered defaults, all are forgotten.
    public func removeVolatileDomain(forName domainName: String) {
        engine.removeVolatileDomain(PropertyList.Key(domainName))
    }

    /// The names of this object's volatile domains: arguments, languages, registration and those that were made, sorted.
    public var volatileDomainNames: [String] {
        engine.volatileDomainNames.map(\.string)
    }

    /// Adds a shared domain to this object's search list, right behind the application's domain.
    ///
    /// - Parameter suiteName: the suite's domain.
    /// - Returns: whether the name can be a domain's.
    @discardableResult
    public func addSuite(named suiteName: String) -> Bool {
        engine.addSuite(PropertyList.Key(suiteName))
    }

    /// Takes a shared domain out of this object's search list.
    public func removeSuite(named suiteName: String) {
        engine.removeSuite(PropertyList.Key(suiteName))
    }

    /// The names of the domains that lookups search, in order, behind those that the administrator forces.
    ///
    /// Forced entries of the application, its suites and the global domain decide whatever stands here, also where
    /// nothing does. Names that no domain has are passed over; of a name that stands twice the first counts.
    public var searchList: [String] {
        get { engine.searchList.map(\.string) }
        set { engine.setSearchList(newValue.map { PropertyList.Key($0) }) }
    }

    /// Replaces a stored domain.
    private func replace(_ name: PropertyList.Key, _ values: [PropertyList.Key: Value]) -> DomainOutcome {
        if engine.isVolatile(name) {
            return DomainOutcome(
                outcomes: [:], message: "A volatile domain with the name \(name) exists, so nothing was stored.")
        }
        do {
            let outcomes = try engine.replaceDomain(name, with: values)
            return DomainOutcome(
                outcomes: Dictionary(
                    outcomes.map { ($0.key.string, translate($0.value)) }, uniquingKeysWith: { first, _ in first }),
                message: nil)
        } catch {
            return DomainOutcome(outcomes: [:], message: error.description)
        }
    }
}
