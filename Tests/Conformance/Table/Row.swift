/// One row of the table: what a sentence of the documents says, and how that is seen.
package struct Row: Sendable {
    /// The row's name, unique in the table.
    package let id: String
    /// The group, named after the file.
    package let group: String
    /// The place of the sentence, such as `001:33`, and its first words.
    package var place = ""
    /// What the sentence says, in our words.
    package var statement = ""
    /// The decision if the documents disagree; empty if they agree.
    package var decision = ""
    /// The command line behind the program's name.
    package var arguments: [String] = []
    /// Preference files of the home before the start.
    package var files: [PreparedFile] = []
    /// Policy files of the machine; none if nothing is managed.
    package var policies: [String] = []
    /// Whether the row runs on a machine in a folder, if the subject supports that.
    package var isMachine = false
    /// Whether the row runs as somebody who is not root.
    package var isUnprivileged = false
    /// How long the row waits for something that a subject does by itself, in seconds; `nil` is the common limit.
    package var patience: Double?
    /// The subjects that the row is for, with the reason if it is not for all.
    package var only: Set<Subject> = Set(Subject.allCases)
    /// The row whose preparation and steps this one has; empty if it has its own.
    package var model = ""
    /// What is done and seen, in order.
    package var steps: [Step] = []

    /// Makes a row without content.
    init(id: String, group: String) {
        self.id = id
        self.group = group
    }
}

/// One line of a row: what a subject is asked to do, and what must be seen.
package struct Step: Sendable {
    /// The process that does it; the first is `A`.
    package let process: String
    /// Whether the step is repeated until it passes.
    package let isAwaited: Bool
    /// What is asked, with words and values in the order of the line.
    package let request: String
    /// What must be seen.
    package let expectation: Expectation
    /// The line in its file.
    package let line: Int
}

/// A preference file that is there before the program starts.
package struct PreparedFile: Sendable {
    /// The domain.
    package let domain: String
    /// Its owner and its place.
    package let kind: Kind
    /// What is in it.
    package let content: Wire

    /// The owner of a file and its place.
    package enum Kind: String, Sendable {
        /// The user's, on every host.
        case user = "file"
        /// The user's, on this host.
        case host = "host-file"
        /// Another user's.
        case other = "other-file"
    }
}

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
    /// The documented exception; or a refusal with its reason.
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
