import Platform
import PropertyList

/// A file that loads, as lint looks at it.
final class LintFile: Sendable {
    /// What it holds.
    let policy: PolicyFile
    /// The path as people are shown it.
    let shownPath: String
    /// Whom it is for and when, ready to be compared.
    let target: LintTarget

    /// Makes a file; the windows of calendars tell when its schedule is open.
    init(policy: PolicyFile, shownPath: String, calendars: [Key: [Window]] = [:]) {
        self.policy = policy
        self.shownPath = shownPath
        target = LintTarget(policy.target, calendars: calendars)
    }

    /// Whether it lies where files stay until the next boot.
    var isTemporary: Bool { policy.path.utf8.starts(with: PolicyPlace.run.home.utf8) }

    /// Whether it belongs to the same exam as another file.
    func isOfExam(of other: LintFile) -> Bool {
        policy.examSet.map { $0 == other.policy.examSet } ?? false
    }

    /// The finding of a file that says nothing; `nil` for one that says something, and for a profile, whose payloads are
    /// reported one by one.
    var emptiness: Diagnostic? {
        guard policy.entries.isEmpty, policy.seals.isEmpty, policy.constraints.isEmpty, policy.combine.isEmpty,
            policy.waivers.isEmpty, policy.calendars.isEmpty, policy.metadata.isEmpty,
            PolicyFileName.kind(of: policy.path) != .profile
        else { return nil }
        return warning(
            .noEntries, at: policy.identifierPosition,
            "this file says nothing: it has neither entries nor seals, constraints, waivers, calendars or metadata")
    }

    /// The finding of a target whose own exceptions take out everybody.
    var contradiction: Diagnostic {
        warning(
            .matchesNobody, at: policy.targetPosition,
            "the exceptions of this target take out everybody whom it includes")
    }

    /// Whether its target has ended at a time.
    func isOver(at time: Timestamp) -> Bool {
        policy.target?.notAfter.map { $0 <= time } ?? false
    }

    /// A place in the file as people are shown it.
    func place(_ position: Position) -> String {
        position.isBinary ? "\(shownPath): \(position)" : "\(shownPath):\(position)"
    }

    /// A warning at a place of the file.
    func warning(_ code: LintCode, at position: Position, _ message: String) -> Diagnostic {
        Diagnostic(file: shownPath, position: position, severity: .warning, code: code, message: message)
    }

    /// An error at a place of the file.
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

    /// The windows of each calendar: of two of one name, those of the first enforced file, else of the last file.
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
