import Platform
import PropertyList

/// A target, or the clauses of a waiver, made ready to be compared with others without knowing who is in which group.
struct LintTarget {
    /// The four kinds of clause as sets; `nil` is one that was not given.
    private struct Clauses {
        /// User names.
        let users: Set<Key>?
        /// Group names.
        let groups: Set<Key>?
        /// Words of the machine's tags file.
        let tags: Set<Key>?
        /// Host patterns in lower case.
        let hosts: Set<Key>?
        /// Host patterns.
        let patterns: [HostPattern]?

        /// Makes sets of clauses.
        init(_ clauses: Target.Clauses) {
            /// The names of a clause.
            func names(_ clause: [TargetName]?) -> Set<Key>? { clause.map { Set($0.map(\.name)) } }
            (users, groups, tags) = (names(clauses.users), names(clauses.groups), names(clauses.tags))
            patterns = clauses.hosts
            hosts = clauses.hosts.map {
                Set($0.map { Key(String(decoding: $0.text.utf8.map(ByteSet.lowercase), as: UTF8.self)) })
            }
        }

        /// The sets, in an order that is always the same.
        var sets: [Set<Key>?] { [users, groups, tags, hosts] }
    }

    /// Whom it includes.
    private let include: Clauses
    /// Whom it takes out.
    private let except: Clauses
    /// When it begins.
    private let notBefore: Timestamp?
    /// When it ends.
    private let notAfter: Timestamp?
    /// Whether it has a schedule.
    private let hasSchedule: Bool
    /// When it is open, where that can be told.
    private let plan: WeekPlan?

    /// Makes a target ready.
    init(_ target: Target?, calendars: [Key: [Window]]) {
        include = Clauses(target?.include ?? Target.Clauses())
        except = Clauses(target?.except ?? Target.Clauses())
        (notBefore, notAfter) = (target?.notBefore, target?.notAfter)
        hasSchedule = target?.schedule != nil
        plan = target?.schedule.flatMap { WeekPlan($0, calendars: calendars) }
    }

    /// Whether somebody may be in both targets at one time; false only where that is certain not to be.
    func mayOverlap(_ other: LintTarget) -> Bool {
        if let users = include.users, let others = other.include.users, users.isDisjoint(with: others) { return false }
        if let hosts = include.patterns, let others = other.include.patterns, !LintTarget.mayOverlap(hosts, others) {
            return false
        }
        if LintTarget.endsBefore(self, other) || LintTarget.endsBefore(other, self) { return false }
        if let plan, let otherPlan = other.plan, !plan.mayOverlap(otherPlan) { return false }
        return !LintTarget.excludes(except, other.include) && !LintTarget.excludes(other.except, include)
            && !isContradictory && !other.isContradictory
    }

    /// Whether this target certainly includes everybody, at any time, that the other one does.
    func covers(_ other: LintTarget) -> Bool {
        for (wide, narrow) in zip(include.sets, other.include.sets) {
            if let wide, !(narrow?.isSubset(of: wide) ?? false) { return false }
        }
        for (wide, narrow) in zip(except.sets, other.except.sets) {
            if let wide, !wide.isSubset(of: narrow ?? []) { return false }
        }
        if let notBefore, other.notBefore.map({ $0 < notBefore }) ?? true { return false }
        if let notAfter, other.notAfter.map({ $0 > notAfter }) ?? true { return false }
        guard hasSchedule else { return true }
        guard let plan, let otherPlan = other.plan else { return false }
        return plan.covers(otherPlan)
    }

    /// Whether its own exceptions take out everybody whom it includes.
    var isContradictory: Bool {
        LintTarget.excludes(except, include) || except.hosts?.contains("*") == true
    }

    /// Whether one target has ended when the other one begins.
    private static func endsBefore(_ left: LintTarget, _ right: LintTarget) -> Bool {
        guard let end = left.notAfter, let begin = right.notBefore else { return false }
        return end <= begin
    }

    /// Whether exceptions take out everybody whom some clauses include.
    private static func excludes(_ except: Clauses, _ include: Clauses) -> Bool {
        zip(except.sets, include.sets).contains { except, include in
            guard let except, let include else { return false }
            return include.isSubset(of: except)
        }
    }

    /// Whether some host may match a pattern of each list; lists that would take long count as overlapping.
    private static func mayOverlap(_ left: [HostPattern], _ right: [HostPattern]) -> Bool {
        var work = 0
        return left.contains { one in
            right.contains { two in
                work += one.work(with: two)
                return work > workLimit || one.mayShareHost(with: two)
            }
        }
    }

    /// The most pairs of steps that are looked at for two lists of patterns: some milliseconds' work.
    private static let workLimit = 1_000_000
}
