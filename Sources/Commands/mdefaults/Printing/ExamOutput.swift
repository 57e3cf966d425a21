import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// The exams of a machine: its temporary policy files by their field `Set`.
struct ExamListing {
    /// The files of one set.
    private struct Exam {
        /// The name of the set.
        let set: Key
        /// The field `Temporary` of its first file.
        let temporary: Temporary
        /// The paths of its files for messages.
        var files: [String]
    }

    /// The exams in byte order of their names.
    private let exams: [Exam]
    /// The moment of the listing.
    private let moment: Moment

    /// Collects the exams.
    init(_ files: [(name: String, policy: PolicyFile)], _ machine: PolicyInForce) {
        var exams: [Key: Exam] = [:]
        for (name, policy) in files {
            guard let set = policy.examSet, let temporary = policy.temporary else { continue }
            let path = machine.root.display("\(TemporaryPolicy.directory)/\(name)")
            exams[set, default: Exam(set: set, temporary: temporary, files: [])].files.append(path)
        }
        self.exams = exams.values.sorted { $0.set < $1.set }
        moment = machine.moment
    }

    /// Whether there is none.
    var isEmpty: Bool { exams.isEmpty }

    /// Whether an exam has ended.
    private func isOver(_ exam: Exam) -> Bool { exam.temporary.until.map { $0 <= moment.time } ?? false }

    /// Lines for people, escaped.
    var lines: [String] {
        if exams.isEmpty { return ["No exam is in force."] }
        return exams.flatMap { exam in
            let temporary = exam.temporary
            let end = temporary.until.map { "\(isOver(exam) ? "ended" : "until") \(moment.words(for: $0))" }
            let by = temporary.by.isEmpty ? "" : ", started by \(temporary.by)"
            let reason = temporary.reason.isEmpty ? "" : ": \(temporary.reason)"
            return
                (["\(exam.set.string), \(end ?? "until the next boot")\(by)\(reason)"] + exam.files.map { "    \($0)" })
                .map(Printable.escape)
        }
    }

    /// The output of `policy exam list --json`.
    var document: JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for exam in exams {
            json.beginObject()
            json.field("set", exam.set.string)
            json.field("until", exam.temporary.until?.rfc3339)
            json.field("reason", exam.temporary.reason)
            json.field("by", exam.temporary.by)
            json.field("ended", isOver(exam))
            json.field("files", .array(exam.files.map { .string($0) }))
            json.endObject()
        }
        json.endArray()
        return json
    }
}
