package import MDPlatform
import MDPolicyModel
import MDPropertyList

/// An entry, a constraint, a waiver or another part of a candidate file that applies.
struct CandidateItem<Item> {
    let item: Item
    let file: CandidateFile
}

/// What a waiver can lift.
protocol Waivable {
    var origin: Origin { get }
}

extension PolicyEntry: Waivable {}
extension ConstraintEntry: Waivable {}
extension Seal: Waivable {}

extension CandidateItem where Item: Waivable {
    /// Whether a waiver of the key lifts this.
    ///
    /// A waiver lifts the parts of its own file, of all files that are not `Enforced`, and of every file if its own is
    /// `Enforced`. Its own file is in one of the other two groups, which leaves two cases. What a waiver of a common
    /// setting became lifts what the setting became, and nothing that files say of the program's key themselves.
    func isLifted(by waiver: CandidateItem<Waiver>) -> Bool {
        if let setting = waiver.item.origin.source.setting, item.origin.source.setting != setting { return false }
        return !file.isEnforced || waiver.file.isEnforced
    }
}

extension Array {
    /// The items, given in order of application, the strongest first: those of enforced files in order, then the others
    /// in reverse.
    func ranked<Item>() -> [CandidateItem<Item>] where Element == CandidateItem<Item> {
        if count < 2 { return self }
        return filter(\.file.isEnforced) + filter { !$0.file.isEnforced }.reversed()
    }
}

/// A policy file in force, and whether it applies to one subject.
///
/// A class, so that its items share one object.
final class CandidateFile: Sendable {
    /// The policy; without its entries if it comes from a compiled table.
    let policy: PolicyFile
    /// Whether it is a recorded copy.
    let isRecordedCopy: Bool
    /// The index in the order of application.
    let index: Int
    /// Why it does not apply, or is undecided, in words; `nil` if it applies.
    let reason: String?
    /// The next time at which it begins or ceases to apply; `nil` if time never changes that, or another clause does
    /// not match.
    let nextChange: Timestamp?
    /// The next time at which ``isCertain`` changes while it applies; `nil` if time never changes that.
    let nextCertainty: Timestamp?
    /// Whether its target has times; if so, setting the clock may change whether it applies, even if ``nextChange`` is
    /// `nil` because the last of them is over.
    let isTimed: Bool
    /// The unknown calendars and time zones of its target.
    let problems: [TimeProblem]
    /// Whether its target has users or groups, the user is unknown, and everything else matches: each of its keys is
    /// then forced to have no value.
    let isUndecided: Bool
    /// Whether everything that decides whether it applies is known, so that its waivers count.
    let isCertain: Bool

    /// Whether it applies.
    var applies: Bool { reason == nil || isUndecided }
    var isEnforced: Bool { policy.enforced }

    /// The reason that is given for an undecided file.
    private static let undecidedReason =
        "applies to some users only, and who this is is unknown in a user namespace: its keys have no value"

    /// Decides whether a file applies to a subject.
    ///
    /// - Parameters:
    ///   - policy: the file.
    ///   - isRecordedCopy: whether it is a recorded copy that replaces the file.
    ///   - index: the index in the order of application.
    ///   - subject: the user, host and time.
    ///   - names: the ids of names that were not resolved before.
    ///   - inWords: whether the reason why it does not apply is wanted.
    ///   - calendars: returns the calendars in force; called only if the target has a schedule.
    /// - Throws: the error of `calendars`.
    init<Failure: Error>(
        _ policy: PolicyFile, isRecordedCopy: Bool, index: Int, for subject: Subject, names: AccountIDs,
        inWords: Bool = true, calendars: () throws(Failure) -> [Key: [Window]]
    ) throws(Failure) {
        (self.policy, self.isRecordedCopy, self.index) = (policy, isRecordedCopy, index)
        guard let target = policy.target else {
            (reason, nextChange, nextCertainty) = (nil, nil, nil)
            (isTimed, problems, isUndecided, isCertain) = (false, [], false, true)
            return
        }
        // A grant frees.
        let names = policy.isGrant ? names.freeing : names
        if let mismatch = target.mismatch(of: subject, names: names, inWords: inWords) {
            (reason, nextChange, nextCertainty) = (mismatch, nil, nil)
            (isTimed, problems, isUndecided, isCertain) = (false, [], false, true)
            return
        }
        var time = TimeVerdict(isOpen: true)
        isTimed = target.dependsOnTime
        if isTimed {
            let calendars = target.schedule == nil ? [:] : try calendars()
            time = target.time(at: subject.moment, calendars: calendars, inWords: inWords)
        }
        nextChange = time.nextChange
        nextCertainty = time.nextCertainty
        problems = time.problems
        isUndecided = time.isOpen && target.dependsOnUser && subject.unknown.contains(.identity)
        isCertain = time.isCertain && !isUndecided && target.isCertain(for: subject, names: names)
        if time.isOpen, policy.isGrant, subject.moment.isClockBehind {
            reason = "the clock is earlier than the newest time on record, so what was granted counts as ended"
        } else if isUndecided {
            reason = CandidateFile.undecidedReason
        } else {
            reason = time.isOpen ? nil : time.reason ?? "its time has not come"
        }
    }
}

/// A policy file that applies to the subject.
package struct AppliedFile: Hashable, Sendable {
    /// The identifier of the policy.
    package let policy: String
    /// The path beneath the root.
    package let file: String
    /// The next time at which the file ceases to apply, or a waiver of it ends; `nil` if there is none.
    package let nextChange: Timestamp?

    package init(policy: String, file: String, nextChange: Timestamp? = nil) {
        self.policy = policy
        self.file = file
        self.nextChange = nextChange
    }
}

/// A policy file that does not apply to the subject, and why.
package struct SkippedFile: Hashable, Sendable {
    /// The identifier of the policy.
    package let policy: String
    /// The path beneath the root.
    package let file: String
    /// Why, in words.
    package let reason: String
    /// The next time at which the file begins to apply, if nothing but the time is against it; `nil` otherwise.
    package let nextChange: Timestamp?
    /// Whether nothing but the time is against it.
    package let isTimed: Bool

    package init(policy: String, file: String, reason: String, nextChange: Timestamp? = nil, isTimed: Bool = false) {
        self.policy = policy
        self.file = file
        self.reason = reason
        self.nextChange = nextChange
        self.isTimed = isTimed
    }
}
