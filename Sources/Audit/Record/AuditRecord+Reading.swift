import Platform
import PropertyList

extension AuditRecord {
    /// The largest number that every reader of JSON keeps exactly (RFC 7493).
    package static let largestNumber = (1 << 53) - 1

    /// Reads a line without its line feed.
    ///
    /// Reading is strict about JSON, about the fields `v`, `seq`, `time` and `kind` and about the type of every known
    /// field. It lets pass what a later version may add: unknown fields, which are kept in `extra`, and unknown words.
    /// The order of the fields is not checked.
    ///
    /// - Throws: `badRecord`, saying what is wrong.
    package init(line: some Collection<UInt8>) throws(AuditError) {
        let bytes = Array(line)
        guard bytes.count < AuditRecord.longestLine else {
            throw .badRecord("the line has \(bytes.count) bytes, more than a record can have")
        }
        var fields = try RecordFields(line: bytes)
        guard let version: Int = try fields.number("v") else { throw .badRecord("the field \"v\" is missing") }
        guard version == AuditRecord.formatVersion else {
            throw .badRecord("the record has format \(version); this program reads \(AuditRecord.formatVersion)")
        }
        let seq = try fields.number("seq", in: 1...AuditRecord.largestNumber)
        guard let time = try fields.time("time") else { throw .badRecord("the field \"time\" is missing") }
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
        forced = try fields.summary("forced")
        tried = try fields.summary("tried")
        policy = try fields.policy("policy")
        outcome = try fields.text("outcome").map(AttemptOutcome.init(rawValue:))
        count = try fields.number("count")
        first = try fields.time("first")
        last = try fields.time("last")
        note = try fields.text("note")
        extra = fields.rest
    }
}
