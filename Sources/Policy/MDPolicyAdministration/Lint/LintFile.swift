import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// A valid policy file, prepared for comparison.
final class LintFile: Sendable {
    /// The content, with what its common settings are for programs.
    let policy: PolicyFile
    /// What its common settings are not.
    let verdicts: [ProgramJudge.Verdict]
    /// The path for messages.
    let shownPath: String
    /// The target, prepared for comparison.
    let target: LintTarget

    /// Prepares a file; the windows of calendars define when its schedule is open, and the judge expands it.
    init(policy: PolicyFile, shownPath: String, calendars: [Key: [Window]] = [:], judge: ProgramJudge? = nil) {
        (self.policy, verdicts) = judge?.expand(policy) ?? (policy, [])
        self.shownPath = shownPath
        target = LintTarget(policy.target, calendars: calendars)
    }

    /// Whether it is below `/run`, which the next boot empties.
    var isTemporary: Bool { policy.path.utf8.starts(with: PolicyDirectory.run.home.utf8) }

    /// Whether it belongs to the same exam as another file.
    func isOfExam(of other: LintFile) -> Bool {
        policy.examSet.map { $0 == other.policy.examSet } ?? false
    }

    /// The finding for a file without effect; `nil` if it has one, or if it is a profile, whose payloads are reported
    /// one by one.
    var emptiness: Diagnostic? {
        guard policy.entries.isEmpty, policy.seals.isEmpty, policy.constraints.isEmpty, policy.combine.isEmpty,
            policy.waivers.isEmpty, policy.calendars.isEmpty, policy.metadata.isEmpty,
            PolicyFileName.kind(of: policy.path) != .profile
        else { return nil }
        return warning(
            .noEntries, at: policy.identifierPosition,
            "this file says nothing: it has neither entries nor seals, constraints, waivers, calendars or metadata")
    }

    /// The finding for a target whose own exceptions exclude everyone.
    var contradiction: Diagnostic {
        warning(
            .matchesNobody, at: policy.targetPosition,
            "the exceptions of this target take out everybody whom it includes")
    }

    /// Whether its target has ended at a time.
    func isOver(at time: Timestamp) -> Bool {
        policy.target?.notAfter.map { $0 <= time } ?? false
    }

    /// A place in the file for messages.
    func place(_ position: Position) -> String {
        position.isBinary ? "\(shownPath): \(position)" : "\(shownPath):\(position)"
    }

    func warning(_ code: LintCode, at position: Position, _ message: String) -> Diagnostic {
        Diagnostic(file: shownPath, position: position, severity: .warning, code: code, message: message)
    }

    func error(_ code: LintCode, at position: Position, _ message: String) -> Diagnostic {
        Diagnostic(file: shownPath, position: position, severity: .error, code: code, message: message)
    }
}

extension Sequence<PolicyFile> {
    /// The names of the calendars in the schedules of all files.
    var scheduledCalendars: Set<Key> {
        var names: Set<Key> = []
        for item in lazy.compactMap(\.target?.schedule).joined() {
            if case .calendar(let name, _) = item { names.insert(name) }
        }
        return names
    }

    /// The windows of each calendar.
    ///
    /// If several files have a calendar, the first enforced file counts, else the last file.
    var calendarWindows: [Key: [Window]] {
        var windows: [Key: [Window]] = [:]
        var settled: Set<Key> = []
        for file in self {
            for calendar in file.calendars where !settled.contains(calendar.name) {
                windows[calendar.name] = calendar.windows
                if file.enforced { settled.insert(calendar.name) }
            }
        }
        return windows
    }
}

/// A domain and a key.
struct LintName: Hashable {
    let domain: Key
    let key: Key
}
