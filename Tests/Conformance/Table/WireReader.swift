/// Reads words and values from one line of a row, or from a driver's answer.
package struct WireReader {
    /// What could not be read.
    package struct Mistake: Error, CustomStringConvertible {
        /// A sentence.
        package let description: String

        /// Says what it is.
        package init(description: String) {
            self.description = description
        }
    }

    /// The line.
    private let text: [Unicode.Scalar]
    /// The next place to look at.
    private var index = 0

    /// Prepares to read a line.
    package init(_ line: some StringProtocol) {
        text = Array(line.unicodeScalars)
    }

    /// Whether nothing but blanks is left.
    package var isAtEnd: Bool {
        mutating get {
            skipBlanks()
            return index >= text.count
        }
    }

    /// What is left, without the blanks in front of it.
    package var rest: String {
        mutating get {
            skipBlanks()
            var result = String.UnicodeScalarView()
            result.append(contentsOf: text[min(index, text.count)...])
            return String(result)
        }
    }

    /// The next word: everything up to a blank.
    package mutating func word() throws -> String {
        skipBlanks()
        var result = String.UnicodeScalarView()
        while index < text.count, !isBlank(text[index]) {
            result.append(text[index])
            index += 1
        }
        guard !result.isEmpty else { throw Mistake(description: "A word is missing.") }
        return String(result)
    }

    /// Reads a character if it is the next one.
    package mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        skipBlanks()
        guard index < text.count, text[index] == scalar else { return false }
        index += 1
        return true
    }

    /// The next value.
    package mutating func value() throws -> Wire {
        skipBlanks()
        guard index < text.count else { throw Mistake(description: "A value is missing.") }
        switch text[index] {
        case "\"": return .string(try string())
        case "<": return .data(try bytes())
        case "[": return .array(try array())
        case "{": return .dictionary(try dictionary())
        case "@":
            index += 1
            guard let seconds = Double(bare()) else { throw Mistake(description: "A date has no number.") }
            return .date(seconds)
        case "?":
            index += 1
            return .foreign(bare())
        default: return try scalar(bare())
        }
    }

    /// A value without quotation marks or brackets.
    private func scalar(_ word: String) throws -> Wire {
        switch word {
        case "nil": return .nothing
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "nan": return .real(.nan)
        case "inf": return .real(.infinity)
        case "-inf": return .real(-.infinity)
        default:
            if let number = Int128(word) { return .integer(number) }
            if let number = Double(word) { return .real(number) }
            throw Mistake(description: "\(word) is no value.")
        }
    }

    /// Everything up to a blank or a mark between values.
    private mutating func bare() -> String {
        var result = String.UnicodeScalarView()
        while index < text.count, !isBlank(text[index]), !",]}:".unicodeScalars.contains(text[index]) {
            result.append(text[index])
            index += 1
        }
        return String(result)
    }

    /// Text between quotation marks.
    private mutating func string() throws -> String {
        index += 1
        var result = String.UnicodeScalarView()
        while index < text.count, text[index] != "\"" {
            if text[index] == "\\", index + 1 < text.count {
                index += 1
                result.append(try escaped())
            } else {
                result.append(text[index])
            }
            index += 1
        }
        guard index < text.count else { throw Mistake(description: "A quotation mark is missing.") }
        index += 1
        return String(result)
    }

    /// The character behind a backslash.
    private mutating func escaped() throws -> Unicode.Scalar {
        switch text[index] {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "u":
            guard index + 4 < text.count,
                let number = UInt32(String(String.UnicodeScalarView(text[(index + 1)...(index + 4)])), radix: 16),
                let scalar = Unicode.Scalar(number)
            else { throw Mistake(description: "\\u needs four digits.") }
            index += 4
            return scalar
        case let other: return other
        }
    }

    /// Bytes between angle brackets.
    private mutating func bytes() throws -> [UInt8] {
        index += 1
        var digits: [UInt8] = []
        while index < text.count, text[index] != ">" {
            guard let digit = UInt8(String(text[index]), radix: 16) else {
                throw Mistake(description: "Data is written in hexadecimal digits.")
            }
            digits.append(digit)
            index += 1
        }
        guard index < text.count, digits.count.isMultiple(of: 2) else {
            throw Mistake(description: "Data does not end.")
        }
        index += 1
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Values between square brackets.
    private mutating func array() throws -> [Wire] {
        index += 1
        var result: [Wire] = []
        while !take("]") {
            guard result.isEmpty || take(",") else { throw Mistake(description: "A comma is missing.") }
            result.append(try value())
        }
        return result
    }

    /// Keys and values between braces.
    private mutating func dictionary() throws -> [String: Wire] {
        index += 1
        var result: [String: Wire] = [:]
        while !take("}") {
            guard result.isEmpty || take(",") else { throw Mistake(description: "A comma is missing.") }
            guard case .string(let key) = try value(), take(":") else {
                throw Mistake(description: "A key and a colon are missing.")
            }
            result[key] = try value()
        }
        return result
    }

    /// Goes on to the next character that is not a blank.
    private mutating func skipBlanks() {
        while index < text.count, isBlank(text[index]) { index += 1 }
    }

    /// Whether a character separates words.
    private func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t"
    }
}
