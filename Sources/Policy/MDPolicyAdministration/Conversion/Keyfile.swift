import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDTools

/// Parses keyfiles as GLib does: groups in brackets, lines `key=value`, comments from `#` on.
enum Keyfile {
    /// Why a keyfile does not parse; dconf then compiles no file of its folder.
    struct FormatError: Error, Hashable {
        /// The line, counted from 1.
        let line: Int
        /// The message, without place and full stop.
        let message: String
    }

    /// Why a text is no keyfile of dconf although it looks like one, as a sentence without full stop; `nil` if it may be one.
    ///
    /// - Returns: the line and the sentence.
    static func objection(to bytes: [UInt8]) -> (line: Int, message: String)? {
        if let line = line(in: bytes, where: isPreference) {
            return (
                line,
                "this is a file of Firefox's preferences, and no keyfile of dconf. Policy has preferences under Preferences"
                    + " of org.mozilla.firefox, each with a Value and the Status locked"
            )
        }
        let kde = "Policy for KDE is written for its own domains, which mdefaults programs list names"
        if let line = line(in: bytes, where: { hasKDEMark($0) }) {
            return (line, "this is a file of KDE with [$i], and no keyfile of dconf: its locks would be lost. \(kde)")
        }
        // Every folder of dconf in which a program has keys lies in another one.
        func isForeign(_ line: ArraySlice<UInt8>) -> Bool { group(line).map { !isPlace($0) } ?? false }
        guard let first = line(in: bytes, where: isForeign),
            line(in: bytes, where: { group($0).map(isPlace) ?? false }) == nil
        else { return nil }
        return (
            first,
            "no group of this file is a folder of dconf, as [org/gnome/desktop/background] is, or a schema, so it is no"
                + " keyfile of dconf. \(kde)"
        )
    }

    /// The first line of a kind, counted from 1.
    private static func line(in bytes: [UInt8], where isWanted: (ArraySlice<UInt8>) -> Bool) -> Int? {
        bytes.split(separator: 0x0a, omittingEmptySubsequences: false).firstIndex(where: isWanted).map { $0 + 1 }
    }

    /// Whether a line calls a function of Firefox's preferences.
    private static func isPreference(_ line: ArraySlice<UInt8>) -> Bool {
        let line = line.drop { $0 == 0x20 || $0 == 0x09 }
        return ["pref(", "user_pref(", "lockPref(", "defaultPref(", "sticky_pref("].contains {
            line.starts(with: $0.utf8)
        }
    }

    /// The name in the line of a group; `nil` for any other line.
    private static func group(_ line: ArraySlice<UInt8>) -> String? {
        let text = trimmed(String(decoding: line, as: UTF8.self).utf8[...])
        guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]"), text.count > 2 else { return nil }
        return String(Substring(text.dropFirst().dropLast()))
    }

    /// Whether the name of a group is a folder of dconf or a schema; KDE has groups in groups, and names with full stops.
    private static func isPlace(_ group: String) -> Bool {
        if TextSearch.isPresent("][", in: group) { return false }
        return group.utf8.contains(UInt8(ascii: "/"))
            || KeyfileEntry.schema(of: group).map { !$0.utf8.starts(with: "org.kde.".utf8) } ?? false
    }

    /// Whether a line marks a group or a key as KDE does: `[Group][$i]`, `key[$i]=value`.
    private static func hasKDEMark(_ line: ArraySlice<UInt8>) -> Bool {
        let head = line.first == UInt8(ascii: "[") ? line : line.prefix { $0 != UInt8(ascii: "=") }
        var rest = head
        while let place = rest.firstIndex(of: UInt8(ascii: "$")) {
            let mark = rest[rest.index(after: place)...].prefix { "iedn".utf8.contains($0) }
            let isClosed = rest[mark.endIndex...].first == UInt8(ascii: "]")
            if !mark.isEmpty, isClosed, place > head.startIndex, head[place - 1] == UInt8(ascii: "[") { return true }
            rest = rest[rest.index(after: place)...]
        }
        return false
    }

    /// Parses the lines of a keyfile.
    ///
    /// - Throws: the first error.
    static func entries(_ bytes: [UInt8]) throws(FormatError) -> [KeyfileEntry] {
        var entries: [KeyfileEntry] = []
        var group: String?
        var number = 0
        let content = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        for line in content.split(separator: 0x0a, omittingEmptySubsequences: false) {
            number += 1
            guard let text = String(validating: line, as: UTF8.self) else {
                throw FormatError(line: number, message: "the line is not valid UTF-8")
            }
            let trimmed = Self.trimmed(text.utf8[...])
            guard let first = trimmed.first, first != UInt8(ascii: "#") else { continue }
            if first == UInt8(ascii: "[") {
                guard trimmed.last == UInt8(ascii: "]"), trimmed.count > 2 else {
                    throw FormatError(line: number, message: "a group stands between '[' and ']'")
                }
                group = Self.name(ofGroup: trimmed.dropFirst().dropLast())
                continue
            }
            guard let equals = trimmed.firstIndex(of: UInt8(ascii: "=")) else {
                throw FormatError(line: number, message: "the line is no group, no key with its value and no comment")
            }
            guard let group else { throw FormatError(line: number, message: "the key stands before the first group") }
            let key = Self.trimmed(trimmed[..<equals])
            guard !key.isEmpty else { throw FormatError(line: number, message: "the key before '=' is missing") }
            let value = Self.trimmed(trimmed[trimmed.index(after: equals)...])
            entries.append(
                KeyfileEntry(
                    group: group, key: String(Substring(key)), value: String(Substring(value)), line: number))
        }
        return entries
    }

    /// The path of a group; like dconf, this removes slashes at its ends.
    private static func name(ofGroup bytes: Substring.UTF8View) -> String {
        var bytes = bytes
        while bytes.first == UInt8(ascii: "/") { bytes = bytes.dropFirst() }
        while bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        var bytes = bytes
        while let byte = bytes.first, byte == 0x20 || (0x09...0x0d).contains(byte) { bytes = bytes.dropFirst() }
        while let byte = bytes.last, byte == 0x20 || (0x09...0x0d).contains(byte) { bytes = bytes.dropLast() }
        return bytes
    }
}

/// One line `key=value` of a keyfile, in its group.
struct KeyfileEntry: Hashable {
    /// The path of the group, without slashes at its ends.
    let group: String
    let key: String
    /// The value as written.
    let value: String
    /// The line, counted from 1.
    let line: Int

    /// The schema that a group of a file of overrides names, as in `[org.gnome.desktop.interface:GNOME]`; `nil` if it is a
    /// folder.
    static func schema(of group: String) -> String? {
        let name = String(Substring(group.utf8.prefix { $0 != UInt8(ascii: ":") }))
        return DconfFolders.isName(name) ? name : nil
    }
}

/// One line of a file of locks.
struct LockLine: Hashable {
    /// The locked path; `nil` if dconf ignores the line.
    let path: String?
    /// Why dconf ignores the line or interprets it differently than it appears; `nil` if it does not.
    let objection: String?
    /// The line, counted from 1.
    let line: Int

    /// Parses the lines of a file of locks that have, or appear to have, an effect.
    ///
    /// dconf uses each line that begins with a slash as the path of a key, byte for byte.
    static func all(_ bytes: [UInt8]) -> [LockLine] {
        var lines: [LockLine] = []
        for (index, line) in bytes.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let blanks = line.prefix { $0 == 0x20 || (0x09...0x0d).contains($0) }
            let rest = line.dropFirst(blanks.count)
            guard let first = rest.first, first != UInt8(ascii: "#") else { continue }
            let text = String(decoding: line, as: UTF8.self)
            let objection: String?
            if !blanks.isEmpty {
                objection = "begins with a blank, so dconf passes over it"
            } else if first != UInt8(ascii: "/") {
                objection = "does not begin with '/', so dconf passes over it"
            } else if let last = line.last, last == 0x20 || (0x09...0x0d).contains(last) {
                objection = "ends in a blank, so it locks no key that there is"
            } else if line.last == UInt8(ascii: "/") {
                objection = "is a directory, and dconf locks keys only"
            } else if zip(line, line.dropFirst()).contains(where: { $0 == UInt8(ascii: "/") && $1 == $0 }) {
                objection = "has two slashes in a row, so it locks no key that there is"
            } else if line.contains(UInt8(ascii: "=")) {
                objection =
                    "has a value behind '=', and a lock is a path alone, so it locks no key that there is"
            } else {
                objection = nil
            }
            lines.append(LockLine(path: objection == nil ? text : nil, objection: objection, line: index + 1))
        }
        return lines
    }
}
