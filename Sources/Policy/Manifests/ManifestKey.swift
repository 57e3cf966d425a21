package import PropertyList

/// What a manifest says of one key.
package struct ManifestKey: Sendable {
    /// The key's name; empty for the elements of an array.
    package let name: Key
    /// The type, where the manifest names a known one.
    package let type: ManifestType?
    /// A short name; empty where there is none.
    package let title: String
    /// What the key does; empty where the manifest does not say.
    package let description: String
    /// The least value, where given.
    package let minimum: Value?
    /// The greatest value, where given.
    package let maximum: Value?
    /// The allowed values, where given and no others are allowed.
    package let oneOf: [Value]?
    /// What a string must look like, where given and understood.
    package let pattern: ConstraintPattern?
    /// The expression that the pattern was made of, as the manifest has it.
    package let format: String
    /// What the software takes where nobody says anything.
    package let defaultValue: Value?
    /// Whether values are not to be shown in clear.
    package let isSensitive: Bool
    /// Whether the dictionary around it has to have it.
    package let isRequired: Bool
    /// Since which version of the software the key is deprecated, empty where the manifest does not say; `nil` where it
    /// is not.
    package let deprecation: String?
    /// What may stand in a dictionary, or the elements of an array.
    package let subkeys: [ManifestKey]
    /// Where its description stands in the manifest.
    package let position: Position

    /// Makes a key.
    package init(
        name: Key, type: ManifestType? = nil, title: String = "", description: String = "", minimum: Value? = nil,
        maximum: Value? = nil, oneOf: [Value]? = nil, pattern: ConstraintPattern? = nil, format: String = "",
        defaultValue: Value? = nil,
        isSensitive: Bool = false, isRequired: Bool = false, deprecation: String? = nil, subkeys: [ManifestKey] = [],
        position: Position = .start
    ) {
        self.deprecation = deprecation
        self.name = name
        self.type = type
        self.title = title
        self.description = description
        self.minimum = minimum
        self.maximum = maximum
        self.oneOf = oneOf
        self.pattern = pattern
        self.format = format
        self.defaultValue = defaultValue
        self.isSensitive = isSensitive
        self.isRequired = isRequired
        self.subkeys = subkeys
        self.position = position
    }

    /// What can be said where a manifest describes a key twice, each time for other cases: nothing of its values.
    func either(_ other: ManifestKey) -> ManifestKey {
        ManifestKey(
            name: name, type: type == other.type ? type : nil, title: title,
            description: description.isEmpty ? other.description : description,
            isSensitive: isSensitive || other.isSensitive, position: position)
    }
}
