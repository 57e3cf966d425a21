package import MDPlatform

/// The user that the service runs as, however it was started.
package enum ServiceUser {
    /// The folders of the service's own, which the system makes when it starts.
    private static let folders: [(above: String, path: String, mode: UInt32)] = [
        ("/run", "/run/mdefaultsd", 0o755), ("/var/lib", "/var/lib/mdefaultsd", 0o700),
    ]

    /// Gives up the rights of root for those of the owner of the log's folder.
    ///
    /// A service manager starts the service as that user. Started by hand as root, it would leave files that neither that
    /// user nor root's commands, which write the log as its owner, could use afterwards. Where the folder is root's, or is
    /// not there, the process stays root's.
    ///
    /// - Parameter root: the root of the machine.
    /// - Throws: if the user cannot be taken on; then the process must end.
    package static func takeOn(under root: Root) throws(SystemError) {
        guard CurrentProcess.euid == 0, let log = try? root.status("/var/log/managed-defaults", followingLinks: true),
            log.kind == .directory, log.owner != 0
        else { return }
        let group = AccountDatabase(root: root).account(uid: log.owner)?.gid ?? log.group
        for folder in folders where (try? root.status(folder.path, followingLinks: false)) == nil {
            try root.createDirectory(folder.above, mode: 0o755)
            try root.createDirectory(folder.path, mode: folder.mode)
            try root.changeOwner(ofDirectory: folder.path, user: log.owner, group: group)
        }
        try CurrentProcess.assume(uid: log.owner, gid: group, groups: [])
    }
}
