import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// The grants of a machine: its temporary policy files by their field `Temporary`, whatever their names are.
struct GrantListing {
    /// One key of a user.
    private struct Grant {
        let user: Key
        let domain: Key
        let key: Key
        /// Whether the key is free; if not, another value is forced.
        let isFree: Bool
        let temporary: Temporary
        /// The reason, as far as the caller may read it.
        let reason: String
        /// The path of the file for messages.
        let file: String
    }

    private let grants: [Grant]
    private let moment: Moment

    /// Collects the grants.
    init(_ files: [(name: String, policy: PolicyFile)], _ machine: PolicyInForce) {
        moment = machine.moment
        grants = files.filter(\.policy.isGrant).flatMap { name, policy in
            guard let temporary = policy.temporary else { return [Grant]() }
            let path = "\(TemporaryPolicy.directory)/\(name)"
            let file = machine.root.display(path)
            let reason = GrantReason.shown(temporary.reason, file: path, in: machine.root)
            let users = policy.target?.include.users?.map(\.name) ?? []
            let free = policy.waivers.flatMap { waiver in
                (waiver.clauses.users?.map(\.name) ?? users).map { ($0, waiver.domain, waiver.key, true) }
            }
            let forced = policy.entries.filter { $0.level == .forced }.flatMap { entry in
                users.map { ($0, entry.domain, entry.key, false) }
            }
            return (free + forced).map {
                Grant(user: $0, domain: $1, key: $2, isFree: $3, temporary: temporary, reason: reason, file: file)
            }
        }.sorted { ($0.user, $0.domain, $0.key) < ($1.user, $1.domain, $1.key) }
    }

    /// Whether there is none.
    var isEmpty: Bool { grants.isEmpty }

    private func isOver(_ grant: Grant) -> Bool { grant.temporary.until.map { $0 <= moment.time } ?? false }

    /// Lines for people, escaped.
    var lines: [String] {
        if grants.isEmpty { return ["No grant is in force."] }
        return grants.flatMap { grant in
            let temporary = grant.temporary
            let end = temporary.until.map { "\(isOver(grant) ? "ended" : "until") \(moment.words(for: $0))" }
            let what = "\(grant.user.string): \(grant.domain.string) \(grant.key.string)"
            let how = grant.isFree ? "free" : "forced to another value"
            let by = temporary.by.isEmpty ? "" : ", by \(temporary.by)"
            let reason = grant.reason.isEmpty ? "" : ": \(grant.reason)"
            let row = Printable.escape("\(what) \(how) \(end ?? "until the next boot")\(by)\(reason)")
            return Layout.fold(row) + [Printable.escape("    \(grant.file)")]
        }
    }

    /// The output of `policy grant list --json`.
    var document: JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for grant in grants {
            json.beginObject()
            json.field("file", grant.file)
            json.field("user", grant.user.string)
            json.field("domain", grant.domain.string)
            json.field("key", grant.key.string)
            json.field("free", grant.isFree)
            json.field("until", grant.temporary.until?.rfc3339)
            json.field("ended", isOver(grant))
            json.field("reason", grant.reason)
            json.field("by", grant.temporary.by)
            json.endObject()
        }
        json.endArray()
        return json
    }
}
