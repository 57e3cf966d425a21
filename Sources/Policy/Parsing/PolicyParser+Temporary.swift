import Platform
import PropertyList

extension PolicyParser {
    /// Reads `Temporary`.
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

    /// Reads `Temporary.Kind`.
    private mutating func temporaryKind(_ node: Node) -> Temporary.Kind? {
        guard let text = string(node, "Temporary.Kind") else { return nil }
        if let kind = Temporary.Kind(rawValue: text) { return kind }
        report(
            .invalidValue, at: node.offset,
            "Temporary.Kind must be \"exam\" or \"grant\", not \"\(Printable.escape(text))\"")
        offerWord(text, at: node.offset, known: Temporary.Kind.allCases.map(\.rawValue))
        return nil
    }

    /// Reads a digest in hexadecimal digits.
    private mutating func digest(_ node: Node, _ name: String) -> Digest? {
        guard let text = string(node, name) else { return nil }
        if let digest = Digest(hex: text) { return digest }
        report(.invalidValue, at: node.offset, "\(name) must be a SHA-256 in 64 hexadecimal digits")
        return nil
    }
}
