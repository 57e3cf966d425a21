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
    /// A sensitive value that no process with the machine's key has seen yet.
    ///
    /// - Parameters:
    ///   - type: the type, as `defaults read-type` prints it.
    ///   - size: the number of bytes, as a digest has it.
    ///   - value: a scalar of up to 64 bytes, which is written in messages to the audit service and nowhere else.
    case secret(type: String, size: Int, value: Value?)

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
        self = key.map { .sensitive(hmac: $0.digest(of: value)) } ?? ValueSummary(value).asSecret
    }

    /// The summary of the value if it is in full: a sender may not have shortened it.
    package var shortened: ValueSummary {
        if case .full(let value) = self { ValueSummary(value) } else { self }
    }

    /// The summary of a sensitive value that this one shows.
    package var asSecret: ValueSummary {
        switch self {
        case .full(let value): .secret(type: value.typeName, size: ValueSummary.size(of: value), value: value)
        case .digest(let type, let size, _): .secret(type: type, size: size, value: nil)
        case .sensitive, .secret: self
        }
    }

    /// The summary with a digest in place of a sensitive value, if it has one.
    package func digested(under key: HostKey?) -> ValueSummary {
        guard case .secret(let type, let size, let value) = self else { return self }
        guard let key, let value else { return .secret(type: type, size: size, value: nil) }
        return .sensitive(hmac: key.digest(of: value))
    }

    /// The number of bytes of a scalar: of a text its UTF-8, of data its bytes, of anything else its JSON.
    private static func size(of value: Value) -> Int {
        switch value {
        case .string(let text): return text.utf8.count
        case .data(let bytes): return bytes.count
        default:
            var writer = JSONWriter()
            writer.iJSONValue(value)
            return writer.utf8.count
        }
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
        case .secret(let type, let size, _):
            .dictionary(["sensitive": .boolean(true), "type": .string(type), "size": .integer(size)])
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
    ///
    /// - Parameters:
    ///   - writer: what is written to.
    ///   - isForService: whether only the audit service gets it, which digests sensitive values.
    package func write(to writer: inout JSONWriter, isForService: Bool = false) {
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
        case .secret(let type, let size, let value):
            writer.beginObject()
            writer.field("sensitive", true)
            writer.field("type", type)
            writer.field("size", size)
            if isForService, let value {
                writer.member("value")
                writer.iJSONValue(value)
            }
            writer.endObject()
        }
    }
}

extension ValueSummary {
    /// Parses a summary; `nil` for anything that no record contains.
    ///
    /// - Parameters:
    ///   - node: the JSON value.
    ///   - isForService: whether it is part of a message to the audit service.
    init?(node: Node, isForService: Bool = false) {
        switch node.content {
        case .scalar(let value):
            self = .full(value)
        case .array:
            return nil
        case .dictionary(let entries):
            if entries.first?.key == "sensitive" {
                guard let sensitive = ValueSummary.sensitive(entries, isForService: isForService) else { return nil }
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
    private static func sensitive(_ entries: [Node.Entry], isForService: Bool) -> ValueSummary? {
        let members = Node.dictionary(entries.filter { $0.key != "value" })
        guard case .boolean(true)? = members["sensitive"] else { return nil }
        if entries.count == 1 { return .sensitive(hmac: nil) }
        if entries.count == 2, case .string(let hmac)? = members["hmac"], hmac.utf8.count == 16 {
            return .sensitive(hmac: hmac)
        }
        guard case .string(let type)? = members["type"], type.utf8.count <= 32,
            case .integer(let size)? = members["size"], let size = size.int64, size >= 0, members.count == 3
        else { return nil }
        guard let node = entries.first(where: { $0.key == "value" })?.value else {
            return .secret(type: type, size: Int(size), value: nil)
        }
        guard isForService, case .full(let value)? = ValueSummary(node: node) else { return nil }
        return .secret(type: type, size: Int(size), value: value)
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
