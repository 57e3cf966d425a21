import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTools

/// The names, types and choices of policies of Chromium's family, as far as they are known.
///
/// The browser itself listed its names when it was last asked; types and choices are in a file of the package, which may be
/// older than the browser: so what is here is a doubt, and the browser's own word decides.
struct ChromiumNames: Sendable {
    /// Reads what is known when it is first needed.
    final class Source: Sendable {
        private let root: Root
        private let program: ChromiumFamily
        private let known = Guarded<ChromiumNames?>(nil)

        init(_ root: Root, _ program: ChromiumFamily) { (self.root, self.program) = (root, program) }

        var names: ChromiumNames {
            known.withLock { [root, program] known in
                if let known { return known }
                let names = ChromiumNames(root, program)
                known = names
                return names
            }
        }
    }

    /// What the file says of a name.
    private struct Row {
        /// `boolean`, `integer`, `string`, `strings`, `array` or `dictionary`.
        let kind: String
        /// The only values, as texts; empty if there are others.
        let choices: [String]
    }

    /// The file of the package; a line is a name, its type and its choices, with tabs between them.
    static let path = "/usr/share/managed-defaults/programs/chromium-policies.tsv"
    private static let sizeLimit = 1 << 20
    /// The browsers whose names are all in the file, but for those of other versions.
    private static let described: Set<Key> = ["chromium", "chrome"]

    private let rows: [Key: Row]
    /// The names that the installed version listed; empty if it was not asked.
    private let listed: Set<Key>

    private init(_ root: Root, _ program: ChromiumFamily) {
        let bytes = try? root.readTrusted(ChromiumNames.path, limit: ChromiumNames.sizeLimit).bytes
        self.init(
            bytes ?? [],
            listed: (try? KnownNames(root: root))?.names(of: program, version: program.version(in: root)) ?? [])
    }

    /// Reads the file; a line that begins with `#` is a comment.
    init(_ bytes: [UInt8], listed: Set<Key> = []) {
        var rows: [Key: Row] = [:]
        for line in bytes.split(separator: 0x0a) where line.first != UInt8(ascii: "#") {
            let fields = line.split(separator: 0x09, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard fields.count > 2 else { continue }
            let choices = fields[2].utf8.split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
            rows[Key(fields[0])] = Row(kind: fields[1], choices: choices)
        }
        (self.rows, self.listed) = (rows, listed)
    }

    /// Why a browser may not take a value, as a clause; `nil` if nothing speaks against it.
    func doubt(about value: Value, of name: Key, in program: ChromiumFamily) -> String? {
        if !listed.isEmpty, !listed.contains(name) {
            return ChromiumNames.clause(program, without: name, among: listed)
        }
        guard let row = rows[name] else {
            if !listed.isEmpty || rows.isEmpty || !ChromiumNames.described.contains(Key(program.name)) { return nil }
            return ChromiumNames.clause(program, without: name, among: Set(rows.keys), isKnown: false)
        }
        let word: String
        switch (row.kind, value) {
        case ("boolean", .boolean), ("strings", .array), ("array", .array), ("dictionary", .dictionary): return nil
        // What the file has as a text may be any JSON.
        case ("string", .array), ("string", .dictionary): return row.choices.isEmpty ? nil : wrong(program, row, value)
        case ("string", .string(let text)): word = text
        case ("integer", .integer(let number)): word = number.description
        default: return wrong(program, row, value)
        }
        if row.choices.isEmpty || row.choices.contains(where: { Key($0) == Key(word) }) { return nil }
        let choices = row.choices.prefix(12).joined(separator: ", ")
        return "\(program.title) is known to take only \(choices) here"
    }

    private func wrong(_ program: ChromiumFamily, _ row: Row, _ value: Value) -> String {
        let kind =
            row.kind == "strings"
            ? "an array" : "\(row.kind == "array" || row.kind == "integer" ? "an" : "a") \(row.kind)"
        return "\(program.title) is known to take \(kind) here, and this is of type \(value.typeName)"
    }

    /// That a browser has no policy of a name, with the near name, as a clause.
    static func clause(
        _ program: ChromiumFamily, without name: Key, among names: Set<Key>, isKnown: Bool = true
    ) -> String {
        let near = Suggestion.nearest(to: name.string, among: names.sorted().map(\.string))
        return "\(program.title) \(isKnown ? "has no" : "is not known to have a") policy \(name)"
            + (near.map { "; is \($0) meant?" } ?? "")
    }
}
