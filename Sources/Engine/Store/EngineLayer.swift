import Policy
import PropertyList

/// One place of a view's search list, by reference to what the store has in memory.
enum EngineLayer: SearchedLayer {
    /// Policy entries of a domain, and its seal.
    case policy(LayerKind, domain: Key, [Key: ResolvedEntry], DomainSeal?)
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

    /// The value of a key.
    func value(of key: Key) -> Value? {
        switch self {
        case .policy(_, _, let entries, _): entries[key]?.value
        case .content(_, _, let content): content.values[key]
        }
    }
}
