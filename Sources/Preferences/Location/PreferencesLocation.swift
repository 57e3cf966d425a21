package import Platform

/// Where an account's preference files are, and who must own them.
package struct PreferencesLocation: Hashable, Sendable {
    /// The folder of the preference files, under the root.
    package let directory: String
    /// The home folder, under the root.
    package let home: String
    /// The uid that must own the files.
    package let owner: UInt32

    /// Finds the folder of an account.
    ///
    /// - Parameters:
    ///   - account: whose files are meant.
    ///   - root: the machine; in a folder, its owner stands for the owners of homes.
    ///   - environment: the process's environment. `XDG_CONFIG_HOME` and `HOME` count for the calling user on the
    ///     running system only, and where they are absolute, as Foundation on Linux has it. A process that runs with
    ///     another user's rights than its caller's (set-user-ID) ignores them.
    package init(of account: Account, root: Root, environment: [String: String]) {
        self.init(
            of: account, root: root, environment: environment,
            isCaller: root.isSystem && CurrentProcess.uid == CurrentProcess.euid && account.uid == CurrentProcess.uid)
    }

    /// Finds the folder of an account that is or is not the caller's.
    init(of account: Account, root: Root, environment: [String: String], isCaller: Bool) {
        /// A variable of the caller's environment that holds an absolute path.
        func folder(_ name: String) -> String? {
            guard isCaller, let path = environment[name], path.hasPrefix("/") else { return nil }
            return PreferencesLocation.withoutTrailingSlashes(path)
        }
        let home = folder("HOME") ?? PreferencesLocation.withoutTrailingSlashes(account.home)
        self.home = home
        directory = folder("XDG_CONFIG_HOME") ?? (home == "/" ? "/.config" : home + "/.config")
        owner = root.isSystem ? account.uid : root.owner
    }

    /// A path without the slashes at its end, but for the root's own.
    private static func withoutTrailingSlashes(_ path: String) -> String {
        var path = Substring(path)
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }
}

extension PreferencesDirectory {
    /// The folder of an account's preference files.
    ///
    /// - Parameters:
    ///   - account: whose files are meant.
    ///   - root: the machine.
    ///   - environment: the process's environment, which counts for the calling user on the running system only.
    ///   - machineID: what tells this host's files from other hosts'.
    package init(of account: Account, root: Root, environment: [String: String], machineID: String?) {
        let location = PreferencesLocation(of: account, root: root, environment: environment)
        self.init(
            root: root, directory: location.directory, machineID: machineID, owner: location.owner,
            home: location.home)
    }
}
