import MDPlatform
import MDPropertyList
import MDTools

/// What KDE's programs on a machine say of the keys of their files, in files that are made for their own code.
///
/// Source: <https://api.kde.org/frameworks/kconfig/html/kconfig_compiler.html>
struct KConfigSchema: Sendable {
    /// The folders of the files.
    private static let folders = ["/usr/local/share/config.kcfg", "/usr/share/config.kcfg"]
    /// The most files of a folder that are read, and the most bytes of one.
    private static let (fileLimit, sizeLimit) = (1_000, 1 << 20)

    /// Reads the files when they are first needed.
    final class Source: Sendable {
        private let root: Root
        private let known = Guarded<KConfigSchema?>(nil)

        init(_ root: Root) { self.root = root }

        var schema: KConfigSchema {
            known.withLock { known in
                if let known { return known }
                let schema = KConfigSchema(root)
                known = schema
                return schema
            }
        }
    }

    /// What an entry of a policy is by these files.
    enum Verdict {
        /// Nothing speaks against it.
        case fitting
        /// The program would not take the value, as a clause.
        case wrong(String)
        /// The group is described, and has no such key, as a clause.
        case unknown(String)
    }

    /// What is said of a key.
    private struct Property {
        var type = ""
        var least: Integer?
        var greatest: Integer?
        var choices: [Key] = []
    }

    /// The keys of a group, some of whose names may depend on the program.
    private struct Group {
        var keys: [Key: Property] = [:]
        var isOpen = false
    }

    /// The groups of each file, by its name and theirs.
    private var files: [Key: [Key: Group]] = [:]

    private init(_ root: Root) {
        for folder in KConfigSchema.folders {
            for name in ((try? root.names(in: folder)) ?? []).prefix(KConfigSchema.fileLimit)
            where name.utf8.suffix(5).elementsEqual(".kcfg".utf8) {
                guard let bytes = try? root.read("\(folder)/\(name)", limit: KConfigSchema.sizeLimit).bytes else {
                    continue
                }
                read(bytes)
            }
        }
    }

    // MARK: Asking

    /// Judges an entry for a file.
    func verdict(on entry: ProgramEntry, in file: Key) -> Verdict {
        var names = SlashPath(entry.key).names
        let key = Key(names.removeLast())
        // Groups in groups are named by code only.
        guard names.count == 1, key != "*", let group = files[file]?[Key(names[0])], entry.level != .sealed else {
            return .fitting
        }
        guard let property = group.keys[key] else {
            if group.isOpen { return .fitting }
            return .unknown(
                "no installed program describes a key \(key.string) in the group \(names[0]) of \(file.string); it is"
                    + " written all the same")
        }
        switch entry.level {
        case .forced(let value), .recommended(let value):
            return KConfigSchema.obstacle(value, property).map { .wrong($0) } ?? .fitting
        default: return .fitting
        }
    }

    /// Why a key cannot have a value, as a clause; `nil` if it can.
    private static func obstacle(_ value: Value, _ property: Property) -> String? {
        func wanted(_ noun: String) -> String { "the key has \(noun), and this is of type \(value.typeName)" }
        switch (property.type, value) {
        case ("Bool", .boolean): return nil
        case ("Bool", _): return wanted("a boolean")
        case ("Int", .integer(let number)), ("UInt", .integer(let number)), ("Int64", .integer(let number)),
            ("UInt64", .integer(let number)):
            return obstacle(number, property)
        case ("Int", _), ("UInt", _), ("Int64", _), ("UInt64", _): return wanted("an integer")
        case ("Double", .integer), ("Double", .real): return nil
        case ("Double", _): return wanted("a number")
        case ("StringList", .array), ("PathList", .array), ("IntList", .array), ("UrlList", .array): return nil
        case ("StringList", _), ("PathList", _), ("IntList", _), ("UrlList", _): return wanted("an array")
        case ("String", .string), ("Path", .string), ("Password", .string), ("Url", .string), ("Font", .string):
            return nil
        case ("String", _), ("Path", _), ("Password", _), ("Url", _), ("Font", _): return wanted("a string")
        case ("Enum", .integer(let number)):
            let last = Integer(property.choices.count - 1)
            if property.choices.isEmpty || (Integer(0)...last).contains(number) { return nil }
            return "the value is not one of 0 to \(last)"
        case ("Enum", .string(let word)):
            if property.choices.isEmpty || property.choices.contains(Key(word)) { return nil }
            return "the value is not one of \(property.choices.prefix(12).map(\.string).joined(separator: ", "))"
        case ("Enum", _): return wanted("a word or its number")
        // Colors, dates and what is not known here have several forms.
        default: return nil
        }
    }

    private static func obstacle(_ number: Integer, _ property: Property) -> String? {
        let (least, most): (Integer, Integer) =
            switch property.type {
            case "Int": (Integer(Int(Int32.min)), Integer(Int(Int32.max)))
            case "UInt": (Integer(0), Integer(UInt64(UInt32.max)))
            case "UInt64": (Integer(0), Integer(UInt64.max))
            default: (Integer(Int.min), Integer(Int.max))
            }
        let (lower, upper) = (
            property.least.map { max($0, least) } ?? least, property.greatest.map { min($0, most) } ?? most
        )
        if number < lower { return "the value is less than \(lower), the least that it may be" }
        return number > upper ? "the value is greater than \(upper), the greatest that it may be" : nil
    }

    // MARK: Reading

    /// Reads one file; one whose elements do not close as they opened says nothing.
    private mutating func read(_ bytes: [UInt8]) {
        var tags = XMLTags(bytes)
        var open: [Substring] = []
        var (name, groups): (Key?, [Key: Group]) = (nil, [:])
        var (group, key): (Key?, Key?) = (nil, nil)
        while let tag = tags.next() {
            if tag.isEnd {
                guard open.popLast() == tag.name else { return }
                if tag.name == "group" { group = nil }
                if tag.name == "entry" { key = nil }
                continue
            }
            let text = tags.text
            switch tag.name {
            case "kcfgfile": name = tag.attribute("name").map { Key(String($0)) }
            case "group": group = tag.attribute("name").map { KConfigSchema.decoded($0) }
            case "entry":
                guard let group, let word = tag.attribute("key") ?? tag.attribute("name") else { break }
                key = KConfigSchema.decoded(word)
                if TextSearch.isPresent("$(", in: word) {
                    groups[group, default: Group()].isOpen = true
                    key = nil
                } else if let key {
                    groups[group, default: Group()].keys[key] = Property(type: String(tag.attribute("type") ?? ""))
                }
            case "min", "max":
                guard let group, let key, tag.attribute("code") == nil, let number = Integer(decimal: String(text))
                else {
                    break
                }
                if tag.name == "min" {
                    groups[group]?.keys[key]?.least = number
                } else {
                    groups[group]?.keys[key]?.greatest = number
                }
            case "choice":
                guard let group, let key, let word = tag.attribute("value") ?? tag.attribute("name") else { break }
                groups[group]?.keys[key]?.choices.append(KConfigSchema.decoded(word))
            default: break
            }
            if !tag.isEmpty { open.append(tag.name) } else if tag.name == "entry" { key = nil }
        }
        // A name that a program composes only when it runs cannot be distinguished from others.
        guard open.isEmpty, let name else { return }
        files[name, default: [:]].merge(groups) { one, other in
            Group(keys: one.keys.merging(other.keys) { first, _ in first }, isOpen: one.isOpen || other.isOpen)
        }
    }

    /// A text without the references that XML itself has.
    private static func decoded(_ text: Substring) -> Key {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return Key(String(text)) }
        var parts = TextSearch.parts(of: String(text), separatedBy: "&amp;")
        for (reference, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'")] {
            parts = parts.map { TextSearch.parts(of: $0, separatedBy: reference).joined(separator: character) }
        }
        return Key(parts.joined(separator: "&"))
    }
}
