import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPrograms
import MDPropertyList

/// Lines for people about a key: its description, its constraint, its waivers.
enum EntryText {
    /// The title and the description of a key, and the rules of the organisation that require it.
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

    /// What a constraint allows, and its origin.
    static func lines(of constraint: ResolvedConstraint, in root: Root, indent: Int) -> [String] {
        let copy = constraint.isRecordedCopy ? " (last good copy)" : ""
        return Layout.wrap("must be \(constraint.words)\(copy)", indent: indent)
            + constraint.entry.origin.lines(in: root, indent: indent + 2)
    }

    /// A program's key that a common setting became, and what decides it if that is something else.
    static func lines(of meaning: SettingMeaning, in root: Root, indent: Int) -> [String] {
        let entry = meaning.entry
        let value = ValueText.entry(entry, isSensitive: entry.metadata.isSensitive)
        let key = "\(Printable.escape(entry.domain.string)) \(Printable.escape(entry.key.string))"
        let note =
            meaning.isInForce ? entry.level.rawValue : "\(entry.level.rawValue) by \(entry.origin.place(in: root))"
        return Layout.beside("\(Layout.blanks(indent))\(key) = \(value)", "(\(note))", indent: indent + 4)
    }

    /// Formats a time, to the second.
    private static func time(_ time: Timestamp) -> String {
        time.rfc3339.prefix { $0 != "." } + "Z"
    }

    /// A waiver: its state, end, reason, origin, and the entries that it lifts.
    static func lines(of waiver: ResolvedWaiver, in root: Root, indent: Int, naming: Bool) -> [String] {
        let own = waiver.waiver
        let name = naming ? "\(Printable.escape(own.domain.string)) \(Printable.escape(own.key.string)): " : ""
        let end = own.until.map { waiver.isExpired ? " since \(time($0))" : " until \(time($0))" } ?? ""
        let shown = GrantReason.shown(own, in: root)
        let reason = shown.isEmpty ? "" : ", \(Printable.escape(shown))"
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

/// Formats values for people.
enum ValueText {
    /// The most characters of a value in a line of a listing.
    private static let bound = 200

    /// The placeholder for sensitive values.
    static let sensitive = "(sensitive)"

    /// A value in one line, masked if it is sensitive.
    static func line(_ value: Value, isSensitive: Bool) -> String {
        isSensitive ? sensitive : line(value)
    }

    /// A value in one line, as JSON, which distinguishes strings, numbers and booleans; shortened if very long.
    static func line(_ value: Value) -> String {
        let text = whole(value)
        return text.count > bound ? text.prefix(bound) + "…" : text
    }

    /// A value in one line, however long.
    static func whole(_ value: Value) -> String {
        var json = JSONWriter()
        json.value(value)
        return Printable.escape(json.text)
    }

    /// The value of a resolved entry in one line, and why it is unknown if it is.
    static func entry(_ entry: ResolvedEntry, isSensitive: Bool) -> String {
        guard let shortfall = entry.shortfall else { return self.entry(entry.value, isSensitive: isSensitive) }
        let shown = entry.value.map { line($0, isSensitive: isSensitive) } ?? "no value"
        return "\(shown) (\(shortfall.words))"
    }

    /// The value of an entry in one line; an entry without a value is absent.
    static func entry(_ value: Value?, isSensitive: Bool) -> String {
        value.map { line($0, isSensitive: isSensitive) } ?? "no value (absent)"
    }
}

extension Origin {
    /// `POLICY, FILE:LINE:COLUMN`, escaped; two lines if a terminal is too narrow for one, so that the place can be copied.
    func lines(in root: Root, indent: Int, note: String = "") -> [String] {
        let blanks = Layout.blanks(indent)
        let policy = Printable.escape(policy)
        let line = "\(blanks)\(policy), \(place(in: root))\(note)"
        if Layout.columns(of: line) <= Layout.tableWidth { return [line] }
        return ["\(blanks)\(policy),", "\(blanks)\(place(in: root))\(note)"]
    }

    /// `FILE:LINE:COLUMN`, or `FILE, byte N` for a binary file.
    func place(in root: Root) -> String {
        let file = Printable.escape(root.display(self.file))
        return position.isBinary ? "\(file), \(position)" : "\(file):\(position)"
    }
}
