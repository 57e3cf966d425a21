import MDPolicyModel
import MDPropertyList

/// What one key of the common domain means to programs.
struct CommonSetting: Sendable {
    /// The type of its values.
    let type: ValueType
    /// What it becomes, by the programs' domains: the keys in order.
    var programs: [Key: [(key: Key, template: SettingTemplate)]] = [:]

    init(type: ValueType) { self.type = type }

    /// The keys that it is about, by domain in byte order.
    var keys: [(domain: Key, key: Key, template: SettingTemplate)] {
        programs.sorted { $0.key < $1.key }.flatMap { domain, keys in keys.map { (domain, $0.key, $0.template) } }
    }

    /// Why a value means nothing, as a clause without the value itself, which may be secret; `nil` if it may have a
    /// meaning.
    func objection(to value: Value, hasVariables: Bool) -> String? {
        guard type.fits(value) else { return "this setting is \(type.noun), and here it is \(value.typeName)" }
        // The value of a variable is not known here.
        if hasVariables { return nil }
        var words: [[Key]: Set<Key>] = [:]
        var anything: Set<[Key]> = []
        for item in keys { item.template.gather(&words, anything: &anything) }
        for (path, known) in words where !anything.contains(path) {
            // A truth value is no misspelt word, whether a program distinguishes it or not.
            guard let member = SettingTemplate.member(path, of: value), member.typeName != Value.boolean(true).typeName,
                let word = SettingTemplate.text(member), !known.contains(Key(word))
            else { continue }
            let name = path.isEmpty ? "the value" : path.map { $0.string }.joined(separator: ".")
            return "\(name) is none of \(known.sorted().map { $0.string }.joined(separator: ", "))"
        }
        return nil
    }

    /// The types of values; the raw value is the word in a file.
    enum ValueType: String {
        case boolean, integer, string, strings, dictionary, dictionaries

        /// Whether a value is of the type.
        func fits(_ value: Value) -> Bool {
            switch (self, value) {
            case (.boolean, .boolean), (.integer, .integer), (.string, .string), (.dictionary, .dictionary): true
            case (.strings, .array(let elements)): elements.allSatisfy(ValueType.string.fits)
            case (.dictionaries, .array(let elements)): elements.allSatisfy(ValueType.dictionary.fits)
            default: false
            }
        }

        /// What a value has to be, for people.
        var noun: String {
            switch self {
            case .boolean: "a boolean"
            case .integer: "an integer"
            case .string: "a string"
            case .strings: "an array of strings"
            case .dictionary: "a dictionary"
            case .dictionaries: "an array of dictionaries"
            }
        }
    }
}
