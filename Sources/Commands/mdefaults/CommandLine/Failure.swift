import MDCare
import MDPlatform
import MDPreferences

/// The exit codes of the command line.
enum ExitCode: Int32 {
    /// Done, or the answer is yes.
    case success = 0
    /// The answer is no, not found, or findings.
    case no = 1
    /// The command line is wrong.
    case usage = 2
    /// Not in effect: the key is forced.
    case notInEffect = 3
    /// Could not read or write.
    case inputOutput = 4
    /// A file or value does not parse.
    case badInput = 5
    /// `audit verify`: the log was altered.
    case altered = 10
    /// `audit verify`: the log was truncated or rolled back.
    case truncated = 11
    /// `audit verify`: intact with declared gaps.
    case gaps = 12
    /// `audit verify`: could not check.
    case unchecked = 13
}

/// Why a verb failed: an exit code and the text for standard error.
struct Failure: Error {
    /// The exit code.
    let code: ExitCode
    /// Sentences for standard error; empty if everything was printed before.
    let message: String
    /// The message without the value that was typed, for sensitive keys; `nil` if the message contains no value.
    var withoutValue: String?
    /// The usage lines to print; empty unless the command line is wrong.
    var usage: [String] = []
    /// Whether the message is printed without the prefix `mdefaults:`, because scripts expect Apple's text at the
    /// beginning of a line.
    var isPlain = false

    /// A wrong command line, answered with a sentence and the usage lines of the verb or, without one, of the program.
    static func usage(_ message: String, of verb: (any Verb.Type)? = nil) -> Failure {
        Failure(code: .usage, message: message, usage: verb?.usage ?? GlobalOptions.usage)
    }

    /// A system call that failed.
    static func of(_ error: SystemError) -> Failure {
        let text = error.description
        return Failure(code: .inputOutput, message: text.prefix(1).uppercased() + text.dropFirst() + ".")
    }

    /// A domain that could not be read or written.
    static func of(_ error: PreferencesError) -> Failure {
        Failure(code: error.isBadInput ? .badInput : .inputOutput, message: error.description)
    }

    /// Temporary policy that was not started or ended.
    static func of(_ error: TemporaryPolicyError, _ verb: any Verb.Type) -> Failure {
        switch error.kind {
        case .refused: Failure(code: .no, message: error.message)
        case .usage: .usage(error.message, of: verb)
        case .inputOutput: Failure(code: .inputOutput, message: error.message)
        case .badInput: Failure(code: .badInput, message: error.message)
        }
    }
}
