import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPreferences
import MDPropertyList

/// The arguments behind KEY of `write`: a type and values, or a property list.
struct ValueArguments {
    /// The change that they request.
    enum Request {
        /// Sets the value.
        case set(Value)
        /// Appends elements to an array.
        case append([Value])
        /// Merges entries into a dictionary.
        case merge([Key: Value])
    }

    /// The verb whose usage an error prints.
    private let verb: any Verb.Type
    /// Whether values without a type's flag are JSON.
    private let isJSON: Bool
    /// The machine whose time zone a date without zone is in.
    private let root: Root

    /// Makes a reader for the arguments of a verb.
    init(of verb: any Verb.Type, isJSON: Bool, root: Root) {
        self.verb = verb
        self.isJSON = isJSON
        self.root = root
    }

    /// Reads all remaining arguments.
    ///
    /// - Throws: exit 2 for missing or surplus arguments, exit 5 for an invalid value.
    func read(_ arguments: inout Arguments) throws(Failure) -> Request {
        let first = try arguments.next("A value")
        switch first {
        case "-array": return .set(.array(try elements(&arguments)))
        case "-array-add": return .append(try elements(&arguments))
        case "-dict": return .set(.dictionary(try entries(&arguments)))
        case "-dict-add": return .merge(try entries(&arguments))
        default:
            let value = try element(first, &arguments, isJSON: isJSON)
            try arguments.requireEndUnchanged()
            return .set(value)
        }
    }

    /// Reads the elements of an array.
    private func elements(_ arguments: inout Arguments) throws(Failure) -> [Value] {
        var result: [Value] = []
        while let word = arguments.next() { result.append(try element(word, &arguments, isJSON: isJSON)) }
        return result
    }

    /// Reads the entries of a dictionary; the last one of a duplicate key wins.
    private func entries(_ arguments: inout Arguments) throws(Failure) -> [Key: Value] {
        var result: [Key: Value] = [:]
        while let word = arguments.next() {
            guard case .string(let name) = try element(word, &arguments, isJSON: false) else {
                throw Failure(code: .badInput, message: "Dictionary keys must be strings")
            }
            guard let value = arguments.next() else {
                throw Failure(
                    code: .badInput, message: "Key \(Printable.escape(name)) lacks a corresponding value",
                    withoutValue: "A key lacks a corresponding value")
            }
            result[Key(name)] = try element(value, &arguments, isJSON: isJSON)
        }
        return result
    }

    /// The flags of arrays and dictionaries.
    private static let composites: Set<String> = ["-array", "-array-add", "-dict", "-dict-add"]

    /// Reads one value: a type's flag with the argument behind it, or a property list.
    private func element(_ word: String, _ arguments: inout Arguments, isJSON: Bool) throws(Failure) -> Value {
        if ValueArguments.composites.contains(word) {
            throw .usage("Cannot nest composite types (arrays and dictionaries); exiting", of: verb)
        }
        guard let type = ScalarType(flag: word) else {
            return isJSON ? try PropertyListArgument.json(word) : try PropertyListArgument.value(of: word)
        }
        return try type.value(of: try arguments.next("The value behind \(word)"), root)
    }
}

/// Omits values that were typed for sensitive keys from messages, because logs and terminals retain them.
enum SensitiveArguments {
    /// Reads arguments as a value.
    ///
    /// - Parameters:
    ///   - key: the key of the value; `nil` for a whole domain.
    ///   - place: the domain or file.
    ///   - context: the machine.
    ///   - read: reads the arguments.
    /// - Returns: what `read` returned.
    /// - Throws: what `read` threw, without the value if the key is sensitive.
    static func read<Result>(
        _ key: Key?, in place: DomainArgument, _ context: Context, _ read: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        do throws(Failure) {
            return try read()
        } catch {
            guard case .domain(let domain, _, let account) = place else { throw error }
            throw failure(error, of: key, in: domain, account, context)
        }
    }

    /// A failure without the value that was typed, if the key is sensitive.
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
            // If that is unknown, it may be.
            isSensitive = true
        }
        guard isSensitive else { return failure }
        return Failure(code: failure.code, message: message, usage: failure.usage, isPlain: failure.isPlain)
    }
}
