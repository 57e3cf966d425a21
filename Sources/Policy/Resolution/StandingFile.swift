import Platform
import PropertyList

/// A policy file that is in force, and whether it applies to one subject.
///
/// A class, so that each of its entries refers to one object.
final class StandingFile: Sendable {
    /// The policy; without its entries where it comes from a compiled table.
    let policy: PolicyFile
    /// Whether it is a last good copy.
    let isLastGood: Bool
    /// Its place in the order of application.
    let index: Int
    /// Why it does not apply, or is undecided, in words; `nil` if it applies.
    let reason: String?
    /// When time changes whether it applies; `nil` where time never does, or something else is against it.
    let nextChange: Timestamp?
    /// Whether its target names times: then a clock that is set may change whether it applies, also if ``nextChange`` is
    /// `nil` because the last of them is over.
    let isTimed: Bool
    /// What of its time is unknown.
    let problems: [TimeProblem]
    /// Whether it is for some users or groups, and applies in all other respects, and who the user is is unknown: each of its
    /// keys is then forced to have no value.
    let isUndecided: Bool
    /// Whether everything is known that decides whether it applies, so that its waivers count.
    let isCertain: Bool

    /// Whether it applies.
    var applies: Bool { reason == nil || isUndecided }
    /// Whether no later file overrides it.
    var isEnforced: Bool { policy.enforced }

    /// What is said of a file that is undecided.
    private static let undecidedReason =
        "applies to some users only, and who this is is unknown in a user namespace: its keys have no value"

    /// Decides whether a file applies to a subject.
    ///
    /// - Parameters:
    ///   - policy: the file.
    ///   - isLastGood: whether it is a recorded copy that replaces the file.
    ///   - index: its place in the order of application.
    ///   - subject: for whom, where and when.
    ///   - names: the ids of names that do not bring their own.
    ///   - inWords: whether the reason why it does not apply is read.
    ///   - calendars: gives the calendars that are in force; asked only if the target has a schedule.
    /// - Throws: what `calendars` throws.
    init<Failure: Error>(
        _ policy: PolicyFile, isLastGood: Bool, index: Int, for subject: Subject, names: NameTable,
        inWords: Bool = true, calendars: () throws(Failure) -> [Key: [Window]]
    ) throws(Failure) {
        (self.policy, self.isLastGood, self.index) = (policy, isLastGood, index)
        guard let target = policy.target else {
            (reason, nextChange, isTimed, problems, isUndecided, isCertain) = (nil, nil, false, [], false, true)
            return
        }
        if let mismatch = target.mismatch(of: subject, names: names, inWords: inWords) {
            (reason, nextChange, isTimed, problems, isUndecided, isCertain) = (mismatch, nil, false, [], false, true)
            return
        }
        var time = TimeVerdict(isOpen: true)
        isTimed = target.dependsOnTime
        if isTimed {
            let calendars = target.schedule == nil ? [:] : try calendars()
            time = target.time(at: subject.moment, calendars: calendars, inWords: inWords)
        }
        nextChange = time.nextChange
        problems = time.problems
        isUndecided = time.isOpen && target.dependsOnUser && subject.unknown.contains(.identity)
        isCertain = time.problems.isEmpty && !isUndecided && target.isCertain(for: subject, names: names)
        if time.isOpen, policy.isGrant, subject.moment.isClockBehind {
            reason = "the clock is earlier than the newest time on record, so what was granted counts as ended"
        } else if isUndecided {
            reason = StandingFile.undecidedReason
        } else {
            reason = time.isOpen ? nil : time.reason ?? "its time has not come"
        }
    }
}
