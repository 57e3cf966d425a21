import MDCare
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
        /// What they say.
        var policies: [PolicyFile]
    }

    /// The exams in byte order of their names.
    private let exams: [Exam]
    /// The machine.
    private let machine: PolicyInForce
    /// The moment of the listing.
    private var moment: Moment { machine.moment }

    /// Collects the exams.
    init(_ files: [(name: String, policy: PolicyFile)], _ machine: PolicyInForce) {
        var exams: [Key: Exam] = [:]
        for (name, policy) in files {
            guard let set = policy.examSet, let temporary = policy.temporary else { continue }
            let path = machine.root.display("\(TemporaryPolicy.directory)/\(name)")
            var exam = exams[set] ?? Exam(set: set, temporary: temporary, files: [], policies: [])
            exam.files.append(path)
            exam.policies.append(policy)
            exams[set] = exam
        }
        self.exams = exams.values.sorted { $0.set < $1.set }
        self.machine = machine
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
            json.audience(of: exam.policies)
            if !isOver(exam) { ExamPeople(on: machine, Set(exam.policies.map { Key($0.path) }), nil).write(to: &json) }
            json.field("files", .array(exam.files.map { .string($0) }))
            json.endObject()
        }
        json.endArray()
        return json
    }
}

/// The sets that can be started as an exam.
struct ExamSetListing {
    private let sets: [ExamSet.Outline]

    /// Reads the sets of a machine.
    init(of root: Root) { sets = ExamSet.outlines(in: root) }

    /// Whether there is none.
    var isEmpty: Bool { sets.isEmpty }

    /// What a set is for, by its first file that says so.
    private func description(of set: ExamSet.Outline) -> String? {
        set.policies.lazy.map(\.summary).first { !$0.isEmpty }
    }

    /// Lines for people, escaped.
    var lines: [String] {
        if sets.isEmpty { return ["There is no set."] }
        return sets.flatMap { set in
            let what = set.problem ?? description(of: set).map(Printable.escape)
            return Layout.fold(Printable.escape(set.name) + (what.map { ": \($0)" } ?? ""))
                + set.files.map { "    \(Printable.escape($0))" }
        }
    }

    /// The output of `policy exam sets --json`.
    var document: JSONWriter {
        var json = JSONWriter(pretty: true)
        json.beginArray()
        for set in sets {
            json.beginObject()
            json.field("set", set.name)
            json.field("description", description(of: set))
            json.audience(of: set.policies)
            json.field("files", .array(set.files.map { .string($0) }))
            json.field("problem", set.problem)
            json.endObject()
        }
        json.endArray()
        return json
    }
}

extension JSONWriter {
    /// Writes the member `for`: whom policy files are for, by the users and groups of their targets.
    fileprivate mutating func audience(of policies: [PolicyFile]) {
        let clauses = policies.map { $0.target?.include }
        func names(_ names: [[TargetName]?]) -> Value {
            .array(Set(names.flatMap { ($0 ?? []).map(\.name) }).sorted().map { .string($0.string) })
        }
        member("for")
        beginObject()
        field("users", names(clauses.map { $0?.users }))
        field("groups", names(clauses.map { $0?.groups }))
        field("everybody", clauses.contains { $0?.users == nil && $0?.groups == nil })
        endObject()
    }
}
