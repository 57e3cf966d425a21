import Policy
import Preferences
import PropertyList

extension DefaultsStore.State {
    /// The places of a view's search list, in the order of the design.
    ///
    /// A list that was set decides which of the user's and the volatile domains are searched, and in which order. It
    /// never moves the forced ones; recommended entries and the domains of all users follow behind the last stored domain
    /// that it names.
    func layers(of view: DefaultsView) -> [EngineLayer] {
        var layers: [EngineLayer] = []
        for domain in view.forcingDomains {
            let known = sealedWhileUnknown(domain)
            let entries = known.forced[domain] ?? [:]
            let seal = DomainSeal(of: domain, in: known)
            if !entries.isEmpty || seal != nil {
                layers.append(.policy(.forced, domain: domain, entries, seal))
            }
        }
        let names = view.searchList(languages: view.languages.map(\.0))
        var followers = followers(of: names, view)
        let lastStored = names.lastIndex { view.isStored($0) }
        for (index, name) in names.enumerated() {
            layers += self.layers(named: name, view)
            if index == lastStored {
                layers += followers
                followers = []
            }
        }
        return layers
    }

    /// What policy says of a domain; while what is forced in it is unknown, every key counts as forced without a value.
    ///
    /// What the user stored is not taken for free then, a settings page shows its controls as locked, and the application gets
    /// what it registered itself.
    func sealedWhileUnknown(_ domain: Key) -> ResultantSet {
        guard let reason = uncertainty(of: [domain]) else { return resultant }
        return ResultantSet(
            domains: resultant.domains, seals: [domain: .unknown(in: domain, because: reason)],
            metadata: resultant.metadata)
    }

    /// The layers of one name of a search list; none where nothing has the name.
    private func layers(named name: Key, _ view: DefaultsView) -> [EngineLayer] {
        if name == .registration { return [.content(.registration, domain: name, registration)] }
        if !view.isStored(name) {
            if let content = view.volatile[name] { return [.content(.argument, domain: name, content)] }
            return view.languages.filter { $0.0 == name }.map { .content(.language, domain: name, $0.1) }
        }
        let kinds: (host: LayerKind, any: LayerKind) =
            switch name {
            case DomainName.global: (.globalHost, .global)
            case view.application: (.applicationHost, .application)
            default: (.suite, .suite)
            }
        return [(kinds.host, HostScope.thisHost), (kinds.any, .anyHost)].compactMap { kind, host in
            contents[StoredPlace(domain: name, host: host)].map { .content(kind, domain: name, $0) }
        }
    }

    /// What follows behind the stored domains: those of all users, then what is recommended.
    private func followers(of names: [Key], _ view: DefaultsView) -> [EngineLayer] {
        let stored = names.filter { view.isStored($0) }
        var layers: [EngineLayer] = []
        let own: [(Key, LayerKind)] = [(view.application, .applicationAllUsers), (DomainName.global, .globalAllUsers)]
        for (domain, kind) in own where stored.contains(domain) {
            // An object for the global domain has it once.
            if kind == .applicationAllUsers, domain == DomainName.global { continue }
            if let content = shared[domain] { layers.append(.content(kind, domain: domain, content)) }
        }
        for domain in stored {
            if let entries = resultant.recommended[domain], !entries.isEmpty {
                layers.append(.policy(.recommended, domain: domain, entries, nil))
            }
        }
        return layers
    }
}

extension DefaultsView {
    /// The standard search list, or the one that was set.
    func searchList(languages: [Key]) -> [Key] {
        if let customList { return customList }
        let global = application == DomainName.global ? [] : [DomainName.global]
        // A language with the name of a stored domain stays behind it.
        return [.argument, application] + suites + global + languages.filter { !isStored($0) } + [.registration]
    }

    /// Whether a name of a search list is that of a stored domain.
    ///
    /// The application, its suites and the global domain are, whatever a language in the user's list is called and
    /// whatever volatile domain is made: otherwise the user could take their forced entries away.
    func isStored(_ name: Key) -> Bool {
        if name == application || name == DomainName.global || suites.contains(name) { return !name.isVolatile }
        return name != .registration && volatile[name] == nil && !languages.contains { $0.0 == name }
    }

    /// The domains whose forced entries decide lookups: the application's, its suites, the global one; whatever the
    /// search list says.
    var forcingDomains: [Key] {
        var domains = [application]
        for name in suites + (customList ?? []) where isStored(name) && !domains.contains(name) {
            domains.append(name)
        }
        domains.removeAll { $0 == DomainName.global }
        return domains + [DomainName.global]
    }
}
