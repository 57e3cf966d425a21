import Platform
package import PropertyList

/// What a record keeps of a value: a scalar of up to 64 bytes in full, of anything else the type, size and digest.
///
/// Two summaries are equal when a record would show them alike, so the number 1 and the truth value differ here.
package enum ValueSummary: Sendable {
    /// The value itself; never an array or a dictionary.
    case full(Value)
    /// What identifies a value that is not kept.
    ///
    /// - Parameters:
    ///   - type: the value's type, as `defaults read-type` says it.
    ///   - size: its bytes: of a text in UTF-8, of data as they are, of anything else in the digested JSON.
    ///   - sha256: the first 16 hexadecimal digits of the SHA-256 of those bytes.
    case digest(type: String, size: Int, sha256: String)
    /// What tells sensitive values apart on one machine, and nothing else of them; without a digest, that there is one.
    ///
    /// - Parameter hmac: the first 16 hexadecimal digits of HMAC-SHA256 under the machine's key.
    case sensitive(hmac: String?)

    /// The most bytes of a text or of data that is kept in full.
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

    /// Summarizes a value that is shown to nobody.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - key: the machine's key; `nil` where this process may not have it.
    package init(sensitive value: Value, under key: HostKey?) {
        self = .sensitive(hmac: key?.digest(of: value))
    }

    /// Summarizes the bytes of a value that is not kept.
    init(type: String, digesting bytes: [UInt8]) {
        self = .digest(type: type, size: bytes.count, sha256: String(SHA256.hash(bytes).hex.prefix(16)))
    }

    /// The summary as the property list that stands in a record.
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

    /// Feeds what a record shows into the hasher.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(json)
    }

    /// The bytes that a record shows.
    var json: [UInt8] {
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
