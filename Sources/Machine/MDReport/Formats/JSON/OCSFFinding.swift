import MDPlatform
import MDPropertyList

/// A Compliance Finding of the Open Cybersecurity Schema Framework 1.8: one line of JSON.
///
/// Source: <https://schema.ocsf.io/1.8.0/classes/compliance_finding>
struct OCSFFinding {
    private static let product = "ManagedDefaults"

    /// The identifier of the finding.
    let uid: String
    /// The report that it belongs to.
    let report: String
    /// The version of this program.
    let version: String
    /// When the report was made.
    let time: Timestamp
    /// 1 informational, 2 low, 3 medium.
    let severity: Int
    /// 1 new, 3 suppressed.
    var state = 1
    /// The sentence with the user and the subject of the finding.
    let message: String
    /// What is judged, if no control asks for it.
    let name: String
    /// The controls that ask for it.
    let controls: [String]
    /// What is required, if that is one thing.
    var requirement: String?
    /// 1 pass, 2 warning, 3 fail; 0 unknown.
    let status: Int
    /// The status in words.
    let words: String
    /// What people call it.
    let title: String
    /// The name, the kind and the identifier of what was looked at.
    let resource: (name: String, kind: String, uid: String)

    /// The line, with its line feed; what this schema has no names for is written by `more`.
    func line(_ more: (inout JSONWriter) -> Void) -> [UInt8] {
        var json = JSONWriter()
        let milliseconds = Int(time.microseconds / 1_000)
        json.beginObject()
        json.object("metadata") { json in
            json.field("version", "1.8.0")
            json.object("product") { json in
                json.field("name", OCSFFinding.product)
                json.field("vendor_name", OCSFFinding.product)
                json.field("version", version)
            }
            json.field("uid", uid)
            json.field("correlation_uid", report)
        }
        json.field("category_uid", 2)
        json.field("class_uid", 2_003)
        json.field("activity_id", 1)
        json.field("type_uid", 200_301)
        json.field("severity_id", severity)
        json.field("status_id", state)
        json.field("time", milliseconds)
        json.field("message", message)
        json.object("compliance") { json in
            json.field("control", controls.first ?? name)
            if !controls.isEmpty { json.field("standards", .array(controls.map { .string($0) })) }
            if let requirement { json.field("requirements", .array([.string(requirement)])) }
            json.field("status_id", status)
            json.field("status_detail", words)
        }
        json.object("finding_info") { json in
            json.field("uid", uid)
            json.field("title", title)
            json.field("created_time", milliseconds)
            json.field("types", .array([.string("Managed Setting")]))
        }
        json.member("resources")
        json.beginArray()
        json.beginObject()
        json.field("name", resource.name)
        json.field("type", resource.kind)
        json.field("uid", resource.uid)
        json.endObject()
        json.endArray()
        json.object("unmapped", more)
        json.endObject()
        return json.utf8 + [0x0a]
    }
}
