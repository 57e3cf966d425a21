import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPreferences
package import MDPropertyList

extension DefaultsEngine {
    /// What is stored for the user in a domain, for any host; `nil` if nothing is.
    package func storedDomain(_ name: Key) -> [Key: Value]? {
        guard (try? DomainName.validate(name)) != nil, !isVolatile(name) else { return nil }
        load([name])
        return store.state.withLock { state in
            guard let content = state.contents[StoredPlace(domain: name, host: .anyHost)] else { return nil }
            return content.exists ? content.values : nil
        }
    }

    /// The domains for which something is stored, sorted by their bytes, the global one among them.
    package var storedDomainNames: [Key] {
        var names: Set<Key> = []
        do {
            names.formUnion(try store.storage?.domains() ?? [])
        } catch {
            store.note(error.description)
        }
        return store.state.withLock { state in
            // What is in memory is newer than what is on disk.
            for (place, content) in state.contents where place.host == .anyHost {
                if content.values.isEmpty { names.remove(place.domain) } else { names.insert(place.domain) }
            }
            return names.sorted()
        }
    }

    /// Whether a name is that of a volatile domain of this object.
    package func isVolatile(_ name: Key) -> Bool {
        store.state.withLock { _ in name == .registration || !view.order.isStored(name) }
    }

    /// Whether something is stored under a name.
    package func isStored(_ name: Key) -> Bool {
        storedDomainNames.contains(name) || name == domain || name == DomainName.global
    }

    /// The values of a volatile domain; none if there is no such domain.
    package func volatileDomain(_ name: Key) -> [Key: Value] {
        store.state.withLock { state in
            if name == .registration { return state.registration.values }
            return (view.volatile[name] ?? view.languages.first { $0.0 == name }?.1)?.values ?? [:]
        }
    }

    /// The names of the volatile domains, sorted by their bytes.
    package var volatileDomainNames: [Key] {
        store.state.withLock { _ in
            (Array(view.volatile.keys) + view.languages.map(\.0) + [.registration]).sorted()
        }
    }

    /// Makes a volatile domain, which no other may have the name of; the caller checked that.
    package func setVolatileDomain(_ name: Key, _ values: [Key: Value]) {
        rearrange { view in view.volatile[name] = DomainContent(nil, values: values) }
        recordAttempts(in: name, via: .volatile)
    }

    /// Takes a volatile domain away; that of the registered defaults is only emptied.
    package func removeVolatileDomain(_ name: Key) {
        guard name != .registration else { return changeRegistered { $0.difference(to: [:]) } }
        rearrange { view in view.volatile[name] = nil }
    }

    /// Adds registered defaults; of two values of a key the last counts.
    package func register(_ values: [(key: Key, value: Value)]) {
        changeRegistered { registered in
            let known = registered.values
            var changes: [Key: Value?] = [:]
            for (key, value) in values {
                if known[key]?.isIdentical(to: value) != true {
                    changes[key] = .some(value)
                } else if !changes.isEmpty {
                    changes.removeValue(forKey: key)
                }
            }
            return changes
        }
    }

    /// Changes registered defaults.
    private func changeRegistered(_ difference: (DomainContent) -> [Key: Value?]) {
        let store = store
        store.change { state in
            let changes = difference(state.registration)
            guard !changes.isEmpty else { return }
            state.change(state.registration, changes, isPending: false, cause: .application)
            store.registered.publish(state.registration.values)
        }
    }

    /// Adds a suite behind the application's domain, ahead of those that were added before.
    ///
    /// - Returns: whether the name can be a suite's.
    package func addSuite(_ name: Key) -> Bool {
        guard DefaultsEngine.isUsableSuite(name) else { return false }
        guard name != domain else { return true }
        load([name])
        rearrange { view in
            view.suites.removeAll { $0 == name }
            view.suites.insert(name, at: 0)
            guard var list = view.customList else { return }
            list.removeAll { $0 == name }
            let place = list.firstIndex(of: view.application).map { $0 + 1 } ?? list.endIndex
            list.insert(name, at: place)
            view.customList = list
        }
        return true
    }

    /// Takes a suite out of the search list.
    package func removeSuite(_ name: Key) {
        rearrange { view in
            guard view.suites.contains(name) || view.customList != nil else { return }
            view.suites.removeAll { $0 == name }
            if name != view.application { view.customList?.removeAll { $0 == name } }
        }
    }

    /// The names of the domains that lookups search behind the forced ones, in order.
    package var searchList: [Key] {
        store.state.withLock { _ in view.order.names }
    }

    /// Searches these domains behind the forced ones, in this order; names that nothing has are passed over.
    package func setSearchList(_ names: [Key]) {
        var unique: [Key] = []
        for name in names where !unique.contains(name) { unique.append(name) }
        // Which of them are stored domains changes with the others; those always decide.
        store.ensurePolicy(for: unique)
        load(unique.filter { !isVolatile($0) && (try? DomainName.validate($0)) != nil })
        rearrange { $0.customList = unique }
    }

    /// Changes what the view searches.
    private func rearrange(_ body: (DefaultsView) -> Void) {
        let view = view
        store.change { state in
            state.rearrange([view], cause: .application) { _ in body(view) }
            view.publishSettings()
        }
    }

    /// Calls an observer for each change until it cancels.
    ///
    /// - Parameters:
    ///   - key: the key, dots and all; `nil` for every key.
    ///   - handler: called for each change of what a lookup returns or of whether policy decides it, in order, on the
    ///     thread that made the change or on one that is telling others already. No lock is held meanwhile.
    /// - Returns: the observer, which the engine retains until it cancels.
    package func observe(
        _ key: Key?, _ handler: @escaping @Sendable (EffectiveChange) -> Void
    ) -> ChangeObserver {
        let observer = ChangeObserver(key, handler)
        change { $0[ObjectIdentifier(observer)] = observer }
        return observer
    }

    /// Forgets an observer.
    package func cancel(_ observer: ChangeObserver) {
        observer.cancel()
        change { $0[ObjectIdentifier(observer)] = nil }
    }

    /// Changes the observers.
    private func change(_ body: (inout [ObjectIdentifier: ChangeObserver]) -> Void) {
        let view = view
        store.state.withLock { _ in
            body(&view.observers)
            view.publishSettings()
        }
    }
}
