import MDAuditClient
import MDAuditRecord
package import MDPlatform
package import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
package import MDPropertyList
import Synchronization

/// What one application searches: a view of a store, with its own suites, arguments and search list.
///
/// Readers use ``cell`` and need no lock.
package final class DefaultsEngine: Sendable {
    /// Which application this is, and how that was found out.
    package let identity: ApplicationIdentity
    /// The domain that is written, and searched first.
    package let domain: Key
    /// What readers see.
    package let cell: SnapshotCell
    /// What the process that made the engine has of it.
    private let first: EngineShare

    /// The user's defaults.
    package var store: DefaultsStore { first.current.store }
    /// What is searched; touched under the store's lock.
    var view: DefaultsView { first.current.view }

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
        let settings = ViewSettings(customList: searchesNothing ? [] : nil, volatile: [.argument: arguments])
        let share = EngineShare(store, DefaultsView(application: domain, identity: identity, settings))
        first = share
        self.identity = identity
        self.domain = domain
        // The share outlives the cell's readers, because they come through this object.
        cell = SnapshotCell { [unowned share] generation in
            let (store, view) = (share.current.store, share.current.view)
            store.refreshIfUnwatched()
            return store.state.withLock { _ in
                let answer = (view.currentIndex(), generation())
                // The next read asks again.
                if store.isUnwatched { view.cell?.invalidate() }
                return answer
            }
        }
        share.begin(cell)
        recordAttempts(in: .argument, via: .argument)
        store.recordFoundValues()
    }

    deinit {
        first.end()
    }

    /// Reads the files of some domains that are not in memory yet, and what policy says of them.
    func load(_ domains: [Key]) { first.current.load(domains) }

    /// Records values of a volatile domain that would override forced ones: they have no effect, and are an attempt.
    ///
    /// The records name the domain whose keys these are, as those of other writes do, and not the volatile one,
    /// which policy does not name.
    func recordAttempts(in name: Key, via: WriteVia) {
        let attempts = store.state.withLock { _ in
            (view.volatile[name]?.values ?? [:]).compactMap { key, value -> RecordedWrite? in
                let write = KeyWrite(key, value, under: view.rule(of: key))
                // A volatile value is never stored under a forced one, but what a constraint leaves of it counts.
                let isStored = if case .clamp = write.decision { true } else { false }
                let recorded = write.recorded(in: domain, via: via, isStored: isStored)
                // If it is unknown what policy says there is no attempt to override it.
                return recorded?.isAttempt == true ? recorded : nil
            }
        }
        for attempt in attempts { store.record(attempt, of: identity) }
    }
}

extension DefaultsEngine {
    /// The forced or absent entry of one domain.
    package func forcedEntry(domain: Key, key: Key) -> ResolvedEntry? {
        store.ensurePolicy(for: [domain])
        return store.state.withLock { $0.sealedWhileUnknown(domain).forcedEntry(domain: domain, key: key) }
    }

    /// The forced or absent entry that decides lookups of a key.
    package func decidingEntry(for key: Key) -> ResolvedEntry? {
        store.refreshIfUnwatched()
        return store.state.withLock { _ in view.rule(of: key).entry }
    }

    /// The constraint of the user's value of a key; `nil` if anything is allowed, or if policy decides.
    package func constraint(of key: Key) -> ResolvedConstraint? {
        store.refreshIfUnwatched()
        return store.state.withLock { _ in view.rule(of: key).constraint }
    }

    /// Whether values of a key are shown to the application only.
    package func isSensitive(_ key: Key) -> Bool {
        store.state.withLock { $0.resultant.isSensitive(key, in: view.forcingDomains) }
    }

    /// Every key that has a value, with what a lookup returns.
    package var union: [Key: Value] {
        store.refreshIfUnwatched()
        return store.state.withLock { _ in view.layers.union(under: view.constraints) }
    }

    /// The same as applications get it.
    ///
    /// Complexity: O(keys that changed since the last call); O(keys) if that call's result is still in use.
    package func union(bridging bridge: (Value) -> any Sendable) -> [String: any Sendable] {
        store.refreshIfUnwatched()
        let view = view
        return store.state.withLock { _ in
            view.kept.current(
                lookUp: { view.lookUp($0).value }, all: { view.layers.union(under: view.constraints) }, bridge)
        }
    }

    /// The root that policy files belong to, for messages.
    package var root: Root { store.root }

    /// The user whose defaults these are; `nil` if the caller has no account.
    package var account: Account? { store.account }

    /// Hands over what went wrong since the last call.
    ///
    /// - Parameter limit: the most problems that are handed over.
    /// - Returns: the problems, oldest first.
    package func takeProblems(_ limit: Int = .max) -> [DefaultsProblem] { store.takeProblems(limit) }

    /// Saves, then reads policy and files again.
    ///
    /// - Returns: whether everything is on disk and could be read.
    package func synchronize() -> Bool { store.synchronize() }

    /// What a lookup finds, and why.
    package struct Lookup: Sendable {
        /// The value.
        package let value: Value?
        /// What policy says of the key.
        package let rule: KeyRule
        /// Whether the value was set: it comes neither from the registered defaults nor from a language.
        package let isSet: Bool
        /// The moment before the lookup: while ``SnapshotCell/moment`` is the same, so is the result; `nil` if another
        /// lookup may look at files again.
        package let moment: UInt64?

        /// The forced or absent entry that decides; `nil` if policy does not decide.
        package var forced: ResolvedEntry? { rule.entry }
        /// The constraint of the user's value; `nil` if anything is allowed, or policy decides.
        package var constraint: ResolvedConstraint? { rule.constraint }
    }

    /// Looks a key up, at one moment.
    ///
    /// Complexity: O(layers), under the store's lock; ``cell`` answers faster if only the value is needed.
    package func lookUp(_ key: Key) -> Lookup {
        store.refreshIfUnwatched()
        let moment = cell.moment
        // A thread that begins to poll later changes the moment.
        let isKept = !store.isUnwatched
        return store.state.withLock { _ in
            let result = view.lookUp(key)
            let kind = result.source.map { view.layers[$0].kind }
            let isSet = kind != nil && kind != .registration && kind != .language
            return Lookup(value: result.value, rule: result.rule, isSet: isSet, moment: isKept ? moment : nil)
        }
    }

    /// Remembers what went wrong, for ``takeProblems()``.
    package func note(_ problem: DefaultsProblem) {
        store.note(problem)
    }
}
