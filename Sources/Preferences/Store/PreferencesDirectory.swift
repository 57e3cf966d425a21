package import Platform
package import PropertyList

/// A user's folder of preference files, one domain a file, as Foundation on Linux keeps them.
///
/// Reading takes no lock: a file is replaced in one step, so that a reader has either the old or the new one. Writing
/// takes the folder's lock, reads the file again, merges key by key and replaces it. The lock is the kernel's on
/// `.managed-defaults.lock`, so it ends with whoever holds it; the file stays and means nothing.
///
/// A preference file may be a link to a file below the home or this folder: then that file is read and replaced, and
/// the link stays. Anything else in its place is refused: a link that leads elsewhere, a file of another owner, and
/// whatever is no regular file.
package struct PreferencesDirectory: Sendable {
    /// Where all paths begin.
    package let root: Root
    /// The folder, under the root.
    package let directory: String
    /// The home that links of the folder may lead into; `nil` where only the folder itself is allowed.
    package let home: String?
    /// What tells this host's files from other hosts'; `nil` where it is not known.
    package let machineID: String?
    /// The user whose files these are.
    package let owner: UInt32
    /// Takes the lock of a file with this owner; tests put failures here that few file systems have.
    var takeLock: @Sendable (Root, String, UInt32) throws(SystemError) -> FileLock = {
        (root, path, owner) throws(SystemError) in
        try root.lockInTurn(path, owner: owner)
    }

    /// Names a folder of preference files; it need not exist.
    ///
    /// - Parameters:
    ///   - root: where all paths begin.
    ///   - directory: the folder, `/home/alice/.config` for example.
    ///   - machineID: the host's identifier; one that is no plain word of at most 64 letters, digits and hyphens
    ///     counts as unknown, and Foundation's name for per-host files is used.
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

    /// The file that a domain is written to, and those that are read where it is missing.
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

    /// Where a new file is written before it takes a domain's place; whoever holds the lock may use it.
    var stagingPath: String { "\(directory)/.managed-defaults.tmp" }
}
