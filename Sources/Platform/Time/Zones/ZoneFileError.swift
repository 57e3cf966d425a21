/// What is wrong with a TZif file.
package struct ZoneFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The byte at which it is wrong.
    package let offset: Int
    /// What is wrong, as the end of a sentence.
    package let reason: String

    /// What and where, without a full stop.
    package var description: String { "byte \(offset): \(reason)" }
}
