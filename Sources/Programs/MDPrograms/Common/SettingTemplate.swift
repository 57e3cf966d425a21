import MDPlatform
import MDPolicyModel
import MDPropertyList
import MDTools

/// What a common setting's value becomes in a program: a value with places to fill in.
///
/// - `"$(value)"` is the value, of any type; `"$(value.Host)"` a member of it. Within a longer string it is text.
/// - `{"$case": {"true": 0, "false": 1}, "$else": 2}` chooses by a boolean, an integer or a string.
/// - `{"$each": …}` makes an array of an array; in it `value` is the element.
/// - `{"$join": ";"}` makes a string of an array of strings, `{"$times": 60}` a multiple of an integer.
/// - These four look at `value`, or with `"$of": "value.Mode"` at a member.
/// - `"$absent"`, only as a whole or as a case of it, keeps the key without a value.
///
/// A member, an element or a setting that needs something which the value has not is left out.
indirect enum SettingTemplate: Sendable {
    /// Always this value.
    case constant(Value)
    /// The value, or a member of it.
    case place([Key])
    /// A text with places to fill in.
    case text([SettingTemplate])
    case cases([Key], [Key: SettingTemplate], otherwise: SettingTemplate?)
    case each([Key], SettingTemplate)
    case join([Key], String)
    case times([Key], Int)
    case array([SettingTemplate])
    case dictionary([(key: Key, template: SettingTemplate)])
    /// No value, which the user cannot change.
    case absent

    // MARK: Reading

    /// Why a template cannot be used.
    struct ReadError: Error {
        /// The place, as an offset into the document.
        let offset: Int
        /// Why, as a clause.
        let message: String
    }

    /// Reads a template.
    ///
    /// - Parameters:
    ///   - node: its place in a document.
    ///   - isWhole: whether it is all of what a key becomes.
    /// - Throws: the first error.
    init(_ node: Node, isWhole: Bool = false) throws(ReadError) {
        switch node.content {
        case .scalar(.string("$absent")):
            guard isWhole else { throw ReadError(offset: node.offset, message: "$absent is only for a whole key") }
            self = .absent
        case .scalar(.string(let text)): self = try SettingTemplate.text(text, at: node.offset)
        case .scalar(let value): self = .constant(value)
        case .array(let nodes):
            var templates: [SettingTemplate] = []
            for node in nodes { templates.append(try SettingTemplate(node)) }
            self = .array(templates)
        case .dictionary(let entries):
            if entries.contains(where: { $0.key.string.utf8.first == UInt8(ascii: "$") }) {
                self = try SettingTemplate.operation(entries, at: node.offset, isWhole: isWhole)
                return
            }
            var members: [(key: Key, template: SettingTemplate)] = []
            for entry in entries { members.append((entry.key, try SettingTemplate(entry.value))) }
            self = .dictionary(members)
        }
    }

    /// Reads a dictionary whose keys begin with `$`.
    private static func operation(
        _ entries: [Node.Entry], at offset: Int, isWhole: Bool
    ) throws(ReadError) -> SettingTemplate {
        var members: [Key: Node] = [:]
        for entry in entries { members[entry.key] = entry.value }
        func fail(_ message: String) -> ReadError { ReadError(offset: offset, message: message) }
        var path: [Key] = []
        if let of = members.removeValue(forKey: "$of") {
            guard case .scalar(.string(let text)) = of.content, let place = place(text) else {
                throw fail("$of names no member, as value.Mode")
            }
            path = place
        }
        let otherwise = members.removeValue(forKey: "$else")
        guard members.count == 1, let (name, node) = members.first else {
            throw fail("there is not one of $case, $each, $join and $times")
        }
        if otherwise != nil, name != "$case" { throw fail("$else is only for $case") }
        switch (name, node.content) {
        case ("$case", .dictionary(let entries)):
            var cases: [Key: SettingTemplate] = [:]
            for entry in entries { cases[entry.key] = try SettingTemplate(entry.value, isWhole: isWhole) }
            var rest: SettingTemplate?
            if let otherwise { rest = try SettingTemplate(otherwise) }
            return .cases(path, cases, otherwise: rest)
        case ("$each", _): return .each(path, try SettingTemplate(node))
        case ("$join", .scalar(.string(let separator))): return .join(path, separator)
        case ("$times", .scalar(.integer(let number))):
            guard let factor = number.int64.flatMap({ Int(exactly: $0) }) else { throw fail("$times is too large") }
            return .times(path, factor)
        default: throw fail("\(name) is unknown, or has a value of the wrong type")
        }
    }

    /// Reads a string with places to fill in.
    private static func text(_ text: String, at offset: Int) throws(ReadError) -> SettingTemplate {
        var parts: [SettingTemplate] = []
        var rest = Substring(text)
        while let start = TextSearch.range(of: "$(", in: rest) {
            let before = String(rest[..<start.lowerBound])
            if !before.isEmpty { parts.append(.constant(.string(before))) }
            guard let end = rest[start.upperBound...].firstIndex(of: ")"),
                let path = place(String(rest[start.upperBound..<end]))
            else { throw ReadError(offset: offset, message: "$( is not followed by value or a member of it and )") }
            parts.append(.place(path))
            rest = rest[rest.index(after: end)...]
        }
        if TextSearch.isPresent("${", in: text) {
            // Policy's own variables belong into policy.
            throw ReadError(offset: offset, message: "${ is not allowed here")
        }
        if !rest.isEmpty || parts.isEmpty { parts.append(.constant(.string(String(rest)))) }
        return parts.count == 1 ? parts[0] : .text(parts)
    }

    /// The members that `value.A.B` names; `nil` for any other text.
    private static func place(_ text: String) -> [Key]? {
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map { Key(String($0)) }
        guard names.first == "value", !names.contains("") else { return nil }
        return Array(names.dropFirst())
    }

    // MARK: Filling in

    /// What a value becomes; `nil` if it has not what is needed.
    func filled(with value: Value) -> Value? {
        switch self {
        case .constant(let constant): return constant
        case .place(let path): return SettingTemplate.member(path, of: value)
        case .text(let parts):
            var text = ""
            for part in parts {
                guard let filled = part.filled(with: value).flatMap(SettingTemplate.text) else { return nil }
                text += filled
            }
            return .string(text)
        case .cases(let path, let cases, let otherwise):
            guard let member = SettingTemplate.member(path, of: value), let word = SettingTemplate.text(member) else {
                return nil
            }
            return (cases[Key(word)] ?? otherwise)?.filled(with: value)
        case .each(let path, let template):
            guard case .array(let elements) = SettingTemplate.member(path, of: value) else { return nil }
            return .array(elements.compactMap(template.filled))
        case .join(let path, let separator):
            guard case .array(let elements) = SettingTemplate.member(path, of: value) else { return nil }
            return .string(elements.compactMap(SettingTemplate.text).joined(separator: separator))
        case .times(let path, let factor):
            guard case .integer(let number) = SettingTemplate.member(path, of: value), let whole = number.int64,
                case let (product, isOverflow) = whole.multipliedReportingOverflow(by: Int64(factor)), !isOverflow
            else { return nil }
            return .integer(Integer(product))
        case .array(let templates): return .array(templates.compactMap { $0.filled(with: value) })
        case .dictionary(let members):
            var result: [Key: Value] = [:]
            for (key, template) in members { result[key] = template.filled(with: value) }
            return result.isEmpty ? nil : .dictionary(result)
        case .absent: return nil
        }
    }

    /// What the cases of a whole template choose; the template itself if it has none, or none fits.
    func choice(for value: Value) -> SettingTemplate {
        guard case .cases(let path, let cases, let otherwise) = self,
            let word = SettingTemplate.member(path, of: value).flatMap(SettingTemplate.text)
        else { return self }
        return (cases[Key(word)] ?? otherwise)?.choice(for: value) ?? self
    }

    /// Whether it is the same to combine the values of several files before as after they are filled in.
    func isCombined(by operation: CombineOperator) -> Bool {
        switch (self, operation) {
        case (.place([]), _), (.each([], _), .union): true
        case (.times([], let factor), .min), (.times([], let factor), .max): factor > 0
        default: false
        }
    }

    /// Adds the words that cases distinguish, by the member of the value that they are about.
    ///
    /// - Parameters:
    ///   - words: the words; cases with `$else` add none.
    ///   - anything: the members that are also taken as they are, whatever they are.
    func gather(_ words: inout [[Key]: Set<Key>], anything: inout Set<[Key]>) {
        switch self {
        case .cases(let path, let cases, nil): words[path, default: []].formUnion(cases.keys)
        case .place(let path): anything.insert(path)
        case .text(let parts), .array(let parts):
            for part in parts { part.gather(&words, anything: &anything) }
        case .dictionary(let members):
            for member in members { member.template.gather(&words, anything: &anything) }
        case .cases, .constant, .each, .join, .times, .absent: break
        }
    }

    static func member(_ path: [Key], of value: Value) -> Value? {
        var value = value
        for name in path {
            guard case .dictionary(let members) = value, let member = members[name] else { return nil }
            value = member
        }
        return value
    }

    /// A single value as text.
    static func text(_ value: Value) -> String? {
        switch value {
        case .string(let text): text
        case .boolean(let isTrue): isTrue ? "true" : "false"
        case .integer(let number): number.description
        case .real, .date, .data, .array, .dictionary: nil
        }
    }
}
