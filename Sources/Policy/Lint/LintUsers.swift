import Platform
import PropertyList

/// Tells whether a machine has somebody for whom a file, or a waiver, can be.
///
/// The machine's files are looked at first. Only where they have nobody the directory service is asked, so that it costs
/// nothing where policy is as it should be. What cannot be told counts as somebody.
final class LintUsers {
    /// Why nobody is there.
    enum Absence {
        /// None of the users who are named is.
        case named
        /// None of those in these lists is.
        case listed(by: String)
        /// None of those in the machine's own files is, which have the groups; of others only those can be whose own
        /// group one of them is, and a directory service takes part that does not list them, or does not even answer.
        case ownFiles(isAnswered: Bool)
    }

    /// The ids of names.
    let names: NameTable
    /// The names of the machine.
    let host: HostName
    /// Its tags; `nil` where they are not known.
    let tags: Set<Key>?
    /// The users of the machine's files.
    private let accounts: AccountDatabase
    /// Where the machine is.
    private let root: Root
    /// The machine; who asks is put into it.
    private let machine: Subject
    /// Everybody in the files.
    private lazy var census = accounts.census
    /// Everybody whom the directory service lists.
    private lazy var wholeCensus = accounts.lookUpCensus()
    /// Whether groups come from elsewhere than lists.
    private lazy var areGroupsGivenAtLogin = accounts.areGroupsGivenAtLogin
    /// What the directory service says of users.
    private let directory: DirectoryUsers
    /// Whether nobody but the machine's own files says who there is.
    private(set) lazy var isFilesAlone = !root.isSystem || accounts.areFilesAlone
    /// Whether the directory service answers, or there is none.
    private(set) lazy var isDirectoryKnown = isFilesAlone || isAnswering
    /// Whether getent answers a question about somebody.
    private lazy var isAnswering = accounts.accounts.first.map { directory.groups(of: $0).isComplete } ?? true

    /// Starts on a machine.
    ///
    /// - Parameters:
    ///   - names: the ids of names.
    ///   - host: the names of the machine.
    ///   - tags: its tags; `nil` where they are not known.
    ///   - accounts: the users of its files.
    ///   - root: where it is.
    init(names: NameTable, host: HostName, tags: Set<Key>?, accounts: AccountDatabase, root: Root) {
        (self.names, self.host, self.tags) = (names, host, tags)
        (self.accounts, self.root) = (accounts, root)
        directory = DirectoryUsers(accounts)
        machine = Subject(
            userName: "", uid: 0, gid: 0, groups: [], home: "/", host: host, tags: tags ?? [],
            moment: Moment(time: Clock.now(), zones: ZoneDatabase(root: root)))
    }

    /// Why nobody is in all of some targets, their times aside; `nil` where somebody is, or that cannot be told.
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
            let states = groups.map { names.group($0.name) }
            ids = states.compactMap { if case .id(let id) = $0 { id } else { nil } }
        }
        /// Whether some users have nobody who is in all targets.
        func isEmpty(_ census: AccountCensus?) -> Bool {
            guard let census else { return false }
            return !census.hasSomebody(in: ids) { isIn(targets, $0, $1) }
        }
        guard isEmpty(census) else { return nil }
        guard root.isSystem else {
            return .listed(by: "\(root.display("/etc/passwd")) and \(root.display("/etc/group"))")
        }
        if let wholeCensus { return isEmpty(wholeCensus) ? .listed(by: "getent passwd and getent group") : nil }
        if isFilesAlone { return .listed(by: "/etc/passwd and /etc/group") }
        return ids.map { areOwn($0, groups ?? []) } ?? false ? .ownFiles(isAnswered: isAnswering) : nil
    }

    /// Whether groups are those of the machine's own files, and list nobody who is not in these files.
    private func areOwn(_ ids: [UInt32], _ names: [TargetName]) -> Bool {
        let known = names.filter { self.names.group($0.name) != .unknown }
        guard !ids.isEmpty, known.allSatisfy({ accounts.groupID(named: $0.name.string) != nil }) else { return false }
        return accounts.groups.lazy.filter { ids.contains($0.gid) }.flatMap(\.members).allSatisfy { member in
            accounts.account(named: member) != nil
        }
    }

    /// Whether a user who is named may be in all of some targets.
    private func mayBe(_ user: TargetName, in targets: [Target]) -> Bool {
        switch names.user(user.name) {
        case .unknown: return false
        case .id(let uid):
            guard let account = account(user.name, uid) else { return true }
            if isIn(targets, account, accounts.groups(of: account)) { return true }
            let isAboutGroups = targets.contains { $0.include.groups != nil || $0.except.groups != nil }
            guard root.isSystem, isAboutGroups else { return false }
            let groups = directory.groups(of: account)
            return !groups.isComplete || isIn(targets, account, groups.ids)
        }
    }

    /// Whether a user with some groups is in all of some targets.
    private func isIn(_ targets: [Target], _ account: Account, _ groups: [UInt32]) -> Bool {
        let subject = Subject(
            userName: account.name, uid: account.uid, gid: account.gid, groups: groups, home: account.home,
            host: machine.host, tags: machine.tags, moment: machine.moment)
        return targets.allSatisfy { $0.mismatch(of: subject, names: names, inWords: false) == nil }
    }

    /// The user of a name and an id; `nil` where nobody tells.
    private func account(_ name: Key, _ uid: UInt32) -> Account? {
        if let account = accounts.account(uid: uid) { return account }
        guard root.isSystem else { return nil }
        return directory.account(named: name.string).flatMap { $0.uid == uid ? $0 : nil }
    }
}
