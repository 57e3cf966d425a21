import Engine
import Platform
import Preferences
import PropertyList

extension Failure {
    /// An edit that changed nothing, in the words of Apple's tool where it has some.
    ///
    /// - Parameters:
    ///   - error: what stood against it.
    ///   - edit: the edit.
    ///   - shown: the domain or file, escaped.
    /// - Returns: the failure with its exit code.
    static func of(_ error: DomainEditError, of edit: DomainEdit, in shown: String) -> Failure {
        switch error {
        case .missingKey(let key):
            let name = Printable.escape(key.string)
            if case .rename = edit {
                return Failure(
                    code: .no, message: "Key \(name) does not exist in domain \(shown); leaving defaults unchanged")
            }
            // Apple's tool says the same whether the domain or the key is missing; the first line says which.
            return Failure(
                code: .no,
                message: "\(shown) has no key \(name) stored.\n"
                    + "Domain (\(shown)) not found.\nDefaults have not been changed.")
        case .missingDomain:
            return Failure(
                code: .no, message: "Domain (\(shown)) not found.\nDefaults have not been changed.", isPlain: true)
        case .notArray(let key):
            return Failure(
                code: .badInput,
                message: "Value for key \(Printable.escape(key.string)) is not an array; cannot append.  "
                    + "Leaving defaults unchanged.")
        case .notDictionary(let key):
            return Failure(
                code: .badInput,
                message: "Value for key \(Printable.escape(key.string)) is not a dictionary; cannot append.  "
                    + "Leaving defaults unchanged.")
        case .emptyKey:
            return Failure(
                code: .badInput,
                message: "A key is empty, and no policy could name it.  Leaving defaults unchanged.")
        case .unknownPolicy(let reason, _):
            return Failure(code: .inputOutput, message: PolicyMachine.sentence(ofUncertainty: reason))
        case .storage(let error): return unwritten(.of(error), shown)
        }
    }

    /// A failure to write, with Apple's line about it behind the reason; a file that does not parse is another matter.
    static func unwritten(_ failure: Failure, _ shown: String) -> Failure {
        guard failure.code == .inputOutput else { return failure }
        return Failure(code: failure.code, message: "\(failure.message)\nCould not write domain \(shown); exiting")
    }
}
