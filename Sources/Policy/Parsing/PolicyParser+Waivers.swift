import Platform
import PropertyList

extension PolicyParser {
    /// Reads `Waivers`: an array of exceptions.
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

    /// Reads one waiver.
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
                if let mistake = PolicyName.keyMistake(Key(text)) {
                    report(.invalidKey, at: entry.value.offset, "the key \"\(Printable.escape(text))\" \(mistake)")
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
