import Engine
import Platform
import Policy
import PropertyList

/// The policy files with whether each applies to one user.
struct PolicyListing {
    /// A file and whether it applies.
    struct Item {
        /// The file.
        let file: LoadedFile
        /// Why it does not apply to the user; `nil` where it does.
        let reason: String?
        /// When time next makes it apply or not, or ends a waiver of it.
        var nextChange: Timestamp?
        /// What of its schedule could not be told.
        var problems: [Diagnostic] = []
        /// The waivers of it that are meant for the user.
        var waivers: [ResolvedWaiver] = []
        /// What it says, where it lasts until the next boot at most.
        var temporary: TemporaryContent?
    }

    /// The files in order of application.
    let items: [Item]
    /// The names that are not read.
    let ignored: [IgnoredFile]

    /// Joins the files with what was skipped for the user.
    init(_ policies: PolicySet, _ resultant: ResultantSet) {
        var reasons: [Key: String] = [:]
        var changes: [Key: Timestamp] = [:]
        var waivers: [Key: [ResolvedWaiver]] = [:]
        for file in resultant.skipped {
            reasons[Key(file.file)] = file.reason
            changes[Key(file.file)] = file.nextChange
        }
        for file in resultant.applied { changes[Key(file.file)] = file.nextChange }
        for waiver in resultant.waivers { waivers[Key(waiver.waiver.origin.file), default: []].append(waiver) }
        items = policies.files.map { file in
            let copy = file.isLost ? "its good copy is lost" : "there is no good copy of it"
            let broken = file.policy == nil ? "cannot be used, and \(copy)" : nil
            let path = Key(file.path)
            return Item(
                file: file, reason: broken ?? reasons[path], nextChange: changes[path],
                problems: resultant.problems.filter { Key($0.file) == path }, waivers: waivers[path] ?? [],
                temporary: TemporaryContent(file))
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
            json.field("reason", waiver.reason)
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

    /// `policy list --json`.
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
            json.field("trusted", item.file.trusted)
            json.field("valid", item.file.valid)
            json.field("applies", item.reason == nil)
            json.field("reason", item.reason)
            json.field("nextChange", item.nextChange?.rfc3339)
            json.field("ends", policy?.target?.notAfter?.rfc3339)
            json.field("inForce", item.file.source.rawValue)
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
