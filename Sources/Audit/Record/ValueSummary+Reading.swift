import PropertyList

extension ValueSummary {
    /// Reads what a record keeps of a value; `nil` for anything that no record holds.
    init?(node: Node) {
        switch node.content {
        case .scalar(let value):
            self = .full(value)
        case .array:
            return nil
        case .dictionary(let entries):
            if entries.first?.key == "sensitive" {
                guard let sensitive = ValueSummary.sensitive(of: Node.dictionary(entries)) else { return nil }
                self = sensitive
            } else if entries.count == 1, let entry = entries.first {
                guard let value = ValueSummary.value(of: entry) else { return nil }
                self = .full(value)
            } else {
                guard let digest = ValueSummary.digest(of: Node.dictionary(entries)) else { return nil }
                self = digest
            }
        }
    }

    /// The value of a form that JSON lacks: `$date`, `$data`, `$real`, `$int`.
    private static func value(of entry: Node.Entry) -> Value? {
        guard case .scalar(let content) = entry.value.content else { return nil }
        switch (entry.key.string, content) {
        case ("$date", .string(let text)): return CalendarDate.parse(iso8601: text.utf8).map(Value.date)
        case ("$date", .real(let seconds)): return .date(seconds)
        case ("$data", .string(let text)): return (try? Base64.decode(text.utf8)).map(Value.data)
        case ("$real", .string("nan")): return .real(.nan)
        case ("$real", .string("inf")): return .real(.infinity)
        case ("$real", .string("-inf")): return .real(-.infinity)
        case ("$int", .string(let text)): return Integer(decimal: text).map(Value.integer)
        default: return nil
        }
    }

    /// What was kept of a sensitive value.
    private static func sensitive(of members: [Key: Value]) -> ValueSummary? {
        guard case .boolean(true)? = members["sensitive"] else { return nil }
        if members.count == 1 { return .sensitive(hmac: nil) }
        guard members.count == 2, case .string(let hmac)? = members["hmac"], hmac.utf8.count == 16 else { return nil }
        return .sensitive(hmac: hmac)
    }

    /// The digest of a value that was not kept.
    private static func digest(of members: [Key: Value]) -> ValueSummary? {
        guard members.count == 3, case .string(let type) = members["type"], type.utf8.count <= 32,
            case .integer(let size) = members["size"], let size = size.int64, size >= 0,
            case .string(let sha256) = members["sha256"], sha256.utf8.count == 16
        else { return nil }
        return .digest(type: type, size: Int(size), sha256: sha256)
    }
}
