import MDPlatform
import MDPropertyList
import MDTools

/// The lines of one of KConfig's files.
struct KConfigLines {
    /// The lines of each group, by the names of the group and of those that it lies in.
    private var groups: [[String]: [String]] = [:]
    /// The groups that are locked as a whole.
    private var locked: Set<[String]> = []
    /// Whether the file is locked as a whole.
    private var isSealed = false
    /// The first entry of each group that locks a single key.
    private var single: [[String]: ProgramEntry] = [:]

    /// Adds what an entry becomes.
    ///
    /// - Returns: what cannot be said, as a clause after the program's name; `nil` if the entry was added.
    mutating func add(_ entry: ProgramEntry) -> String? {
        if case .sealed = entry.level {
            isSealed = true
            return nil
        }
        var group = SlashPath(entry.key).names
        let name = group.removeLast()
        guard let key = KConfigLines.escape(name), !(group + [name]).contains(""),
            group.allSatisfy({ KConfigLines.escape($0) != nil })
        else { return "cannot read a key of this name" }
        if name == "*" {
            guard case .absent = entry.level else { return "has no key *; under Absent it locks a group" }
            if group.isEmpty { return "cannot lock keys that are in no group" }
            locked.insert(group)
            return nil
        }
        let line: String
        switch entry.level {
        case .forced(let value), .recommended(let value):
            guard let text = KConfigLines.text(of: value) else { return "has no values of the type \(value.typeName)" }
            line = "\(key)\(entry.level.isLocking ? "[$i]" : "")=\(text)"
        case .absent: line = "\(key)[$id]"
        default: return entry.level.unsupported
        }
        groups[group, default: []].append(line)
        if entry.level.isLocking, single[group] == nil { single[group] = entry }
        return nil
    }

    /// Locks those of some groups that have keys.
    mutating func lock(_ names: Set<String>) {
        locked.formUnion(groups.keys.filter { $0.count == 1 && names.contains($0[0]) })
    }

    var isEmpty: Bool { groups.isEmpty && locked.isEmpty && !isSealed }

    /// The groups with locked keys that are not locked themselves, each with its first entry.
    ///
    /// A user's key with a language is another key for KConfig, and comes first where the language is the user's.
    var openGroups: [(group: [String], entry: ProgramEntry)] {
        isSealed
            ? []
            : single.filter { !locked.contains($0.key) }.sorted { Key($0.value.key.string) < Key($1.value.key.string) }
                .map { ($0.key, $0.value) }
    }

    /// The lines: of the file as a whole, then of each group.
    var lines: [String] {
        var lines = isSealed ? ["[$i]"] : []
        for group in allGroups {
            lines.append(KConfigLines.header(of: group) + (locked.contains(group) ? "[$i]" : ""))
            lines += groups[group] ?? []
        }
        return lines
    }

    /// The groups that have lines, in the order of their names.
    private var allGroups: [[String]] {
        Set(groups.keys).union(locked).sorted { Key(KConfigLines.name(of: $0)) < Key(KConfigLines.name(of: $1)) }
    }

    /// The line before the keys of a group.
    static func header(of group: [String]) -> String {
        (group.isEmpty ? ["<default>"] : group.compactMap(escape)).map { "[\($0)]" }.joined()
    }

    /// The first line of others that locks something of this.
    ///
    /// - Parameter foreign: the lines before these.
    /// - Returns: the line; `nil` if there is none.
    func line(lockedBy foreign: some Sequence<ArraySlice<UInt8>>) -> String? {
        var ours: [Key: Set<Key>] = [:]
        for group in allGroups {
            ours[Key(KConfigLines.header(of: group))] = Set((groups[group] ?? []).map(KConfigLines.keyName))
        }
        var group: Key = "[<default>]"
        for bytes in foreign {
            let line = String(decoding: bytes, as: UTF8.self)
            let isLocking = ["[$i", "[$ei", "[$di"].contains { TextSearch.isPresent($0, in: line) }
            if line.utf8.first == UInt8(ascii: "[") {
                group = Key(TextSearch.removing("[$i]", from: line))
                if isLocking, group == "" || ours[group] != nil { return line }
            } else if isLocking, ours[group]?.contains(KConfigLines.keyName(line)) == true {
                return line
            }
        }
        return nil
    }

    /// The name in the line of a key.
    private static func keyName(_ line: String) -> Key {
        Key(String(Substring(line.utf8.prefix { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "=") })))
    }

    /// A group as it is written in a key.
    static func name(of group: [String]) -> String { group.joined(separator: "/") }

    // MARK: Text

    /// The name of a group or a key; `nil` if KConfig cannot read it.
    static func escape(_ name: String) -> String? {
        // KConfig's own escaped backslash in a name is not the one it reads.
        if name.utf8.contains(UInt8(ascii: "\\")) { return nil }
        return escape(name) { byte, isAtEdge in
            switch byte {
            case 0x20: isAtEdge
            case UInt8(ascii: "="), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "#"), UInt8(ascii: "$"): true
            default: byte < 0x20 || byte == 0x7f
            }
        }
    }

    /// A value as KConfig has it in memory; `nil` if it has no form for it.
    static func plainText(of value: Value) -> String? { plain(value) ?? list(value) }

    /// A value as KConfig writes it; `nil` if it has no form for it.
    private static func text(of value: Value) -> String? {
        guard let text = plainText(of: value) else { return nil }
        return escape(text) { byte, isAtEdge in
            byte == 0x20 ? isAtEdge : byte < 0x20 || byte == 0x7f || byte == UInt8(ascii: "\\")
        }
    }

    /// A single value, before bytes are escaped.
    private static func plain(_ value: Value) -> String? {
        switch value {
        case .string(let text): text
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .integer(let number): number.description
        case .real(let number): number.isFinite ? "\(number)" : nil
        case .date, .data, .array, .dictionary: nil
        }
    }

    /// A list, before bytes are escaped: a comma between elements, and a backslash before those that are not.
    private static func list(_ value: Value) -> String? {
        guard case .array(let elements) = value else { return nil }
        let texts = elements.compactMap(plain)
        guard texts.count == elements.count else { return nil }
        // Else it would be an empty list.
        if texts.count == 1, texts[0].isEmpty { return "\\0" }
        return texts.map { text in
            var bytes: [UInt8] = []
            for byte in text.utf8 {
                if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: ",")
    }

    /// A text with some of its bytes as escapes.
    private static func escape(_ text: String, where isSpecial: (UInt8, _ isAtEdge: Bool) -> Bool) -> String? {
        let (bytes, digits) = (Array(text.utf8), Array("0123456789abcdef".utf8))
        var result: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if isSpecial(byte, index == 0 || index == bytes.count - 1) {
                // KConfig ends a text at a NUL.
                if byte == 0 { return nil }
                result += Array("\\x".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
