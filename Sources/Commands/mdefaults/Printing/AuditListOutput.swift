import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList

/// Prints audit records one by one, as lines or as the elements of one JSON array.
struct AuditListOutput {
    /// The console and the options.
    private let context: Context
    /// The root that paths are shown for.
    private let root: Root
    /// Whether no record was printed yet.
    private var isEmpty = true
    /// The error that ended printing.
    private var failure: Failure?

    /// Makes an empty output.
    init(_ context: Context, _ root: Root) {
        self.context = context
        self.root = root
    }

    /// Prints a record; retains an error for ``end()``, because the reader of the log passes none on.
    mutating func add(_ record: AuditRecord) {
        guard failure == nil else { return }
        do throws(Failure) {
            if context.options.json {
                try context.console.write(Array((isEmpty ? "[\n  " : ",\n  ").utf8) + record.encoded())
            } else {
                let text = AuditRecordText.line(record, in: root)
                for line in Layout.fold(text) { try context.console.line(line) }
            }
            isEmpty = false
        } catch {
            failure = error
        }
    }

    /// Ends the output.
    ///
    /// - Throws: the failure that ended printing earlier, or does now.
    mutating func end() throws(Failure) {
        if let failure { throw failure }
        if context.options.json { try context.console.line(isEmpty ? "[]" : "\n]") }
    }
}

/// One line for one audit record.
enum AuditRecordText {
    /// Number, time, user, what happened, whether it was kept in a spool, the values, the policy file and line, the number of equal attempts, the note.
    static func line(_ record: AuditRecord, in root: Root) -> String {
        let user = record.user ?? record.uid.map { "uid \($0)" } ?? "-"
        let what = [record.kind.rawValue, record.outcome?.rawValue].compactMap { $0 }.joined(separator: " ")
        var line = "\(record.seq)  \(time(record.time))  \(user)  \(what)"
        if record.src == .spool { line += " (from a spool)" }
        if let subject = subject(record) { line += "  \(subject)" }
        if let values = values(record) { line += ": \(values)" }
        if let via = record.via { line += ", via \(via.rawValue)" }
        if let policy = policy(record, root) { line += "  (\(policy))" }
        if let count = record.count, count > 1 {
            line += record.last.map { "  \(count) times until \(time($0))" } ?? "  \(count) times"
        }
        if let note = record.note { line += "  \(note)" }
        // A record may contain any text of a client, so all of it is escaped.
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

    /// The tried value, and the forced one.
    private static func values(_ record: AuditRecord) -> String? {
        let tried = record.tried.map { "tried \(text($0))" } ?? "tried to remove it"
        // A write that was refused because policy is unknown, as its note says.
        if record.kind == .damaged, record.via != nil { return tried }
        guard record.kind == .override else { return nil }
        // For a constraint the note says what is allowed.
        let isConstraint = record.note?.hasPrefix(AuditRecord.allowedNote) ?? false
        if isConstraint { return record.forced.map { "\(tried), instead \(text($0))" } ?? tried }
        let forced = record.forced.map { "forced \(text($0))" } ?? "forced to be absent"
        return "\(tried), \(forced)"
    }

    /// The policy file and line; the identifier if there is no file.
    private static func policy(_ record: AuditRecord, _ root: Root) -> String? {
        guard let policy = record.policy else { return nil }
        guard let file = policy.file else { return policy.id }
        // A binary file has no lines.
        return root.display(file) + (policy.line.map { $0 > 0 ? ":\($0)" : "" } ?? "")
    }

    /// A value, or its digest in the record.
    private static func text(_ summary: ValueSummary) -> String {
        switch summary {
        case .full(let value): ValueText.line(value)
        case .sensitive(let hmac): ValueText.sensitive + (hmac.map { " [hmac \($0)…]" } ?? "")
        case .secret(let type, let size, _): "\(ValueText.sensitive) [\(type) of \(bytes(size))]"
        case .digest(let type, let size, let sha256): "\(type) of \(bytes(size)) [sha256 \(sha256)…]"
        }
    }

    /// A size, in words.
    private static func bytes(_ count: Int) -> String { count == 1 ? "1 byte" : "\(count) bytes" }
}
