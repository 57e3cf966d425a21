import Audit
package import Platform
package import Policy
import Preferences
package import PropertyList

/// What one application searches: a view of a store, with its own suites, arguments and search list.
///
/// Readers use ``cell`` and take no lock.
package final class DefaultsEngine: Sendable {
    /// Which application this is, and how that was found out.
    package let identity: ApplicationIdentity
    /// The domain that is written, and searched first.
    package let domain: Key
    /// What readers see.
    package let cell: SnapshotCell
    /// The user's defaults.
    package let store: DefaultsStore
    /// What is searched; touched under the store's lock.
    let view: DefaultsView

    /// Opens a view of a store.
    ///
    /// - Parameters:
    ///   - store: the user's defaults.
    ///   - identity: which application it is.
    ///   - domain: the domain that is written, and searched first.
    ///   - arguments: the values of NSArgumentDomain.
    ///   - searchesNothing: whether the search list begins empty.
    package init(
        store: DefaultsStore, identity: ApplicationIdentity, domain: Key, arguments: [Key: Value] = [:],
        searchesNothing: Bool = false
    ) {
        let view = DefaultsView(application: domain, identity: identity, arguments: arguments)
        if searchesNothing { view.customList = [] }
        self.store = store
        self.identity = identity
        self.domain = domain
        self.view = view
        // The view outlives the cell's readers, who come through this object.
        cell = SnapshotCell { [unowned view, unowned store] generation in
            store.lookWhileUnwatched()
            return store.state.withLock { _ in
                let answer = (view.currentTable(), generation())
                // Whoever reads next asks again.
                if store.isUnwatched { view.cell?.invalidate() }
                return answer
            }
        }
        view.cell = cell
        // What is sensitive for the application is so under the domain that audit records name.
        store.cover([domain, DomainName.global, identity.domain])
        load([domain, DomainName.global])
        store.state.withLock { state in
            view.written = state.contents[StoredPlace(domain: domain, host: .anyHost)]
            state.arrange(view)
            state.views[ObjectIdentifier(view)] = view
        }
        recordAttempts(in: .argument, via: .argument)
        store.recordFound()
    }

    deinit {
        store.state.withLock { _ = $0.views.removeValue(forKey: ObjectIdentifier(view)) }
    }

    /// Reads the files of some domains that are not in memory yet, and what policy says of them.
    func load(_ domains: [Key]) {
        store.cover(domains)
        store.load(
            domains.flatMap { domain in
                [StoredPlace(domain: domain, host: .thisHost), StoredPlace(domain: domain, host: .anyHost)]
            })
        store.loadShared(domains.filter { $0 == domain || $0 == DomainName.global })
    }

    /// Records values of a volatile domain that would override forced ones: they have no effect, and are an attempt.
    func recordAttempts(in name: Key, via: WriteVia) {
        let attempts = store.state.withLock { _ in
            (view.volatile[name]?.values ?? [:]).compactMap { key, value -> OverrideAttempt? in
                if let entry = view.layers.forcedEntry(for: key) {
                    // If it is unknown what policy says there is no attempt to override it.
                    if entry.isUndecided || entry.value == value { return nil }
                    return OverrideAttempt(entry, domain: name, tried: value, via: via, outcome: .refused)
                }
                guard let constraint = view.constraints[key] else { return nil }
                let obeyed = constraint.obeyed(value)
                if let obeyed, obeyed.isIdentical(to: value) { return nil }
                return OverrideAttempt(
                    constraint, kept: obeyed, domain: name, tried: value, via: via,
                    outcome: obeyed == nil ? .refused : .clamped)
            }
        }
        for attempt in attempts { store.record(attempt, of: identity) }
    }
}

extension DefaultsEngine {
    /// The forced or absent entry of one domain.
    package func forcedEntry(domain: Key, key: Key) -> ResolvedEntry? {
        store.cover([domain])
        return store.state.withLock { $0.sealedWhileUnknown(domain).forcedEntry(domain: domain, key: key) }
    }

    /// The forced or absent entry that decides lookups of a key.
    package func decidingEntry(for key: Key) -> ResolvedEntry? {
        store.lookWhileUnwatched()
        return store.state.withLock { _ in view.layers.forcedEntry(for: key) }
    }

    /// The constraint of what the user sets a key to; `nil` where anything is allowed, or nothing.
    package func constraint(of key: Key) -> ResolvedConstraint? {
        store.lookWhileUnwatched()
        return store.state.withLock { _ in view.layers.forcedEntry(for: key) == nil ? view.constraints[key] : nil }
    }

    /// Whether values of a key are shown to nobody but the application.
    package func isSensitive(_ key: Key) -> Bool {
        store.state.withLock { $0.resultant.isSensitive(key, in: view.forcingDomains) }
    }

    /// Every key that has a value, with what a lookup returns.
    package var union: [Key: Value] {
        store.state.withLock { _ in view.layers.union(under: view.constraints) }
    }

    /// The root that policy files belong to, for messages.
    package var root: Root { store.root }

    /// The user whose defaults these are; `nil` where the caller has no account.
    package var account: Account? { store.account }

    /// Hands over what went wrong since the last call.
    package func takeProblems() -> [String] { store.takeProblems() }

    /// Saves, then reads policy and files anew.
    ///
    /// - Returns: whether everything is on disk and could be read.
    package func synchronize() -> Bool { store.synchronize() }

    /// What a lookup finds and whether policy decides it, in one look.
    package func answer(for key: Key) -> (value: Value?, forced: ResolvedEntry?) {
        store.state.withLock { _ in
            let answer = view.answer(for: key)
            return (answer.value, answer.forced)
        }
    }
}
