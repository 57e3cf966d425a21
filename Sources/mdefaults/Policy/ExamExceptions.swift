import Platform
import Policy
import PropertyList

/// What there is to say of an exam that is not in force as it stands: files that nobody here is in, grants and other exams.
struct ExamExceptions {
    /// The most keys that are told to people; the rest is counted.
    private static let limit = 20

    /// What became of the exam.
    private let prospects: TemporaryProspects
    /// Where the machine is.
    private let root: Root
    /// Sentences for people, escaped.
    let sentences: [String]

    /// Puts it into words.
    init(_ prospects: TemporaryProspects, _ moment: Moment, _ root: Root) {
        (self.prospects, self.root) = (prospects, root)
        var sentences = prospects.idle.map { "\($0.file): \($0.message)." }
        sentences += prospects.beaten.map { "\($0): each of its keys is decided by another file that comes first." }
        sentences += prospects.shortened.map { "\($0.file) ends at \(moment.words(for: $0.end)), by its own NotAfter." }
        let rivals = prospects.rivals
        sentences += rivals.prefix(ExamExceptions.limit).map { ExamExceptions.sentence($0, moment, root) }
        if rivals.count > ExamExceptions.limit {
            sentences.append("There are \(rivals.count - ExamExceptions.limit) more such keys; --json names them all.")
        }
        self.sentences = sentences.map(Printable.escape)
    }

    /// The sentence about a key that is not as the exam says.
    private static func sentence(_ rival: TemporaryRival, _ moment: Moment, _ root: Root) -> String {
        let name = "\(rival.domain.string) \(rival.key.string)"
        let file = root.display(rival.file)
        guard let waiver = rival.waiver else {
            return "\(file) comes first: for whom both are, \(name) is as it says, and not as the exam does."
        }
        let until = waiver.until.map { " until \(moment.words(for: $0))" } ?? ""
        let frees = "\(file) frees \(name)\(TemporaryContent.words(waiver.clauses))\(until), during the exam as well."
        guard rival.isGrant, let user = waiver.clauses.users?.first?.name.string else { return frees }
        return "\(frees) To end that: mdefaults policy grant revoke --user \(user) \(name)"
    }

    /// Writes the members `exceptions`, `idle`, `beaten` and `shortened`.
    func write(to json: inout JSONWriter) {
        json.member("exceptions")
        json.beginArray()
        for rival in prospects.rivals {
            json.beginObject()
            json.field("kind", rival.kind.rawValue)
            json.field("domain", rival.domain.string)
            json.field("key", rival.key.string)
            json.field("file", root.display(rival.file))
            if let users = rival.waiver?.clauses.users {
                json.field("users", .array(users.map { .string($0.name.string) }))
            }
            json.field("until", rival.waiver?.until?.rfc3339)
            json.endObject()
        }
        json.endArray()
        json.member("idle")
        json.beginArray()
        for finding in prospects.idle {
            json.beginObject()
            json.field("file", finding.file)
            json.field("reason", finding.message)
            json.endObject()
        }
        json.endArray()
        json.field("beaten", .array(prospects.beaten.map { .string($0) }))
        json.member("shortened")
        json.beginArray()
        for (file, end) in prospects.shortened {
            json.beginObject()
            json.field("file", file)
            json.field("until", end.rfc3339)
            json.endObject()
        }
        json.endArray()
    }
}
