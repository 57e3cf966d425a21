import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
package import MDPolicyModel
package import MDPropertyList

/// Why parts of an exam are not in force: files that apply to no user of this machine, grants, and other exams.
package struct ExamExceptions: Sendable {
    /// The most keys that sentences name; the rest is counted.
    private static let shown = 20

    /// The effects of the exam and what limits them.
    private let temporaryEffect: TemporaryEffect
    /// The root of the machine.
    private let root: Root
    /// Sentences for people, escaped.
    package let sentences: [String]

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
        sentences += conflicts.prefix(ExamExceptions.shown).map { ExamExceptions.sentence($0, moment, root) }
        sentences += temporaryEffect.suspended.map { conflict in
            "The grant of \(conflict.domain.string) \(conflict.key.string) to \(conflict.user?.string ?? "somebody") with a"
                + " value of its own does not count during the exam: \(root.display(conflict.file))."
        }
        if conflicts.count > ExamExceptions.shown {
            sentences.append(
                "There are \(conflicts.count - ExamExceptions.shown) more such keys; --json names them all.")
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
        let frees = "\(file) frees \(name)\(waiver.clauses.words)\(until), during the exam as well."
        guard conflict.isGrant, let user = waiver.clauses.users?.first?.name.string else { return frees }
        return "\(frees) To end that: mdefaults policy grant revoke --user \(user) \(name)"
    }

    /// Writes the members `exceptions`, `idle`, `beaten` and `shortened`.
    package func write(to json: inout JSONWriter) {
        json.member("exceptions")
        json.beginArray()
        for conflict in temporaryEffect.conflicts + temporaryEffect.suspended {
            json.beginObject()
            json.field("kind", conflict.kind.rawValue)
            json.field("domain", conflict.domain.string)
            json.field("key", conflict.key.string)
            json.field("file", root.display(conflict.file))
            if let users = conflict.waiver?.clauses.users?.map(\.name) ?? conflict.user.map({ [$0] }) {
                json.field("users", .array(users.map { .string($0.string) }))
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

extension Target.Clauses {
    /// The clauses behind a blank; empty for everybody.
    package var words: String {
        /// The names of a clause behind a noun.
        func part(_ noun: String, _ names: [String]?) -> String? {
            names.map { "\(noun) \($0.joined(separator: ", "))" }
        }
        let parts = [
            part("user", users?.map(\.name.string)), part("group", groups?.map(\.name.string)),
            part("host", hosts?.map(\.text)), part("tag", tags?.map(\.name.string)),
        ].compactMap(\.self)
        return parts.isEmpty ? "" : " for \(parts.joined(separator: " and "))"
    }
}
