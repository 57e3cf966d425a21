package import MDPlatform
package import MDPropertyList

/// A user's folder of preference files, one file for each domain, in Foundation's layout on Linux.
///
/// Reading needs no lock: files are replaced in one step, so a reader sees either the old or the new one. Writing
/// acquires the folder's lock, reads the file again, merges key by key and replaces it. The lock is a kernel lock on
/// `.managed-defaults.lock`, so it ends with the process that holds it; the file remains and has no meaning.
///
/// A preference file may be a link to a file below the home or this folder: then the target is read and replaced, and
/// the link remains. Anything else is refused: a link to another folder, a file of another owner, and anything but a
/// regular file.
package struct PreferencesDirectory: Sendable {
    /// The root of all paths.
    package let root: Root
    /// The folder, under the root.
    package let directory: String
    /// The home that links of the folder may lead into; `nil` if only the folder itself is allowed.
    package let home: String?
    /// The identifier that distinguishes this host's files from those of other hosts; `nil` if it is unknown.
    package let machineID: String?
    /// The user whose files these are.
    package let owner: UInt32
    /// Acquires the lock file of an owner; tests replace it to simulate errors that few file systems produce.
    var acquireLock: @Sendable (Root, String, UInt32) throws(SystemError) -> FileLock = {
        (root, path, owner) throws(SystemError) in
        try root.lockInTurn(path, owner: owner)
    }

    /// Describes a folder of preference files, which need not exist.
    ///
    /// - Parameters:
    ///   - root: the root of all paths.
    ///   - directory: the folder, for example `/home/alice/.config`.
    ///   - machineID: the host's identifier. If it is not a word of at most 64 letters, digits and hyphens, it counts
    ///     as unknown, and Foundation's name for per-host files is used.
    ///   - owner: the uid that must own the files.
    ///   - home: the home folder.
    package init(root: Root, directory: String, machineID: String?, owner: UInt32, home: String? = nil) {
        self.root = root
        self.directory = directory
        self.home = home
        self.machineID = machineID.flatMap { PreferencesDirectory.isPlainWord($0) ? $0 : nil }
        self.owner = owner
    }

    /// Whether a text can be part of a file name without meaning anything to the file system.
    private static func isPlainWord(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension PreferencesDirectory {
    /// The file that a domain is written to, under the root.
    ///
    /// - Throws: `invalidDomain`.
    package func path(of domain: Key, host: HostScope) throws(PreferencesError) -> String {
        try paths(of: domain, host: host).written
    }

    /// The file that a domain is written to, and those that are read if it is missing.
    func paths(
        of domain: Key, host: HostScope
    ) throws(PreferencesError) -> (written: String, alternatives: [String]) {
        try DomainName.validate(domain)
        let names =
            switch host {
            case .anyHost: DomainName.fileNames(of: domain)
            case .thisHost: DomainName.fileNames(of: domain, machineID: machineID).map { "ByHost/" + $0 }
            }
        let paths = names.map { "\(directory)/\($0)" }
        return (paths[0], Array(paths.dropFirst()))
    }

    /// The folder's lock file.
    var lockPath: String { "\(directory)/.managed-defaults.lock" }

    /// The file that new content is written to before it replaces a domain's file; only the holder of the lock uses it.
    var stagingPath: String { "\(directory)/.managed-defaults.tmp" }
}

/// The folder of an account's preference files, and the user who must own them.
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
    ///   - account: the owner of the files.
    ///   - root: the machine; if it is a folder, its owner is used instead of the owners of homes.
    ///   - environment: the process's environment. `XDG_CONFIG_HOME` and `HOME` count only for the calling user on the
    ///     running system, and only if they are absolute, as in Foundation on Linux. A set-user-ID process ignores
    ///     them.
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
    package static func withoutTrailingSlashes(_ path: String) -> String {
        var path = Substring(path)
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }
}

extension PreferencesDirectory {
    /// Opens the folder of an account's preference files.
    ///
    /// - Parameters:
    ///   - account: the owner of the files.
    ///   - root: the machine.
    ///   - environment: the process's environment, which counts only for the calling user on the running system.
    ///   - machineID: the identifier that distinguishes this host's files from those of other hosts.
    package init(of account: Account, root: Root, environment: [String: String], machineID: String?) {
        let location = PreferencesLocation(of: account, root: root, environment: environment)
        self.init(
            root: root, directory: location.directory, machineID: machineID, owner: location.owner,
            home: location.home)
    }
}
