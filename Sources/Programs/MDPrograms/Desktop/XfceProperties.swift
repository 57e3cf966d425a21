import MDPropertyList

/// The properties of one of Xfce's channels, as elements in elements.
///
/// xfconf 4.18 loses its place behind a name with a slash in it, so each part of a path is an element of its own.
struct XfceProperties {
    /// One element.
    private struct Element {
        var type = "empty"
        /// The attribute of a single value.
        var value: String?
        /// The elements of an array.
        var elements: [String] = []
        var isLocked = false
        /// The elements within, by name.
        var children: [Key: Element] = [:]
    }

    private var top = Element()
    private let isSealed: Bool

    init(isSealed: Bool) { self.isSealed = isSealed }

    var isEmpty: Bool { top.children.isEmpty && !isSealed }

    /// Adds what an entry becomes.
    ///
    /// - Returns: what cannot be said, as a clause after the program's name; `nil` if the entry was added.
    mutating func add(_ entry: ProgramEntry) -> String? {
        let names = SlashPath(entry.key).names
        guard names.allSatisfy(XfceProperties.isName) else {
            return "has keys as general/theme: names of ASCII letters, digits and -_:.,[]{}<>| between single slashes"
        }
        var element = Element()
        element.isLocked = entry.level.isLocking
        switch entry.level {
        case .forced(let value), .recommended(let value):
            if case .array(let values) = value {
                // Seen in xfconf 4.18: the service stops reading the user's file at the first element of such an array.
                if element.isLocked, !isSealed {
                    return
                        "cannot lock an array: it would forget what follows it in the user's file; seal the domain, or"
                        + " recommend it"
                }
                let texts = values.compactMap(XfceProperties.attributes)
                guard texts.count == values.count else { return "has no arrays of such values" }
                (element.type, element.elements) = ("array", texts)
            } else {
                guard let text = XfceProperties.attributes(value) else {
                    return "has no such value; a number of another type is written as {\"uint\": 1}"
                }
                element.value = text
            }
        case .absent: break
        default: return entry.level.unsupported
        }
        XfceProperties.put(element, at: names[...], in: &top)
        return nil
    }

    /// Puts an element at a path, and keeps those within an element that is there.
    private static func put(_ element: Element, at path: ArraySlice<String>, in parent: inout Element) {
        guard let name = path.first else {
            let children = parent.children
            parent = element
            parent.children = children
            return
        }
        put(element, at: path.dropFirst(), in: &parent.children[Key(name), default: Element()])
    }

    /// The tags before the properties of a file that has no others.
    func opening(_ channel: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<channel name=\"\(channel)\" version=\"1.0\""
            + (isSealed ? XfceProperties.lock : "") + ">\n"
    }

    /// The lines of the properties.
    var lines: [String] { XfceProperties.lines(of: top, indent: "  ") }

    /// The attribute that locks: xfconf has no word for all users, so it is for all but one.
    private static let lock = " unlocked=\"root\""

    private static func lines(of parent: Element, indent: String) -> [String] {
        parent.children.sorted { $0.key < $1.key }.flatMap { name, element in
            let name = XMLEscape.attribute(name.string) ?? ""
            let head =
                "\(indent)<property name=\"\(name)\" \(element.value ?? "type=\"\(element.type)\"")"
                + (element.isLocked ? lock : "")
            let inner =
                element.elements.map { "\(indent)  <value \($0)/>" } + lines(of: element, indent: indent + "  ")
            return inner.isEmpty ? [head + "/>"] : [head + ">"] + inner + ["\(indent)</property>"]
        }
    }

    /// The attributes of a single value; `nil` if it has no form.
    private static func attributes(_ value: Value) -> String? {
        if case .dictionary(let members) = value {
            guard let (type, number) = members.first, members.count == 1, fits(number, type) else { return nil }
            return scalar(number).map { "type=\"\(type.string)\" value=\"\($0)\"" }
        }
        let type: String
        switch value {
        case .string: type = "string"
        case .boolean: type = "bool"
        case .integer(let number): type = number.int64.flatMap { Int32(exactly: $0) } == nil ? "int64" : "int"
        case .real: type = "double"
        default: return nil
        }
        return scalar(value).map { "type=\"\(type)\" value=\"\($0)\"" }
    }

    /// Whether a number fits one of xfconf's types.
    private static func fits(_ value: Value, _ type: Key) -> Bool {
        if case .real = value { return type == "float" || type == "double" }
        guard case .integer(let number) = value else { return false }
        let (signed, unsigned) = (number.int64, number.uint64)
        return switch type {
        case "uchar": unsigned.flatMap { UInt8(exactly: $0) } != nil
        case "char": signed.flatMap { Int8(exactly: $0) } != nil
        case "uint16": unsigned.flatMap { UInt16(exactly: $0) } != nil
        case "int16": signed.flatMap { Int16(exactly: $0) } != nil
        case "uint": unsigned.flatMap { UInt32(exactly: $0) } != nil
        case "int": signed.flatMap { Int32(exactly: $0) } != nil
        case "uint64": unsigned != nil
        case "int64": signed != nil
        case "float", "double": true
        default: false
        }
    }

    /// The text of a single value in an attribute.
    private static func scalar(_ value: Value) -> String? {
        switch value {
        case .string(let text): XMLEscape.attribute(text)
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .integer(let number): number.description
        case .real(let number): number.isFinite ? "\(number)" : nil
        default: nil
        }
    }

    /// Whether a text is a name in a path; xfconf has the same letters for the names of channels, but for angle brackets.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
                    || "_-:.,[]{}<>|".utf8.contains(byte)
            }
    }

    /// What keeps the lines behind those of others from counting, or takes something from others, as a clause.
    ///
    /// - Parameters:
    ///   - bytes: the file, with ours in it or not.
    ///   - keys: the keys that policy lists.
    /// - Returns: `nil` if nothing does.
    static func objection(toForeign bytes: [UInt8], beside keys: [Key]) -> String? {
        var ancestors: Set<[String]> = []
        for key in keys {
            let names = SlashPath(key).names
            for count in 1..<max(names.count, 1) { ancestors.insert(Array(names[..<count])) }
        }
        for key in keys { ancestors.remove(SlashPath(key).names) }
        let mistake = "others have a mistake in it, and xfconfd reads nothing behind that"
        let foreign = ChannelFile.withoutPolicy(bytes)
        var (tags, open, path): (XMLTags, [Substring], [String]) = (XMLTags(foreign), [], [])
        while let tag = tags.next() {
            if tag.isEnd {
                guard open.popLast() == tag.name else { return mistake }
                if tag.name == "property" { path.removeLast() }
                continue
            }
            let isRoot = open.isEmpty
            guard isRoot == (tag.name == "channel"), isRoot || tag.name == "property" || tag.name == "value" else {
                return mistake
            }
            if tag.name == "property" {
                path.append(tag.attribute("name").map { String($0) } ?? "")
                if tag.attribute("type") != "empty", ancestors.contains(path) {
                    return "the property /\(path.joined(separator: "/")) of others loses its value, because policy has"
                        + " properties within it"
                }
                if tag.isEmpty { path.removeLast() }
            }
            if !tag.isEmpty { open.append(tag.name) }
        }
        return open.isEmpty ? nil : mistake
    }
}
