import MDPlatform
import MDPropertyList
import MDTools

/// The fields of a line while it is parsed; each known one is removed once, so that the unknown ones remain.
struct RecordFields {
    /// The bounds of a line; a record needs two levels, and later versions get a few more.
    private static let limits = Limits(bytes: AuditRecord.longestLine, depth: 16, objects: 8_192)

    /// The remaining fields, in the order of the line.
    private var entries: [Node.Entry]

    /// Parses a line as one JSON object without repeated names.
    init(line: [UInt8]) throws(AuditError) {
        guard line.first == UInt8(ascii: "{") else { throw .badRecord("the line is no JSON object") }
        do throws(PropertyListError) {
            let document = try JSONReader.readPlain(SourceText(decoding: line), limits: RecordFields.limits)
            if let warning = document.warnings.first { throw warning }
            entries = try document.rootEntries()
        } catch {
            throw .badRecord("column \(error.position.column): \(error.message)")
        }
    }

    /// Makes the fields of an object inside of a record.
    private init(entries: [Node.Entry]) {
        self.entries = entries
    }

    /// Removes a field of any type.
    mutating func node(_ name: Key) -> Node? {
        guard let index = entries.firstIndex(where: { $0.key == name }) else { return nil }
        return entries.remove(at: index).value
    }

    /// Removes a text.
    mutating func text(_ name: Key) throws(AuditError) -> String? {
        guard let node = node(name) else { return nil }
        guard case .scalar(.string(let text)) = node.content else { throw RecordFields.wrongType(name, "a string") }
        return text
    }

    /// Removes a whole number of a range.
    mutating func number<Number: FixedWidthInteger>(
        _ name: Key, as type: Number.Type = Number.self, in range: ClosedRange<Number> = 0...Number.max
    ) throws(AuditError) -> Number? {
        guard let node = node(name) else { return nil }
        guard case .scalar(.integer(let integer)) = node.content, let unsigned = integer.uint64,
            let number = Number(exactly: unsigned), range.contains(number)
        else { throw RecordFields.wrongType(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// Removes a time.
    mutating func time(_ name: Key) throws(AuditError) -> Timestamp? {
        guard let text = try text(name) else { return nil }
        guard let time = Timestamp(rfc3339: text) else { throw RecordFields.wrongType(name, "a time of RFC 3339") }
        return time
    }

    /// Removes a digest.
    mutating func digest(_ name: Key) throws(AuditError) -> Digest? {
        guard let text = try text(name) else { return nil }
        guard let digest = Digest(hex: text) else { throw RecordFields.wrongType(name, "64 hexadecimal digits") }
        return digest
    }

    /// Removes the summary of a value.
    mutating func summary(_ name: Key, isForService: Bool) throws(AuditError) -> ValueSummary? {
        guard let node = node(name) else { return nil }
        guard let summary = ValueSummary(node: node, isForService: isForService) else {
            throw RecordFields.wrongType(name, "a value, or its type, size and sha256")
        }
        return summary
    }

    /// Removes the reference to a policy; unknown members are dropped.
    mutating func policy(_ name: Key) throws(AuditError) -> PolicyReference? {
        guard let node = node(name) else { return nil }
        guard let members = node.entries else { throw RecordFields.wrongType(name, "an object") }
        var fields = RecordFields(entries: members)
        return PolicyReference(
            id: try fields.text("id"), file: try fields.text("file"), line: try fields.number("line"),
            sha256: try fields.digest("sha256"))
    }

    /// The remaining fields, which this version does not know.
    var rest: [ExtraField] {
        entries.map { entry in
            var writer = JSONWriter()
            RecordFields.write(entry.value, to: &writer)
            return ExtraField(name: entry.key.string, json: writer.text)
        }
    }

    /// Writes a node as it was read, without a meaning for `$`; the limits of the parser bound the depth.
    private static func write(_ node: Node, to writer: inout JSONWriter) {
        switch node.content {
        case .scalar(let value):
            writer.value(value)
        case .array(let nodes):
            writer.beginArray()
            for node in nodes { write(node, to: &writer) }
            writer.endArray()
        case .dictionary(let entries):
            writer.beginObject()
            for entry in entries {
                writer.member(entry.key.string)
                write(entry.value, to: &writer)
            }
            writer.endObject()
        }
    }

    /// The error for a field of the wrong type.
    private static func wrongType(_ name: Key, _ expected: String) -> AuditError {
        .badRecord("the field \"\(name)\" is not \(expected)")
    }
}

extension AuditRecord {
    /// The largest number that every parser of JSON represents exactly (RFC 7493).
    package static let largestNumber = (1 << 53) - 1

    /// Parses a line without its line feed.
    ///
    /// Parsing is strict about JSON, about the fields `v`, `seq`, `time` and `kind` and about the type of every known
    /// field. It accepts what a later version may add: unknown fields, which are retained in `extra`, and unknown words. The
    /// order of the fields is not checked.
    ///
    /// - Throws: `badRecord` with the reason.
    package init(line: some Collection<UInt8>) throws(AuditError) {
        try self.init(Array(line))
        guard time != nil else { throw .badRecord("the field \"time\" is missing") }
    }

    /// Parses a record that a process sends to the audit service, as ``init(line:)`` does, but the time may be missing.
    ///
    /// - Throws: `badRecord` with the reason.
    package init(claim line: [UInt8]) throws(AuditError) {
        try self.init(line, isForService: true)
    }

    /// Parses a line.
    private init(_ bytes: [UInt8], isForService: Bool = false) throws(AuditError) {
        guard bytes.count < AuditRecord.longestLine else {
            throw .badRecord("the line has \(bytes.count) bytes, more than a record can have")
        }
        var fields = try RecordFields(line: bytes)
        guard let version: Int = try fields.number("v") else { throw .badRecord("the field \"v\" is missing") }
        guard version == AuditRecord.formatVersion else {
            throw .badRecord("the record has format \(version); this program reads \(AuditRecord.formatVersion)")
        }
        let seq = try fields.number("seq", in: 1...AuditRecord.largestNumber)
        let time = try fields.time("time")
        let boot = try fields.text("boot")
        let mono: Int? = try fields.number("mono")
        guard let kind = try fields.text("kind") else { throw .badRecord("the field \"kind\" is missing") }
        self.init(kind: RecordKind(rawValue: kind), src: try fields.text("src").map(RecordSource.init(rawValue:)))
        (self.seq, self.time, self.boot, self.mono) = (seq ?? 0, time, boot, mono)
        host = try fields.text("host")
        uid = try fields.number("uid")
        user = try fields.text("user")
        auid = try fields.number("auid")
        session = try fields.number("session")
        pid = try fields.number("pid")
        start = try fields.number("start")
        exe = try fields.text("exe")
        unit = try fields.text("unit")
        via = try fields.text("via").map(WriteVia.init(rawValue:))
        domain = try fields.text("domain").map { Key($0) }
        key = try fields.text("key").map { Key($0) }
        forced = try fields.summary("forced", isForService: isForService)
        tried = try fields.summary("tried", isForService: isForService)
        policy = try fields.policy("policy")
        outcome = try fields.text("outcome").map(AttemptOutcome.init(rawValue:))
        count = try fields.number("count")
        first = try fields.time("first")
        last = try fields.time("last")
        note = try fields.text("note")
        extra = fields.rest
    }
}
