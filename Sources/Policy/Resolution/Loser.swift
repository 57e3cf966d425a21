package import PropertyList

/// An entry that another one overrides.
package struct Loser: Sendable {
    /// How strongly it would have held.
    package let level: Level
    /// Its value, variables expanded; `nil` for an absent entry.
    package let value: Value?
    /// Where it stands.
    package let origin: Origin

    /// Makes a loser.
    package init(level: Level, value: Value?, origin: Origin) {
        self.level = level
        self.value = value
        self.origin = origin
    }
}
