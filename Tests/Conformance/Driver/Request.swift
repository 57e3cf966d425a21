package import ConformanceTable
import Foundation

/// One line of a row, as a driver gets it: `[@object] operation words…`.
package struct Request {
    /// The object that is asked; `standard` where none is named.
    package let object: String
    /// What is asked.
    package let operation: String
    /// The rest of the line.
    private var reader: WireReader

    /// Reads a line.
    package init(_ line: String) throws {
        var reader = WireReader(line)
        var word = try reader.word()
        if word.hasPrefix("@") {
            object = String(word.dropFirst())
            word = try reader.word()
        } else {
            object = "standard"
        }
        operation = word
        self.reader = reader
    }

    /// The next word.
    package mutating func word() throws -> String {
        try reader.word()
    }

    /// The next text.
    package mutating func text() throws -> String {
        guard case .string(let text) = try reader.value() else {
            throw WireReader.Mistake(description: "A text is expected.")
        }
        return text
    }

    /// The next value.
    package mutating func value() throws -> Wire {
        try reader.value()
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool {
        mutating get { reader.isAtEnd }
    }

    /// The next value as Foundation has it; behind `~` of mutable classes all the way down, and kept for `mutate`.
    package mutating func argument() throws -> Any? {
        if reader.take("~") { return MutableValue.make(try reader.value()) }
        let value = try reader.value()
        return value == .nothing ? nil : value.foundation
    }

    /// The next value as a dictionary.
    package mutating func dictionary() throws -> [String: Any] {
        guard let values = try argument() as? [String: Any] else {
            throw WireReader.Mistake(description: "A dictionary is expected.")
        }
        return values
    }

    /// The rest of the line as a request of its own.
    mutating func nested() throws -> (Request, String) {
        let rest = reader.rest
        return (try Request("@\(object) \(rest)"), rest)
    }
}
