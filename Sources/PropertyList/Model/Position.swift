/// A place in a file: line and column for text, the byte offset for binary files.
package struct Position: Hashable, Sendable {
    /// The line in 32 bits, which are enough for every file that is read; of a policy, each entry keeps a place.
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

    /// Makes a place in a text; numbers beyond 32 bits become the largest, as those of a damaged table may be.
    package init(line: Int, column: Int, offset: Int) {
        storedLine = UInt32(clamping: line)
        storedColumn = UInt32(clamping: column)
        storedOffset = UInt32(clamping: offset)
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
