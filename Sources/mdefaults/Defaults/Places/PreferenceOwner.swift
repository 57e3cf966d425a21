import Engine
import Platform
import Preferences
import PropertyList

/// Whose preference file a path is.
struct PreferenceOwner {
    /// The user.
    let account: Account
    /// The domain, and which of its files.
    let place: PreferencesDirectory.FoundPlace

    /// Finds the user of a machine whose preference file a path is.
    ///
    /// - Parameters:
    ///   - path: a path under `tree`; nothing need exist there.
    ///   - tree: the file tree of the path.
    ///   - root: the machine.
    ///   - accounts: the machine's users.
    /// - Returns: the user and the domain; `nil` for a file that is nobody's.
    static func find(
        _ path: String, in tree: Root, on root: Root, _ accounts: AccountDatabase
    ) -> PreferenceOwner? {
        let machineID = Machine.machineID(root: root)
        let environment = Environment.values(of: ["HOME", "XDG_CONFIG_HOME"])
        for account in candidates(path, in: tree, on: root, accounts) {
            // The environment may say where the caller's files are, but not that the usual place is none.
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

    /// The users whom a file may belong to: those of the user database, and of a directory service the caller and
    /// whoever owns the file or its folder.
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
