/// How strongly an entry holds; the raw value is what `policy show --json` prints.
package enum Level: String, Sendable, Hashable, CaseIterable {
    /// Ahead of every user domain.
    case forced
    /// Behind every user domain and ahead of registration.
    case recommended
    /// Written into the user's own domain a single time.
    case setOnce
    /// A forced entry that says "no value".
    case absent
}
