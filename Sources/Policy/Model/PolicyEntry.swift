package import PropertyList

/// One entry of a policy file, as it stands in the file.
package struct PolicyEntry: Sendable {
    /// How strongly it holds.
    package let level: Level
    /// The domain it belongs to.
    package let domain: Key
    /// The key it decides.
    package let key: Key
    /// The value before variables are expanded; `nil` for an absent entry.
    package let value: Node?
    /// Whether a string of the value holds a variable or the escape of one.
    package let hasVariables: Bool
    /// How often it is written, of an entry that is set once; otherwise without meaning.
    package let rule: SetOnceRule
    /// Where it stands.
    package let origin: Origin

    /// Makes an entry.
    package init(
        level: Level, domain: Key, key: Key, value: Node?, hasVariables: Bool = false,
        rule: SetOnceRule = .eachVersion, origin: Origin
    ) {
        self.level = level
        self.domain = domain
        self.key = key
        self.value = value
        self.hasVariables = hasVariables
        self.rule = rule
        self.origin = origin
    }
}
