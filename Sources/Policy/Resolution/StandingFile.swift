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
    /// Why it does not apply, in words; `nil` where it applies.
    let reason: String?
    /// When time changes whether it applies; `nil` where time never does, or something else is against it.
    let nextChange: Timestamp?
    /// Whether its target names times: then a clock that is set may change whether it applies, also where ``nextChange`` is
    /// `nil` because the last of them is over.
    let isTimed: Bool
    /// What could not be told about its time.
    let problems: [TimeProblem]
    /// Whether it is meant for the subject beyond doubt, rather than for want of knowledge about the subject.
    let isMeant: Bool
    /// Whether its waivers count, as far as the file goes.
    let mayWaive: Bool
    /// Whether it was granted to somebody, and nobody can tell whether to the subject.
    ///
    /// Nobody must get what others were granted, and nobody must get out of what was granted to him: the keys of such a
    /// file are forced without a value where nothing else forces them, and its waivers lift nothing.
    let isDoubtfulGrant: Bool

    /// Whether nobody can tell whether it counts, in a user namespace, where somebody may have brought that about.
    ///
    /// Such a file counts as any other where it makes no difference; else the key has no value.
    let isHidden: Bool
    /// Whether it is hidden and may be meant for others: then it makes a difference also where nothing else is said of a key, for
    /// nobody must get what others have.
    let mayBeOthers: Bool

    /// Whether it applies.
    var applies: Bool { reason == nil }

    /// Whether no later file overrides it.
    var isEnforced: Bool { policy.enforced && !isDoubtfulGrant }

    /// Whether what it says gives way to what is meant for the subject beyond doubt.
    ///
    /// Else everybody would have what is meant for some whose name has no id yet. What is `Enforced` stays above.
    var givesWay: Bool { isDoubtfulGrant || !isMeant && !isHidden && !policy.enforced }

    /// Decides whether a file applies to a subject.
    ///
    /// - Parameters:
    ///   - policy: the file.
    ///   - isLastGood: whether it is a last good copy.
    ///   - doubt: why it cannot be told whether it counts; `nil` where it does, as far as it is meant.
    ///   - index: its place in the order of application.
    ///   - subject: for whom, where and when.
    ///   - names: the ids of names that do not bring their own.
    ///   - inWords: whether anybody reads why it does not apply.
    ///   - calendars: gives the calendars that are in force; asked only where the target has a schedule.
    /// - Throws: what `calendars` throws.
    init<Failure: Error>(
        _ policy: PolicyFile, isLastGood: Bool, doubt: FileDoubt? = nil, index: Int, for subject: Subject,
        names: NameTable,
        inWords: Bool = true, calendars: () throws(Failure) -> [Key: [Window]]
    ) throws(Failure) {
        (self.policy, self.isLastGood, self.index) = (policy, isLastGood, index)
        guard let target = policy.target else {
            (reason, nextChange, isTimed, problems) = (nil, nil, false, [])
            (isMeant, mayWaive) = (doubt == nil, doubt == nil)
            isDoubtfulGrant = policy.isGrant && doubt != nil
            isHidden = doubt != nil && !isDoubtfulGrant
            mayBeOthers = false
            return
        }
        if let mismatch = target.mismatch(of: subject, names: names, inWords: inWords) {
            (reason, nextChange, isTimed, problems, isMeant, mayWaive) = (mismatch, nil, false, [], false, false)
            (isDoubtfulGrant, isHidden, mayBeOthers) = (false, false, false)
            return
        }
        var time = TimeVerdict(isOpen: true)
        isTimed = target.dependsOnTime
        if isTimed {
            let calendars = target.schedule == nil ? [:] : try calendars()
            time = target.time(at: subject.moment, calendars: calendars, inWords: inWords)
        }
        // What holds only because nobody could tell must not lift anything.
        let isOwn = target.isCertain(for: subject, names: names)
        isMeant = doubt == nil && isOwn
        let isCertain = time.problems.isEmpty && isMeant
        if time.isOpen, policy.isGrant, subject.moment.isClockBehind {
            reason = "the clock is earlier than the newest time on record, so what was granted counts as ended"
        } else {
            reason = time.isOpen ? nil : time.reason ?? "its time has not come"
        }
        nextChange = time.nextChange
        problems = time.problems
        mayWaive = reason == nil && isCertain
        isDoubtfulGrant = reason == nil && policy.isGrant && !isCertain
        isHidden = reason == nil && !policy.isGrant && !isCertain && (doubt != nil || subject.mayHide)
        mayBeOthers = isHidden && !isOwn
    }
}

extension PolicyFile {
    /// How the names of files begin that lift policy for a while.
    private static let grantPath = "/run/managed-defaults/policies.d/00-grant-"

    /// Whether the file was put there by `policy grant`, and ends where the clock cannot be trusted.
    package var isGrant: Bool { path.utf8.starts(with: PolicyFile.grantPath.utf8) }
}
