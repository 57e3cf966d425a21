/// A word of a record whose set may grow: a reader keeps a word that it does not know instead of refusing the record.
package protocol RecordWord: RawRepresentable, Hashable, Sendable, CustomStringConvertible where RawValue == String {
    /// The words that this version writes.
    static var known: [Self] { get }
    /// Makes the word of its spelling in the log.
    init(rawValue: String)
}

extension RecordWord {
    /// Whether this version writes the word.
    package var isKnown: Bool { Self.known.contains(self) }
    /// The word as it stands in the log.
    package var description: String { rawValue }
}
