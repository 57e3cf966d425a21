package import Platform
package import Policy
import PropertyList

/// One machine, real or a folder: its users, its policy and its audit log.
///
/// Command line and library open a machine once and ask it about users.
package struct PolicyMachine: Sendable {
    /// The root of the machine.
    package let root: Root
    /// Its users and groups.
    package let accounts: AccountDatabase
    /// The policy files, as they are in force.
    package let policies: PolicySet
    /// The host's name, or the one that was asked for.
    package let host: HostName

    /// Opens the machine and loads its policy.
    ///
    /// - Parameters:
    ///   - folder: the folder of `--root`; `nil` for this machine.
    ///   - host: the host to ask for; `nil` for the machine's own name.
    ///   - mayRenew: whether what is found may be recorded: good copies, the table and the audit records of changes.
    /// - Throws: `root` where the folder cannot be opened.
    package init(folder: String?, host: String? = nil, mayRenew: Bool) throws(SessionError) {
        do {
            root = try folder.map { path throws(SystemError) in try Root(directory: path) } ?? .system
        } catch {
            throw .root(error)
        }
        accounts = AccountDatabase(root: root)
        let changes = PolicyChangeRecorder(root: root)
        policies = PolicyStore(root: root, accounts: accounts).load(renewing: mayRenew) { changes.record($0) }
        let own = Machine.hostName(root: root, recorded: policies.recordedHostName)
        self.host = host.flatMap { HostName($0) } ?? own
    }

    /// The user that a command line or an application asks for.
    ///
    /// - Parameter name: the name that was given; `nil` is the caller.
    /// - Returns: the entry of the user database.
    /// - Throws: `noSuchUser` or `noSuchCaller`, with the names that there are.
    package func account(named name: String?) throws(SessionError) -> Account {
        let file = root.display("/etc/passwd")
        let names = accounts.accounts.map(\.name)
        if let name {
            // Asking for somebody else may ask the directory service; what it cannot say is as good as nobody.
            if let account = accounts.account(named: name) { return account }
            if let account = try? accounts.lookUpAccount(named: name) { return account }
            throw .noSuchUser(name: name, file: file, names: names)
        }
        let uid = CurrentProcess.uid
        if let account = accounts.account(uid: uid) { return account }
        // An application never waits for a directory service: who is known to the kernel only keeps their number.
        if root.isSystem {
            return Account(name: String(uid), uid: uid, gid: CurrentProcess.gid, fullName: "", home: "")
        }
        throw .noSuchCaller(uid: uid, file: file, names: names)
    }

    /// What policy asks about a user of this machine.
    package func subject(for account: Account) -> Subject {
        // The kernel knows the groups of the caller; for anybody else the user database has to be asked.
        let isCaller = root.isSystem && account.uid == CurrentProcess.uid
        let gid = isCaller ? CurrentProcess.gid : account.gid
        let groups = isCaller ? CurrentProcess.groups : accounts.groups(of: account)
        return Subject(
            userName: account.name, uid: account.uid, gid: gid, groups: groups,
            groupNames: groups.compactMap { accounts.groupName($0) }, home: account.home, host: host,
            tags: policies.tags ?? [], isIdentityKnown: !(root.isSystem && CurrentProcess.isInUserNamespace),
            areTagsKnown: policies.tags != nil)
    }

    /// Why policy may be in force of which nothing is known, as a clause; `nil` where all of it is known.
    package var uncertainty: String? { policies.uncertainty ?? accounts.failure?.description }

    /// The users whom a report covers: those of the user database that people log in as, and root.
    package var people: [Account] {
        accounts.accounts.filter { account in account.uid == 0 || isPerson(account) }
    }

    /// Whether an entry of the user database is a person's: ids from 1000 on, without `nobody`.
    private func isPerson(_ account: Account) -> Bool {
        account.uid >= 1000 && account.uid != 65534
    }
}
