/// A place in a file: line and column for text, the byte offset for binary files.
package struct Position: Hashable, Sendable {
    /// The line, counted from 1; 0 in a binary file.
    package let line: Int
    /// The column in Unicode scalars, counted from 1; 0 in a binary file.
    package let column: Int
    /// The offset in bytes from the start of the file's (decoded) content, counted from 0.
    package let offset: Int

    /// Makes a place in a text.
    package init(line: Int, column: Int, offset: Int) {
        self.line = line
        self.column = column
        self.offset = offset
    }

    /// Makes a place in a binary file.
    package init(byte offset: Int) {
        self.init(line: 0, column: 0, offset: offset)
    }

    /// The first place of a text.
    package static let start = Position(line: 1, column: 1, offset: 0)

    /// Whether this is a place in a binary file.
    package var isBinary: Bool { line == 0 }
}

extension Position: CustomStringConvertible {
    /// `line:column`, or `byte N` in a binary file.
    package var description: String {
        isBinary ? "byte \(offset)" : "\(line):\(column)"
    }
}
