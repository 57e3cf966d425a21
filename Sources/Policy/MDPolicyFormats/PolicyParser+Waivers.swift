import MDPlatform
import MDPolicyModel
import MDPropertyList

extension PolicyParser {
    /// Parses `Waivers`: an array of exceptions.
    mutating func parseWaivers(_ node: Node) {
        guard let elements = node.elements else { return reportType(node, "Waivers", expected: "an array of waivers") }
        for element in elements {
            guard let fields = element.entries else {
                reportType(element, "an item of Waivers", expected: "a dictionary")
                continue
            }
            parseWaiver(fields, element)
        }
    }

    /// Parses one waiver.
    private mutating func parseWaiver(_ fields: [Node.Entry], _ node: Node) {
        let position = cursor.position(of: node.offset)
        var reader = ClauseReader()
        var domain: Key?
        var key: Key?
        var until: Timestamp?
        var reason = ""
        var approvedBy = ""
        for entry in fields {
            if reader.read(entry, in: "Waivers", &self) { continue }
            switch WaiverField(rawValue: entry.key.string) {
            case .domain:
                guard let text = string(entry.value, "Domain") else { continue }
                domain = Key(text)
                checkDomain(Key(text), at: entry.value.offset, in: "Waivers")
            case .key:
                guard let text = string(entry.value, "Key") else { continue }
                key = Key(text)
                if let error = PolicyName.keyError(Key(text)) {
                    report(.invalidKey, at: entry.value.offset, "the key \"\(Printable.escape(text))\" \(error)")
                }
            case .until: until = timestamp(entry.value, "Until")
            case .reason: reason = string(entry.value, "Reason") ?? ""
            case .approvedBy: approvedBy = string(entry.value, "ApprovedBy") ?? ""
            case .users, .groups, .hosts, .tags: break
            case nil: reportUnknown(entry, among: fields, in: "a waiver", known: WaiverField.names)
            }
        }
        for required in [WaiverField.domain, .key] where !fields.contains(where: { $0.key.string == required.rawValue })
        {
            report(
                .missingField, at: node.offset,
                "this waiver has no \(required.rawValue); a waiver lifts one key of one domain")
        }
        guard let domain, let key else { return }
        waivers.append(
            Waiver(
                clauses: reader.clauses, domain: domain, key: key, until: until, reason: reason,
                approvedBy: approvedBy, origin: origin(position)))
    }
}

/// The fields of a waiver.
enum WaiverField: String, CaseIterable {
    /// User names.
    case users = "Users"
    /// Group names.
    case groups = "Groups"
    /// Patterns of host names.
    case hosts = "Hosts"
    /// Words of the machine's tags file.
    case tags = "Tags"
    /// The domain of the key.
    case domain = "Domain"
    /// The key that the waiver lifts.
    case key = "Key"
    /// The end of the waiver.
    case until = "Until"
    /// The reason.
    case reason = "Reason"
    /// The person that approved it.
    case approvedBy = "ApprovedBy"

    /// The names of all fields, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}

extension PolicyParser {
    /// Parses `Temporary`.
    mutating func parseTemporary(_ node: Node, at keyOffset: Int) {
        guard let fields = node.entries else { return reportType(node, "Temporary", expected: "a dictionary") }
        var kind: Temporary.Kind?
        var set: Key?
        var until: Timestamp?
        var by = ""
        var reason = ""
        var digest: Digest?
        for entry in fields {
            switch TemporaryField(rawValue: entry.key.string) {
            case .kind: kind = temporaryKind(entry.value)
            case .set:
                guard let text = string(entry.value, "Temporary.Set") else { continue }
                set = Key(text)
                if text.isEmpty { report(.invalidValue, at: entry.value.offset, "Temporary.Set is empty") }
            case .until: until = timestamp(entry.value, "Temporary.Until")
            case .by: by = string(entry.value, "Temporary.By") ?? ""
            case .reason: reason = string(entry.value, "Temporary.Reason") ?? ""
            case .digest: digest = self.digest(entry.value, "Temporary.Digest")
            case nil: reportUnknown(entry, among: fields, in: "Temporary", known: TemporaryField.names)
            }
        }
        if !fields.contains(where: { $0.key.string == TemporaryField.kind.rawValue }) {
            report(.missingField, at: keyOffset, "Temporary has no Kind, which is \"exam\" or \"grant\"")
        }
        guard let kind else { return }
        if kind == .exam, !fields.contains(where: { $0.key.string == TemporaryField.set.rawValue }) {
            report(.missingField, at: keyOffset, "Temporary has no Set, by which policy exam stop finds the file")
        }
        temporary = Temporary(
            kind: kind, set: set, until: until, by: by, reason: reason, digest: digest,
            position: cursor.position(of: keyOffset))
    }

    /// Parses `Temporary.Kind`.
    private mutating func temporaryKind(_ node: Node) -> Temporary.Kind? {
        guard let text = string(node, "Temporary.Kind") else { return nil }
        if let kind = Temporary.Kind(rawValue: text) { return kind }
        report(
            .invalidValue, at: node.offset,
            "Temporary.Kind must be \"exam\" or \"grant\", not \"\(Printable.escape(text))\"")
        offerWord(text, at: node.offset, known: Temporary.Kind.allCases.map(\.rawValue))
        return nil
    }

    /// Parses a digest in hexadecimal digits.
    private mutating func digest(_ node: Node, _ name: String) -> Digest? {
        guard let text = string(node, name) else { return nil }
        if let digest = Digest(hex: text) { return digest }
        report(.invalidValue, at: node.offset, "\(name) must be a SHA-256 in 64 hexadecimal digits")
        return nil
    }
}

/// The fields of `Temporary`.
enum TemporaryField: String, CaseIterable {
    /// The verb that made the file: `exam` or `grant`.
    case kind = "Kind"
    /// The set of an exam.
    case set = "Set"
    /// The end of the file.
    case until = "Until"
    /// The person that asked for it.
    case by = "By"
    /// The reason.
    case reason = "Reason"
    /// The SHA-256 of the file of the set.
    case digest = "Digest"

    /// The names of all fields, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
