import MDEngine
import MDPlatform
import MDPreferences
import MDPropertyList

/// The user and domain that a preference file belongs to.
struct PreferenceOwner {
    /// The user.
    let account: Account
    /// The domain, and which of its files.
    let place: PreferencesDirectory.FoundPlace

    /// Finds the owner of a preference file.
    ///
    /// - Parameters:
    ///   - path: a path under `tree`; nothing need exist there.
    ///   - tree: the file tree of the path: the machine's, or the running system.
    ///   - machine: the machine of `--root`, or this one.
    ///   - verb: the verb whose usage an error prints.
    /// - Returns: the user and the domain; `nil` for a file that is no user's preference file.
    /// - Throws: exit 2 if `--root` names another machine than the one of the owner.
    static func find(
        _ path: String, in tree: Root, _ machine: PolicyInForce, for verb: any Verb.Type
    ) throws(Failure) -> PreferenceOwner? {
        if let owner = find(path, in: tree, on: machine.root, machine.accounts) { return owner }
        guard tree.isSystem, !machine.root.isSystem else { return nil }
        // With --root, the policy of this machine would be evaded.
        guard let owner = find(path, in: tree, on: .system, AccountDatabase(root: .system)) else { return nil }
        throw .usage(
            "\(Printable.escape(path)) is the preference file of \(Printable.escape(owner.place.domain.string)) of "
                + "\(Printable.escape(owner.account.name)) on this machine; --root does not go with it.", of: verb)
    }

    /// Finds the owner of a preference file among the users of a machine.
    ///
    /// - Parameters:
    ///   - path: a path under `tree`; nothing need exist there.
    ///   - tree: the file tree of the path.
    ///   - root: the machine.
    ///   - accounts: the machine's users.
    /// - Returns: the user and the domain; `nil` for a file that is no user's preference file.
    private static func find(
        _ path: String, in tree: Root, on root: Root, _ accounts: AccountDatabase
    ) -> PreferenceOwner? {
        let machineID = Machine.machineID(root: root)
        let environment = Environment.values(of: ["HOME", "XDG_CONFIG_HOME"])
        for account in candidates(path, in: tree, on: root, accounts) {
            // The environment may add a place of preference files, but not remove the standard one.
            for environment in [environment, [:]] {
                let directory = PreferencesDirectory(
                    of: account, root: root, environment: environment, machineID: machineID)
                if let place = directory.place(ofFileAt: path, in: tree) {
                    return PreferenceOwner(account: account, place: place)
                }
            }
        }
        return nil
    }

    /// The users that a file may belong to: all of `/etc/passwd`, and from `getent` the caller and the owners of the file
    /// and of its folder.
    private static func candidates(
        _ path: String, in tree: Root, on root: Root, _ accounts: AccountDatabase
    ) -> [Account] {
        var result = accounts.accounts
        guard root.isSystem else { return result }
        let owners = [path, CallerPath.split(path).folder].compactMap {
            (try? tree.status($0, followingLinks: true))?.owner
        }
        for uid in Set(owners + [CurrentProcess.uid]).sorted() where accounts.account(uid: uid) == nil {
            if let account = try? accounts.lookUpAccount(uid: uid) { result.append(account) }
        }
        return result
    }
}

/// Paths of preference files on a Mac, which scripts use on machines that have no such folders.
enum MacPath {
    /// The meaning of a path.
    enum Meaning {
        /// A domain of the user.
        case user(Key)
        /// The path of a domain of all users.
        case allUsers(String)
    }

    /// The folder below a home, and below `/`.
    private static let folder = "/Library/Preferences/"

    /// Whether a path has such a folder; only then the homes are needed.
    static func isCandidate(_ path: String) -> Bool {
        (CallerPath.split(path).folder + "/").hasSuffix(folder)
    }

    /// Resolves a path.
    ///
    /// - Parameters:
    ///   - path: a path under the root that ends in `.plist`.
    ///   - homes: the home of the user, from the caller's environment and from the account database.
    ///   - root: the machine; a folder that exists there keeps its own meaning.
    /// - Returns: `nil` for every other path.
    static func meaning(of path: String, homes: [String], in root: Root) -> Meaning? {
        let (folder, file) = CallerPath.split(path)
        let isForAll = folder + "/" == Self.folder
        guard isForAll || homes.contains(where: { $0 + Self.folder == folder + "/" }) else { return nil }
        let domain = DomainNotation.domain(String(file.dropLast(".plist".utf8.count)))
        guard (try? DomainName.validate(domain)) != nil else { return nil }
        do throws(SystemError) {
            _ = try root.status(folder, followingLinks: true)
            return nil
        } catch {
            guard error.isMissing else { return nil }
        }
        guard isForAll else { return .user(domain) }
        let name = domain == DomainName.global ? ".GlobalPreferences" : domain.string
        return .allUsers("\(SharedDefaults.directory)/\(name).plist")
    }
}
