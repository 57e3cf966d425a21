import MDCare
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// The content of a policy file in `/run`, for any target, because the one who gives a grant or starts an exam is
/// seldom in the target.
struct TemporaryContent {
    /// The most keys of a kind that the lines name.
    private static let keyLimit = 12

    /// The file.
    private let policy: PolicyFile
    /// The root of the machine.
    private let root: Root

    /// The content of a file; `nil` if the file is not temporary or not in force.
    init?(_ file: PolicyFileState, in root: Root) {
        guard file.path.utf8.starts(with: "\(TemporaryPolicy.directory)/".utf8), let policy = file.policy else {
            return nil
        }
        self.policy = policy
        self.root = root
    }

    /// A key of a domain.
    private typealias Name = (domain: Key, key: Key)

    /// The keys that are forced, absent, or constrained; each kind with a verb for people and the name of its JSON member.
    private var kinds: [(verb: String, member: String, names: [Name])] {
        /// The keys of a level.
        func names(_ level: Level) -> [Name] {
            policy.entries.filter { $0.level == level }.map { ($0.domain, $0.key) }
        }
        return [
            ("forces in", "forced", names(.forced)), ("keeps without a value in", "absent", names(.absent)),
            ("limits in", "constraints", policy.constraints.map { ($0.domain, $0.key) }),
        ]
    }

    /// Sentences for people, not escaped.
    ///
    /// - Parameters:
    ///   - moment: the moment of the listing.
    ///   - listed: the waivers that are listed already.
    /// - Returns: one for each kind of entry, for each waiver, and for the purpose of the file.
    func lines(_ moment: Moment, besides listed: [ResolvedWaiver]) -> [String] {
        var lines: [String] = []
        for (verb, _, names) in kinds where !names.isEmpty {
            let shown = names.prefix(TemporaryContent.keyLimit)
            // A line for each domain, in the order of the file.
            var rest = shown
            while let domain = rest.first?.domain {
                let keys = rest.prefix { $0.domain == domain }
                lines.append("\(verb) \(domain.string): \(keys.map(\.key.string).joined(separator: ", "))")
                rest = rest.dropFirst(keys.count)
            }
            if names.count > shown.count { lines.append("… and \(names.count - shown.count) keys more") }
        }
        if !policy.seals.isEmpty {
            lines.append("seals: \(policy.seals.map(\.domain.string).joined(separator: ", "))")
        }
        for waiver in policy.waivers where !listed.contains(where: { $0.waiver == waiver }) {
            let until = waiver.until.map { ", until \(moment.words(for: $0))" } ?? ""
            lines.append(
                "waiver of \(waiver.domain.string) \(waiver.key.string)\(waiver.clauses.words)"
                    + "\(until)\(TemporaryContent.reason(GrantReason.shown(waiver, in: root), waiver.approvedBy))")
        }
        if let set = policy.examSet, let temporary = policy.temporary {
            lines.append("exam \(set.string)\(TemporaryContent.reason(temporary.reason, temporary.by))")
        }
        // The waiver of a grant says why.
        if policy.waivers.isEmpty || !policy.isGrant, !policy.summary.isEmpty {
            let (noun, by) = policy.isGrant ? ("reason", policy.contact) : ("description", "")
            let text = GrantReason.shown(policy.summary, file: policy.path, in: root)
            lines.append("\(noun)\(TemporaryContent.reason(text, by))")
        }
        return lines
    }

    /// The reason behind a colon, and the person that approved it.
    private static func reason(_ reason: String, _ approvedBy: String) -> String {
        (reason.isEmpty ? "" : ": \(reason)") + (approvedBy.isEmpty ? "" : " (\(approvedBy))")
    }

    /// Writes the member `temporary`.
    func write(to json: inout JSONWriter) {
        json.member("temporary")
        json.beginObject()
        json.field("kind", policy.temporary?.kind.rawValue)
        json.field("set", policy.temporary?.set?.string)
        for (_, member, names) in kinds {
            json.member(member)
            json.beginArray()
            for name in names {
                json.beginObject()
                json.field("domain", name.domain.string)
                json.field("key", name.key.string)
                json.endObject()
            }
            json.endArray()
        }
        json.field("sealed", .array(policy.seals.map { .string($0.domain.string) }))
        json.member("waivers")
        json.beginArray()
        for waiver in policy.waivers {
            json.beginObject()
            json.field("domain", waiver.domain.string)
            json.field("key", waiver.key.string)
            TemporaryContent.write(waiver.clauses, to: &json)
            json.field("until", waiver.until?.rfc3339)
            json.field("reason", GrantReason.shown(waiver, in: root))
            json.field("approvedBy", waiver.approvedBy)
            json.endObject()
        }
        json.endArray()
        json.endObject()
    }

    /// Writes the clauses that exist.
    private static func write(_ clauses: Target.Clauses, to json: inout JSONWriter) {
        let members = [
            ("users", clauses.users?.map(\.name.string)), ("groups", clauses.groups?.map(\.name.string)),
            ("hosts", clauses.hosts?.map(\.text)), ("tags", clauses.tags?.map(\.name.string)),
        ]
        for (member, names) in members {
            guard let names else { continue }
            json.field(member, .array(names.map { .string($0) }))
        }
    }
}
