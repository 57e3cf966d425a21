import Policy
import Preferences
import PropertyList

/// What one `ManagedDefaults` object searches, and the table that its readers see.
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
    var layers: [EngineLayer] = []
    /// What values that the user controls must be like, by key.
    var constraints: [Key: ResolvedConstraint] = [:]
    /// What readers see; `nil` after a change until somebody reads.
    var table: LookupTable?
    /// Who is told of changes.
    var observers: [ObjectIdentifier: ChangeObserver] = [:]
    /// Has readers ask for the table anew.
    var cell: SnapshotCell?

    /// Makes a view with the standard search list.
    init(application: Key, identity: ApplicationIdentity, arguments: [Key: Value]) {
        self.application = application
        self.identity = identity
        volatile[.argument] = DomainContent(nil, values: arguments)
    }

    /// The current table, built where there is none.
    func currentTable() -> LookupTable {
        let table = table ?? LookupTable(layers, under: constraints)
        self.table = table
        return table
    }

    /// Lets the table go; the next reader builds another.
    func dropTable() {
        table = nil
        cell?.invalidate()
    }

    /// Whether the view searches a domain.
    func searches(_ content: DomainContent) -> Bool {
        layers.contains { layer in
            if case .content(_, _, let own) = layer { own === content } else { false }
        }
    }

    /// Has readers see what a key is now.
    func update(_ key: Key) {
        guard let table else { return }
        let answer = layers.answer(for: key, under: constraints)
        if !table.put(key, answer.value, isForced: answer.forced != nil) { dropTable() }
    }

    /// Has readers see what some keys are now.
    ///
    /// Several keys change in one step: no reader sees some of them new and others old.
    func update(_ keys: some Collection<Key>) {
        guard keys.count == 1, let key = keys.first else { return dropTable() }
        update(key)
    }

    /// What observers are told about a key.
    struct Answer {
        /// What a lookup returns.
        let value: Value?
        /// The entry that decides.
        let forced: ResolvedEntry?
        /// What the user's value must be like.
        let constraint: ResolvedConstraint?

        /// Whether an observer would notice no difference.
        func isSame(as other: Answer) -> Bool {
            guard (forced == nil) == (other.forced == nil), forced?.origin == other.forced?.origin,
                constraint?.entry == other.constraint?.entry
            else { return false }
            switch (value, other.value) {
            case (nil, nil): return true
            case (let one?, let other?): return one.isIdentical(to: other)
            default: return false
            }
        }
    }

    /// What a lookup of a key finds.
    func answer(for key: Key) -> Answer {
        let answer = layers.answer(for: key, under: constraints)
        return Answer(
            value: answer.value, forced: answer.forced, constraint: answer.forced == nil ? constraints[key] : nil)
    }

    /// Every key that a layer has, or an observer asks about, with what a lookup finds.
    func answers() -> [Key: Answer] {
        // A seal decides keys that nothing has, and a constraint may too.
        var keys = Set(observers.values.compactMap(\.key)).union(constraints.keys)
        for layer in layers {
            keys.formUnion(layer.kind == .forced ? Set(layer.entries.keys) : Set(layer.values.keys))
        }
        return Dictionary(uniqueKeysWithValues: keys.map { ($0, answer(for: $0)) })
    }
}
