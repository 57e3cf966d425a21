/// A mistake in a property list: what is wrong, in a sentence, and where.
package struct PropertyListError: Error, Hashable, Sendable {
    /// The kind of a mistake; its raw value is the stable code that lint prints.
    package enum Code: String, Sendable {
        /// The file is larger than is read.
        case tooLarge = "too-large"
        /// Arrays and dictionaries are nested too deeply.
        case tooDeep = "too-deep"
        /// There are too many values and keys.
        case tooManyObjects = "too-many-objects"
        /// The file is empty, or holds nothing but blanks and comments.
        case empty
        /// The file ends within a value.
        case truncated
        /// A character or byte stands where it must not.
        case syntax
        /// Something follows the root value.
        case trailingContent = "trailing-content"
        /// The root is no dictionary.
        case rootNotDictionary = "root-not-dictionary"
        /// A key stands twice in one dictionary.
        case duplicateKey = "duplicate-key"
        /// Bytes that are no valid text of the encoding.
        case encoding
        /// A number that is none, or does not fit.
        case number
        /// A date that is none, or is out of range.
        case date
        /// Base64 or hexadecimal data that does not decode.
        case data
        /// A construction that a property list cannot hold: null, a set, a UID, a key that is no string.
        case unsupported
        /// A reference in a binary file that leads outside, or into a circle.
        case reference
    }

    /// The kind of the mistake.
    package let code: Code
    /// What is wrong, without place and without a full stop.
    package let message: String
    /// Where it is.
    package let position: Position

    /// Makes a mistake.
    package init(_ code: Code, _ message: String, at position: Position) {
        self.code = code
        self.message = message
        self.position = position
    }
}

extension PropertyListError: CustomStringConvertible {
    /// `line:column: message`.
    package var description: String { "\(position): \(message)" }
}
