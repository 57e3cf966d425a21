import MDPlatform
import MDPolicyModel
package import MDPropertyList

extension PolicyParser {
    /// Parses `Forced`, `Recommended` or `SetOnce`: domains, keys, values.
    mutating func parseValues(_ node: Node, _ field: String, level: Level) {
        guard let domains = node.entries else { return reportType(node, field, expected: "a dictionary of domains") }
        for domain in domains {
            checkDomain(domain.key, at: domain.keyOffset, in: field, among: domains)
            guard let keys = domain.value.entries else {
                let name = "\(field).\(Printable.escape(domain.key.string))"
                reportType(domain.value, name, expected: "a dictionary of keys and values")
                continue
            }
            makeRoom(for: keys.count)
            for entry in keys {
                add(level, domain: domain.key, key: entry.key, offset: entry.keyOffset, value: entry.value)
            }
        }
    }

    /// Parses `Absent`: domains and lists of keys.
    mutating func parseAbsent(_ node: Node) {
        guard let domains = node.entries else { return reportType(node, "Absent", expected: "a dictionary of domains") }
        for domain in domains {
            checkDomain(domain.key, at: domain.keyOffset, in: "Absent", among: domains)
            let name = "Absent.\(Printable.escape(domain.key.string))"
            guard let keys = domain.value.elements else {
                reportType(domain.value, name, expected: "an array of keys")
                offerList(domain.value)
                continue
            }
            for node in keys {
                guard let text = string(node, "an item of \(name)") else { continue }
                add(.absent, domain: domain.key, key: Key(text), offset: node.offset, value: nil)
            }
        }
    }

    /// Checks the name of a domain.
    mutating func checkDomain(_ domain: Key, at offset: Int, in field: String, among domains: [Node.Entry] = []) {
        if let error = PolicyName.domainError(domain) {
            let name = Printable.escape(domain.string)
            report(.invalidDomain, at: offset, "the domain \"\(name)\" in \(field) \(error)")
            if PolicyName.isOtherGlobalName(domain), !domains.contains(where: { $0.key == "NSGlobalDomain" }) {
                offer(.invalidDomain, at: offset, replacing: domain.string, by: "NSGlobalDomain")
            }
        } else if let remark = PolicyName.domainRemark(domain) {
            let name = Printable.escape(domain.string)
            report(
                .invalidDomain, at: offset, "the domain \"\(name)\" in \(field) \(remark)", severity: .warning)
        }
    }

    /// Reserves capacity for entries, at least twice the present one if it is too small: domains come one by one.
    private mutating func makeRoom(for count: Int) {
        let needed = entries.count + count
        if needed > entries.capacity { entries.reserveCapacity(max(needed, entries.count * 2)) }
    }

    /// Checks the name of a key.
    private mutating func checkKey(_ key: Key, at offset: Int) {
        if let error = PolicyName.keyError(key) {
            report(.invalidKey, at: offset, "the key \"\(Printable.escape(key.string))\" \(error)")
        }
        if let remark = PolicyName.keyRemark(key) {
            report(
                .invalidKey, at: offset, "the key \"\(Printable.escape(key.string))\" \(remark)", severity: .warning)
        }
        if Template.isNeeded(for: key.string) {
            report(
                .unknownVariable, at: offset,
                "variables are not expanded in keys; the key is \"\(Printable.escape(key.string))\" as it stands",
                severity: .warning)
        }
    }

    /// Adds an entry, after checking its key and its variables, and that the file does not contradict itself.
    private mutating func add(_ level: Level, domain: Key, key: Key, offset: Int, value: Node?) {
        if !PolicyName.isOrdinary(key) { checkKey(key, at: offset) }
        let position = cursor.position(of: offset)
        if level == .forced || level == .absent, hasAbsentEntries {
            if let first = firstPlaces[domain]?[key] {
                reportRepetition(level, Printable.escape(key.string), offset, first: first)
            } else {
                firstPlaces[domain, default: [:]][key] = (level, position)
            }
        }
        let hasVariables = value.map { checkVariables($0) } ?? false
        entries.append(
            PolicyEntry(
                level: level, domain: domain, key: key, value: value, hasVariables: hasVariables,
                origin: origin(position)))
    }

    /// Reports a key that the file decides twice.
    private mutating func reportRepetition(
        _ level: Level, _ shown: String, _ offset: Int, first: (level: Level, position: Position)
    ) {
        if first.level != level {
            let other = first.level == .absent ? "Absent" : "Forced"
            report(
                .forcedAndAbsent, at: offset,
                "the key \"\(shown)\" is also in \(other), at \(first.position); a file gives a key a value or none")
        } else if level == .absent {
            report(.duplicateKey, at: offset, "the key \"\(shown)\" already stands at \(first.position)")
            offerRemoval(of: shown, at: offset, value: Node(.scalar(.string("")), offset: offset))
        }
    }

    /// Checks the variables of every string in a value.
    ///
    /// - Returns: whether there is a variable to expand.
    private mutating func checkVariables(_ node: Node) -> Bool {
        switch node.content {
        case .scalar(.string(let text)):
            if text.hasOnlyBytes({ $0 != UInt8(ascii: "$") }) { return false }
            if let name = Template.bareVariable(in: text) {
                report(
                    .unknownVariable, at: node.offset,
                    "$\(name) is no variable and stays as it is; ${\(name)} is probably meant", severity: .warning)
            }
            guard Template.isNeeded(for: text) else { return false }
            do {
                _ = try Template(text)
            } catch {
                report(.unknownVariable, at: node.offset, error.message)
                offerVariable(text, at: node.offset)
            }
            return true
        case .scalar: return false
        case .array(let nodes):
            var found = false
            for node in nodes where checkVariables(node) { found = true }
            return found
        case .dictionary(let entries):
            var found = false
            for entry in entries where checkVariables(entry.value) { found = true }
            return found
        }
    }

    /// Whether a dictionary is so small that comparing every pair of keys is faster than hashing, and no key repeats.
    private static func areFewAndDistinct(_ entries: [Node.Entry]) -> Bool {
        guard entries.count <= 8 else { return false }
        for (index, entry) in entries.enumerated() {
            for other in entries[..<index] where other.key == entry.key { return false }
        }
        return true
    }

    /// Reports every key that occurs twice in one dictionary, recursively.
    package mutating func checkDuplicates(_ node: Node) {
        switch node.content {
        case .scalar: return
        case .array(let nodes): for node in nodes { checkDuplicates(node) }
        case .dictionary(let entries):
            guard !PolicyParser.areFewAndDistinct(entries) else {
                for entry in entries { checkDuplicates(entry.value) }
                return
            }
            var first = [Key: Node.Entry](minimumCapacity: entries.count)
            for entry in entries {
                if let other = first[entry.key] {
                    let place = cursor.position(of: other.keyOffset)
                    let name = Printable.escape(entry.key.string)
                    report(.duplicateKey, at: entry.keyOffset, "the key \"\(name)\" already stands at \(place)")
                    if fixable != nil, entry.value.typeName == other.value.typeName,
                        entry.value.value == other.value.value
                    {
                        offerRemoval(of: entry.key.string, at: entry.keyOffset, value: entry.value)
                    }
                } else {
                    first[entry.key] = entry
                }
                checkDuplicates(entry.value)
            }
        }
    }
}

extension PolicyParser {
    /// Parses `Metadata`: domains, keys, descriptions.
    mutating func parseMetadata(_ node: Node) {
        guard let domains = node.entries else {
            return reportType(node, "Metadata", expected: "a dictionary of domains")
        }
        let ignored = domains.filter { $0.key.string == LintAcknowledgement.field }
        for entry in ignored { parseAcknowledgements(entry.value) }
        let rest = Node(.dictionary(domains.filter { $0.key.string != LintAcknowledgement.field }), offset: node.offset)
        forEachKey(rest, "Metadata", content: "metadata") { parser, domain, entry, place in
            let position = parser.cursor.position(of: entry.keyOffset)
            guard let fields = entry.value.entries else {
                return parser.reportType(
                    entry.value, place,
                    expected: "a dictionary with Title, Description, Controls, Sensitive, Programs or Severity")
            }
            parser.metadata.append(
                parser.keyMetadata(fields, place, domain: domain, key: entry.key, origin: parser.origin(position)))
        }
    }

    /// Parses `Metadata.LintIgnore`: codes of findings and the reasons why they are meant.
    private mutating func parseAcknowledgements(_ node: Node) {
        let place = "Metadata.\(LintAcknowledgement.field)"
        guard let fields = node.entries else {
            return reportType(node, place, expected: "a dictionary of codes and reasons")
        }
        for entry in fields {
            let name = entry.key.string
            guard let code = LintCode(rawValue: name) else {
                let known = LintCode.allCases.map(\.rawValue)
                let hint = Suggestion.nearest(to: name, among: known).map { "; \($0) is probably meant" } ?? ""
                report(
                    .invalidValue, at: entry.keyOffset,
                    "there is no code \"\(Printable.escape(name))\" of a finding\(hint)")
                continue
            }
            guard let reason = string(entry.value, "\(place).\(name)") else { continue }
            guard reason.utf8.contains(where: { $0 != 0x20 }) else {
                report(
                    .invalidValue, at: entry.value.offset, "\(place).\(name) is empty; it says why the finding is meant"
                )
                continue
            }
            acknowledged.append(LintAcknowledgement(code: code, reason: reason))
        }
    }

    /// Parses the metadata of one key.
    private mutating func keyMetadata(
        _ fields: [Node.Entry], _ place: String, domain: Key, key: Key, origin: Origin
    ) -> MetadataEntry {
        var metadata = KeyMetadata()
        var programs: [HostPattern] = []
        var severity: RuleSeverity?
        for entry in fields {
            switch MetadataField(rawValue: entry.key.string) {
            case .title: metadata.title = string(entry.value, "\(place).Title") ?? ""
            case .description: metadata.description = string(entry.value, "\(place).Description") ?? ""
            case .controls:
                guard let elements = entry.value.elements else {
                    reportType(entry.value, "\(place).Controls", expected: "an array of strings")
                    offerList(entry.value)
                    continue
                }
                metadata.controls = strings(elements, "\(place).Controls").map(\.text)
            case .sensitive: metadata.isSensitive = boolean(entry.value, "\(place).Sensitive") ?? false
            case .programs: programs = self.programs(entry.value, "\(place).Programs")
            case .severity:
                guard let text = string(entry.value, "\(place).Severity") else { continue }
                severity = RuleSeverity(rawValue: text)
                if severity != nil { continue }
                report(
                    .invalidValue, at: entry.value.offset,
                    "\(place).Severity must be \"info\", \"low\", \"medium\" or \"high\", not"
                        + " \"\(Printable.escape(text))\"")
                offerWord(text, at: entry.value.offset, known: RuleSeverity.allCases.map(\.rawValue))
            case nil: reportUnknown(entry, among: fields, in: place, known: MetadataField.names)
            }
        }
        return MetadataEntry(
            domain: domain, key: key, metadata: metadata, programs: programs, severity: severity, origin: origin)
    }

    /// Parses paths of programs, or globs of paths.
    private mutating func programs(_ node: Node, _ place: String) -> [HostPattern] {
        guard let elements = node.elements else {
            reportType(node, place, expected: "an array of strings")
            offerList(node)
            return []
        }
        return strings(elements, place).compactMap { text, offset in
            if text.utf8.first == UInt8(ascii: "/"), let pattern = HostPattern(text) { return pattern }
            report(
                .invalidValue, at: offset,
                "an item of \(place) must be the path of a program from / on, or a glob of paths, with at most 255 bytes,"
                    + " not \"\(Printable.escape(text))\"")
            return nil
        }
    }
}

extension LintAcknowledgement {
    /// The name in `Metadata`, beside those of domains.
    static let field = "LintIgnore"
}

/// The fields of the metadata of a key.
enum MetadataField: String, CaseIterable {
    /// A short name.
    case title = "Title"
    /// What the key does.
    case description = "Description"
    /// The rules that require it.
    case controls = "Controls"
    /// Whether values are never shown.
    case sensitive = "Sensitive"
    /// The paths of the programs that should ask for it.
    case programs = "Programs"
    /// How grave it is if the key is not as it is required.
    case severity = "Severity"

    /// The names of all fields, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
