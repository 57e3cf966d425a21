/// Why a verb ended without doing what it was asked.
struct Failure: Error {
    /// The exit code.
    let code: ExitCode
    /// Sentences for standard error; empty where everything is said already.
    let message: String
    /// The same without the value that was typed, for a key whose values are shown to nobody; `nil` where the message has
    /// none.
    var withoutValue: String?
    /// The usage lines that help; empty for all but a wrong command line.
    var usage: [String] = []
    /// Whether the message begins its own line, as some of Apple's do, so that scripts find it there.
    var isPlain = false

    /// A wrong command line, answered with a sentence and the verb's usage lines.
    static func usage(_ message: String, of verb: (any Verb.Type)? = nil) -> Failure {
        Failure(code: .usage, message: message, usage: verb?.usage ?? GlobalOptions.usage)
    }

    /// Usage lines as they are shown behind a mistake and at the head of the help.
    static func lines(of usage: [String]) -> [String] {
        usage.enumerated().map { index, line in (index == 0 ? "usage: " : "       ") + shown(line) }
    }

    /// A usage line as it is shown; one that begins with a blank goes on with the line before.
    static func shown(_ line: String) -> String {
        // Behind a single blank stand the program's own options, behind several those of a verb, below its first.
        line.hasPrefix("  ") ? "          \(line)" : line.hasPrefix(" ") ? "         \(line)" : "mdefaults \(line)"
    }
}
