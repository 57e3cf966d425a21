import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

/// A layer of a view's search list, by reference to what the store has in memory.
enum ViewLayer: SearchedLayer, Sendable {
    /// Policy entries of a domain, and its seal; indirect, so that a walk does not copy the entry of a seal.
    indirect case policy(LayerKind, domain: Key, [Key: ResolvedEntry], DomainSeal?)
    /// A stored or volatile domain.
    case content(LayerKind, domain: Key, DomainContent)

    /// The place in the search list.
    var kind: LayerKind {
        switch self {
        case .policy(let kind, _, _, _), .content(let kind, _, _): kind
        }
    }

    /// The policy entries.
    var entries: [Key: ResolvedEntry] {
        if case .policy(_, _, let entries, _) = self { entries } else { [:] }
    }

    /// The seal.
    var seal: DomainSeal? {
        if case .policy(_, _, _, let seal) = self { seal } else { nil }
    }

    /// The values.
    var values: [Key: Value] {
        switch self {
        case .policy(_, _, let entries, _): entries.compactMapValues(\.value)
        case .content(_, _, let content): content.values
        }
    }

    /// The policy entry of a key.
    func entry(of key: Key) -> ResolvedEntry? {
        if case .policy(_, _, let entries, let seal) = self { entries[key] ?? seal?.entry(of: key) } else { nil }
    }

    /// Whether policy lists a key, or may seal it; no entry is copied.
    func mayForce(_ key: Key) -> Bool {
        if case .policy(.forced, _, let entries, let seal) = self {
            seal != nil || entries.index(forKey: key) != nil
        } else {
            false
        }
    }

    /// The value of a key.
    func value(of key: Key) -> Value? {
        switch self {
        case .policy(_, _, let entries, _): entries[key]?.value
        case .content(_, _, let content): content.values[key]
        }
    }
}

extension DefaultsStore.State {
    /// The layers of a view's search list that have content, in order.
    func layers(of view: DefaultsView) -> [ViewLayer] {
        view.order.positions.compactMap { position in
            let (kind, domain) = (position.kind, position.domain)
            switch kind {
            case .forced:
                let known = sealedWhileUnknown(domain)
                let entries = known.forced[domain] ?? [:]
                let seal = DomainSeal(of: domain, in: known)
                return entries.isEmpty && seal == nil ? nil : .policy(kind, domain: domain, entries, seal)
            case .recommended:
                guard let entries = resultant.recommended[domain], !entries.isEmpty else { return nil }
                return .policy(kind, domain: domain, entries, nil)
            case .argument: return view.volatile[domain].map { .content(kind, domain: domain, $0) }
            case .language where domain == DomainName.global:
                let names = view.languageNames.map { Value.string($0) }
                return .content(kind, domain: domain, DomainContent(nil, values: [.appleLanguages: .array(names)]))
            case .language:
                return view.languages.first { $0.0 == domain }.map { .content(kind, domain: domain, $0.1) }
            case .registration: return .content(kind, domain: domain, registration)
            case .applicationAllUsers, .globalAllUsers:
                return shared[domain].map { .content(kind, domain: domain, $0) }
            case .applicationHost, .application, .suite, .globalHost, .global:
                return position.stored.flatMap { contents[$0] }.map { .content(kind, domain: domain, $0) }
            }
        }
    }

    /// What policy says of a domain; while that is unknown, every key counts as forced without a value.
    ///
    /// So values of the user do not count as free, a settings page shows its controls as locked, and the application
    /// gets what it registered itself.
    func sealedWhileUnknown(_ domain: Key) -> ResultantSet {
        guard let reason = resultant.failure(in: [domain]) else { return resultant }
        return ResultantSet(
            domains: resultant.domains, seals: [domain: .unknown(in: domain, because: reason)],
            metadata: resultant.metadata, knowledge: resultant.knowledge)
    }
}

/// What is in memory of one domain: a stored one with what is not on disk yet, or a volatile one.
///
/// Shared by every view that searches the domain, and touched under the store's lock only, which is what makes it
/// sendable.
@safe
final class DomainContent: @unchecked Sendable {
    /// A change that is not on disk yet.
    struct PendingChange {
        /// The value; `nil` removes the key.
        let value: Value?
        /// The number of the change, by which a save recognises later changes.
        let serial: UInt64
    }

    /// Which file the domain has; `nil` for a volatile one.
    let place: StoredPlace?
    /// What lookups find, pending changes included.
    var values: [Key: Value]
    /// The changes that are not on disk.
    private(set) var pending: [Key: PendingChange] = [:]
    /// Whether the domain has a file, or will have.
    var exists: Bool
    /// The number of the last change.
    private var serial: UInt64 = 0

    /// Makes the content of a domain.
    init(_ place: StoredPlace?, values: [Key: Value] = [:], exists: Bool = true) {
        self.place = place
        self.values = values
        self.exists = exists
    }

    /// Changes a key; a pending change is noted for the next save.
    func apply(_ key: Key, _ value: Value?, isPending: Bool) {
        values[key] = value
        guard isPending else { return }
        serial += 1
        pending[key] = PendingChange(value: value, serial: serial)
        exists = true
    }

    /// Changes some keys; pending changes are noted for the next save.
    func apply(_ changes: [Key: Value?], isPending: Bool) {
        for (key, value) in changes { apply(key, value, isPending: isPending) }
    }

    /// Drops all changes that are not on disk: another process saves them.
    func forgetPending() {
        pending = [:]
    }

    /// Drops changes that are not on disk of keys that were written again.
    func forgetPending(of keys: some Sequence<Key>) {
        for key in keys { pending[key] = nil }
    }

    /// The changes that a save writes, and the number of the newest.
    var unsaved: (changes: [Key: Value?], serial: UInt64) {
        (pending.mapValues(\.value), serial)
    }

    /// Forgets the changes up to one that are on disk now.
    func didSave(_ changes: [Key: Value?], upTo serial: UInt64) {
        for key in changes.keys where pending[key].map({ $0.serial <= serial }) ?? false { pending[key] = nil }
    }
}
