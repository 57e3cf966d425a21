import PropertyList

/// What a decoder reads: a value, or a search list whose keys are looked up one by one.
enum DecodedContent {
    /// A value.
    case value(PropertyList.Value)
    /// No value, where a type asked for what may be missing.
    case nothing
    /// A search list.
    case lookups(any DecodedLookups)

    /// The name of the type, for messages.
    var typeName: String {
        switch self {
        case .value(let value): value.typeName
        case .nothing: "no value"
        case .lookups: "dictionary"
        }
    }
}

/// The entries of a dictionary that is not one value.
protocol DecodedLookups {
    /// The value of a key.
    func value(of key: String) -> PropertyList.Value?
    /// Every key that has a value.
    var keys: [String] { get }
}

/// A dictionary whose entries are decoded.
struct DictionaryLookups: DecodedLookups {
    /// The entries.
    let entries: [PropertyList.Key: PropertyList.Value]

    /// The value of a key, byte for byte.
    func value(of key: String) -> PropertyList.Value? { entries[PropertyList.Key(key)] }
    /// Every key, in byte order.
    var keys: [String] { entries.keys.sorted().map(\.string) }
}
