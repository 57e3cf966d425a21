import Platform
import PropertyList

extension PolicyParser {
    /// Reads `Target`.
    mutating func parseTarget(_ node: Node) {
        guard let fields = node.entries else { return reportType(node, "Target", expected: "a dictionary") }
        var except = Target.Clauses()
        let include = parseClauses(fields, in: "Target") { parser, entry in
            guard let fields = entry.value.entries else {
                return parser.reportType(entry.value, "Target.Except", expected: "a dictionary")
            }
            except = parser.parseClauses(fields, in: "Target.Except") { parser, entry in
                parser.report(.unknownField, at: entry.keyOffset, "Target.Except has no field \"Except\" of its own")
            }
        }
        target = Target(include: include, except: except)
    }

    /// Reads the clauses of `Target` or of its `Except`, and hands a field named `Except` to `onExcept`.
    private mutating func parseClauses(
        _ fields: [Node.Entry], in place: String, onExcept: (inout PolicyParser, Node.Entry) -> Void
    ) -> Target.Clauses {
        var users: [TargetName]?
        var groups: [TargetName]?
        var hosts: [HostPattern]?
        var tags: [TargetName]?
        for entry in fields {
            switch TargetField(rawValue: entry.key.string) {
            case .users: users = names(entry, "\(place).Users")
            case .groups: groups = names(entry, "\(place).Groups")
            case .hosts: hosts = patterns(entry, "\(place).Hosts")
            case .tags: tags = names(entry, "\(place).Tags")
            case .except: onExcept(&self, entry)
            case nil:
                reportUnknown(entry, in: place, unsupported: TargetField.unsupported, known: TargetField.names)
            }
        }
        return Target.Clauses(users: users, groups: groups, hosts: hosts, tags: tags)
    }

    /// Reads a clause of names.
    private mutating func names(_ entry: Node.Entry, _ place: String) -> [TargetName] {
        var result: [TargetName] = []
        for (text, offset) in items(entry, place) {
            if let mistake = PolicyName.itemMistake(text) {
                report(.invalidValue, at: offset, "the name \"\(Printable.escape(text))\" in \(place) \(mistake)")
            } else {
                result.append(TargetName(Key(text), position: cursor.position(of: offset)))
            }
        }
        return result
    }

    /// Reads a clause of host patterns.
    private mutating func patterns(_ entry: Node.Entry, _ place: String) -> [HostPattern] {
        var result: [HostPattern] = []
        for (text, offset) in items(entry, place) {
            if let mistake = PolicyName.itemMistake(text) {
                report(.invalidPattern, at: offset, "the pattern \"\(Printable.escape(text))\" in \(place) \(mistake)")
            } else if let pattern = HostPattern(text, position: cursor.position(of: offset)) {
                result.append(pattern)
            } else {
                report(
                    .invalidPattern, at: offset,
                    "the pattern \"\(Printable.escape(text))\" in \(place) has a '[' without its ']', a range that runs"
                        + " backwards, or more than 255 bytes")
            }
        }
        return result
    }

    /// The strings of a clause, with their offsets.
    private mutating func items(_ entry: Node.Entry, _ place: String) -> [(text: String, offset: Int)] {
        guard let elements = entry.value.elements else {
            reportType(entry.value, place, expected: "an array of strings")
            return []
        }
        if elements.isEmpty {
            report(.emptyClause, at: entry.value.offset, "\(place) is empty, so it matches nobody", severity: .warning)
        }
        var result: [(text: String, offset: Int)] = []
        for element in elements {
            if case .scalar(.string(let text)) = element.content {
                result.append((text, element.offset))
            } else {
                reportType(element, "an item of \(place)", expected: "a string")
            }
        }
        return result
    }
}
