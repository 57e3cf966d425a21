import Platform
import Preferences

extension Failure {
    /// A system call that failed.
    static func of(_ error: SystemError) -> Failure {
        let text = error.description
        return Failure(code: .inputOutput, message: text.prefix(1).uppercased() + text.dropFirst() + ".")
    }

    /// A domain that could not be read or written.
    static func of(_ error: PreferencesError) -> Failure {
        Failure(code: error.isBadInput ? .badInput : .inputOutput, message: error.description)
    }
}
