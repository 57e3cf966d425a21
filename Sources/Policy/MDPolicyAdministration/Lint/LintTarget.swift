import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// A target, or the clauses of a waiver, prepared for comparison without knowing group members.
struct LintTarget {
    /// The four kinds of clause as sets; `nil` if not given.
    private struct Clauses {
        let users: Set<Key>?
        let groups: Set<Key>?
        let tags: Set<Key>?
        /// Host patterns in lower case.
        let hosts: Set<Key>?
        /// Host patterns.
        let patterns: [HostPattern]?

        init(_ clauses: Target.Clauses) {
            func names(_ clause: [TargetName]?) -> Set<Key>? { clause.map { Set($0.map(\.name)) } }
            (users, groups, tags) = (names(clauses.users), names(clauses.groups), names(clauses.tags))
            patterns = clauses.hosts
            hosts = clauses.hosts.map {
                Set($0.map { Key(String(decoding: $0.text.utf8.map(ByteSet.lowercase), as: UTF8.self)) })
            }
        }

        /// The sets in a fixed order.
        var sets: [Set<Key>?] { [users, groups, tags, hosts] }
    }

    /// The clauses that include subjects.
    private let include: Clauses
    /// The clauses that exclude subjects.
    private let except: Clauses
    private let notBefore: Timestamp?
    private let notAfter: Timestamp?
    private let hasSchedule: Bool
    /// The schedule, if it can be compared.
    private let schedule: WeeklySchedule?

    /// Prepares a target.
    init(_ target: Target?, calendars: [Key: [Window]]) {
        include = Clauses(target?.include ?? Target.Clauses())
        except = Clauses(target?.except ?? Target.Clauses())
        (notBefore, notAfter) = (target?.notBefore, target?.notAfter)
        hasSchedule = target?.schedule != nil
        schedule = target?.schedule.flatMap { WeeklySchedule($0, calendars: calendars) }
    }

    /// Whether a subject may be in both targets at one time; false only if that is impossible.
    func mayOverlap(_ other: LintTarget) -> Bool {
        if let users = include.users, let others = other.include.users, users.isDisjoint(with: others) { return false }
        if let hosts = include.patterns, let others = other.include.patterns, !LintTarget.mayOverlap(hosts, others) {
            return false
        }
        if LintTarget.endsBefore(self, other) || LintTarget.endsBefore(other, self) { return false }
        if let schedule, let otherSchedule = other.schedule, !schedule.mayOverlap(otherSchedule) { return false }
        return !LintTarget.excludes(except, other.include) && !LintTarget.excludes(other.except, include)
            && !isContradictory && !other.isContradictory
    }

    /// Whether this target certainly includes every subject of the other one at any time.
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
        guard let schedule, let otherSchedule = other.schedule else { return false }
        return schedule.covers(otherSchedule)
    }

    /// Whether its own exceptions exclude every subject that it includes.
    var isContradictory: Bool {
        LintTarget.excludes(except, include) || except.hosts?.contains("*") == true
    }

    /// Whether one target has ended when the other one begins.
    private static func endsBefore(_ left: LintTarget, _ right: LintTarget) -> Bool {
        guard let end = left.notAfter, let begin = right.notBefore else { return false }
        return end <= begin
    }

    /// Whether exceptions exclude every subject that some clauses include.
    private static func excludes(_ except: Clauses, _ include: Clauses) -> Bool {
        zip(except.sets, include.sets).contains { except, include in
            guard let except, let include else { return false }
            return include.isSubset(of: except)
        }
    }

    /// Whether a host may match a pattern of each list; true if the comparison would take too long.
    private static func mayOverlap(_ left: [HostPattern], _ right: [HostPattern]) -> Bool {
        var work = 0
        return left.contains { one in
            right.contains { two in
                work += one.work(with: two)
                return work > workLimit || one.mayShareHost(with: two)
            }
        }
    }

    /// The most pairs of pattern steps that are compared for two lists, which takes some milliseconds.
    private static let workLimit = 1_000_000
}

/// Determines whether a machine has a user that a file or waiver can apply to.
///
/// The account files are searched first. The name service is asked only if they have no such user, so that valid policy
/// costs nothing. If the answer is unknown, a user is assumed.
final class LintUsers {
    /// Why there is no such user.
    enum Absence {
        /// None of the named users.
        case named
        /// None of the listed users.
        case listed(by: String)
        /// None of the users in the machine's own account files, which have the groups. Only users with such a primary
        /// group can be added by a name service, which does not list its users or does not answer.
        case ownFiles(isAnswered: Bool)
    }

    /// The ids of names.
    let names: AccountIDs
    /// The names of the machine.
    let host: HostName
    /// The tags of the machine; `nil` if unknown.
    let tags: Set<Key>?
    /// The account files of the machine.
    private let accounts: AccountDatabase
    /// The root of the machine.
    private let root: Root
    /// The machine as a subject; users are inserted for each check.
    private let machine: Subject
    /// All users in the account files.
    private lazy var fileIndex = accounts.fileIndex
    /// All users that the name service lists.
    private lazy var serviceIndex = accounts.lookUpIndex()
    /// Whether groups are also assigned at login.
    private lazy var areGroupsGivenAtLogin = accounts.areGroupsGivenAtLogin
    /// The answers of the name service about users.
    private let answers: AccountAnswers
    /// Whether the machine's account files are the only source of users.
    private(set) lazy var areFilesTheOnlySource = !root.isSystem || accounts.areFilesTheOnlySource
    /// What the name services reply to the names that the account files lack.
    private lazy var replies: [NameLedger.Name: NameReplies] = {
        guard root.isSystem else { return [:] }
        let named =
            names.users.keys.map { NameLedger.Name(.user, $0) } + names.groups.keys.map { NameLedger.Name(.group, $0) }
        let asked = named.filter { !isLocal($0) }.sorted()
        return asked.isEmpty ? [:] : inquiry.replies(to: asked, accounts)
    }()
    private let inquiry: NameInquiry
    /// Whether getent answers a lookup of a known user.
    private lazy var isAnswering = accounts.accounts.first.map { answers.isAnswered(about: $0) } ?? true

    /// - Parameters:
    ///   - names: the ids of names.
    ///   - host: the names of the machine.
    ///   - tags: the tags of the machine; `nil` if unknown.
    ///   - accounts: its account files.
    ///   - root: its root.
    ///   - inquiry: the earlier replies of the name services in the same operation.
    init(
        names: AccountIDs, host: HostName, tags: Set<Key>?, accounts: AccountDatabase, root: Root,
        inquiry: NameInquiry = NameInquiry()
    ) {
        self.inquiry = inquiry
        (self.names, self.host, self.tags) = (names, host, tags)
        (self.accounts, self.root) = (accounts, root)
        answers = AccountAnswers(accounts)
        machine = Subject(
            userName: "", uid: 0, gid: 0, groups: [], home: "/", host: host, tags: tags ?? [],
            moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: root)))
    }

    /// The path of the file with the tags, for messages.
    var shownTagFile: String { root.display(StorePath.tags) }

    /// Whether the account files have a name.
    func isLocal(_ name: NameLedger.Name) -> Bool {
        switch name.kind {
        case .user: accounts.account(named: name.name.string) != nil
        case .group: accounts.groupID(named: name.name.string) != nil
        }
    }

    /// The name as the service has it that finds it, and that service; `nil` if none finds it.
    func spelling(of name: NameLedger.Name) -> (text: String, service: String)? {
        guard !isLocal(name), let found = replies[name]?.found else { return nil }
        switch found.answer {
        case .user(let account): return (account.name, found.service)
        case .group(_, let text): return (text, found.service)
        case .members, .groups, .none, .silent: return nil
        }
    }

    /// The service that does not answer whether it has a name; empty if it is not known which, `nil` if all answered.
    func silentService(about name: NameLedger.Name) -> String? { replies[name]?.silent.first?.service }

    /// Whether it is certain that no account has a name.
    func isDenied(_ name: NameLedger.Name) -> Bool {
        let state = name.kind == .user ? names.user(name.name) : names.group(name.name)
        return state == .unknown && spelling(of: name) == nil && silentService(about: name) == nil
    }

    /// The name in the account files that an unknown one probably misspells.
    func nearName(to name: NameLedger.Name) -> String? {
        let known = name.kind == .user ? accounts.accounts.map(\.name) : accounts.groups.map(\.name)
        return Suggestion.misspelling(of: name.name.string, among: known)
    }

    /// Why no user is in all of some targets, regardless of their times; `nil` if a user is, or if that is unknown.
    func absence(from targets: [Target]) -> Absence? {
        let includes = targets.map(\.include)
        if root.isSystem, includes.contains(where: { $0.groups != nil }), areGroupsGivenAtLogin { return nil }
        if let users = includes.lazy.compactMap(\.users).first {
            return users.contains { mayBe($0, in: targets) } ? nil : .named
        }
        let groups = includes.lazy.compactMap(\.groups).first
        let isAsking = groups != nil || targets.contains { $0.except.users != nil || $0.except.groups != nil }
        guard isAsking else { return nil }
        var ids: [UInt32]?
        if let groups {
            ids = groups.flatMap { names.group($0.name).ids }
        }
        /// Whether no user of an index is in all targets.
        func isEmpty(_ index: AccountIndex?) -> Bool {
            guard let index else { return false }
            return !index.containsUser(in: ids) { isIn(targets, $0, $1) }
        }
        guard isEmpty(fileIndex) else { return nil }
        guard root.isSystem else {
            return .listed(by: "\(root.display("/etc/passwd")) and \(root.display("/etc/group"))")
        }
        if let serviceIndex { return isEmpty(serviceIndex) ? .listed(by: "getent passwd and getent group") : nil }
        if areFilesTheOnlySource { return .listed(by: "/etc/passwd and /etc/group") }
        return ids.map { areOwn($0, groups ?? []) } ?? false ? .ownFiles(isAnswered: isAnswering) : nil
    }

    /// Whether groups are from the machine's own files and list only users of these files.
    private func areOwn(_ ids: [UInt32], _ names: [TargetName]) -> Bool {
        let known = names.filter { self.names.group($0.name) != .unknown }
        guard !ids.isEmpty, known.allSatisfy({ accounts.groupID(named: $0.name.string) != nil }) else { return false }
        return accounts.groups.lazy.filter { ids.contains($0.gid) }.flatMap(\.members).allSatisfy { member in
            accounts.account(named: member) != nil
        }
    }

    /// Whether a named user may be in all of some targets.
    private func mayBe(_ user: TargetName, in targets: [Target]) -> Bool {
        names.user(user.name).ids.contains { uid in
            guard let account = account(user.name, uid) else { return true }
            if isIn(targets, account, accounts.groups(of: account)) { return true }
            let isAboutGroups = targets.contains { $0.include.groups != nil || $0.except.groups != nil }
            guard root.isSystem, isAboutGroups else { return false }
            let groups = answers.groups(of: account)
            return !answers.isAnswered(about: account) || isIn(targets, account, groups.ids)
        }
    }

    /// Whether a user with some groups is in all of some targets.
    private func isIn(_ targets: [Target], _ account: Account, _ groups: [UInt32]) -> Bool {
        let subject = Subject(
            userName: account.name, uid: account.uid, gid: account.gid, groups: groups, home: account.home,
            host: machine.host, tags: machine.tags, moment: machine.moment)
        return targets.allSatisfy { $0.mismatch(of: subject, names: names, inWords: false) == nil }
    }

    /// The user with a name and an id; `nil` if unknown.
    private func account(_ name: Key, _ uid: UInt32) -> Account? {
        if let account = accounts.account(uid: uid) { return account }
        guard root.isSystem else { return nil }
        return answers.account(named: name.string).flatMap { $0.uid == uid ? $0 : nil }
    }
}
