import MDPropertyList

/// A key that policy and another product both have in a program's files, with different values.
struct ForeignValue {
    let key: Key
    /// The value of policy.
    let ours: Value
    /// The value of the other product.
    let theirs: Value
    /// Why the program takes the other product's value, as a clause; `nil` if it takes that of policy.
    let reason: String?
    /// Whether values must not be shown.
    let isSecret: Bool

    /// What the administrator should know; `nil` if both values are the same.
    ///
    /// - Parameters:
    ///   - program: the word for the program.
    ///   - path: the file of the other product, under the root.
    /// - Returns: the finding.
    func finding(about program: String, _ path: String) -> ProgramFinding? {
        if ours.isIdentical(to: theirs) { return nil }
        var clause = reason.map { "the file decides, because \($0)" } ?? "policy decides, and the file has it too"
        if !isSecret {
            let (taken, lost) = reason == nil ? (ours, theirs) : (theirs, ours)
            clause += ": \(ForeignValue.text(taken)), not \(ForeignValue.text(lost))"
            let parts = ForeignValue.parts(of: lost, notIn: taken)
            if !parts.isEmpty { clause += "; lost: \(parts.joined(separator: ", "))" }
        }
        return ProgramFinding(reason == nil ? .displaced : .rival, program: program, key: key, path: path, clause)
    }

    /// The elements of a list, or the names of members, that another value does not have.
    private static func parts(of value: Value, notIn other: Value) -> [String] {
        let parts: [String]
        switch (value, other) {
        case (.array(let elements), .array(let others)):
            parts = elements.filter { element in !others.contains { $0.isIdentical(to: element) } }.map(text)
        case (.dictionary(let members), .dictionary(let others)):
            parts = members.keys.filter { others[$0] == nil }.sorted().map(\.string)
        default: return []
        }
        return parts.count > partLimit ? parts.prefix(partLimit) + ["and \(parts.count - partLimit) more"] : parts
    }

    /// The most lost elements that are named.
    private static let partLimit = 10
    /// The most bytes of a value that are shown.
    private static let textLimit = 120

    /// A value as JSON, cut off where it is long.
    private static func text(_ value: Value) -> String {
        var json = JSONWriter()
        json.value(value)
        if json.utf8.count <= textLimit { return String(decoding: json.utf8, as: UTF8.self) }
        // Not within a character.
        var end = textLimit
        while json.utf8[end] & 0xc0 == 0x80 { end -= 1 }
        return String(decoding: json.utf8[..<end], as: UTF8.self) + "…"
    }
}
