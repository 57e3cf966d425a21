import Platform
import PropertyList

extension AuditRecord {
    /// What the record says as one line of printable text, for logs whose lines anybody may read.
    var sentence: String {
        var parts = [kind.rawValue]
        if let domain { parts.append(domain.string) }
        if let key { parts.append(key.string) }
        if let via { parts.append("by \(via)") }
        if let outcome { parts.append(outcome.rawValue) }
        if let id = policy?.id ?? policy?.file { parts.append("policy \(id)") }
        if let count { parts.append("\(count) times") }
        if let note { parts.append(note) }
        return parts.map(Printable.escape).joined(separator: ", ")
    }

    /// The fields that a log service keeps beside the line, by their names without the prefix, in the record's order.
    ///
    /// What the service knows better, or as the kernel says, is left out: host, boot, user, process, program.
    var logFields: [(name: String, value: String)] {
        let fields: [(String, String?)] = [
            ("TIME", time?.rfc3339), ("KIND", kind.rawValue), ("SRC", src?.rawValue), ("VIA", via?.rawValue),
            ("DOMAIN", domain?.string), ("KEY", key?.string), ("FORCED", AuditRecord.text(of: forced)),
            ("TRIED", AuditRecord.text(of: tried)), ("POLICY", policy?.id), ("POLICY_FILE", policy?.file),
            ("POLICY_LINE", policy?.line.map(String.init)), ("POLICY_SHA256", policy?.sha256?.hex),
            ("OUTCOME", outcome?.rawValue), ("COUNT", count.map(String.init)), ("FIRST", first?.rfc3339),
            ("LAST", last?.rfc3339), ("NOTE", note),
        ]
        return fields.compactMap { name, value in value.map { (name, $0) } }
    }

    /// What a record keeps of a value, as the JSON that stands in it.
    private static func text(of summary: ValueSummary?) -> String? {
        summary.map { String(decoding: $0.json, as: UTF8.self) }
    }

    /// What stands behind the note of a record of which no log service took a duplicate.
    private static let noDuplicate = "no log service of this machine took a duplicate"

    /// What the note of a record ends with that waits where root's report does not look.
    static let homeOfEnvironment = "the user database names no home that is here, so HOME says where this waits"

    /// The note of a record of which no log service took a duplicate.
    static func notDuplicated(_ note: String?) -> String { self.note(note, with: noDuplicate) }

    /// A note with a remark behind it.
    static func note(_ note: String?, with remark: String) -> String { note.map { "\($0); \(remark)" } ?? remark }

    /// The note as it was before it was known who made the record, where, and whether a log service takes a duplicate.
    package var noteOfOrigin: String? {
        [AuditRecord.homeOfEnvironment, AuditRecord.noDuplicate, RecordOrigin.noPerson].reduce(note) { note, remark in
            guard let note, note.hasSuffix(remark) else { return note }
            let rest = note.dropLast(remark.count)
            return rest.isEmpty ? nil : String(rest.hasSuffix("; ") ? rest.dropLast(2) : rest)
        }
    }
}
