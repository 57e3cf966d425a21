import MDPropertyList

/// A file of KConfig as a user has it: the keys of its groups.
struct KConfigReader {
    /// One line of a key.
    struct Line {
        /// The names of the group and of those that it lies in, and the key's own name.
        let path: [String]
        /// The language that the line is for; empty for all.
        let language: String
        /// The value in memory.
        let value: String
    }

    /// The lines, in their order; without those that delete a key.
    private(set) var lines: [Line] = []
    /// The most bytes of a file that is read.
    static let sizeLimit = 4 << 20

    /// Reads a file; what is not a line of a key is skipped, as KConfig does.
    init(_ bytes: [UInt8]) {
        var group: [String] = []
        for raw in bytes.split(separator: 0x0a) {
            let line = KConfigReader.trimmed(raw)
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            if first == UInt8(ascii: "[") {
                group = KConfigReader.parts(in: line).map(KConfigReader.unescaped).filter {
                    !$0.utf8.starts(with: "$".utf8)
                }
                if group == ["<default>"] { group = [] }
                continue
            }
            guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = line[..<equals]
            let key = KConfigReader.unescaped(KConfigReader.trimmed(name.prefix { $0 != UInt8(ascii: "[") }))
            var (language, isDeleted) = ("", false)
            for part in KConfigReader.parts(in: name) {
                if part.first == UInt8(ascii: "$") {
                    isDeleted = isDeleted || part.contains(UInt8(ascii: "d"))
                } else {
                    language = String(decoding: part, as: UTF8.self)
                }
            }
            if isDeleted || key.isEmpty { continue }
            let value = KConfigReader.unescaped(KConfigReader.trimmed(line[(equals + 1)...]))
            lines.append(Line(path: group + [key], language: language, value: value))
        }
    }

    /// The texts in brackets.
    private static func parts(in bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        bytes.split(separator: UInt8(ascii: "[")).compactMap { part in
            part.firstIndex(of: UInt8(ascii: "]")).map { part[..<$0] }
        }.filter { !$0.isEmpty }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        var rest = bytes.drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }

    /// A text without its escapes.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                result.append(byte)
                continue
            }
            switch next {
            case UInt8(ascii: "s"): result.append(0x20)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "n"): result.append(0x0a)
            case UInt8(ascii: "r"): result.append(0x0d)
            case UInt8(ascii: "\\"): result.append(next)
            case UInt8(ascii: "x"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard digits.utf8.count == 2, let number = UInt8(digits, radix: 16) else { fallthrough }
                rest = rest.dropFirst(2)
                result.append(number)
            // A comma of a list keeps its mark.
            default: result += [byte, next]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// What users have stored in KDE's files.
extension KDE {
    package func stored(for policy: ProgramPolicy, in store: inout UserStore) -> [StoredSetting] {
        var found: [StoredSetting] = []
        for (domain, entries) in Dictionary(grouping: policy.entries, by: \.domain).sorted(by: { $0.key < $1.key }) {
            guard let name = KDE.file(of: domain), entries.contains(where: \.level.isLocking),
                let file = store.file(".config/\(name)", limit: KConfigReader.sizeLimit)
            else { continue }
            found += stored(entries, policy.unsealed[domain] ?? [], KConfigReader(file.bytes).lines, file.path)
        }
        return found
    }

    /// What one file has for the entries of its domain.
    private func stored(
        _ entries: [ProgramEntry], _ unsealed: Set<Key>, _ lines: [KConfigReader.Line], _ path: String
    ) -> [StoredSetting] {
        var single: [[String]: ProgramEntry] = [:]
        var groups: [[String]: ProgramEntry] = [:]
        var seal: ProgramEntry?
        for entry in entries {
            let names = SlashPath(entry.key).names
            if case .sealed = entry.level {
                seal = entry
            } else if entry.level == .absent, names.last == "*" {
                groups[Array(names.dropLast())] = entry
            } else {
                single[names] = entry
            }
        }
        return lines.compactMap { line in
            if let entry = single[line.path] {
                guard case .forced(let forced) = entry.level else {
                    return entry.level.isLocking
                        ? StoredSetting(entry, value: .string(line.value), file: path, isEqual: false) : nil
                }
                let isEqual = KConfigLines.plainText(of: forced) == line.value
                let value = isEqual ? forced : KDE.value(line.value, like: forced)
                return StoredSetting(entry, value: value, file: path, isEqual: isEqual)
            }
            let value = Value.string(line.value)
            if let entry = groups[Array(line.path.dropLast())] {
                // The key of the entry is the whole group.
                let member = Key(line.path.last ?? "")
                return StoredSetting(entry, value: .dictionary([member: value]), file: path, isEqual: false)
            }
            guard let seal, !unsealed.contains(SlashPath.key(line.path)) else { return nil }
            return StoredSetting(seal, key: SlashPath.key(line.path), value: value, file: path, isEqual: false)
        }
    }

    /// A text as a value of the type of another one, if it can be one.
    static func value(_ text: String, like other: Value) -> Value {
        switch other {
        case .boolean:
            switch Key(text) {
            case "true", "on", "yes", "1": .boolean(true)
            case "false", "off", "no", "0": .boolean(false)
            default: .string(text)
            }
        case .integer: Integer(decimal: text).map { .integer($0) } ?? .string(text)
        case .real: Double(text).map { .real($0) } ?? .string(text)
        default: .string(text)
        }
    }
}
