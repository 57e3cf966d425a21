import PropertyList

extension Value {
    /// The type with its article, as people are told it.
    var noun: String {
        switch self {
        case .string: "a string"
        case .boolean: "a boolean"
        case .integer: "an integer"
        case .real: "a real"
        case .date: "a date"
        case .data: "data"
        case .array: "an array"
        case .dictionary: "a dictionary"
        }
    }
}

extension Node {
    /// The type of what it holds with its article.
    var noun: String {
        switch content {
        case .array: Value.array([]).noun
        case .dictionary: Value.dictionary([:]).noun
        case .scalar(let value): value.noun
        }
    }
}
