/// An error in a property list, with a sentence and a position.
package struct PropertyListError: Error, Hashable, Sendable {
    /// The kind of an error; its raw value is the stable code that lint prints.
    package enum Code: String, Sendable {
        /// The file exceeds the limit of bytes.
        case tooLarge = "too-large"
        /// Arrays and dictionaries are nested too deeply.
        case tooDeep = "too-deep"
        /// There are too many values and keys.
        case tooManyObjects = "too-many-objects"
        /// The file is empty, or holds nothing but blanks and comments.
        case empty
        /// The file ends within a value.
        case truncated
        /// A character or byte is not allowed at its position.
        case syntax
        /// Something follows the root value.
        case trailingContent = "trailing-content"
        /// The root is not a dictionary.
        case rootNotDictionary = "root-not-dictionary"
        /// A key occurs twice in one dictionary.
        case duplicateKey = "duplicate-key"
        /// Bytes are invalid in the encoding.
        case encoding
        /// A number is malformed or does not fit.
        case number
        /// A date is malformed or out of range.
        case date
        /// Base64 or hexadecimal data is invalid.
        case data
        /// A construct is not allowed in a property list: null, a set, a UID, a key that is not a string.
        case unsupported
        /// A reference in a binary file is out of range or circular.
        case reference
    }

    /// The kind of the error.
    package let code: Code
    /// The message, without position and full stop.
    package let message: String
    /// The position of the error.
    package let position: Position

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

/// A position in a file: line and column for text, the byte offset for binary files.
package struct Position: Hashable, Sendable {
    /// The line in 32 bits, which are enough for every file that is read; each entry of a policy stores a position.
    private let storedLine: UInt32
    /// The column in 32 bits.
    private let storedColumn: UInt32
    /// The offset in 32 bits.
    private let storedOffset: UInt32

    /// The line, counted from 1; 0 in a binary file.
    package var line: Int { Int(storedLine) }
    /// The column in Unicode scalars, counted from 1; 0 in a binary file.
    package var column: Int { Int(storedColumn) }
    /// The offset in bytes from the start of the file's (decoded) content, counted from 0.
    package var offset: Int { Int(storedOffset) }

    /// Makes a position in a text; numbers beyond 32 bits, possible in a damaged compiled table, are clamped.
    package init(line: Int, column: Int, offset: Int) {
        storedLine = UInt32(clamping: line)
        storedColumn = UInt32(clamping: column)
        storedOffset = UInt32(clamping: offset)
    }

    /// Makes a position in a binary file.
    package init(byte offset: Int) {
        self.init(line: 0, column: 0, offset: offset)
    }

    /// The first position of a text.
    package static let start = Position(line: 1, column: 1, offset: 0)

    /// Whether this is a position in a binary file.
    package var isBinary: Bool { line == 0 }
}

extension Position: CustomStringConvertible {
    /// `line:column`, or `byte N` in a binary file.
    package var description: String {
        isBinary ? "byte \(offset)" : "\(line):\(column)"
    }
}
