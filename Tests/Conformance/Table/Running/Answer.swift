/// What a driver answers to one step.
package enum Answer: Sendable, CustomStringConvertible {
    /// A value, or none.
    case value(Wire)
    /// It was done; the word says more where there is more to say.
    case done(String)
    /// The subject raised an exception, or refused with a reason.
    case raised(String)
    /// The subject has no such member.
    case missing(String)
    /// The subject's process ended or hung; or the step is wrong.
    case failed(String)

    /// The line as a driver prints it.
    package var description: String {
        switch self {
        case .value(let value): "= \(value)"
        case .done(let word): word.isEmpty ? "done" : "done \(word)"
        case .raised(let reason): "raised \(Answer.line(reason))"
        case .missing(let name): "missing \(Answer.line(name))"
        case .failed(let reason): "failed \(Answer.line(reason))"
        }
    }

    /// Reads a line that a driver printed.
    package init(line: String) {
        var reader = WireReader(line)
        guard let word = try? reader.word() else {
            self = .failed("The driver printed an empty line.")
            return
        }
        switch word {
        case "=":
            do { self = .value(try reader.value()) } catch {
                self = .failed("The answer \(line) cannot be read: \(error)")
            }
        case "done": self = .done(reader.rest)
        case "raised": self = .raised(reader.rest)
        case "missing": self = .missing(reader.rest)
        default: self = .failed(word == "failed" ? reader.rest : line)
        }
    }

    /// Text without line ends.
    private static func line(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
