/// Reads keyfiles as GLib does: groups in brackets, lines `key=value`, comments from `#` on.
enum Keyfile {
    /// Why a keyfile does not parse; dconf then compiles nothing of its whole folder.
    struct Mistake: Error, Hashable {
        /// The line, counted from 1.
        let line: Int
        /// What is wrong, without place and without a full stop.
        let message: String
    }

    /// The lines of a keyfile.
    ///
    /// - Throws: the first mistake.
    static func entries(_ bytes: [UInt8]) throws(Mistake) -> [KeyfileEntry] {
        var entries: [KeyfileEntry] = []
        var group: String?
        var number = 0
        let content = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? bytes.dropFirst(3) : bytes[...]
        for line in content.split(separator: 0x0a, omittingEmptySubsequences: false) {
            number += 1
            guard let text = String(validating: line, as: UTF8.self) else {
                throw Mistake(line: number, message: "the line is not valid UTF-8")
            }
            let trimmed = Self.trimmed(text.utf8[...])
            guard let first = trimmed.first, first != UInt8(ascii: "#") else { continue }
            if first == UInt8(ascii: "[") {
                guard trimmed.last == UInt8(ascii: "]"), trimmed.count > 2 else {
                    throw Mistake(line: number, message: "a group stands between '[' and ']'")
                }
                group = Self.name(ofGroup: trimmed.dropFirst().dropLast())
                continue
            }
            guard let equals = trimmed.firstIndex(of: UInt8(ascii: "=")) else {
                throw Mistake(line: number, message: "the line is no group, no key with its value and no comment")
            }
            guard let group else { throw Mistake(line: number, message: "the key stands before the first group") }
            let key = Self.trimmed(trimmed[..<equals])
            guard !key.isEmpty else { throw Mistake(line: number, message: "the key before '=' is missing") }
            let value = Self.trimmed(trimmed[trimmed.index(after: equals)...])
            entries.append(
                KeyfileEntry(
                    group: group, key: String(Substring(key)), value: String(Substring(value)), line: number))
        }
        return entries
    }

    /// The path of a group; dconf takes slashes at its ends away.
    private static func name(ofGroup bytes: Substring.UTF8View) -> String {
        var bytes = bytes
        while bytes.first == UInt8(ascii: "/") { bytes = bytes.dropFirst() }
        while bytes.last == UInt8(ascii: "/") { bytes = bytes.dropLast() }
        return String(Substring(bytes))
    }

    /// A text without blanks at both ends.
    private static func trimmed(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
        var bytes = bytes
        while let byte = bytes.first, byte == 0x20 || (0x09...0x0d).contains(byte) { bytes = bytes.dropFirst() }
        while let byte = bytes.last, byte == 0x20 || (0x09...0x0d).contains(byte) { bytes = bytes.dropLast() }
        return bytes
    }
}
