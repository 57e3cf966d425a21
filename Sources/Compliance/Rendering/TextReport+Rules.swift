import Engine
import Platform
import Policy
import PropertyList

extension TextReport {
    /// What a user has stored that constraints do not allow.
    mutating func outside(of user: UserCompliance) {
        guard !user.outside.isEmpty else { return }
        line()
        line("  Stored by \(Printable.escape(user.account.name)), and not allowed")
        for value in user.outside {
            let key = Printable.escape(value.constraint.entry.key.string)
            let shown = ReportValue.line(value.value, isSensitive: value.isSensitive)
            let kept =
                value.kept.map { "counts as \(ReportValue.line($0, isSensitive: value.isSensitive))" }
                ?? "is passed over"
            line("    \(Printable.escape(value.domain.string)) \(key) = \(shown)")
            let words = value.isSensitive ? "what the policy says" : value.constraint.words
            let origin = value.constraint.entry.origin
            paragraph(
                "\(kept); must be \(words) by \(place(of: origin))\(value.isThisHost ? ", for this host only" : "")",
                first: "        ")
            line("        in \(Printable.escape(report.root.display(value.file)))")
        }
    }

    /// The waivers that are meant for a user.
    mutating func waivers(of user: UserCompliance) {
        guard !user.waivers.isEmpty else { return }
        line()
        line("  Waivers of \(Printable.escape(user.account.name))")
        for waiver in user.waivers {
            let own = waiver.waiver
            line("    \(Printable.escape(own.domain.string)) \(Printable.escape(own.key.string))")
            let end = own.until.map {
                waiver.isExpired ? " since \(TextReport.time($0))" : " until \(TextReport.time($0))"
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

    /// The name of an origin's file, and the place in it.
    private func place(of origin: Origin) -> String {
        fileName(origin.file) + (origin.position.isBinary ? ", \(origin.position)" : ":\(origin.position.line)")
    }
}
