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

/// Why parts of an exam are not in force: files that apply to no user of this machine, grants, and other exams.
struct ExamExceptions {
    /// The most keys that sentences name; the rest is counted.
    private static let limit = 20

    /// The effects of the exam and what limits them.
    private let temporaryEffect: TemporaryEffect
    /// The root of the machine.
    private let root: Root
    /// Sentences for people, escaped.
    let sentences: [String]

    /// Formats the sentences.
    init(_ temporaryEffect: TemporaryEffect, _ moment: Moment, _ root: Root) {
        (self.temporaryEffect, self.root) = (temporaryEffect, root)
        var sentences = temporaryEffect.idle.map { "\($0.file): \($0.message)." }
        sentences += temporaryEffect.beaten.map {
            "\($0): each of its keys is decided by another file that comes first."
        }
        sentences += temporaryEffect.shortened.map {
            "\($0.file) ends at \(moment.words(for: $0.end)), by its own NotAfter."
        }
        let conflicts = temporaryEffect.conflicts
        sentences += conflicts.prefix(ExamExceptions.limit).map { ExamExceptions.sentence($0, moment, root) }
        if conflicts.count > ExamExceptions.limit {
            sentences.append(
                "There are \(conflicts.count - ExamExceptions.limit) more such keys; --json names them all.")
        }
        self.sentences = sentences.map(Printable.escape)
    }

    /// The sentence about a key that another file or a grant decides.
    private static func sentence(_ conflict: TemporaryConflict, _ moment: Moment, _ root: Root) -> String {
        let name = "\(conflict.domain.string) \(conflict.key.string)"
        let file = root.display(conflict.file)
        guard let waiver = conflict.waiver else {
            return "\(file) comes first: for whom both are, \(name) is as it says, and not as the exam does."
        }
        let until = waiver.until.map { " until \(moment.words(for: $0))" } ?? ""
        let frees = "\(file) frees \(name)\(TemporaryContent.words(waiver.clauses))\(until), during the exam as well."
        guard conflict.isGrant, let user = waiver.clauses.users?.first?.name.string else { return frees }
        return "\(frees) To end that: mdefaults policy grant revoke --user \(user) \(name)"
    }

    /// Writes the members `exceptions`, `idle`, `beaten` and `shortened`.
    func write(to json: inout JSONWriter) {
        json.member("exceptions")
        json.beginArray()
        for conflict in temporaryEffect.conflicts {
            json.beginObject()
            json.field("kind", conflict.kind.rawValue)
            json.field("domain", conflict.domain.string)
            json.field("key", conflict.key.string)
            json.field("file", root.display(conflict.file))
            if let users = conflict.waiver?.clauses.users {
                json.field("users", .array(users.map { .string($0.name.string) }))
            }
            json.field("until", conflict.waiver?.until?.rfc3339)
            json.endObject()
        }
        json.endArray()
        json.member("idle")
        json.beginArray()
        for finding in temporaryEffect.idle {
            json.beginObject()
            json.field("file", finding.file)
            json.field("reason", finding.message)
            json.endObject()
        }
        json.endArray()
        json.field("beaten", .array(temporaryEffect.beaten.map { .string($0) }))
        json.member("shortened")
        json.beginArray()
        for (file, end) in temporaryEffect.shortened {
            json.beginObject()
            json.field("file", file)
            json.field("until", end.rfc3339)
            json.endObject()
        }
        json.endArray()
    }
}
