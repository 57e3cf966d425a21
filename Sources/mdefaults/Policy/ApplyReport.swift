import Compliance
import Engine
import Platform
import Policy
import PropertyList

/// What `policy apply` and `policy rollback` say about what they did.
struct ApplyReport {
    /// The machine.
    let root: Root
    /// Whether nothing was written on purpose.
    let isDryRun: Bool
    /// What is in force.
    private(set) var set = PolicySet.unmanaged
    /// What of the record, the copies and the generations everybody can read again, as sentences.
    private var mended: [String] = []
    /// The generation that was kept; `nil` where the sources had not changed.
    private(set) var generation: Generation?
    /// The generation that a rollback put in place; `nil` for an apply.
    private var target: Generation?
    /// The generation that was in place before a rollback.
    private var origin: Generation?
    /// The generation that a rollback made of what lay there before.
    private var saved: Generation?
    /// What changed.
    private var changes: [PolicyChange] = []
    /// Why there is no compiled table, as a clause.
    private(set) var tableReason: String?
    /// What could not be written, as sentences.
    private(set) var failures: [String] = []
    /// What became of the marks of what was set once; `nil` where nobody compared them.
    var look: SetOnceLook?

    /// Makes a report of nothing.
    init(root: Root, isDryRun: Bool = false) {
        self.root = root
        self.isDryRun = isDryRun
    }

    /// Takes over what would be done.
    mutating func preview(_ set: PolicySet) {
        self.set = set
        changes = set.changes
    }

    /// Takes over what was done.
    mutating func take(_ result: ApplyResult) {
        set = result.set
        changes = result.changes
        mended = result.mended.map(\.mending)
        generation = result.generation
        tableReason = result.tableFailure
        failures = set.problems.filter { $0.code == LintCode.notRecorded.rawValue }.map {
            Printable.escape("\($0.file): \($0.message).")
        }
        // If their directory cannot be used, that is said, and there are no sources to keep.
        let directory = Key(root.display(PolicyPlace.etc.directory))
        let isUsable = !set.problems.contains { $0.severity == .error && Key($0.file) == directory }
        if isUsable, let failure = result.generationFailure {
            failures.append(Printable.escape("The sources could not be kept as a generation: \(failure)."))
        }
        if !result.isRecorded, failures.isEmpty {
            failures.append("The changes could not be recorded in the audit log; they come again.")
        }
    }

    /// Takes over what was done after a rollback.
    mutating func take(_ result: ApplyResult, after rollback: RollbackResult) {
        take(result)
        (target, origin, saved) = (rollback.target, rollback.origin, rollback.saved)
        generation = result.generation ?? rollback.made
        changes = rollback.set.changes + changes
        failures += rollback.failures.map { Printable.escape("\($0.prefix(1).uppercased())\($0.dropFirst()).") }
        // What the apply recorded since needs no word.
        guard !result.isRecorded, !rollback.unrecordedRemovals.isEmpty else { return }
        let names = rollback.unrecordedRemovals.map { root.display($0) }.joined(separator: ", ")
        failures.append(Printable.escape("\(names): removed, in force until mdefaults policy apply."))
    }

    /// How many files are in force as they stand, by their copies, and not at all.
    private var counts: (current: Int, lastGood: Int, none: Int) {
        (
            set.files.count { $0.source == .current }, set.files.count(where: \.isStandIn),
            set.files.count { $0.policy == nil }
        )
    }

    /// The lines for people.
    var lines: [String] {
        guard set.isManaged else { return [] }
        var lines = changes.map { Printable.escape("\(root.display($0.path)): \($0.note)") }
        let counts = counts
        var parts = ["\(counts.current) policy \(counts.current == 1 ? "file" : "files") in force"]
        if counts.lastGood > 0 { parts.append("\(counts.lastGood) by the last good copy") }
        if counts.none > 0 { parts.append("\(counts.none) not in force") }
        lines.append(parts.joined(separator: ", ") + (changes.isEmpty ? "; nothing changed" : ""))
        if isDryRun { return lines + ["nothing was written"] }
        if let generation {
            let what = target == nil ? ApplyReport.changes(generation) : "the rollback"
            lines.append("generation \(generation.number) kept: \(what)")
        }
        lines.append(tableReason.map { "no compiled table: \(Printable.escape($0))" } ?? "compiled table in place")
        return lines
    }

    /// What is said on standard error.
    var notes: [String] {
        mended + PolicyNotes.sentences(about: set) + names + clock + (doubt.map { [$0] } ?? []) + failures + markNotes
    }

    /// That nobody can tell what is forced, as a sentence; `nil` where it can be told.
    private var doubt: String? {
        self.set.uncertainty.map { PolicyMachine.sentence(ofUncertainty: $0) }
    }

    /// The users and groups that were found nowhere, as a sentence.
    private var names: [String] {
        let unknown = [("user", set.names.users), ("group", set.names.groups)].flatMap { kind, states in
            states.filter { $0.value == .unknown }.keys.sorted().map { "\(kind) \(Printable.escape($0.string))" }
        }
        if unknown.isEmpty { return [] }
        return ["Found nowhere, so that policy for them applies to nobody: \(unknown.joined(separator: ", "))."]
    }

    /// That the newest recorded time lies far ahead of the clock, as a sentence.
    private var clock: [String] {
        guard !isDryRun, set.isManaged, ClockFloor(root: root).lead > ApplyReport.greatestLead else { return [] }
        return [
            "The newest recorded time lies more than a day ahead of the clock: set the clock, or end that with mdefaults"
                + " policy forget --clock."
        ]
    }

    /// By how much the newest recorded time may lie ahead of the clock without a word, in microseconds: a day.
    private static let greatestLead: Int64 = 86_400_000_000

    /// Whether all of policy is in force as it is.
    var isWhole: Bool {
        names.isEmpty && clock.isEmpty && !set.diagnostics.contains { $0.severity == .error }
            && !set.files.contains { $0.source == .removed }
    }

    /// Whether something could not be written, or not be read that may be in force.
    var isUnfinished: Bool { !failures.isEmpty || set.uncertainty != nil }

    /// What a generation changed, in numbers.
    static func changes(_ generation: Generation) -> String {
        let kinds: [(Generation.Change.Kind, String)] = [
            (.added, "added"), (.changed, "changed"), (.removed, "removed"),
        ]
        let parts = kinds.compactMap { kind, word -> String? in
            let count = generation.changes.count { $0.kind == kind }
            return count == 0 ? nil : "\(count) \(word)"
        }
        return parts.isEmpty ? "nothing changed" : parts.joined(separator: ", ")
    }

    /// The JSON document.
    var document: JSONWriter {
        var json = JSONWriter(pretty: true)
        let counts = counts
        json.beginObject()
        if isDryRun { json.field("dryRun", true) }
        json.member("files")
        json.beginObject()
        json.field("current", counts.current)
        json.field("lastGood", counts.lastGood)
        json.field("notInForce", counts.none)
        json.endObject()
        json.member("changes")
        json.beginArray()
        for change in changes {
            json.beginObject()
            json.field("file", root.display(change.path))
            json.field("change", change.note)
            json.field("from", change.from?.hex)
            json.field("to", change.to?.hex)
            json.endObject()
        }
        json.endArray()
        if !isDryRun {
            json.field("target", target?.number)
            json.field("was", origin?.number)
            json.field("saved", saved?.number)
            json.field("generation", generation?.number)
            json.field("table", set.isManaged && tableReason == nil)
            json.field("tableReason", tableReason)
            json.member("failures")
            json.beginArray()
            for failure in failures { json.string(failure) }
            json.endArray()
        }
        json.field("unknown", doubt)
        if !mended.isEmpty {
            json.member("mended")
            json.beginArray()
            for sentence in mended { json.string(sentence) }
            json.endArray()
        }
        json.member("findings")
        json.findings(set.diagnostics, withFile: true)
        addMarks(to: &json)
        json.endObject()
        return json
    }
}
