import Audit
import Engine
import Platform
import PropertyList

/// One line for one audit record.
enum AuditRecordText {
    /// Number, time, user, what happened, the values, the policy file and line, the number of equal attempts, the note.
    static func line(_ record: AuditRecord, in root: Root) -> String {
        let user = record.user ?? record.uid.map { "uid \($0)" } ?? "-"
        let what = [record.kind.rawValue, record.outcome?.rawValue].compactMap { $0 }.joined(separator: " ")
        var line = "\(record.seq)  \(time(record.time))  \(user)  \(what)"
        if let subject = subject(record) { line += "  \(subject)" }
        if let values = values(record) { line += ": \(values)" }
        if let via = record.via { line += ", via \(via.rawValue)" }
        if let policy = policy(record, root) { line += "  (\(policy))" }
        if let count = record.count, count > 1 {
            line += record.last.map { "  \(count) times until \(time($0))" } ?? "  \(count) times"
        }
        if let note = record.note { line += "  \(note)" }
        // A record is a claim of whoever wrote it, so nothing of it is printed as it is.
        return Printable.escape(line)
    }

    /// A time to the second, which `--since` and `--until` read back.
    private static func time(_ time: Timestamp?) -> String {
        guard let text = time?.rfc3339 else { return "-" }
        return text.prefix(while: { $0 != "." }) + "Z"
    }

    /// The domain and key.
    private static func subject(_ record: AuditRecord) -> String? {
        let words = [record.domain?.string, record.key?.string].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// What was tried, and what is forced.
    private static func values(_ record: AuditRecord) -> String? {
        let tried = record.tried.map { "tried \(text($0))" } ?? "tried to remove it"
        // A write that was refused because policy is unknown; its note says so.
        if record.kind == .damaged, record.via != nil { return tried }
        guard record.kind == .override else { return nil }
        // The note says what is allowed.
        let isConstraint = record.note?.hasPrefix(OverrideAttempt.allowedMark) ?? false
        if isConstraint { return record.forced.map { "\(tried), instead \(text($0))" } ?? tried }
        let forced = record.forced.map { "forced \(text($0))" } ?? "forced to be absent"
        return "\(tried), \(forced)"
    }

    /// The policy file and line; the identifier where there is no file.
    private static func policy(_ record: AuditRecord, _ root: Root) -> String? {
        guard let policy = record.policy else { return nil }
        guard let file = policy.file else { return policy.id }
        // A binary file has no lines.
        return root.display(file) + (policy.line.map { $0 > 0 ? ":\($0)" : "" } ?? "")
    }

    /// A value, or what the record keeps of it.
    private static func text(_ summary: ValueSummary) -> String {
        switch summary {
        case .full(let value): ValueText.line(value)
        case .sensitive(let hmac): ValueText.sensitive + (hmac.map { " [hmac \($0)…]" } ?? "")
        case .digest(let type, let size, let sha256): "\(type) of \(size) bytes [sha256 \(sha256)…]"
        }
    }
}
