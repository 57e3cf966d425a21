import MDPlatform
import MDPolicyModel
import MDPropertyList

extension PolicyParser {
    /// The most steps of all patterns of one file, to bound its memory.
    static let patternLimit = 1_000_000

    /// Parses `Sealed`: an array of domains.
    mutating func parseSealed(_ node: Node) {
        guard let elements = node.elements else {
            reportType(node, "Sealed", expected: "an array of domains")
            return offerList(node)
        }
        var first: [Key: Position] = [:]
        for node in elements {
            guard let text = string(node, "an item of Sealed") else { continue }
            let (domain, offset) = (Key(text), node.offset)
            checkDomain(domain, at: offset, in: "Sealed")
            let position = cursor.position(of: offset)
            if let place = first[domain] {
                report(.duplicateKey, at: offset, "the domain \"\(Printable.escape(text))\" already stands at \(place)")
                offerRemoval(of: text, at: offset, value: node)
                continue
            }
            first[domain] = position
            seals.append(Seal(domain: domain, origin: origin(position)))
        }
    }

    /// Parses `Combine`: domains, keys, operators.
    mutating func parseCombine(_ node: Node) {
        let words = CombineOperator.allCases.map(\.rawValue)
        forEachKey(node, "Combine", content: "operators") { parser, domain, entry, place in
            guard let text = parser.string(entry.value, place) else { return }
            guard let combine = CombineOperator(rawValue: text) else {
                let hint = Suggestion.nearest(to: text, among: words).map { "; \($0) is probably meant" } ?? ""
                parser.report(
                    .invalidValue, at: entry.value.offset,
                    "\(place) must be replace, union, merge, min, max, and, or or, not"
                        + " \"\(Printable.escape(text))\"\(hint)")
                return parser.offerWord(text, at: entry.value.offset, known: words)
            }
            let origin = parser.origin(parser.cursor.position(of: entry.keyOffset))
            parser.combine.append(CombineEntry(domain: domain, key: entry.key, combine: combine, origin: origin))
        }
    }

    /// Parses `Constraints`: domains, keys, bounds.
    mutating func parseConstraints(_ node: Node) {
        forEachKey(node, "Constraints", content: "constraints") { parser, domain, entry, place in
            let position = parser.cursor.position(of: entry.keyOffset)
            guard let constraint = parser.constraint(entry.value, place) else { return }
            if let contradiction = constraint.contradiction {
                return parser.report(
                    .unsatisfiableConstraint, at: entry.keyOffset, "no value satisfies \(place): \(contradiction)")
            }
            parser.constraints.append(
                ConstraintEntry(
                    domain: domain, key: entry.key, constraint: constraint, origin: parser.origin(position)))
        }
    }

    /// Parses one constraint; `nil` if it has an error.
    private mutating func constraint(_ node: Node, _ place: String) -> Constraint? {
        guard let fields = node.entries else {
            reportType(node, place, expected: "a dictionary with Minimum, Maximum, OneOf or Pattern")
            return nil
        }
        if fields.isEmpty {
            report(
                .missingField, at: node.offset,
                "\(place) is empty; a constraint has Minimum, Maximum, OneOf or Pattern")
            return nil
        }
        let before = findings
        var minimum: Value?
        var maximum: Value?
        var oneOf: [Value]?
        var pattern: ConstraintPattern?
        for entry in fields {
            switch ConstraintField(rawValue: entry.key.string) {
            case .minimum: minimum = bound(entry.value, "\(place).Minimum")
            case .maximum: maximum = bound(entry.value, "\(place).Maximum")
            case .oneOf: oneOf = allowedValues(entry.value, "\(place).OneOf")
            case .pattern: pattern = self.pattern(entry.value, "\(place).Pattern")
            case nil: reportUnknown(entry, among: fields, in: place, known: ConstraintField.names)
            }
        }
        guard findings == before else { return nil }
        return Constraint(minimum: minimum, maximum: maximum, oneOf: oneOf, pattern: pattern)
    }

    /// Parses a bound.
    private mutating func bound(_ node: Node, _ name: String) -> Value? {
        switch node.content {
        case .scalar(.integer(let number)): return .integer(number)
        case .scalar(.real(let number)):
            if !number.isNaN { return .real(number) }
            report(.invalidValue, at: node.offset, "\(name) must be a number, and nan is none")
        default:
            reportType(node, name, expected: "a number")
            if case .scalar(.string(let text)) = node.content, PolicyParser.isNumber(text) { offerUnquoted(node) }
        }
        return nil
    }

    /// Whether a text would be a number of JSON without its quotes.
    private static func isNumber(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in "0123456789+-.eE".utf8.contains(byte) }
        guard isPlain, let document = try? Document.read(Array("[\(text)]".utf8), as: .json, limits: PolicyFile.limits),
            let elements = document.root.elements, elements.count == 1
        else { return false }
        switch elements[0].content {
        case .scalar(.integer), .scalar(.real): return true
        default: return false
        }
    }

    /// Parses `OneOf`.
    private mutating func allowedValues(_ node: Node, _ name: String) -> [Value]? {
        guard let elements = node.elements else {
            reportType(node, name, expected: "an array of values")
            return nil
        }
        for element in elements { warnOfVariables(element, name) }
        return elements.map(\.value)
    }

    /// Parses `Pattern`.
    private mutating func pattern(_ node: Node, _ name: String) -> ConstraintPattern? {
        guard let text = string(node, name) else { return nil }
        do {
            let pattern = try ConstraintPattern(text)
            patternSteps += pattern.size
            if patternSteps <= PolicyParser.patternLimit { return pattern }
            report(
                .invalidPattern, at: node.offset,
                "the patterns of this file unfold to more than \(PolicyParser.patternLimit) steps; repeat less")
        } catch {
            report(
                .invalidPattern, at: node.offset,
                "\(name) is no pattern: at character \(error.offset + 1), \(error.message)")
        }
        return nil
    }

    /// Reports variables at a place that does not expand them.
    private mutating func warnOfVariables(_ node: Node, _ place: String) {
        switch node.content {
        case .scalar(.string(let text)):
            guard Template.isNeeded(for: text) else { return }
            report(
                .unknownVariable, at: node.offset,
                "variables are not expanded in \(place)")
        case .scalar: return
        case .array(let nodes): for node in nodes { warnOfVariables(node, place) }
        case .dictionary(let entries): for entry in entries { warnOfVariables(entry.value, place) }
        }
    }

    /// Iterates over the domains and keys of a field.
    ///
    /// - Parameters:
    ///   - node: the value of the field.
    ///   - field: its name.
    ///   - content: the keys of a domain in words, in the plural.
    ///   - body: called for each key; the last argument is the path of the key in words.
    mutating func forEachKey(
        _ node: Node, _ field: String, content: String,
        _ body: (inout PolicyParser, Key, Node.Entry, String) -> Void
    ) {
        guard let domains = node.entries else { return reportType(node, field, expected: "a dictionary of domains") }
        for domain in domains {
            checkDomain(domain.key, at: domain.keyOffset, in: field, among: domains)
            let name = "\(field).\(Printable.escape(domain.key.string))"
            guard let keys = domain.value.entries else {
                reportType(domain.value, name, expected: "a dictionary of keys and \(content)")
                continue
            }
            for entry in keys {
                let shown = Printable.escape(entry.key.string)
                if let error = PolicyName.keyError(entry.key) {
                    report(.invalidKey, at: entry.keyOffset, "the key \"\(shown)\" \(error)")
                }
                body(&self, domain.key, entry, "\(name).\(shown)")
            }
        }
    }
}

/// The fields of a constraint.
enum ConstraintField: String, CaseIterable {
    /// The least number.
    case minimum = "Minimum"
    /// The greatest number.
    case maximum = "Maximum"
    /// The allowed values.
    case oneOf = "OneOf"
    /// The expression that a string must match.
    case pattern = "Pattern"

    /// The names of all fields, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
