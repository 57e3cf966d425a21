/// What became of an attempt (`outcome`).
package struct AttemptOutcome: RecordWord {
    /// Nothing was changed.
    package static let refused = Self(rawValue: "refused")
    /// The value was stored beneath the forced one.
    package static let shadowed = Self(rawValue: "shadowed")
    /// The value was moved into what a constraint allows.
    package static let clamped = Self(rawValue: "clamped")
    /// A stored value stays hidden by the forced one, or was removed beneath it.
    package static let hidden = Self(rawValue: "hidden")

    /// The words that this version writes.
    package static let known: [Self] = [
        .refused, .shadowed, .clamped, .hidden,
    ]

    /// The word as it stands in the log.
    package let rawValue: String

    /// Makes the word of its spelling in the log.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}
