import MDPlatform
import MDPropertyList

/// What LibreOffice's packages on a machine say of its settings.
struct LibreOfficeSchema: Sendable {
    /// The folder of the registry on Debian.
    static let folder = "/etc/libreoffice/registry"

    /// Reads the schema when it is first needed.
    final class Source: Sendable {
        private let root: Root
        private let known = Guarded<LibreOfficeSchema?>(nil)

        init(_ root: Root) { self.root = root }

        var schema: LibreOfficeSchema {
            known.withLock { known in
                if let known { return known }
                let schema = LibreOfficeSchema(root)
                known = schema
                return schema
            }
        }
    }

    /// What a path leads to.
    enum Place: Equatable {
        /// A setting of this type.
        case property(Property)
        /// No setting.
        case unknown
        /// Something that the schema leaves open, or that is not installed.
        case unchecked
    }

    /// What is known of a setting.
    struct Property: Equatable {
        let type: ValueType
        /// Whether it can be without a value.
        let isNillable: Bool
    }

    /// A node of the schema.
    private struct Node {
        var children: [Key: Int] = [:]
        var property: Property?
        /// The template of the items in a set, or of the node in this place.
        var template: Key?
        /// Whether it is a set: each member is like the template.
        var isSet = false
        /// Whether it can have settings that the schema does not name.
        var isExtensible = false
    }

    private var nodes: [Node] = []
    /// The roots of components.
    private var components: [Key: Int] = [:]
    /// Templates, by component and name.
    private var templates: [Key: Int] = [:]

    /// Reads every schema of the machine; an empty one where LibreOffice is not installed.
    ///
    /// Complexity: linear in the size of the packages' files, 2 MB.
    private init(_ root: Root) {
        for name in ((try? root.names(in: LibreOfficeSchema.folder)) ?? []).sorted(by: { Key($0) < Key($1) })
        where name.utf8.suffix(4).elementsEqual(".xcd".utf8) {
            // What cannot be read is not checked.
            guard let file = try? root.read("\(LibreOfficeSchema.folder)/\(name)", limit: PlainJSON.sizeLimit) else {
                continue
            }
            read(XMLTags(file.bytes))
        }
    }

    // MARK: Asking

    /// Finds what a path leads to.
    func place(component: String, path: [String]) -> Place {
        if components.isEmpty { return .unchecked }
        guard var index = components[Key(component)] else { return .unknown }
        for (step, name) in path.enumerated() {
            if let template = nodes[index].template, !nodes[index].isSet {
                guard let target = templates[template] else { return .unchecked }
                index = target
            }
            if let child = nodes[index].children[Key(name)] {
                index = child
            } else if nodes[index].isSet {
                guard let target = nodes[index].template.flatMap({ templates[$0] }) else { return .unchecked }
                index = target
            } else {
                // In other groups a setting that is added has no effect.
                return nodes[index].isExtensible && step == path.count - 1 ? .unchecked : .unknown
            }
        }
        return nodes[index].property.map { .property($0) } ?? .unknown
    }

    // MARK: Reading

    private mutating func read(_ document: XMLTags) {
        var tags = document
        var component = ""
        // The elements that are open, with the node of each.
        var open: [(name: Substring, node: Int?)] = []
        var isTemplate = false
        while let tag = tags.next() {
            if tag.isEnd {
                if let index = open.lastIndex(where: { $0.name == tag.name }) { open.removeSubrange(index...) }
                continue
            }
            var node: Int?
            switch tag.name {
            case "oor:component-schema":
                component = "\(tag.attribute("oor:package") ?? "").\(tag.attribute("oor:name") ?? "")"
            case "templates": isTemplate = true
            case "component":
                isTemplate = false
                node = add(Node())
                components[Key(component)] = node
            case "group", "set", "node-ref", "prop":
                guard open.contains(where: { $0.name == "oor:component-schema" }) else { break }
                let parent = open.last?.node
                let new = add(self.node(of: tag, component))
                let name = String(tag.attribute("oor:name") ?? "")
                if let parent {
                    nodes[parent].children[Key(name)] = new
                } else if isTemplate {
                    templates[LibreOfficeSchema.templateName(component, name)] = new
                }
                node = new
            default: break
            }
            if !tag.isEmpty { open.append((tag.name, node)) }
        }
    }

    /// The node of a tag of a schema.
    private func node(of tag: XMLTags.Tag, _ component: String) -> Node {
        var node = Node()
        node.isSet = tag.name == "set"
        node.isExtensible = tag.attribute("oor:extensible") == "true"
        if let template = tag.attribute("oor:node-type") {
            let owner = tag.attribute("oor:component").map(String.init) ?? component
            node.template = LibreOfficeSchema.templateName(owner, String(template))
        }
        if tag.name == "prop" {
            node.property = Property(
                type: tag.attribute("oor:type").flatMap { ValueType(rawValue: String($0)) } ?? .any,
                isNillable: tag.attribute("oor:nillable") != "false")
        }
        return node
    }

    private mutating func add(_ node: Node) -> Int {
        nodes.append(node)
        return nodes.count - 1
    }

    private static func templateName(_ component: String, _ name: String) -> Key { Key("\(component)/\(name)") }
}

extension LibreOfficeSchema {
    /// The types of settings; the raw value is the registry's word.
    enum ValueType: String {
        case any = "oor:any"
        case boolean = "xs:boolean"
        case short = "xs:short"
        case int = "xs:int"
        case long = "xs:long"
        case double = "xs:double"
        case string = "xs:string"
        case binary = "xs:hexBinary"
        case booleans = "oor:boolean-list"
        case shorts = "oor:short-list"
        case ints = "oor:int-list"
        case longs = "oor:long-list"
        case doubles = "oor:double-list"
        case strings = "oor:string-list"
        case binaries = "oor:hexBinary-list"

        /// The type that a value is written as; `nil` if the value is of another type.
        ///
        /// - Parameters:
        ///   - value: the value.
        ///   - type: the setting's own type; `nil` if it is unknown.
        init?(_ value: Value, as type: ValueType?) {
            guard let type, type != .any else {
                switch value {
                case .boolean: self = .boolean
                case .integer(let number):
                    self = number.int64.flatMap { Int32(exactly: $0) } == nil ? .long : .int
                case .real: self = .double
                case .string: self = .string
                case .data: self = .binary
                case .array: self = .strings
                default: return nil
                }
                if fits(value) { return }
                return nil
            }
            self = type
            if !fits(value) { return nil }
        }

        /// The type of a list's elements; `nil` for other types.
        private var element: ValueType? {
            switch self {
            case .booleans: .boolean
            case .shorts: .short
            case .ints: .int
            case .longs: .long
            case .doubles: .double
            case .strings: .string
            case .binaries: .binary
            default: nil
            }
        }

        /// Whether a value is of the type.
        private func fits(_ value: Value) -> Bool {
            switch (self, value) {
            case (.boolean, .boolean), (.string, .string), (.binary, .data): true
            case (.double, .real(let number)): number.isFinite
            case (.double, .integer): true
            case (.short, .integer(let number)): number.int64.flatMap { Int16(exactly: $0) } != nil
            case (.int, .integer(let number)): number.int64.flatMap { Int32(exactly: $0) } != nil
            case (.long, .integer(let number)): number.int64 != nil
            case (_, .array(let elements)): element.map { type in elements.allSatisfy(type.fits) } ?? false
            default: false
            }
        }

        /// The text of a value that fits; `nil` if XML cannot have it.
        func text(of value: Value) -> String? {
            switch value {
            case .string(let text): return XMLEscape.content(text)
            case .boolean(let isTrue): return isTrue ? "true" : "false"
            case .integer(let number): return number.description
            case .real(let number): return "\(number)"
            case .data(let bytes):
                let digits = Array("0123456789abcdef")
                return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
            case .array(let elements):
                var text = ""
                for value in elements {
                    guard let inner = element?.text(of: value) else { return nil }
                    text += "<it>\(inner)</it>"
                }
                return text
            case .date, .dictionary: return nil
            }
        }

        /// What a value has to be, for people.
        var noun: String {
            switch self {
            case .any: "a value"
            case .boolean: "a boolean"
            case .short, .int, .long: "an integer in its range"
            case .double: "a number"
            case .string: "a string"
            case .binary: "data"
            case .strings: "an array of strings"
            default: "an array of another type"
            }
        }
    }
}
