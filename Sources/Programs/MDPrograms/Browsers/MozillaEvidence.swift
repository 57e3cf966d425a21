import MDPropertyList
import MDTools

/// What in Firefox and Thunderbird shows that they obey a policy, besides that they have read it: preferences that they
/// lock, features that they switch off, pages that they block, and permissions of sites.
///
/// Source: `modules/policies/Policies.sys.mjs` of Firefox 153 and Thunderbird 153, in the same archive as the schema.
struct MozillaEvidence {
    /// Something that the program is asked about, and how it is if the policy is obeyed.
    enum Sign {
        case preference(Key, Expectation)
        case feature(Key, isAllowed: Bool)
        case page(Key, isBlocked: Bool)
        /// A kind of permission, the site and the decision.
        case permission(Key, site: Key, Int)
    }

    /// What a preference is.
    enum Expectation {
        case any
        case value(Value)
        /// It begins with a text.
        case beginning(String)
        /// It has these words.
        case words([String])
    }

    /// A line of the tables: the path of a member, when it shows, and what it shows.
    ///
    /// The second word says when: `=` always, and the preference is the value, the feature off or the page blocked if it is
    /// true; `!` the reverse; `*` always, with any value; `^` as the beginning of the preference, `,` as its words; `@` for
    /// the sites of a list, with permissions; `#` for the patterns of a list, which are blocked (1) or open (0). Any other
    /// word is the value for which it shows. `@x` is a feature, `about:x` a page.
    private struct Row {
        let path: [Key]
        let condition: String
        let targets: [String]

        init?(_ line: Substring) {
            let words = line.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            guard words.count > 2 else { return nil }
            path = TextSearch.parts(of: words[0], separatedBy: ".").map { Key($0) }
            condition = words[1]
            targets = Array(words.dropFirst(2))
        }
    }

    private static func rows(_ text: String) -> [Row] {
        text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { Row(Substring($0)) }
    }

    private static let firefoxRows = rows(MozillaEvidence.common + MozillaEvidence.firefox)
    private static let thunderbirdRows = rows(MozillaEvidence.common + MozillaEvidence.thunderbird)

    /// What shows each part of a setting.
    let signs: [Sign]
    /// The preferences that have the value of a part as it is.
    let own: [(name: Key, value: Value)]
    /// The parts that nothing shows to be obeyed, each as a path.
    let hidden: [String]

    /// Finds what shows that a setting of a program is obeyed.
    init(of setting: Requirement.Setting, in program: MozillaFamily) {
        let rows = program.name == "thunderbird" ? MozillaEvidence.thunderbirdRows : MozillaEvidence.firefoxRows
        var (signs, own, shown): ([Sign], [(Key, Value)], [[Key]]) = ([], [], [])
        for row in rows where row.path.first == setting.name {
            guard let value = MozillaEvidence.value(at: row.path.dropFirst(), in: setting.value) else { continue }
            let found = row.targets.flatMap { MozillaEvidence.signs($0, row.condition, value) }
            if !found.isEmpty { shown.append(row.path) }
            signs += found
            if row.condition == "=" {
                own += found.compactMap { if case .preference(let name, _) = $0 { (name, value) } else { nil } }
            }
        }
        (self.signs, self.own) = (signs, own)
        hidden = MozillaEvidence.leaves(of: setting.value, at: [setting.name]).filter { leaf in
            !shown.contains { leaf.starts(with: $0) || $0.starts(with: leaf) }
        }.map { $0.map(\.string).joined(separator: ".") }
    }

    private static func value(at path: ArraySlice<Key>, in value: Value) -> Value? {
        path.reduce(Optional(value)) { value, name in
            if case .dictionary(let members)? = value { members[name] } else { nil }
        }
    }

    /// The paths of all parts that are no dictionaries; `Locked` says how the others are, and what is empty says nothing.
    private static func leaves(of value: Value, at path: [Key]) -> [[Key]] {
        switch value {
        case .dictionary(let members):
            members.sorted { $0.key < $1.key }.flatMap { name, value in
                if name == "Locked", case .boolean = value { [[Key]]() } else { leaves(of: value, at: path + [name]) }
            }
        case .array(let elements): elements.isEmpty ? [] : [path]
        default: [path]
        }
    }

    /// What a target of a line shows for a value.
    private static func signs(_ target: String, _ condition: String, _ value: Value) -> [Sign] {
        let parts = TextSearch.parts(of: target, separatedBy: "=")
        let (name, constant) = (Key(parts[0]), parts.count > 1 ? parts[1] : nil)
        var texts: [String] = []
        if case .array(let elements) = value {
            texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        switch (condition, value) {
        case ("=", .boolean(let isOn)), ("!", .boolean(let isOn)):
            let isOn = isOn == (condition == "=")
            return [plain(name, isOff: isOn) ?? .preference(name, .value(.boolean(isOn)))]
        case ("=", _): return plain(name, isOff: true) == nil ? [.preference(name, .value(value))] : []
        case ("*", _): return [.preference(name, .any)]
        case ("^", .string(let text)): return [.preference(name, .beginning(text))]
        case (",", .array): return [.preference(name, .words(texts))]
        case ("@", .array): return texts.map { .permission(name, site: Key($0), constant.flatMap { Int($0) } ?? 0) }
        case ("#", .array): return texts.map { .page(sample(of: $0), isBlocked: name == "1") }
        default:
            guard literal(condition) == value else { return [] }
            return [plain(name, isOff: true) ?? .preference(name, constant.map { .value(literal($0)) } ?? .any)]
        }
    }

    /// A feature or a page.
    private static func plain(_ name: Key, isOff: Bool) -> Sign? {
        if name.string.utf8.first == UInt8(ascii: "@") {
            return .feature(Key(String(Substring(name.string.utf8.dropFirst()))), isAllowed: !isOff)
        }
        return name.string.utf8.starts(with: "about:".utf8) ? .page(name, isBlocked: isOff) : nil
    }

    private static func literal(_ word: String) -> Value {
        if word == "true" || word == "false" { return .boolean(word == "true") }
        return Int(word).map { .integer(Integer($0)) } ?? .string(word)
    }

    /// An address that a pattern of sites has.
    private static func sample(of pattern: String) -> Key {
        if pattern == "<all_urls>" { return "https://site.example/" }
        var text = pattern
        if text.utf8.starts(with: "*://".utf8) { text = "https\(Substring(text.utf8.dropFirst()))" }
        for (star, plain) in [("://*.", "://"), ("://*", "://site.example"), ("*", "")] {
            text = TextSearch.parts(of: text, separatedBy: star).joined(separator: plain)
        }
        return Key(text)
    }
}
