import MDPlatform

/// Writes XML, element after element, indented.
struct XMLText {
    private(set) var text: String
    private var open: [String]

    /// Begins a document.
    init() { (text, open) = ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", []) }

    /// Begins a part of a document inside so many elements.
    init(within depth: Int) { (text, open) = ("", [String](repeating: "", count: depth)) }

    /// Opens an element.
    mutating func begin(_ name: String, _ attributes: [(String, String)] = []) {
        start(name, attributes)
        text += ">\n"
        open.append(name)
    }

    /// Closes the innermost element.
    mutating func end() {
        guard let name = open.popLast() else { return }
        indent()
        text += "</\(name)>\n"
    }

    /// The text so far, which is then forgotten; elements stay open.
    mutating func take() -> [UInt8] {
        defer { text = "" }
        return Array(text.utf8)
    }

    /// Adds an element with text, or without content if the text is empty.
    mutating func element(_ name: String, _ attributes: [(String, String)] = [], _ content: String = "") {
        start(name, attributes)
        text += content.isEmpty ? "/>\n" : ">\(XMLText.escape(content))</\(name)>\n"
    }

    private mutating func start(_ name: String, _ attributes: [(String, String)]) {
        indent()
        text += "<\(name)"
        for (name, value) in attributes { text += " \(name)=\"\(XMLText.escape(value))\"" }
    }

    private mutating func indent() {
        text += String(repeating: " ", count: 2 * open.count)
    }

    /// Escapes text; control characters, which XML cannot hold, are made visible.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in Printable.escape(text).unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
