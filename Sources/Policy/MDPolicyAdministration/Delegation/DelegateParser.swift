import MDPlatform
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Reads the entries of `delegates.json`, and finds the place of each mistake.
struct DelegateParser {
    /// The most entries of the file, and the most names in a list.
    private static let limits = (entries: 256, names: 512)
    /// The hours that an entry may give: up to 31 days.
    private static let hours = 1...744

    /// The fields of an entry.
    private enum Field: String, CaseIterable {
        case users = "Users"
        case groups = "Groups"
        case sets = "Sets"
        case keys = "Keys"
        case hours = "Hours"
        case whom = "For"
        case description = "Description"
    }

    private let document: Document
    private let shownPath: String
    /// The entries without a mistake.
    private(set) var entries: [Delegates.Entry] = []
    private(set) var findings: [Diagnostic] = []

    init(_ document: Document, shownPath: String) {
        (self.document, self.shownPath) = (document, shownPath)
    }

    /// Reads the root.
    mutating func read(_ fields: [Node.Entry], _ root: Node) {
        var isFound = false
        for (index, field) in fields.enumerated() {
            guard field.key == "Delegates" else {
                report(.unknownField, field.keyOffset, "\(shown(field.key)) is no field here: the file has Delegates")
                continue
            }
            guard !isFound else {
                // Which of the two counts is nothing to guess.
                entries = []
                report(.duplicateKey, fields[index].keyOffset, "Delegates stands twice, so that nobody is a delegate")
                return
            }
            isFound = true
            guard let elements = field.value.elements, elements.count <= DelegateParser.limits.entries else {
                let message = "Delegates is a list of at most \(DelegateParser.limits.entries) dictionaries"
                report(.wrongType, field.value.offset, message)
                continue
            }
            for element in elements {
                let before = findings.count
                let entry = entry(element)
                if findings.count == before, let entry { entries.append(entry) }
            }
        }
        if !isFound { report(.missingField, root.offset, "the file has no Delegates") }
    }

    /// Reads one entry; it counts only if nothing was reported.
    private mutating func entry(_ node: Node) -> Delegates.Entry? {
        guard let fields = node.entries else {
            report(.wrongType, node.offset, "a delegation is a dictionary, not of type \(node.typeName)")
            return nil
        }
        var entry = Delegates.Entry()
        entry.position = document.position(of: node.offset)
        var found: Set<Field> = []
        for field in fields {
            guard let known = Field(rawValue: field.key.string) else {
                unknown(field, among: Field.allCases.map(\.rawValue))
                continue
            }
            if !found.insert(known).inserted { twice(field) }
            switch known {
            case .users: entry.delegates.users = names(field, self.name)
            case .groups: entry.delegates.groups = names(field, self.name)
            case .sets: entry.sets = names(field, self.set)
            case .keys: entry.keys = keys(field)
            case .hours:
                if case .scalar(.integer(let number)) = field.value.content, let hours = number.int64,
                    DelegateParser.hours.contains(Int(hours))
                {
                    entry.hours = Int(hours)
                } else {
                    let range = DelegateParser.hours
                    report(
                        .invalidValue, field.value.offset,
                        "Hours is a whole number from \(range.lowerBound) to \(range.upperBound)")
                }
            case .whom: entry.whom = people(field)
            case .description:
                if case .scalar(.string) = field.value.content { continue }
                report(.wrongType, field.value.offset, "Description is a string, not of type \(field.value.typeName)")
            }
        }
        for (field, message) in [
            (Field.hours, "a delegation has Hours, which say how far ahead an end may be"),
            (.whom, "a delegation has For, which says for whom it holds"),
        ] where !found.contains(field) { report(.missingField, node.offset, message) }
        if found.isDisjoint(with: [.users, .groups]) {
            report(.missingField, node.offset, "a delegation has Users or Groups, which say who the delegates are")
        }
        if found.isDisjoint(with: [.sets, .keys]) {
            report(.missingField, node.offset, "a delegation has Sets or Keys, which say what delegates may do")
        }
        return entry
    }

    /// Reads `For`.
    private mutating func people(_ field: Node.Entry) -> Delegates.People {
        var people = Delegates.People()
        guard let fields = field.value.entries, !fields.isEmpty else {
            report(.wrongType, field.value.offset, "For is a dictionary of Users, Groups or Everybody")
            return people
        }
        var found: Set<Key> = []
        for field in fields {
            if !found.insert(field.key).inserted { twice(field) }
            switch field.key {
            case "Users": people.users = names(field, self.name)
            case "Groups": people.groups = names(field, self.name)
            case "Everybody":
                guard case .scalar(.boolean(let truth)) = field.value.content else {
                    report(.wrongType, field.value.offset, "Everybody is true or false")
                    continue
                }
                people.everybody = truth
            default: unknown(field, among: ["Users", "Groups", "Everybody"])
            }
        }
        return people
    }

    /// Reads `Keys`: lists of keys by domain.
    private mutating func keys(_ field: Node.Entry) -> [Key: [Key]] {
        guard let domains = field.value.entries, !domains.isEmpty, domains.count <= DelegateParser.limits.names else {
            report(.wrongType, field.value.offset, "Keys is a dictionary with a list of keys for each domain")
            return [:]
        }
        var keys: [Key: [Key]] = [:]
        for domain in domains {
            if keys[domain.key] != nil { twice(domain) }
            if let error = PolicyName.domainError(domain.key) {
                report(.invalidDomain, domain.keyOffset, "the domain \(shown(domain.key)) \(error)")
            }
            keys[domain.key] = names(domain) { PolicyName.keyError($0) }
        }
        return keys
    }

    /// Reads a list of names that is not empty.
    private mutating func names(_ field: Node.Entry, _ mistake: (Key) -> String?) -> [Key] {
        guard let elements = field.value.elements, !elements.isEmpty, elements.count <= DelegateParser.limits.names
        else {
            let message = "\(shown(field.key)) is a list of 1 to \(DelegateParser.limits.names) strings"
            report(.wrongType, field.value.offset, message)
            return []
        }
        var names: [Key] = []
        for element in elements {
            guard case .scalar(.string(let text)) = element.content else {
                report(.wrongType, element.offset, "a name is a string, not of type \(element.typeName)")
                continue
            }
            if let error = mistake(Key(text)) {
                report(.invalidValue, element.offset, "\(shown(Key(text))) \(error)")
            }
            names.append(Key(text))
        }
        return names
    }

    /// What is wrong with the name of a user or group.
    private func name(_ name: Key) -> String? {
        if name == "root" { return "may do everything already, and nobody else may do it for root" }
        return (1...256).contains(name.string.utf8.count) && name.string.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
            ? nil : "is the name of no user or group"
    }

    /// What is wrong with the name of a set.
    private func set(_ name: Key) -> String? {
        name.string.utf8.allSatisfy(DelegateRequest.isSetByte) && (1...64).contains(name.string.utf8.count)
            ? nil : "does not name a set: a name has letters, digits, _ and - only"
    }

    private mutating func unknown(_ field: Node.Entry, among known: [String]) {
        let near = Suggestion.nearest(to: field.key.string, among: known).map { "; \($0) is near" } ?? ""
        report(.unknownField, field.keyOffset, "\(shown(field.key)) is no field here\(near)")
    }

    private mutating func twice(_ field: Node.Entry) {
        report(
            .duplicateKey, field.keyOffset, "\(shown(field.key)) stands twice, so that this delegation does not count")
    }

    private func shown(_ key: Key) -> String { Printable.escape(key.string) }

    private mutating func report(_ code: LintCode, _ offset: Int, _ message: String) {
        findings.append(
            Diagnostic(file: shownPath, position: document.position(of: offset), code: code, message: message))
    }
}
