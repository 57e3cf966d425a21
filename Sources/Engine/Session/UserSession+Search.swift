import Platform
package import Policy
package import Preferences
package import PropertyList

extension UserSession {
    /// A search list, and what of it could not be read.
    package struct Search: Sendable {
        /// The search list without the layers that could not be read.
        package let list: SearchList
        /// The files that could not be read.
        package let failures: [SearchFailure]
        /// A sentence for each file that could not be read.
        package var problems: [String] { failures.map(\.error.description) }
    }

    /// A domain's file that could not be read.
    package struct SearchFailure: Sendable {
        /// The domain.
        package let domain: Key
        /// Why not, and which file.
        package let error: PreferencesError
    }

    /// The search list of an application.
    ///
    /// - Parameters:
    ///   - application: the application's domain; NSGlobalDomain has no other domain around it.
    ///   - suites: the suites, last added first.
    ///   - arguments: the values of NSArgumentDomain.
    ///   - registration: the registered defaults.
    /// - Returns: the layers that hold something, in order, and what could not be read.
    package func search(
        application: Key, suites: [Key] = [], arguments: [Key: Value] = [:], registration: [Key: Value] = [:]
    ) -> Search {
        var layers: [SearchLayer] = []
        var failures: [SearchFailure] = []
        let named = ([application] + suites).filter { $0 != DomainName.global }
        let domains = named + [DomainName.global]

        /// Adds a stored domain where it has a file.
        func add(
            _ kind: LayerKind, _ domain: Key, pending: [Key: Value] = [:],
            _ read: () throws(PreferencesError) -> StoredDomain?
        ) {
            var stored: StoredDomain?
            do {
                stored = try read()
            } catch {
                failures.append(SearchFailure(domain: domain, error: error))
            }
            if stored == nil, pending.isEmpty { return }
            let values = (stored?.values ?? [:]).merging(pending) { _, new in new }
            layers.append(
                SearchLayer(kind, domain: domain, values: values, path: stored.map { machine.root.display($0.path) }))
        }
        /// What is set once in a domain when an application opens it.
        func pending(_ domain: Key) -> [Key: Value] {
            pendingSetOnce(of: domain).compactMapValues { resultant.setOnceValue(of: $0) }
        }

        for domain in domains {
            let entries = resultant.forced[domain] ?? [:]
            let seal = DomainSeal(of: domain, in: resultant)
            if !entries.isEmpty || seal != nil {
                layers.append(SearchLayer(.forced, domain: domain, entries: entries, seal: seal))
            }
        }
        if !arguments.isEmpty {
            layers.append(SearchLayer(.argument, domain: .argument, values: arguments))
        }
        if application != DomainName.global {
            add(.applicationHost, application) { () throws(PreferencesError) in
                try preferences.read(application, host: .thisHost)
            }
            add(.application, application, pending: pending(application)) { () throws(PreferencesError) in
                try preferences.read(application, host: .anyHost)
            }
        }
        for suite in suites where suite != DomainName.global {
            add(.suite, suite) { () throws(PreferencesError) in try preferences.read(suite, host: .thisHost) }
            add(.suite, suite, pending: pending(suite)) { () throws(PreferencesError) in
                try preferences.read(suite, host: .anyHost)
            }
        }
        add(.globalHost, DomainName.global) { () throws(PreferencesError) in
            try preferences.read(DomainName.global, host: .thisHost)
        }
        add(.global, DomainName.global, pending: pending(DomainName.global)) { () throws(PreferencesError) in
            try preferences.read(DomainName.global, host: .anyHost)
        }
        if application != DomainName.global {
            add(.applicationAllUsers, application) { () throws(PreferencesError) in try shared.read(application) }
        }
        add(.globalAllUsers, DomainName.global) { () throws(PreferencesError) in try shared.read(DomainName.global) }
        for domain in domains {
            if let entries = resultant.recommended[domain], !entries.isEmpty {
                layers.append(SearchLayer(.recommended, domain: domain, entries: entries))
            }
        }
        if !registration.isEmpty {
            layers.append(SearchLayer(.registration, domain: .registration, values: registration))
        }
        return Search(
            list: SearchList(layers: layers, constraints: resultant.constraints(in: domains)), failures: failures)
    }

    /// The forced or absent entry that decides a key of a domain: the domain's own, or NSGlobalDomain's.
    package func decidingEntry(domain: Key, key: Key) -> ResolvedEntry? {
        resultant.decidingEntry(for: key, in: domain == DomainName.global ? [domain] : [domain, DomainName.global])
    }

    /// What the user's value of a key of a domain must be like: the domain's own constraint, or NSGlobalDomain's.
    package func constraint(domain: Key, key: Key) -> ResolvedConstraint? {
        resultant.constraint(of: key, in: [domain, DomainName.global])
    }
}
