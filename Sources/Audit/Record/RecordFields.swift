import Platform
import PropertyList

/// The fields of a record's line while it is read; each is taken out once, and what remains is unknown.
struct RecordFields {
    /// The bounds of a line; a record needs two levels, and later versions get a few more.
    private static let limits = Limits(bytes: AuditRecord.longestLine, depth: 16, objects: 8_192)

    /// The fields that nobody has taken yet, in the order of the line.
    private var entries: [Node.Entry]

    /// Reads a line as one JSON object without repeated names.
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

    /// Takes the members of an object inside of the record.
    private init(entries: [Node.Entry]) {
        self.entries = entries
    }

    /// Takes out a field of any type.
    mutating func node(_ name: Key) -> Node? {
        guard let index = entries.firstIndex(where: { $0.key == name }) else { return nil }
        return entries.remove(at: index).value
    }

    /// Takes out a text.
    mutating func text(_ name: Key) throws(AuditError) -> String? {
        guard let node = node(name) else { return nil }
        guard case .scalar(.string(let text)) = node.content else { throw RecordFields.mistake(name, "a string") }
        return text
    }

    /// Takes out a whole number of a range.
    mutating func number<Number: FixedWidthInteger>(
        _ name: Key, as type: Number.Type = Number.self, in range: ClosedRange<Number> = 0...Number.max
    ) throws(AuditError) -> Number? {
        guard let node = node(name) else { return nil }
        guard case .scalar(.integer(let integer)) = node.content, let unsigned = integer.uint64,
            let number = Number(exactly: unsigned), range.contains(number)
        else { throw RecordFields.mistake(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// Takes out a time.
    mutating func time(_ name: Key) throws(AuditError) -> Timestamp? {
        guard let text = try text(name) else { return nil }
        guard let time = Timestamp(rfc3339: text) else { throw RecordFields.mistake(name, "a time of RFC 3339") }
        return time
    }

    /// Takes out a digest.
    mutating func digest(_ name: Key) throws(AuditError) -> Digest? {
        guard let text = try text(name) else { return nil }
        guard let digest = Digest(hex: text) else { throw RecordFields.mistake(name, "64 hexadecimal digits") }
        return digest
    }

    /// Takes out what a record keeps of a value.
    mutating func summary(_ name: Key) throws(AuditError) -> ValueSummary? {
        guard let node = node(name) else { return nil }
        guard let summary = ValueSummary(node: node) else {
            throw RecordFields.mistake(name, "a value, or its type, size and sha256")
        }
        return summary
    }

    /// Takes out the reference to a policy; members that this version does not know are dropped.
    mutating func policy(_ name: Key) throws(AuditError) -> PolicyReference? {
        guard let node = node(name) else { return nil }
        guard let members = node.entries else { throw RecordFields.mistake(name, "an object") }
        var fields = RecordFields(entries: members)
        return PolicyReference(
            id: try fields.text("id"), file: try fields.text("file"), line: try fields.number("line"),
            sha256: try fields.digest("sha256"))
    }

    /// What nobody has taken.
    var rest: [ExtraField] {
        entries.map { entry in
            var writer = JSONWriter()
            RecordFields.write(entry.value, to: &writer)
            return ExtraField(name: entry.key.string, json: writer.text)
        }
    }

    /// Writes a node as it was read, without giving any meaning to `$`; the depth is bounded by what was read.
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

    /// A field of the wrong type.
    static func mistake(_ name: Key, _ expected: String) -> AuditError {
        .badRecord("the field \"\(name)\" is not \(expected)")
    }
}
