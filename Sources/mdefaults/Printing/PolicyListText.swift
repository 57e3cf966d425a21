import Engine
import Platform
import Policy
import PropertyList

/// `policy list` for people: a table of at most 100 columns, with what there is to say of a file beneath its row.
struct PolicyListText {
    /// The most columns of a file's name, and of an identifier; a narrower terminal breaks the lines of the table.
    private static var bounds: (name: Int, identifier: Int) {
        (76..<104).contains(Layout.width) ? ((Layout.width - 43) / 2, (Layout.width - 45) / 2) : (29, 30)
    }

    /// The lines.
    private(set) var lines: [String] = []

    /// Writes the lines.
    init(_ listing: PolicyListing, _ machine: PolicyMachine, _ account: Account) {
        let user = machine.shownName(of: account)
        guard !listing.items.isEmpty || !listing.ignored.isEmpty else {
            lines.append(
                machine.policies.isManaged
                    ? "There are no policy files." : "This machine is not managed: there is no policy directory.")
            return
        }
        lines += ["policy for \(user) on \(Printable.escape(machine.host.short)), in order of application:", ""]
        let head = ["FILE", "IN", "IDENTIFIER", "VER", "IN FORCE", "APPLIES"]
        let rows = Layout.table([head] + listing.items.map { PolicyListText.row($0) })
        lines.append(rows[0])
        for (row, item) in zip(rows.dropFirst(), listing.items) {
            lines.append(row)
            lines += PolicyListText.details(item, machine.moment).flatMap { Layout.wrap($0, indent: 4) }
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
            Layout.cut(Printable.escape(name), to: bounds.name), place,
            policy.map { Layout.cut(Printable.escape($0.identifier), to: bounds.identifier) } ?? "-",
            policy?.version.map { Layout.cut("\($0)", to: 8) } ?? "-", item.file.source.rawValue,
            item.reason == nil ? "yes" : "no",
        ]
    }

    /// The sentences beneath a file's row.
    private static func details(_ item: PolicyListing.Item, _ moment: Moment) -> [String] {
        let file = item.file
        var details: [String] = []
        let (name, _) = parts(of: file.path)
        if Layout.isCut(name, to: bounds.name) { details.append("file: \(Printable.escape(name))") }
        if let policy = file.policy, Layout.isCut(policy.identifier, to: bounds.identifier) {
            details.append("identifier: \(Printable.escape(policy.identifier))")
        }
        if file.policy != nil, let reason = item.reason { details.append(Printable.escape(reason)) }
        let end = file.policy?.target?.notAfter
        if let next = item.nextChange, next != end {
            details.append(Printable.escape("changes next: \(moment.words(for: next))"))
        }
        // Of what is over, the reason says since when, where it is about nothing else.
        if let end, end > moment.time || !(item.reason?.hasPrefix(Target.endedWords) ?? false) {
            let word = end > moment.time ? "ends" : "ended"
            details.append(Printable.escape("\(word): \(moment.words(for: end))"))
        }
        details += item.waivers.map { Printable.escape(words(of: $0, moment)) }
        details += (item.temporary?.lines(moment, besides: item.waivers) ?? []).map(Printable.escape)
        if let note = PolicyNotes.note(about: file) { details.append(note) }
        switch file.signature {
        case .verified(let signer): details.append("signed by \(Printable.escape(signer))")
        case .notVerified where !file.valid: break
        case .notVerified:
            details.append("signed, and not verified: there is no /etc/managed-defaults/trusted-anchors.pem")
        // Why a signature is refused is said with the file's other mistakes.
        case .none, .refused: break
        }
        let warnings = (file.diagnostics + item.problems).filter {
            $0.severity == .warning && $0.code != LintCode.lastGood.rawValue
        }
        details += warnings.map { Printable.escape("\($0.severity.rawValue): \($0.message) [\($0.code)]") }
        if file.policy != nil, !file.isRecorded { details.append("not recorded yet: there is no good copy of it") }
        return details
    }

    /// A waiver that is meant for the user.
    private static func words(of item: ResolvedWaiver, _ moment: Moment) -> String {
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
        let reason = waiver.reason.isEmpty ? "" : ": \(waiver.reason)"
        let approved = waiver.approvedBy.isEmpty ? "" : " (\(waiver.approvedBy))"
        return "waiver of \(waiver.domain.string) \(waiver.key.string), \(state)\(until)\(reason)\(approved)"
    }

    /// The name and the directory of a policy file: `etc` or `run`.
    private static func parts(of path: String) -> (name: String, place: String) {
        let parts = path.split(separator: "/").map(String.init)
        return (parts.last ?? path, parts.first ?? "")
    }
}
