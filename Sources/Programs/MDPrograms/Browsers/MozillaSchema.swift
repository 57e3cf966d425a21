import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTools

/// The policies that an installed program of Mozilla knows: its own `policies-schema.json`.
struct MozillaSchema: Sendable {
    /// Reads the schema when it is first needed.
    final class Source: Sendable {
        private let root: Root
        private let folders: [String]
        private let known = Guarded<MozillaSchema??>(nil)

        /// - Parameters:
        ///   - root: the machine.
        ///   - folders: the folders in which the program may be; the first that has a schema counts.
        init(_ root: Root, _ folders: [String]) { (self.root, self.folders) = (root, folders) }

        /// The schema; `nil` if the program is not there or its schema cannot be read.
        var schema: MozillaSchema? {
            known.withLock { known in
                if let known { return known }
                let schema = folders.lazy.compactMap { [root] in MozillaSchema(root, folder: $0) }.first
                known = .some(schema)
                return schema
            }
        }
    }

    /// What the schema says of an entry.
    enum Verdict: Equatable {
        case fitting
        /// The program would not take it, as a clause.
        case wrong(String)
        /// The program knows no such name, as a clause.
        case unknown(String)
    }

    /// A part of the schema.
    private typealias Node = [Key: Value]

    /// An open archive.
    private final class Archive {
        let file: ReadFile
        init(_ file: consuming ReadFile) { self.file = file }
    }

    /// The names of the archive in the program's folder, Firefox's and Thunderbird's.
    private static let archives = ["browser/omni.ja", "omni.ja"]
    private static let entry = "modules/policies/policies-schema.json"

    private let definitions: Node
    private let top: Node

    private init?(_ root: Root, folder: String) {
        for name in MozillaSchema.archives {
            guard let file = try? ReadFile(root: root, path: "\(folder)/\(name)"), let size = try? file.status().size
            else { continue }
            let archive = Archive(file)
            let stored = StoredArchive(size: size) { try? archive.file.read(offset: $0, count: $1) }
            if let bytes = stored.entry(MozillaSchema.entry), let schema = MozillaSchema(bytes) {
                self = schema
                return
            }
        }
        return nil
    }

    /// Reads a schema; `nil` if it has no policies.
    init?(_ bytes: [UInt8]) {
        guard let top = try? PlainJSON.object(bytes), case .dictionary(let policies) = top["properties"],
            !policies.isEmpty
        else { return nil }
        self.top = top
        definitions = if case .dictionary(let parts) = top["definitions"] { parts } else { [:] }
    }

    // MARK: Asking

    /// Whether the value at a path of names has a member `Locked` by which users may or may not change it.
    func isLockable(_ path: [Key]) -> Bool {
        var node: Node? = top
        for name in path { node = node.flatMap { member(name, of: $0) } }
        guard let locked = node.flatMap({ member("Locked", of: $0) }) else { return false }
        return kinds(of: locked) == ["boolean"]
    }

    /// Judges the value at a path of names.
    func verdict(on value: Value, at path: [Key]) -> Verdict {
        var node = top
        for (index, name) in path.enumerated() {
            guard let next = member(name, of: node) else { return unknown(name, of: node, path.prefix(index)) }
            node = next
        }
        return verdict(on: value, by: node, path[...])
    }

    private func unknown(_ name: Key, of node: Node, _ path: ArraySlice<Key>) -> Verdict {
        // A part without names takes any.
        guard case .dictionary(let members) = node["properties"] else { return .fitting }
        let near = Suggestion.nearest(to: name.string, among: members.keys.sorted().map(\.string))
        let what = path.isEmpty ? "policy \(name)" : "member \(name) in \(MozillaSchema.name(of: path))"
        return .unknown("no \(what)\(near.map { "; is \($0) meant?" } ?? "")")
    }

    private static func name(of path: ArraySlice<Key>) -> String { path.map(\.string).joined(separator: ".") }

    private func verdict(on value: Value, by node: Node, _ path: ArraySlice<Key>) -> Verdict {
        if case .array(let choices) = node["anyOf"], node["type"] == nil {
            let verdicts = choices.map { verdict(on: value, by: resolved($0) ?? [:], path) }
            return verdicts.contains(.fitting) ? .fitting : verdicts.last { $0 != .fitting } ?? .fitting
        }
        let kinds = kinds(of: node)
        guard kinds.isEmpty || kinds.contains(where: { MozillaSchema.isKind($0, value, node) }) else {
            return .wrong(
                "\(MozillaSchema.name(of: path)) is \(kinds.joined(separator: " or ")), and this is of type \(value.typeName)"
            )
        }
        if case .array(let choices) = node["enum"], !choices.contains(value) {
            let words = choices.prefix(12).compactMap { choice -> String? in
                switch choice {
                case .string(let word): word
                case .integer(let number): number.description
                default: nil
                }
            }
            return .wrong("\(MozillaSchema.name(of: path)) is one of \(words.joined(separator: ", "))")
        }
        switch value {
        case .array(let elements):
            guard let items = resolved(node["items"]) else { return .fitting }
            return elements.lazy.map { verdict(on: $0, by: items, path) }.first { $0 != .fitting } ?? .fitting
        case .dictionary(let members):
            if case .array(let names) = node["required"] {
                for case .string(let name) in names where members[Key(name)] == nil {
                    return .wrong("\(MozillaSchema.name(of: path)) needs a member \(name)")
                }
            }
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                guard let next = member(name, of: node) else { return unknown(name, of: node, path) }
                let found = verdict(on: value, by: next, path + [name])
                if found != .fitting { return found }
            }
            return .fitting
        default: return .fitting
        }
    }

    // MARK: Parts

    /// What is said of a member; `nil` if the part has names, and not this one.
    private func member(_ name: Key, of node: Node) -> Node? {
        if case .dictionary(let members) = node["properties"], let own = resolved(members[name]) { return own }
        guard case .dictionary(let patterns) = node["patternProperties"] else {
            return node["properties"] == nil ? [:] : nil
        }
        // Which pattern a name fits is not looked at: one that has a choice says nothing of the value.
        return patterns.count == 1 ? patterns.values.lazy.compactMap { resolved($0) }.first ?? [:] : [:]
    }

    /// A part, or what it refers to.
    private func resolved(_ value: Value?) -> Node? {
        guard case .dictionary(let node) = value else { return nil }
        guard case .string(let reference) = node["$ref"] else { return node }
        let prefix = "#/definitions/"
        guard reference.utf8.starts(with: prefix.utf8),
            case .dictionary(let part) = definitions[
                Key(String(Substring(reference.utf8.dropFirst(prefix.utf8.count))))]
        else { return [:] }
        return part
    }

    private func kinds(of node: Node) -> [String] {
        switch node["type"] {
        case .string(let kind): [kind]
        case .array(let kinds): kinds.compactMap { if case .string(let kind) = $0 { kind } else { nil } }
        default: []
        }
    }

    /// Whether the program takes a value for a type, also in the forms of other systems.
    private static func isKind(_ kind: String, _ value: Value, _ node: Node) -> Bool {
        switch (kind, value) {
        case ("boolean", .boolean), ("string", .string), ("array", .array), ("object", .dictionary): true
        case ("boolean", .integer(let number)): number == Integer(0) || number == Integer(1)
        case ("boolean", .string(let word)): word == "true" || word == "false"
        case ("number", .integer), ("number", .real), ("integer", .integer): true
        // A text of JSON.
        case ("array", .string), ("object", .string): node["contentMediaType"] != nil
        default: false
        }
    }
}
