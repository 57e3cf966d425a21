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
    }

    /// The files in order of application.
    let items: [Item]
    /// The names that are not read.
    let ignored: [IgnoredFile]

    /// Joins the files with what was skipped for the user.
    init(_ policies: PolicySet, _ resultant: ResultantSet) {
        var reasons: [Key: String] = [:]
        for file in resultant.skipped { reasons[Key(file.file)] = file.reason }
        items = policies.files.map { file in
            let broken = file.policy == nil ? "cannot be used, and there is no good copy of it" : nil
            return Item(file: file, reason: broken ?? reasons[Key(file.path)])
        }
        ignored = policies.ignored
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
            json.field("inForce", item.file.source.rawValue)
            json.field("recorded", item.file.isRecorded)
            json.field("description", policy?.summary)
            json.field("contact", policy?.contact)
            json.field("enforced", policy?.enforced)
            json.signature(item.file.signature)
            json.member("findings")
            json.findings(item.file.diagnostics, withFile: false)
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
