import Audit
import Compliance
import Engine
import Platform
import PropertyList

extension ApplyReport {
    /// What is said of marks that are gone or changed, and of those that could not be compared.
    var markNotes: [String] {
        guard let look else { return [] }
        return look.lost.map { record in
            "\(Printable.escape(record.user ?? "")): \(Printable.escape(SetOnceLook.clause(of: record) ?? ""))."
        } + look.limits
    }

    /// Adds the fields of marks that are gone or changed, and of what could not be compared, to the document.
    func addMarks(to json: inout JSONWriter) {
        guard let look else { return }
        if !look.lost.isEmpty {
            json.member("lostMarks")
            json.beginArray()
            for record in look.lost {
                guard let (mark, isChanged) = record.lostMark else { continue }
                json.beginObject()
                json.field("user", record.user)
                json.field("domain", mark.domain.string)
                json.field("key", mark.key.string)
                json.field("policy", mark.policy.string)
                json.field("occasion", mark.occasion.string)
                json.field("change", isChanged ? "changed" : "gone")
                json.endObject()
            }
            json.endArray()
        }
        if !look.limits.isEmpty {
            json.member("limits")
            json.beginArray()
            for limit in look.limits { json.string(limit) }
            json.endArray()
        }
    }
}
