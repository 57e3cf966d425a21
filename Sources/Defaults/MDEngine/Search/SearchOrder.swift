package import MDPreferences
package import MDPropertyList

/// A layer of the search list without its content: a domain at one place of the order.
package struct LayerPosition: Hashable, Sendable {
    /// The place in the search list.
    package let kind: LayerKind
    /// The domain that is asked there.
    package let domain: Key
    /// The user's stored domain that the layer reads; `nil` for every other layer.
    package let stored: StoredPlace?

    /// Makes the position of a layer that is not a stored domain of the user.
    init(_ kind: LayerKind, _ domain: Key) {
        (self.kind, self.domain, stored) = (kind, domain, nil)
    }

    /// Makes the position of a stored domain of the user.
    init(_ kind: LayerKind, _ place: StoredPlace) {
        (self.kind, domain, stored) = (kind, place.domain, place)
    }
}

/// The builder of the search list: which layers a lookup of one application asks, in which order.
///
/// The library, `explain` and the commands that read values make their layers from ``positions`` and differ only in the
/// source of the content.
package struct SearchOrder: Sendable {
    /// The domain that is searched first.
    package let application: Key
    /// The suites, last added first.
    package let suites: [Key]
    /// The names of the search list that was set instead of the standard one.
    private let customList: [Key]?
    /// The names of the volatile domains, without that of the registered defaults.
    private let volatile: Set<Key>
    /// The names of the languages' domains, in the user's order.
    private let languages: [Key]
    /// Whether arguments, languages and registered defaults, which only the application itself has, are searched too.
    private let hasVolatile: Bool
    /// Whether only what is stored for this host is searched behind the forced layers.
    private let isOnlyThisHost: Bool

    /// Makes the order of a running application.
    package init(application: Key, suites: [Key], customList: [Key]?, volatile: Set<Key>, languages: [Key]) {
        (self.application, self.suites, self.customList) = (application, suites, customList)
        (self.volatile, self.languages, hasVolatile) = (volatile, languages, true)
        isOnlyThisHost = false
    }

    /// Makes the order of an application that is asked about: without what only the application itself has.
    ///
    /// - Parameters:
    ///   - application: the application's domain.
    ///   - suites: the suites, last added first.
    ///   - scope: `thisHost` for the forced layers and the application's own domain for this host, and nothing else.
    package init(ofOther application: Key, suites: [Key] = [], scope: HostScope = .anyHost) {
        (self.application, self.suites, customList) = (application, suites, nil)
        (volatile, languages, hasVolatile) = ([], [], false)
        isOnlyThisHost = scope == .thisHost
    }

    /// Whether a name is that of a stored domain.
    ///
    /// The application, its suites and the global domain always are, even if a language or a volatile domain has the
    /// same name: otherwise the user could remove their forced entries.
    func isStored(_ name: Key) -> Bool {
        if !hasVolatile { return true }
        if name == application || name == DomainName.global || suites.contains(name) { return !name.isVolatile }
        return name != .registration && !volatile.contains(name) && !languages.contains(name)
    }

    /// The names of the domains behind the forced ones, in order: the standard search list, or the one that was set.
    package var names: [Key] {
        if let customList { return customList }
        let global = application == DomainName.global ? [] : [DomainName.global]
        let own = [application] + suites.filter { $0 != DomainName.global && $0 != application } + global
        // A language that has the name of a stored domain is not searched twice.
        return hasVolatile ? [.argument] + own + languages.filter { !isStored($0) } + [.registration] : own
    }

    /// The domains whose forced entries decide lookups: the application's, its suites, the global one; whatever the
    /// search list says.
    package var forcingDomains: [Key] {
        var domains = [application]
        for name in suites + (customList ?? []) where isStored(name) && !domains.contains(name) {
            domains.append(name)
        }
        domains.removeAll { $0 == DomainName.global }
        return domains + [DomainName.global]
    }

    /// The layers, from the one that is asked first.
    ///
    /// A list that was set decides which of the user's and the volatile domains are searched, and in which order. It
    /// never moves the forced ones; the domains of all users and recommended entries follow behind the last stored
    /// domain that it names. Last is the list of the user's languages, so that AppleLanguages always has a value.
    package var positions: [LayerPosition] {
        var positions = forcingDomains.map { LayerPosition(.forced, $0) }
        if isOnlyThisHost {
            let kind = application == DomainName.global ? LayerKind.globalHost : .applicationHost
            return positions + [LayerPosition(kind, StoredPlace(domain: application, host: .thisHost))]
        }
        let names = names
        let lastStored = names.lastIndex(where: isStored)
        for (index, name) in names.enumerated() {
            positions += self.positions(named: name)
            if index == lastStored { positions += followers(of: names.filter(isStored)) }
        }
        if hasVolatile, names.contains(DomainName.global) {
            positions.append(LayerPosition(.language, DomainName.global))
        }
        return positions
    }

    /// The layers of one name of a search list; none if nothing has the name.
    private func positions(named name: Key) -> [LayerPosition] {
        guard isStored(name) else {
            if name == .registration { return [LayerPosition(.registration, name)] }
            if volatile.contains(name) { return [LayerPosition(.argument, name)] }
            return languages.contains(name) ? [LayerPosition(.language, name)] : []
        }
        let kinds: (host: LayerKind, any: LayerKind) =
            switch name {
            case DomainName.global: (.globalHost, .global)
            case application: (.applicationHost, .application)
            default: (.suite, .suite)
            }
        return [
            LayerPosition(kinds.host, StoredPlace(domain: name, host: .thisHost)),
            LayerPosition(kinds.any, StoredPlace(domain: name, host: .anyHost)),
        ]
    }

    /// The layers behind the stored domains: the domains of all users, then what is recommended.
    private func followers(of stored: [Key]) -> [LayerPosition] {
        var positions: [LayerPosition] = []
        if application != DomainName.global, stored.contains(application) {
            positions.append(LayerPosition(.applicationAllUsers, application))
        }
        if stored.contains(DomainName.global) { positions.append(LayerPosition(.globalAllUsers, DomainName.global)) }
        return positions + stored.map { LayerPosition(.recommended, $0) }
    }
}
