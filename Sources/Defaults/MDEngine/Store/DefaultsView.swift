import MDPlatform
package import MDPolicyCore
import MDPolicyModel
import MDPreferences
package import MDPropertyList
import Synchronization

/// What an application has set of a view.
struct ViewSettings: Sendable {
    /// The suites, last added first.
    var suites: [Key] = []
    /// The search list that was set in place of the standard one.
    var customList: [Key]?
    /// The values of the volatile domains.
    var volatile: [Key: [Key: Value]] = [:]
    /// The observers of changes.
    var observers: [ChangeObserver] = []
}

/// What one `ManagedDefaults` object searches, and the index that its readers see.
///
/// Touched under the store's lock only, which is what makes it sendable.
@safe
final class DefaultsView: @unchecked Sendable {
    /// The domain that is written, and searched first.
    let application: Key
    /// Which application it is, for audit records.
    let identity: ApplicationIdentity
    /// What is in memory of that domain, for any host; set once, before anybody writes.
    var written: DomainContent?
    /// The suites, last added first.
    var suites: [Key] = []
    /// The search list that was set in place of the standard one.
    var customList: [Key]?
    /// The volatile domains of this object.
    var volatile: [Key: DomainContent] = [:]
    /// The user's languages, those without a domain too.
    var languageNames: [String] = []
    /// The domains of the user's languages, in order.
    var languages: [(Key, DomainContent)] = []
    /// The places, in the order of the search.
    var layers: [ViewLayer] = []
    /// The domains whose forced entries decide lookups, as ``order`` has them.
    var forcingDomains: [Key] = []
    /// What values that the user controls must be like, by key.
    var constraints: [Key: ResolvedConstraint] = [:]
    /// What readers see; `nil` after a change until the next read.
    var index: LookupIndex?
    /// Whether a snapshot of the application has the index too, so that it must stay as it is.
    var isIndexShared = false
    /// What readers of all keys got last.
    var kept = KeptUnion()
    /// The observers of changes.
    var observers: [ObjectIdentifier: ChangeObserver] = [:]
    /// Makes readers ask for the index again when it has changed.
    var cell: SnapshotCell?
    /// What writers are refused without the store's lock; `nil` if each write takes it.
    let refusals = Guarded<RefusalTable?>(nil)
    /// Makes that table of the forced layers; `nil` if there is none.
    var makeRefusals: ((_ forced: [ViewLayer], _ resultant: ResultantSet) -> RefusalTable)?

    /// What the application has set, for a child that fork(2) makes.
    let settings: InheritedValue<ViewSettings>

    /// Makes a view.
    init(application: Key, identity: ApplicationIdentity, _ settings: ViewSettings) {
        self.application = application
        self.identity = identity
        self.settings = InheritedValue(settings)
        suites = settings.suites
        customList = settings.customList
        volatile = settings.volatile.mapValues { DomainContent(nil, values: $0) }
        for observer in settings.observers { observers[ObjectIdentifier(observer)] = observer }
    }

    /// Notes what the application has set.
    func publishSettings() {
        settings.publish(
            ViewSettings(
                suites: suites, customList: customList, volatile: volatile.mapValues(\.values),
                observers: Array(observers.values)))
    }

    /// The current index, built if there is none.
    func currentIndex() -> LookupIndex {
        if let index { return index }
        let index = LookupIndex(layers, under: constraints)
        self.index = index
        isIndexShared = false
        return index
    }

    /// Drops the index; the next read builds another.
    func dropIndex() {
        index = nil
        cell?.invalidate()
    }

    /// Publishes to writers what is forced now.
    func publishRefusals(_ resultant: ResultantSet) {
        guard let makeRefusals else { return }
        let forced = layers.filter { $0.kind == .forced }
        let table = forced.isEmpty ? nil : makeRefusals(forced, resultant)
        refusals.withLock { $0 = table }
    }

    /// Whether the view searches a domain.
    func searches(_ content: DomainContent) -> Bool {
        layers.contains { layer in
            if case .content(_, _, let own) = layer { own === content } else { false }
        }
    }

    /// Publishes the current value of a key to readers.
    func update(_ key: Key) {
        cell?.noteChange()
        kept.note(CollectionOfOne(key))
        guard let index else { return }
        let result = lookUp(key)
        if isIndexShared || !index.put(key, result.value, isForced: result.rule.isForced) { dropIndex() }
    }

    /// Publishes the current values of some keys to readers.
    ///
    /// Several keys change in one step: no reader sees some of them new and others old.
    func update(_ keys: some Collection<Key>) {
        if keys.count == 1, let key = keys.first { return update(key) }
        kept.note(keys)
        dropIndex()
    }

    /// The order of the layers that the view searches.
    var order: SearchOrder {
        SearchOrder(
            application: application, suites: suites, customList: customList, volatile: Set(volatile.keys),
            languages: languages.map(\.0))
    }

    /// Looks a key up.
    func lookUp(_ key: Key) -> LookupResult { layers.lookUp(key, under: constraints) }

    /// What policy says of a key.
    func rule(of key: Key) -> KeyRule { layers.rule(of: key, under: constraints) }

    /// What lookups find of every observed key.
    ///
    /// Complexity: O(observers), if each observes one key; else O(keys of all layers).
    func lookUpObserved() -> [Key: LookupResult] {
        var keys = Set(observers.values.compactMap(\.key))
        if observers.values.contains(where: { $0.key == nil }) {
            // A seal decides keys that nothing has, and a constraint may too.
            keys.formUnion(constraints.keys)
            for layer in layers {
                keys.formUnion(layer.kind == .forced ? Set(layer.entries.keys) : Set(layer.values.keys))
            }
        }
        return Dictionary(uniqueKeysWithValues: keys.map { ($0, lookUp($0)) })
    }
}

/// An observer of changes.
package final class ChangeObserver: Sendable {
    /// The key that is observed, byte for byte; `nil` for every key.
    let key: Key?
    /// What is called.
    private let handler: @Sendable (EffectiveChange) -> Void
    /// Whether the observation was not cancelled.
    private let isActive = Atomic<Bool>(true)

    /// Makes an observer.
    init(_ key: Key?, _ handler: @escaping @Sendable (EffectiveChange) -> Void) {
        self.key = key
        self.handler = handler
    }

    /// Ends the observation; on other threads a call that is under way may still end.
    package func cancel() {
        isActive.store(false, ordering: .sequentiallyConsistent)
    }

    /// Passes a change on, unless the observation was cancelled.
    func notify(_ change: EffectiveChange) {
        if isActive.load(ordering: .sequentiallyConsistent) { handler(change) }
    }
}

/// A change of the result of a lookup, or of whether policy decides it.
package struct EffectiveChange: Sendable {
    /// What brought it about.
    package enum Cause: Sendable {
        /// This process wrote, registered, or changed its search list.
        case application
        /// Another process wrote.
        case otherProcess
        /// The administrator's policy changed.
        case policy
    }

    /// The key.
    package let key: Key
    /// What a lookup returns now.
    package let value: Value?
    /// What policy says of the key now.
    package let rule: KeyRule
    /// What brought it about.
    package let cause: Cause
}

extension EffectiveChange {
    /// The forced or absent entry that decides lookups now.
    package var forced: ResolvedEntry? { rule.entry }
    /// The constraint of the user's value now; `nil` if anything is allowed, or if policy decides.
    package var constraint: ResolvedConstraint? { rule.constraint }
}

extension LookupResult {
    /// Whether an observer would notice no difference.
    func isSame(as other: LookupResult) -> Bool {
        rule.isForced == other.rule.isForced && rule.entry?.origin == other.rule.entry?.origin
            && rule.constraint?.entry == other.rule.constraint?.entry && value.isIdentical(to: other.value)
    }
}
