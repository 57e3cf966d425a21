package import Policy
package import Preferences
package import PropertyList

/// One place of the search list, and what it holds of one key.
package struct ExplainedLayer: Sendable {
    /// What a place holds of the key.
    package enum Content: Sendable {
        /// This value.
        case value(Value)
        /// By policy, no value.
        case absent
        /// Other keys only.
        case nothing
        /// Nothing at all: there is no file, or no policy entry of the domain.
        case missing
        /// What it holds could not be read.
        case unreadable(PreferencesError)
    }

    /// The place in the search list.
    package let kind: LayerKind
    /// The domain that is asked there.
    package let domain: Key
    /// What it holds.
    package let content: Content
    /// The policy entry of a forced or recommended layer, where it has the key, or the one that is set once there.
    package let entry: ResolvedEntry?
    /// Whether the entry is that of a seal, which names no key.
    package var isSealed = false
    /// Whether the value is one that policy sets once, when an application opens the domain next.
    package var isPending = false
    /// What the user's value must be like; `nil` where anything is allowed, and for layers that are not the user's.
    package var constraint: ResolvedConstraint?
    /// The file of a stored layer as people are shown it; where it is missing, the one that would be written.
    package let path: String?

    /// Makes a layer of policy.
    ///
    /// - Parameters:
    ///   - kind: the place in the search list.
    ///   - domain: the domain that is asked there.
    ///   - entries: what policy says about the domain on this level; `nil` where it says nothing.
    ///   - key: the key that is explained.
    ///   - seal: the seal of a forced layer's domain.
    package init(
        _ kind: LayerKind, domain: Key, entries: [Key: ResolvedEntry]?, key: Key, seal: DomainSeal? = nil
    ) {
        self.kind = kind
        self.domain = domain
        let own = entries?[key]
        entry = own ?? seal?.entry(of: key)
        isSealed = own == nil && entry != nil
        path = nil
        let entries = entries ?? seal.map { _ in [:] }
        content =
            switch (entries, entry) {
            case (nil, _): .missing
            case (_, nil): .nothing
            case (_, .some(let entry)): entry.value.map { .value($0) } ?? .absent
            }
    }

    /// Makes a layer of a file.
    package init(_ kind: LayerKind, domain: Key, content: Content, path: String?) {
        self.kind = kind
        self.domain = domain
        self.content = content
        self.path = path
        entry = nil
    }

    /// Makes a layer of a file in which policy sets the key once, when an application opens it next.
    init(_ stored: ExplainedLayer, pending entry: ResolvedEntry, _ value: Value) {
        kind = stored.kind
        domain = stored.domain
        content = .value(value)
        self.entry = entry
        path = stored.path
        isPending = true
    }

    /// The value that counts: the one that is there, the bound of a constraint that it is beyond, or none where the
    /// constraint leaves nothing of it.
    package var effective: Value? {
        guard let value, let constraint else { return value }
        return constraint.obeyed(value)
    }

    /// The value, where there is one.
    package var value: Value? {
        if case .value(let value) = content { value } else { nil }
    }
}
