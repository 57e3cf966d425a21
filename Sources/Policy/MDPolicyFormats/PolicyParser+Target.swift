import MDPlatform
import MDPolicyModel
import MDPropertyList

extension PolicyParser {
    /// The clauses of a target, of its `Except` or of a waiver, while they are parsed.
    struct ClauseReader {
        /// User names.
        package var users: [TargetName]?
        /// Group names.
        package var groups: [TargetName]?
        /// Patterns of host names.
        package var hosts: [HostPattern]?
        /// Words of the machine's tags file.
        package var tags: [TargetName]?

        /// The clauses so far.
        package var clauses: Target.Clauses { Target.Clauses(users: users, groups: groups, hosts: hosts, tags: tags) }

        /// Parses a field if it is a clause; returns whether it is one.
        package mutating func read(_ entry: Node.Entry, in place: String, _ parser: inout PolicyParser) -> Bool {
            switch TargetField(rawValue: entry.key.string) {
            case .users: users = parser.names(entry, .users, place)
            case .groups: groups = parser.names(entry, .groups, place)
            case .hosts: hosts = parser.patterns(entry, "\(place).Hosts")
            case .tags: tags = parser.names(entry, .tags, place)
            case .except, .schedule, .notBefore, .notAfter, nil: return false
            }
            return true
        }
    }

    /// Parses `Target`.
    mutating func parseTarget(_ node: Node) {
        guard let fields = node.entries else { return reportType(node, "Target", expected: "a dictionary") }
        var reader = ClauseReader()
        var except = Target.Clauses()
        var schedule: [ScheduleItem]?
        var notBefore: Timestamp?
        var notAfter: Timestamp?
        for entry in fields {
            if reader.read(entry, in: "Target", &self) { continue }
            guard let field = TargetField(rawValue: entry.key.string) else {
                reportUnknown(entry, among: fields, in: "Target", known: TargetField.names)
                continue
            }
            if refuses(entry) { continue }
            switch field {
            case .except: except = parseExcept(entry.value)
            case .schedule: schedule = parseSchedule(entry.value)
            case .notBefore: notBefore = timestamp(entry.value, "Target.NotBefore")
            case .notAfter: notAfter = timestamp(entry.value, "Target.NotAfter")
            case .users, .groups, .hosts, .tags: break
            }
        }
        target = Target(
            include: reader.clauses, except: except, schedule: schedule, notBefore: notBefore, notAfter: notAfter)
    }

    /// Parses `Except` of a target.
    private mutating func parseExcept(_ node: Node) -> Target.Clauses {
        var reader = ClauseReader()
        guard let fields = node.entries else {
            reportType(node, "Target.Except", expected: "a dictionary")
            return reader.clauses
        }
        for entry in fields where !reader.read(entry, in: "Target.Except", &self) {
            if TargetField(rawValue: entry.key.string) == nil {
                reportUnknown(entry, among: fields, in: "Target.Except", known: TargetField.clauses)
            } else {
                report(
                    .unknownField, at: entry.keyOffset,
                    "Target.Except has no field \"\(entry.key.string)\" of its own")
            }
        }
        return reader.clauses
    }

    /// Parses a clause of names.
    private mutating func names(_ entry: Node.Entry, _ field: TargetField, _ parent: String) -> [TargetName] {
        let place = "\(parent).\(field.rawValue)"
        var result: [TargetName] = []
        var seen: Set<Key> = []
        for (text, offset) in items(entry, place) {
            if !seen.insert(Key(text)).inserted {
                report(
                    .duplicateKey, at: offset, "the name \"\(Printable.escape(text))\" stands in \(place) twice",
                    severity: .warning)
                continue
            }
            if let error = field == .tags ? PolicyName.itemError(text) : PolicyName.accountError(text) {
                report(.invalidValue, at: offset, "the name \"\(Printable.escape(text))\" in \(place) \(error)")
                continue
            }
            if let remark = PolicyName.itemRemark(text, of: field) {
                report(
                    .invalidValue, at: offset, "the name \"\(Printable.escape(text))\" in \(place) \(remark)",
                    severity: .warning)
            }
            result.append(TargetName(Key(text), position: cursor.position(of: offset)))
        }
        return result
    }

    /// Parses a clause of host patterns.
    private mutating func patterns(_ entry: Node.Entry, _ place: String) -> [HostPattern] {
        var result: [HostPattern] = []
        for (text, offset) in items(entry, place) {
            if let error = PolicyName.itemError(text) {
                report(.invalidPattern, at: offset, "the pattern \"\(Printable.escape(text))\" in \(place) \(error)")
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
            offerList(entry.value)
            return []
        }
        if elements.isEmpty {
            report(.emptyClause, at: entry.value.offset, "\(place) is empty, so it matches nobody", severity: .warning)
        }
        return strings(elements, place)
    }
}
