import Engine
import Platform
import Policy
import Preferences
import PropertyList

/// Keeps what was typed for a sensitive key out of messages, which end up in logs of scripts and terminals.
enum SensitiveWords {
    /// Reads words as a value.
    ///
    /// - Parameters:
    ///   - key: the key that it is for; `nil` for a whole domain.
    ///   - place: the domain or file.
    ///   - context: the machine.
    ///   - read: reads the words.
    /// - Returns: what `read` returned.
    /// - Throws: what `read` threw, without the value where the key is sensitive.
    static func read<Result>(
        _ key: Key?, in place: DomainPlace, _ context: Context, _ read: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(Failure) {
            return try read()
        } catch {
            guard case .domain(let domain, _, let account) = place else { throw error }
            throw failure(error, of: key, in: domain, account, context)
        }
    }

    /// A failure without the value that was typed, where the key is sensitive.
    static func failure(
        _ failure: Failure, of key: Key?, in domain: Key, _ account: Account, _ context: Context
    ) -> Failure {
        guard let message = failure.withoutValue else { return failure }
        let isSensitive: Bool
        do throws(Failure) {
            let resultant = try context.machine().describedResultant(for: account)
            isSensitive =
                key.map { resultant.isSensitive($0, in: [domain, DomainName.global]) }
                ?? (resultant.metadata[domain]?.values.contains(where: \.isSensitive) ?? false)
        } catch {
            // Where nobody can tell, it may be.
            isSensitive = true
        }
        guard isSensitive else { return failure }
        return Failure(code: failure.code, message: message, usage: failure.usage, isPlain: failure.isPlain)
    }
}
