/// The elements of an XML property list.
enum XMLElement: String {
    /// The root.
    case plist
    /// A dictionary.
    case dict
    /// The name of the next value of a dictionary.
    case key
    /// An array.
    case array
    /// Text.
    case string
    /// A whole number.
    case integer
    /// A floating-point number.
    case real
    /// Yes.
    case `true`
    /// No.
    case `false`
    /// A point in time.
    case date
    /// Bytes in base64.
    case data

    /// The element of a name, or `nil` if property lists have none of that name.
    init?(name: ArraySlice<UInt8>) {
        let candidates: [XMLElement]
        switch name.first {
        case UInt8(ascii: "k"): candidates = [.key]
        case UInt8(ascii: "s"): candidates = [.string]
        case UInt8(ascii: "i"): candidates = [.integer]
        case UInt8(ascii: "d"): candidates = [.dict, .data, .date]
        case UInt8(ascii: "r"): candidates = [.real]
        case UInt8(ascii: "a"): candidates = [.array]
        case UInt8(ascii: "t"): candidates = [.true]
        case UInt8(ascii: "f"): candidates = [.false]
        case UInt8(ascii: "p"): candidates = [.plist]
        default: candidates = []
        }
        for candidate in candidates where name.elementsEqual(candidate.rawValue.utf8) {
            self = candidate
            return
        }
        return nil
    }

    /// A hint for an element that property lists do not have, with the words before it; `nil` if there is none.
    static func hint(for name: String) -> String? {
        let lower = name.lowercased()
        if let element = XMLElement(rawValue: lower) { return "it is written \(element.tag)" }
        switch lower {
        case "bool", "boolean", "yes", "no", "on", "off": return "a boolean is <true/> or <false/>"
        case "int", "long", "uint": return "a whole number is an <integer>"
        case "float", "double", "number": return "a number is an <integer> or a <real>"
        case "str", "text", "url": return "text is a <string>"
        case "dictionary", "object", "map": return "a dictionary is a <dict>"
        case "list": return "a list is an <array>"
        case "null", "nil": return "what has no value is left out with its <key>"
        default: return nil
        }
    }

    /// The element's opening tag, for messages.
    var tag: String { "<\(rawValue)>" }

    /// The element's closing tag, for messages.
    var closingTag: String { "</\(rawValue)>" }
}

/// The elements around the values of an XML property list.
enum XMLFrame: Hashable {
    /// `<plist>`, as required.
    case propertyList
    /// Nothing: the root value is the outermost element. Only in a tolerant reading.
    case bare
    /// Not even `<dict>`: keys and values follow each other. Only in a tolerant reading.
    case fragment
}
