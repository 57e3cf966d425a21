package import PropertyList

/// The type that a manifest asks of a value; the raw value is the word of `pfm_type`.
package enum ManifestType: String, Hashable, Sendable {
    /// Text.
    case string
    /// Text that is a URL.
    case url
    /// Yes or no.
    case boolean
    /// A whole number.
    case integer
    /// A number.
    case real
    /// A point in time.
    case date
    /// Bytes.
    case data
    /// A list.
    case array
    /// Keys and values.
    case dictionary

    /// The type of a word; `nil` for one that asks for nothing known.
    init?(word: String) {
        switch word {
        case "bool": self = .boolean
        case "float", "number": self = .real
        case "int": self = .integer
        default: self.init(rawValue: word)
        }
    }

    /// Whether a word of `pfm_type` asks for no type of a value: Apple's format has these beside the types.
    static func isFree(_ word: String) -> Bool { ["", "any", "alias", "union policy"].contains(word) }

    /// The type with its article.
    package var words: String {
        switch self {
        case .integer, .array: "an \(rawValue)"
        case .url: "a URL as a string"
        case .data: "data"
        default: "a \(rawValue)"
        }
    }

    /// Whether a value has the type; a whole number is also a number.
    package func fits(_ value: Value) -> Bool {
        switch (self, value) {
        case (.string, .string), (.url, .string), (.boolean, .boolean), (.integer, .integer), (.real, .real),
            (.real, .integer), (.date, .date), (.data, .data), (.array, .array), (.dictionary, .dictionary):
            true
        default: false
        }
    }
}
