import Platform
import PropertyList

/// The words behind KEY of `write`: a type and values, or a property list.
struct ValueWords {
    /// What is to be done with the key.
    enum Request {
        /// Gives it a value.
        case set(Value)
        /// Puts elements behind those of an array.
        case append([Value])
        /// Puts entries into a dictionary.
        case merge([Key: Value])
    }

    /// The verb whose usage a mistake shows.
    private let verb: any Verb.Type
    /// Whether values without a type's flag are JSON.
    private let isJSON: Bool

    /// Makes a reader for the words of a verb.
    init(of verb: any Verb.Type, isJSON: Bool) {
        self.verb = verb
        self.isJSON = isJSON
    }

    /// Reads all words that are left.
    ///
    /// - Throws: exit 2 for words that are missing or too many, exit 5 for a value that is none.
    func read(_ words: inout Words) throws(Failure) -> Request {
        let first = try words.next("A value")
        switch first {
        case "-array": return .set(.array(try elements(&words)))
        case "-array-add": return .append(try elements(&words))
        case "-dict": return .set(.dictionary(try entries(&words)))
        case "-dict-add": return .merge(try entries(&words))
        default:
            let value = try element(first, &words, isJSON: isJSON)
            try words.endUnchanged()
            return .set(value)
        }
    }

    /// The elements of an array.
    private func elements(_ words: inout Words) throws(Failure) -> [Value] {
        var result: [Value] = []
        while let word = words.next() { result.append(try element(word, &words, isJSON: isJSON)) }
        return result
    }

    /// The entries of a dictionary; of a key that stands twice the last counts.
    private func entries(_ words: inout Words) throws(Failure) -> [Key: Value] {
        var result: [Key: Value] = [:]
        while let word = words.next() {
            guard case .string(let name) = try element(word, &words, isJSON: false) else {
                throw Failure(code: .badInput, message: "Dictionary keys must be strings")
            }
            guard let value = words.next() else {
                throw Failure(
                    code: .badInput, message: "Key \(Printable.escape(name)) lacks a corresponding value",
                    withoutValue: "A key lacks a corresponding value")
            }
            result[Key(name)] = try element(value, &words, isJSON: isJSON)
        }
        return result
    }

    /// The flags of arrays and dictionaries.
    private static let composites: Set<String> = ["-array", "-array-add", "-dict", "-dict-add"]

    /// One value: a type's flag with the word behind it, or a property list.
    private func element(_ word: String, _ words: inout Words, isJSON: Bool) throws(Failure) -> Value {
        if ValueWords.composites.contains(word) {
            throw .usage("Cannot nest composite types (arrays and dictionaries); exiting", of: verb)
        }
        guard let type = ScalarType(flag: word) else {
            return isJSON ? try PropertyListWord.json(word) : try PropertyListWord.value(of: word)
        }
        return try type.value(of: try words.next("The value behind \(word)"))
    }
}
