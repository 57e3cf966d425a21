import MDPlatform
package import MDPropertyList

/// A value as a record shows it: a scalar of up to 64 bytes in full, anything else as its type, size and digest.
///
/// Two summaries are equal if a record shows them alike, so the number 1 and the boolean true differ here.
package enum ValueSummary: Sendable {
    /// The value itself; never an array or a dictionary.
    case full(Value)
    /// The type, size and digest of a value.
    ///
    /// - Parameters:
    ///   - type: the type, as `defaults read-type` prints it.
    ///   - size: the number of digested bytes: of a text its UTF-8, of data its bytes, of anything else its JSON.
    ///   - sha256: the first 16 hexadecimal digits of the SHA-256 of those bytes.
    case digest(type: String, size: Int, sha256: String)
    /// A sensitive value: a digest by which such values can be compared on one machine, or nothing.
    ///
    /// - Parameter hmac: the first 16 hexadecimal digits of HMAC-SHA256 under the machine's key.
    case sensitive(hmac: String?)

    /// The most bytes of a text or of data in full.
    package static let longestScalar = 64

    /// Summarizes a value.
    package init(_ value: Value) {
        switch value {
        case .string(let text) where text.utf8.count > ValueSummary.longestScalar:
            self.init(type: value.typeName, digesting: Array(text.utf8))
        case .data(let bytes) where bytes.count > ValueSummary.longestScalar:
            self.init(type: value.typeName, digesting: bytes)
        case .string, .boolean, .integer, .real, .date, .data:
            self = .full(value)
        case .array, .dictionary:
            var writer = JSONWriter()
            writer.iJSONValue(value)
            self.init(type: value.typeName, digesting: writer.utf8)
        }
    }

    /// Summarizes a sensitive value.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - key: the key of the machine; `nil` if this process may not read it.
    package init(sensitive value: Value, under key: HostKey?) {
        self = .sensitive(hmac: key?.digest(of: value))
    }

    /// Summarizes a value by its bytes.
    init(type: String, digesting bytes: [UInt8]) {
        self = .digest(type: type, size: bytes.count, sha256: String(SHA256.hash(bytes).hex.prefix(16)))
    }

    /// The summary as a property list, as records contain it.
    package var value: Value {
        switch self {
        case .full(let value): value
        case .digest(let type, let size, let sha256):
            .dictionary(["type": .string(type), "size": .integer(size), "sha256": .string(sha256)])
        case .sensitive(let hmac):
            .dictionary(["sensitive": .boolean(true)].merging(hmac.map { ["hmac": .string($0)] } ?? [:]) { $1 })
        }
    }
}

extension ValueSummary: Hashable {
    /// Whether a record shows both alike.
    package static func == (left: ValueSummary, right: ValueSummary) -> Bool {
        left.json == right.json
    }

    /// Hashes what a record shows.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(json)
    }

    /// The summary as JSON, as records contain it.
    package var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.utf8
    }

    /// Writes the summary as a JSON value; a digest in the order type, size, SHA-256.
    func write(to writer: inout JSONWriter) {
        switch self {
        case .full(let value):
            writer.iJSONValue(value)
        case .digest(let type, let size, let sha256):
            writer.beginObject()
            writer.field("type", type)
            writer.field("size", size)
            writer.field("sha256", sha256)
            writer.endObject()
        case .sensitive(let hmac):
            writer.beginObject()
            writer.field("sensitive", true)
            writer.field("hmac", hmac)
            writer.endObject()
        }
    }
}

extension ValueSummary {
    /// Parses a summary; `nil` for anything that no record contains.
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

    /// Parses a type that JSON lacks: `$date`, `$data`, `$real`, `$int`.
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

    /// Parses the summary of a sensitive value.
    private static func sensitive(of members: [Key: Value]) -> ValueSummary? {
        guard case .boolean(true)? = members["sensitive"] else { return nil }
        if members.count == 1 { return .sensitive(hmac: nil) }
        guard members.count == 2, case .string(let hmac)? = members["hmac"], hmac.utf8.count == 16 else { return nil }
        return .sensitive(hmac: hmac)
    }

    /// Parses the digest of a value.
    private static func digest(of members: [Key: Value]) -> ValueSummary? {
        guard members.count == 3, case .string(let type) = members["type"], type.utf8.count <= 32,
            case .integer(let size) = members["size"], let size = size.int64, size >= 0,
            case .string(let sha256) = members["sha256"], sha256.utf8.count == 16
        else { return nil }
        return .digest(type: type, size: Int(size), sha256: sha256)
    }
}
