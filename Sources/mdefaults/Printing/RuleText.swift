import Engine
import Platform
import Policy
import PropertyList

/// Lines for people about what is around a key: its description, what is allowed, its waivers.
enum RuleText {
    /// The title, the description and the rules that ask for a key.
    static func lines(of metadata: KeyMetadata, indent: Int) -> [String] {
        var lines: [String] = []
        let title = Printable.escape(metadata.title)
        let description = Printable.escape(metadata.description)
        let text = [title, description].filter { !$0.isEmpty }.joined(separator: ": ")
        if !text.isEmpty { lines += Layout.wrap(text, indent: indent) }
        if !metadata.controls.isEmpty {
            let controls = metadata.controls.map(Printable.escape).joined(separator: ", ")
            lines += Layout.wrap("Asked for by: \(controls).", indent: indent)
        }
        return lines
    }

    /// What is allowed, and where that is written.
    static func lines(of constraint: ResolvedConstraint, in root: Root, indent: Int) -> [String] {
        let copy = constraint.isLastGood ? " (last good copy)" : ""
        return Layout.wrap("must be \(constraint.words)\(copy)", indent: indent)
            + constraint.entry.origin.lines(in: root, indent: indent + 2)
    }

    /// A time to the second.
    private static func time(_ time: Timestamp) -> String {
        time.rfc3339.prefix { $0 != "." } + "Z"
    }

    /// A waiver: whether it is in force, until when, why, where it is written and what it lifts.
    static func lines(of waiver: ResolvedWaiver, in root: Root, indent: Int, naming: Bool) -> [String] {
        let own = waiver.waiver
        let name = naming ? "\(Printable.escape(own.domain.string)) \(Printable.escape(own.key.string)): " : ""
        let end = own.until.map { waiver.isExpired ? " since \(time($0))" : " until \(time($0))" } ?? ""
        let reason = own.reason.isEmpty ? "" : ", \(Printable.escape(own.reason))"
        let approval = own.approvedBy.isEmpty ? "" : " (approved by \(Printable.escape(own.approvedBy)))"
        var lines = Layout.wrap("\(name)\(waiver.state.rawValue)\(end)\(reason)\(approval)", indent: indent)
        lines += own.origin.lines(in: root, indent: indent + 2)
        if let obstacle = waiver.obstacle {
            lines += Layout.wrap("\(obstacle.origin.place(in: root)), \(obstacle.clause)", indent: indent + 2)
        }
        for origin in waiver.lifted {
            lines.append(Layout.blanks(indent + 2) + "lifts:")
            lines += origin.lines(in: root, indent: indent + 4)
        }
        return lines
    }
}
