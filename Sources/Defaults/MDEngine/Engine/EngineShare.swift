import MDAuditClient
import MDPlatform
import MDPolicyModel
import MDPreferences
import MDPropertyList
import Synchronization

/// What an engine has in one process: its view of the store of that process.
///
/// A child that fork(2) made has another one. A thread that it does not have may have been changing its parent's store at
/// the fork, so the child leaves that where it is and never frees it; it takes over what the application has set, and
/// looks at policy and files again.
final class EngineShare: Sendable {
    /// The generation of the process (``Fork/generation``).
    private let generation = Fork.generation
    /// The user's defaults.
    let store: DefaultsStore
    /// What is searched; touched under the store's lock.
    let view: DefaultsView
    /// That of a forked child.
    private let child = AtomicLazyReference<EngineShare>()

    /// Makes the share of this process, without looking at anything.
    init(_ store: DefaultsStore, _ view: DefaultsView) {
        (self.store, self.view) = (store, view)
    }

    /// The share of this process.
    var current: EngineShare {
        var share = self
        while share.generation != Fork.generation { share = share.ofChild }
        return share
    }

    /// The share of a forked child of this one's process.
    private var ofChild: EngineShare {
        if let child = child.load() { return child }
        _ = unsafe Unmanaged.passRetained(self)
        let store = store.current
        store.inherit(from: self.store)
        let new = EngineShare(
            store,
            DefaultsView(application: view.application, identity: view.identity, view.settings.value))
        if let cell = view.cell { new.begin(cell, isInherited: true) }
        let used = child.storeIfNil(new)
        if used !== new { new.end() }
        return used
    }

    /// Reads what is searched, and shows it to readers.
    ///
    /// - Parameters:
    ///   - cell: what readers ask.
    ///   - isInherited: whether a parent process has recorded what it found of stored values.
    func begin(_ cell: SnapshotCell, isInherited: Bool = false) {
        view.cell = cell
        let (domain, identity) = (view.application, view.identity)
        if store.channel != nil, let account = store.account {
            let root = store.root
            view.makeRefusals = { [unowned store] layers, resultant in
                RefusalTable(
                    layers, resultant,
                    RefusalTable.Context(
                        account: account, root: root, identity: identity, domain: domain,
                        hasManifests: store.hasManifests.load(ordering: .relaxed)))
            }
        }
        // What is sensitive for the application is so under the domain that audit records name.
        store.ensurePolicy(for: [domain, DomainName.global, identity.domain])
        let others = (view.suites + (view.customList ?? [])).filter { view.order.isStored($0) }
        load([domain, DomainName.global] + others)
        store.state.withLock { state in
            view.written = state.contents[StoredPlace(domain: domain, host: .anyHost)]
            state.arrange(view)
            if isInherited { state.attempts = [] }
            state.views[ObjectIdentifier(view)] = view
        }
        // On an unmanaged machine no opening is reported.
        guard !store.policy.folders.isEmpty else { return }
        store.channel?.tell(
            opened: identity.domain == domain ? [domain] : [domain, identity.domain], engine: EngineVersion.current)
    }

    /// Ends the share with its engine; in a child, that of the parent stays as it is.
    func end() {
        if generation == Fork.generation {
            store.state.withLock { _ = $0.views.removeValue(forKey: ObjectIdentifier(view)) }
        } else {
            _ = unsafe Unmanaged.passRetained(self)
            child.load()?.end()
        }
    }

    /// Reads the files of some domains that are not in memory yet, and what policy says of them.
    func load(_ domains: [Key]) {
        store.ensurePolicy(for: domains)
        store.load(
            domains.flatMap { domain in
                [StoredPlace(domain: domain, host: .thisHost), StoredPlace(domain: domain, host: .anyHost)]
            })
        store.loadShared(domains.filter { $0 == view.application || $0 == DomainName.global })
    }
}
