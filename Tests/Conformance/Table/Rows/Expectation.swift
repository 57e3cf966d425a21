/// What must be seen after a step.
package enum Expectation: Sendable {
    /// Whatever is answered, as long as it was done.
    case done
    /// A value, equal as NSObject has it.
    case equal(Wire)
    /// A value of the same kind and content.
    case exactly(Wire)
    /// A value other than this.
    case different(Wire)
    /// A dictionary or list with these in it.
    case containing(Wire)
    /// A dictionary or list without these names.
    case lacking(Wire)
    /// A list with at least one of these in it.
    case sharing(Wire)
    /// A list with this at its end.
    case ending(Wire)
    /// The documented exception; where there are no exceptions, a refusal that says why.
    case raised

    /// Reads what follows the request of a line.
    init(_ reader: inout WireReader) throws {
        let rest = reader.rest
        var ahead = WireReader(rest)
        switch try ahead.word() {
        case "raises": self = .raised
        case "exactly": self = .exactly(try ahead.value())
        case "not": self = .different(try ahead.value())
        case "has": self = .containing(try ahead.value())
        case "lacks": self = .lacking(try ahead.value())
        case "ends": self = .ending(try ahead.value())
        case "shares": self = .sharing(try ahead.value())
        default:
            ahead = WireReader(rest)
            self = .equal(try ahead.value())
        }
        if !ahead.isAtEnd { throw WireReader.Mistake(description: "\(ahead.rest) is too much.") }
    }

    /// Whether an answer is what must be seen.
    package func accepts(_ answer: Answer) -> Bool {
        switch (self, answer) {
        case (.done, .value), (.done, .done), (.raised, .raised): true
        case (.equal(let expected), .value(let value)): value.matches(expected)
        case (.exactly(let expected), .value(let value)): value == expected
        case (.different(let other), .value(let value)): !value.matches(other)
        case (.containing(let part), .value(let value)): value.contains(part)
        case (.lacking(let names), .value(let value)): value.lacks(names)
        case (.ending(let last), .value(.array(let values))): values.last?.matches(last) ?? false
        case (.sharing(.array(let values)), .value(let value)): values.contains { value.contains(.array([$0])) }
        default: false
        }
    }
}
