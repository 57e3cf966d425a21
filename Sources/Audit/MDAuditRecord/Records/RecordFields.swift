import MDPlatform
import MDPropertyList

/// The bounds of a line; a record needs two levels, and later versions get a few more.
private let limits = Limits(bytes: AuditRecord.longestLine, depth: 16, objects: 8_192)

/// The fields of a line, or of its `policy`, while it is parsed; each known one is removed once, so that the unknown ones
/// remain.
struct RecordFields<Name: LineMember> {
    /// The remaining fields, in the order of the line.
    private var entries: [Node.Entry]

    /// Parses a line as one JSON object without repeated names.
    init(line: [UInt8]) throws(AuditError) {
        guard line.first == UInt8(ascii: "{") else { throw .badRecord("the line is no JSON object") }
        do throws(PropertyListError) {
            let document = try JSONReader.readPlain(SourceText(decoding: line), limits: limits)
            if let warning = document.warnings.first { throw warning }
            entries = try document.rootEntries()
        } catch {
            throw .badRecord("column \(error.position.column): \(error.message)")
        }
    }

    /// Makes the fields of an object inside of a record.
    fileprivate init(entries: [Node.Entry]) {
        self.entries = entries
    }

    /// Removes a field of any type.
    private mutating func node(_ member: Name) -> Node? {
        let name = Key(member.rawValue)
        guard let index = entries.firstIndex(where: { $0.key == name }) else { return nil }
        return entries.remove(at: index).value
    }

    /// Removes a text.
    mutating func text(_ name: Name) throws(AuditError) -> String? {
        guard let node = node(name) else { return nil }
        guard case .scalar(.string(let text)) = node.content else { throw RecordFields.wrongType(name, "a string") }
        return text
    }

    /// Removes a whole number of a range.
    mutating func number<Number: FixedWidthInteger>(
        _ name: Name, as type: Number.Type = Number.self, in range: ClosedRange<Number> = 0...Number.max
    ) throws(AuditError) -> Number? {
        guard let node = node(name) else { return nil }
        guard case .scalar(.integer(let integer)) = node.content, let unsigned = integer.uint64,
            let number = Number(exactly: unsigned), range.contains(number)
        else { throw RecordFields.wrongType(name, "a whole number from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// Removes a time.
    mutating func time(_ name: Name) throws(AuditError) -> Timestamp? {
        guard let text = try text(name) else { return nil }
        guard let time = Timestamp(rfc3339: text) else { throw RecordFields.wrongType(name, "a time of RFC 3339") }
        return time
    }

    /// Removes a digest.
    mutating func digest(_ name: Name) throws(AuditError) -> Digest? {
        guard let text = try text(name) else { return nil }
        guard let digest = Digest(hex: text) else { throw RecordFields.wrongType(name, "64 hexadecimal digits") }
        return digest
    }

    /// Removes the summary of a value.
    mutating func summary(_ name: Name, isForService: Bool) throws(AuditError) -> ValueSummary? {
        guard let node = node(name) else { return nil }
        guard let summary = ValueSummary(node: node, isForService: isForService) else {
            throw RecordFields.wrongType(name, "a value, or its type, size and sha256")
        }
        return summary
    }

    /// Removes the reference to a policy; unknown members are dropped.
    mutating func policy(_ name: Name) throws(AuditError) -> PolicyReference? {
        guard let node = node(name) else { return nil }
        guard let members = node.entries else { throw RecordFields.wrongType(name, "an object") }
        var fields = RecordFields<PolicyMember>(entries: members)
        return PolicyReference(
            id: try fields.text(.id), file: try fields.text(.file), line: try fields.number(.line),
            sha256: try fields.digest(.sha256))
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
    private static func wrongType(_ name: Name, _ expected: String) -> AuditError {
        .badRecord("the field \"\(name.rawValue)\" is not \(expected)")
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
        var fields = try RecordFields<RecordMember>(line: bytes)
        // The kind of a line without one is not used.
        self.init(kind: .damaged)
        for member in RecordMember.order.members { try read(member, of: &fields, isForService) }
        extra = fields.rest
    }

    /// Takes a member from the fields of a line.
    private mutating func read(
        _ member: RecordMember, of fields: inout RecordFields<RecordMember>, _ isForService: Bool
    ) throws(AuditError) {
        switch member {
        case .v:
            guard let version: Int = try fields.number(member) else { throw .badRecord("the field \"v\" is missing") }
            guard version == AuditRecord.formatVersion else {
                throw .badRecord("the record has format \(version); this program reads \(AuditRecord.formatVersion)")
            }
        case .seq: seq = try fields.number(member, in: 1...AuditRecord.largestNumber) ?? 0
        case .time: time = try fields.time(member)
        case .boot: boot = try fields.text(member)
        case .mono: mono = try fields.number(member)
        case .kind:
            guard let word = try fields.text(member) else { throw .badRecord("the field \"kind\" is missing") }
            kind = RecordKind(rawValue: word)
        case .src: src = try fields.text(member).map(RecordSource.init(rawValue:))
        case .host: host = try fields.text(member)
        case .uid: uid = try fields.number(member)
        case .user: user = try fields.text(member)
        case .auid: auid = try fields.number(member)
        case .session: session = try fields.number(member)
        case .pid: pid = try fields.number(member)
        case .start: start = try fields.number(member)
        case .exe: exe = try fields.text(member)
        case .unit: unit = try fields.text(member)
        case .via: via = try fields.text(member).map(WriteVia.init(rawValue:))
        case .domain: domain = try fields.text(member).map { Key($0) }
        case .key: key = try fields.text(member).map { Key($0) }
        case .forced: forced = try fields.summary(member, isForService: isForService)
        case .tried: tried = try fields.summary(member, isForService: isForService)
        case .policy: policy = try fields.policy(member)
        case .outcome: outcome = try fields.text(member).map(AttemptOutcome.init(rawValue:))
        case .count: count = try fields.number(member)
        case .first: first = try fields.time(member)
        case .last: last = try fields.time(member)
        case .note: note = try fields.text(member)
        }
    }
}
