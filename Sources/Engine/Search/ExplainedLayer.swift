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
    /// The policy entry of a forced or recommended layer, where it has the key.
    package let entry: ResolvedEntry?
    /// The file of a stored layer as people are shown it; where it is missing, the one that would be written.
    package let path: String?

    /// Makes a layer of policy.
    ///
    /// - Parameters:
    ///   - kind: the place in the search list.
    ///   - domain: the domain that is asked there.
    ///   - entries: what policy says about the domain on this level; `nil` where it says nothing.
    ///   - key: the key that is explained.
    package init(_ kind: LayerKind, domain: Key, entries: [Key: ResolvedEntry]?, key: Key) {
        self.kind = kind
        self.domain = domain
        entry = entries?[key]
        path = nil
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

    /// The value, where there is one.
    package var value: Value? {
        if case .value(let value) = content { value } else { nil }
    }
}
