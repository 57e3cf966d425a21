import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTools

extension TextReport {
    /// Adds the stored values of a user that violate constraints.
    mutating func outside(of user: UserCompliance) {
        guard !user.outside.isEmpty else { return }
        line()
        line("  Stored by \(Printable.escape(user.account.name)), and not allowed")
        for value in user.outside {
            let key = Printable.escape(value.constraint.entry.key.string)
            let shown = ReportValue.line(value.value, isSensitive: value.isSensitive)
            let effective =
                value.effective.map { "programs that ask get \(ReportValue.line($0, isSensitive: value.isSensitive))" }
                ?? "programs that ask get none"
            line("    \(Printable.escape(value.domain.string)) \(key) = \(shown)")
            let words = value.isSensitive ? "what the policy says" : value.constraint.words
            let origin = value.constraint.entry.origin
            paragraph(
                "\(effective); must be \(words) by \(place(of: origin))\(value.isThisHost ? ", for this host only" : "")",
                first: "        ")
            line("        in \(Printable.escape(report.root.display(value.file)))")
        }
    }

    /// Adds the waivers for a user.
    mutating func waivers(of user: UserCompliance) {
        guard !user.waivers.isEmpty else { return }
        line()
        line("  Waivers of \(Printable.escape(user.account.name))")
        for waiver in user.waivers {
            let own = waiver.waiver
            line("    \(Printable.escape(own.domain.string)) \(Printable.escape(own.key.string))")
            let end = own.until.map {
                waiver.isExpired ? " since \(ReportTime.words($0))" : " until \(ReportTime.words($0))"
            }
            let reason = own.reason.isEmpty ? "" : ": \(Printable.escape(own.reason))"
            let approval = own.approvedBy.isEmpty ? "" : " (approved by \(Printable.escape(own.approvedBy)))"
            paragraph(
                "\(waiver.state.rawValue)\(end ?? "")\(reason)\(approval), by \(place(of: own.origin))",
                first: "        ")
            if let obstacle = waiver.obstacle {
                paragraph("\(place(of: obstacle.origin)), \(obstacle.clause)", first: "        ")
            }
        }
    }

    /// Adds attempts, two lines each.
    ///
    /// - Parameters:
    ///   - records: the records, oldest first.
    ///   - naming: whether each line names the user.
    mutating func attempts(_ records: [AuditRecord], naming: Bool) {
        for record in records {
            let time = record.time.map(ReportTime.words) ?? "at an unknown time"
            let name = record.user.map(Printable.escape) ?? record.uid.map { "uid \($0)" } ?? "somebody"
            let domain = record.domain.map { Printable.escape($0.string) } ?? "?"
            let key = record.key.map { Printable.escape($0.string) } ?? "?"
            line("    \(time)  \(naming ? "\(name)  " : "")\(domain) \(key)")
            paragraph(TextReport.what(record), first: "        ")
        }
    }

    /// The value of an attempt and its outcome, in words.
    static func what(_ record: AuditRecord) -> String {
        var parts: [String] = []
        switch record.tried {
        case .full(let value): parts.append("tried \(ReportValue.line(value))")
        case .digest(let type, let size, _):
            parts.append("tried a value of type \(Printable.escape(type)) with \(Plural.count(size, "byte"))")
        case .sensitive, .secret: parts.append("tried another value \(ReportValue.sensitive)")
        case nil: parts.append("tried to remove it")
        }
        if let outcome = record.outcome { parts.append(Printable.escape(outcome.rawValue)) }
        if let count = record.count, count > 1 {
            parts.append("\(count) times" + (record.src?.isOfSender ?? false ? " by the count of its sender" : ""))
        }
        parts.append("record \(record.seq)")
        return parts.joined(separator: ", ")
    }
}
