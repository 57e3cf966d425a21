import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// The policy files with whether each applies to one user.
struct PolicyListing {
    /// A file and whether it applies.
    struct Item {
        /// The file.
        let file: PolicyFileState
        /// Why it does not apply to the user; `nil` if it does.
        let reason: String?
        /// When the file next begins or ceases to apply, or a waiver of it ends.
        var nextChange: Timestamp?
        /// What is unknown of its schedule.
        var problems: [Diagnostic] = []
        /// Its waivers for the user.
        var waivers: [ResolvedWaiver] = []
        /// Its content, if it is temporary policy.
        var temporary: TemporaryContent?
    }

    /// The files, in the order of their application.
    let items: [Item]
    /// The names that are not read.
    let ignored: [IgnoredFile]

    /// Joins the files with what was skipped for the user.
    init(_ policies: PolicySet, _ resultant: ResultantSet, in root: Root) {
        var reasons: [Key: String] = [:]
        var changes: [Key: Timestamp] = [:]
        var waivers: [Key: [ResolvedWaiver]] = [:]
        for file in resultant.skipped {
            reasons[Key(file.file)] = file.reason
            changes[Key(file.file)] = file.nextChange
        }
        for file in resultant.applied { changes[Key(file.file)] = file.nextChange }
        for waiver in resultant.waivers where !waiver.waiver.origin.source.isExpanded {
            waivers[Key(waiver.waiver.origin.file), default: []].append(waiver)
        }
        items = policies.files.map { file in
            let copy =
                file.unread.map { EngineVersion.need(of: $0.reader) }
                ?? "cannot be used, and \(file.isLost ? "its good copy is lost" : "there is no good copy of it")"
            let broken = file.policy == nil ? copy : nil
            let path = Key(file.path)
            return Item(
                file: file, reason: broken ?? reasons[path], nextChange: changes[path],
                problems: resultant.problems.filter { Key($0.file) == path }, waivers: waivers[path] ?? [],
                temporary: TemporaryContent(file, in: root))
        }
        ignored = policies.ignored
    }

    /// Appends the waivers of a file.
    private static func write(_ waivers: [ResolvedWaiver], to json: inout JSONWriter, in root: Root) {
        json.member("waivers")
        json.beginArray()
        for item in waivers {
            let waiver = item.waiver
            json.beginObject()
            json.field("domain", waiver.domain.string)
            json.field("key", waiver.key.string)
            json.field("until", waiver.until?.rfc3339)
            json.field("reason", GrantReason.shown(waiver, in: root))
            json.field("approvedBy", waiver.approvedBy)
            json.field("expired", item.isExpired)
            json.field("used", !item.lifted.isEmpty)
            json.field("state", item.state.rawValue)
            if let obstacle = item.obstacle {
                json.member("heldBy")
                json.originObject(obstacle.origin, in: root)
            }
            json.endObject()
        }
        json.endArray()
    }

    /// The output of `policy list --json`.
    func document(in root: Root) -> JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for item in items {
            let policy = item.file.policy
            json.beginObject()
            json.field("policy", policy?.identifier)
            if let version = policy?.version {
                json.member("version")
                json.integer(version)
            }
            json.field("file", root.display(item.file.path))
            json.field("sha256", item.file.trusted ? item.file.content?.digest?.hex : nil)
            json.field("trusted", item.file.trusted)
            json.field("valid", item.file.valid)
            json.field("applies", item.reason == nil)
            json.field("reason", item.reason)
            json.field("nextChange", item.nextChange?.rfc3339)
            json.field("ends", policy?.target?.notAfter?.rfc3339)
            json.field("inForce", item.file.inForce)
            json.field("recorded", item.file.isRecorded)
            json.field("description", policy?.summary)
            json.field("contact", policy?.contact)
            json.field("enforced", policy?.enforced)
            json.signature(item.file.signature)
            if !item.waivers.isEmpty { PolicyListing.write(item.waivers, to: &json, in: root) }
            item.temporary?.write(to: &json)
            json.member("findings")
            json.findings(item.file.diagnostics + item.problems, withFile: false)
            json.endObject()
        }
        for file in ignored {
            json.beginObject()
            json.field("file", root.display(file.path))
            json.field("applies", false)
            json.field("reason", file.reason)
            json.field("ignored", true)
            json.endObject()
        }
        json.endArray()
        return json
    }
}

/// The output of `policy list` for people: a table as wide as the terminal, with the details of a file below its row.
struct PolicyListText {
    /// The columns that are cut where a terminal is too narrow: the file's name, and the identifier.
    private static let cutColumns = (name: 0, identifier: 2)

    /// The lines.
    private(set) var lines: [String] = []

    /// Writes the lines.
    init(_ listing: PolicyListing, _ machine: PolicyInForce, _ account: Account) {
        let user = machine.shownName(of: account)
        guard !listing.items.isEmpty || !listing.ignored.isEmpty else {
            lines.append(
                machine.policies.isManaged
                    ? "There are no policy files." : "This machine is not managed: there is no policy directory.")
            return
        }
        lines += ["policy for \(user) on \(Printable.escape(machine.host.short)), in order of application:", ""]
        let head = ["FILE", "IN", "IDENTIFIER", "VER", "IN FORCE", "APPLIES"]
        let cells = [head] + listing.items.map { PolicyListText.row($0) }
        let (name, identifier) = PolicyListText.cutColumns
        let widths = Layout.widths(of: cells, cutting: [name, identifier])
        let rows = Layout.table(cells, cutting: [name, identifier])
        lines.append(rows[0])
        for (row, item) in zip(rows.dropFirst(), listing.items) {
            lines.append(row)
            lines += PolicyListText.details(item, machine, widths).flatMap { Layout.wrap($0, indent: 4) }
        }
        if !listing.ignored.isEmpty { lines += ["", "not read:"] }
        for file in listing.ignored {
            let (name, place) = PolicyListText.parts(of: file.path)
            lines += Layout.wrap(Printable.escape("\(name) in \(place): \(file.reason)"), indent: 2)
        }
        lines.append("")
        for place in ["etc", "run"] {
            lines.append("\(place): \(Printable.escape(machine.root.display("/\(place)/managed-defaults/policies.d")))")
        }
    }

    /// The cells of a file.
    private static func row(_ item: PolicyListing.Item) -> [String] {
        let (name, place) = parts(of: item.file.path)
        let policy = item.file.policy
        return [
            Printable.escape(name), place, policy.map { Printable.escape($0.identifier) } ?? "-",
            policy?.version.map { Layout.cut("\($0)", to: 8) } ?? "-", item.file.inForce,
            item.reason == nil ? "yes" : "no",
        ]
    }

    /// The sentences beneath a file's row, in columns of these widths.
    private static func details(
        _ item: PolicyListing.Item, _ machine: PolicyInForce, _ widths: [Int]
    ) -> [String] {
        let moment = machine.moment
        let file = item.file
        var details: [String] = []
        let (name, _) = parts(of: file.path)
        let shownName = Printable.escape(name)
        if Layout.isCut(shownName, to: widths[cutColumns.name]) { details.append("file: \(shownName)") }
        if let identifier = (file.policy?.identifier).map(Printable.escape),
            Layout.isCut(identifier, to: widths[cutColumns.identifier])
        {
            details.append("identifier: \(identifier)")
        }
        if file.policy != nil, let reason = item.reason { details.append(Printable.escape(reason)) }
        let end = file.policy?.target?.notAfter
        if let next = item.nextChange, next != end {
            details.append(Printable.escape("changes next: \(moment.words(for: next))"))
        }
        // If only the end makes a file inapplicable, the reason contains the time.
        if let end, end > moment.time || !(item.reason?.hasPrefix(Target.endedWords) ?? false) {
            let word = end > moment.time ? "ends" : "ended"
            details.append(Printable.escape("\(word): \(moment.words(for: end))"))
        }
        details += item.waivers.map { Printable.escape(words(of: $0, machine)) }
        details += (item.temporary?.lines(moment, besides: item.waivers) ?? []).map(Printable.escape)
        if let note = PolicyNotes.note(about: file) { details.append(note) }
        switch file.signature {
        case .verified(let signer): details.append("signed by \(Printable.escape(signer))")
        case .notVerified where !file.valid: break
        case .notVerified:
            details.append("signed, and not verified: there is no /etc/managed-defaults/trusted-anchors.pem")
        // The reason of a refused signature is among the file's errors.
        case .none, .refused: break
        }
        let warnings = (file.diagnostics + item.problems).filter {
            $0.severity == .warning && $0.code != LintCode.lastGood.rawValue
        }
        details += warnings.map { Printable.escape("\($0.severity.rawValue): \($0.message) [\($0.code)]") }
        if file.policy != nil, !file.isRecorded { details.append("not recorded yet: there is no good copy of it") }
        return details
    }

    /// A waiver for the user in words.
    private static func words(of item: ResolvedWaiver, _ machine: PolicyInForce) -> String {
        let moment = machine.moment
        let waiver = item.waiver
        let isOver = waiver.until.map { $0 <= moment.time } ?? false
        let ended = isOver ? "has ended" : "counts as ended because the clock is behind"
        let doubt = "lifts nothing, because it is unknown whether its file applies"
        let state: String
        switch item.state {
        case .expired: state = ended
        case .inDoubt: state = doubt
        case .inForce: state = "in use"
        case .withoutEffect:
            let why = item.obstacle.map { "without effect: \(parts(of: $0.origin.file).name), \($0.clause)" }
            state = why ?? "lifts nothing"
        }
        let until = waiver.until.map { ", until \(moment.words(for: $0))" } ?? ", without an end"
        let shown = GrantReason.shown(waiver, in: machine.root)
        let reason = shown.isEmpty ? "" : ": \(shown)"
        let approved = waiver.approvedBy.isEmpty ? "" : " (\(waiver.approvedBy))"
        return "waiver of \(waiver.domain.string) \(waiver.key.string), \(state)\(until)\(reason)\(approved)"
    }

    /// The name and the directory of a policy file: `etc` or `run`.
    private static func parts(of path: String) -> (name: String, place: String) {
        let parts = path.split(separator: "/").map(String.init)
        return (parts.last ?? path, parts.first ?? "")
    }
}
