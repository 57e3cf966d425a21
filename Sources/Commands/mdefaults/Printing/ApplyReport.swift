import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import MDReport
import MDTools

/// The output of `policy apply` and `policy rollback`.
struct ApplyReport {
    /// The machine.
    let root: Root
    /// Whether this is a dry run, which writes nothing.
    let isDryRun: Bool
    /// The policy in force.
    private(set) var set = PolicySet.unmanaged
    /// Whether it is recorded.
    private(set) var isRecorded = false
    /// A sentence for each file of the record, the copies and the generations whose mode was corrected.
    private var corrected: [String] = []
    /// The new generation; `nil` if the sources had not changed.
    private(set) var generation: Generation?
    /// The generation that a rollback put in place; `nil` for an apply.
    private var target: Generation?
    /// The generation that was in place before a rollback.
    private var origin: Generation?
    /// The generation that a rollback made of the files that it replaced.
    private var saved: Generation?
    /// The changes of policy.
    private var changes: [PolicyChange] = []
    /// Why there is no compiled table, as a clause.
    private(set) var tableReason: String?
    /// What could not be written, as sentences.
    private(set) var failures: [String] = []
    /// The findings in files that are to be installed; `nil` for verbs that install none.
    var check: [Diagnostic]?
    /// What changes for everybody by an installation or a rollback.
    var differences: GroupedDiffOutput?
    /// Whether a directory was exchanged.
    private var isExchanged = false
    /// What was taken of users' spools; `nil` if they were not read.
    var spools: CollectedSpools?

    /// What was or would be written into other programs' files; `nil` if there is no policy to write.
    var programs: ProgramFiles?

    /// Makes an empty report.
    init(root: Root, isDryRun: Bool = false) {
        self.root = root
        self.isDryRun = isDryRun
    }

    /// Adds what an apply would do.
    mutating func preview(_ set: PolicySet) {
        self.set = set
        changes = set.changes
    }

    /// Adds what an apply did.
    mutating func add(_ result: ApplyResult) {
        (set, isRecorded) = (result.set, result.isRecorded)
        changes = result.changes
        corrected = result.mended.map(\.mending)
        generation = result.generation
        tableReason = result.tableFailure
        failures = set.problems.filter { $0.code == LintCode.notRecorded.rawValue }.map {
            Printable.escape("\($0.file): \($0.message).")
        }
        // An unusable directory is a problem of its own, and has no sources to retain.
        let directory = Key(root.display(PolicyDirectory.etc.directory))
        let isUsable = !set.problems.contains { $0.severity == .error && Key($0.file) == directory }
        if isUsable, let failure = result.generationFailure {
            failures.append(Printable.escape("The sources could not be kept as a generation: \(failure)."))
        }
        if !result.isRecorded, failures.isEmpty {
            failures.append("The changes could not be recorded in the audit log; they come again.")
        }
    }

    /// Adds what a rollback and the apply after it did.
    mutating func add(_ result: ApplyResult, after rollback: RollbackResult) {
        add(result)
        (target, origin, saved) = (rollback.target, rollback.origin, rollback.saved)
        generation = result.generation ?? rollback.made
        changes = rollback.set.changes + changes
        failures += rollback.failures.map { Printable.escape("\($0.prefix(1).uppercased())\($0.dropFirst()).") }
        // The apply may have recorded the removals meanwhile.
        guard !result.isRecorded, !rollback.unrecordedRemovals.isEmpty else { return }
        let names = rollback.unrecordedRemovals.map { root.display($0) }.joined(separator: ", ")
        failures.append(Printable.escape("\(names): removed, in force until mdefaults policy apply."))
    }

    /// Adds what an installation did.
    mutating func add(_ installation: InstallResult) {
        add(installation.applied)
        (saved, isExchanged) = (installation.saved, installation.isExchanged)
        failures += installation.failures.map { Printable.escape("\($0.prefix(1).uppercased())\($0.dropFirst()).") }
        guard !installation.unrecordedRemovals.isEmpty else { return }
        let names = installation.unrecordedRemovals.map { root.display($0) }.joined(separator: ", ")
        failures.append(Printable.escape("\(names): removed, in force until mdefaults policy apply."))
    }

    /// Whether anything changed: what is in force, a generation, a file of another program.
    var isChanged: Bool {
        isExchanged || !changes.isEmpty || generation != nil || programs?.isChanged == true
            || isDryRun && differences.map { !$0.differences.isEmpty } ?? false
    }

    /// How many files are in force as written, by their copies, and not at all.
    private var counts: (current: Int, lastGood: Int, none: Int) {
        (
            set.files.count { $0.source == .current }, set.files.count { $0.isStandIn && !$0.isLost },
            set.files.count { $0.policy == nil }
        )
    }

    /// The lines for people.
    var lines: [String] {
        guard set.isManaged else { return spoolLines }
        var lines = changes.map { Printable.escape("\(root.display($0.path)): \($0.note)") }
        let counts = counts
        var parts = ["\(counts.current) policy \(counts.current == 1 ? "file" : "files") in force"]
        if counts.lastGood > 0 { parts.append("\(counts.lastGood) by the last good copy") }
        if counts.none > 0 { parts.append("\(counts.none) not in force") }
        lines.append(parts.joined(separator: ", ") + (changes.isEmpty ? "; nothing changed" : ""))
        lines += programs?.lines ?? []
        if isDryRun { return lines + ["nothing was written"] }
        if let generation {
            let what = target == nil ? ApplyReport.changes(generation) : "the rollback"
            lines.append("generation \(generation.number) kept: \(what)")
        }
        lines.append(tableReason.map { "no compiled table: \(Printable.escape($0))" } ?? "compiled table in place")
        return lines + spoolLines + (programs?.remedies ?? []).map { "next: \($0)" }
    }

    /// The line about what was taken of spools.
    private var spoolLines: [String] {
        guard let spools, spools.records > 0 else { return [] }
        return [
            "\(spools.records) \(spools.records == 1 ? "record" : "records") of \(spools.users) "
                + "\(spools.users == 1 ? "user" : "users") \(spools.records == 1 ? "was" : "were") taken into the log."
        ]
    }

    /// The sentences for standard error.
    var notes: [String] {
        corrected + PolicyNotes.sentences(about: set) + names + clock + (unknownReason.map { [$0] } ?? []) + failures
            + (programs?.notes ?? []) + (spools?.problems ?? []) + spoolFailure
    }

    /// Why what waits in spools could not be taken into the log.
    private var spoolFailure: [String] { spools?.failure.map { [$0] } ?? [] }

    /// Why policy is unknown, as a sentence; `nil` if it is known.
    private var unknownReason: String? {
        self.set.knowledge.failure.map { PolicyKnowledge.sentence(of: $0) }
    }

    /// A sentence about users and groups that do not exist.
    private var names: [String] {
        let unknown = set.names.unknown
        if unknown.isEmpty { return [] }
        return ["Found nowhere, so that policy for them applies to nobody: \(unknown.joined(separator: ", "))."]
    }

    /// A sentence about a time floor that is far ahead of the clock.
    private var clock: [String] {
        guard !isDryRun, set.isManaged, TimeFloor(root: root).lead > ApplyReport.greatestLead else { return [] }
        return [
            "The newest recorded time lies more than a day ahead of the clock: set the clock, or end that with mdefaults"
                + " policy forget --clock."
        ]
    }

    /// How far the time floor may be ahead of the clock without a sentence, in microseconds: a day.
    private static let greatestLead: Int64 = 86_400_000_000

    /// Whether all of policy is in force as written.
    var isWhole: Bool {
        names.isEmpty && clock.isEmpty && !set.diagnostics.contains { $0.severity == .error }
            && !set.files.contains { $0.source == .removed }
    }

    /// Whether something could not be written, or policy is unknown.
    var isUnfinished: Bool {
        !failures.isEmpty || !spoolFailure.isEmpty || programs?.isUnfinished == true || !set.knowledge.isDecisive
    }

    /// How many names a generation added, changed and removed, in words.
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
        json.field("changed", isChanged)
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
            for failure in failures + spoolFailure { json.string(failure) }
            json.endArray()
        }
        json.field("unknown", unknownReason)
        if !corrected.isEmpty {
            json.member("mended")
            json.beginArray()
            for sentence in corrected { json.string(sentence) }
            json.endArray()
        }
        json.member("findings")
        json.findings(set.diagnostics + (check ?? []), withFile: true)
        if let differences {
            json.member("groups")
            json.beginArray()
            differences.write(to: &json)
            json.endArray()
        }
        programs?.write(to: &json)
        writeSpools(to: &json)
        json.endObject()
        return json
    }

    /// Writes the member about users' spools, if there was something in them.
    private func writeSpools(to json: inout JSONWriter) {
        guard let spools, spools.records > 0 || !spools.problems.isEmpty else { return }
        json.member("spools")
        json.beginObject()
        json.field("records", spools.records)
        json.field("users", spools.users)
        json.member("problems")
        json.beginArray()
        for problem in spools.problems { json.string(problem) }
        json.endArray()
        json.endObject()
    }
}
