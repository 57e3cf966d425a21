/// What people are told about a key.
package struct KeyMetadata: Hashable, Sendable {
    /// A short name; empty where nothing gives one.
    package var title: String
    /// What the key does; empty where nothing says so.
    package var description: String
    /// The rules that ask for it: CIS, STIG, BSI or the school's own, in the order given.
    package var controls: [String]
    /// Whether its values are never printed, logged or reported in clear.
    package var isSensitive: Bool

    /// Makes metadata.
    package init(title: String = "", description: String = "", controls: [String] = [], isSensitive: Bool = false) {
        self.title = title
        self.description = description
        self.controls = controls
        self.isSensitive = isSensitive
    }

    /// Whether there is nothing to tell.
    package var isEmpty: Bool { self == KeyMetadata() }
}
