import Audit
import Platform
import PropertyList

extension TextReport {
    /// Attempts, two lines each.
    ///
    /// - Parameters:
    ///   - records: the records, oldest first.
    ///   - naming: whether each line says who it was.
    mutating func attempts(_ records: [AuditRecord], naming: Bool) {
        for record in records {
            let time = record.time.map(TextReport.time) ?? "at an unknown time"
            let name = record.user.map(Printable.escape) ?? record.uid.map { "uid \($0)" } ?? "somebody"
            let domain = record.domain.map { Printable.escape($0.string) } ?? "?"
            let key = record.key.map { Printable.escape($0.string) } ?? "?"
            line("    \(time)  \(naming ? "\(name)  " : "")\(domain) \(key)")
            paragraph(what(record), first: "        ")
        }
    }

    /// What was tried, and what became of it.
    private func what(_ record: AuditRecord) -> String {
        var parts: [String] = []
        switch record.tried {
        case .full(let value): parts.append("tried \(ReportValue.line(value))")
        case .digest(let type, let size, _):
            parts.append("tried a value of type \(Printable.escape(type)) with \(TextReport.count(size, "byte"))")
        case .sensitive: parts.append("tried another value \(ReportValue.sensitive)")
        case nil: parts.append("tried to remove it")
        }
        if let outcome = record.outcome { parts.append(Printable.escape(outcome.rawValue)) }
        if let count = record.count, count > 1 { parts.append("\(count) times") }
        parts.append("record \(record.seq)")
        return parts.joined(separator: ", ")
    }
}
