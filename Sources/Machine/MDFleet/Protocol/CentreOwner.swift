package import MDPlatform

/// The user that owns what a centre collects; its own folder, its keys and what it publishes are root's.
package enum CentreOwner {
    /// Takes the ids of that user, for good, if this process is root: links in its folders then lead only to what it can
    /// access, and what is written is its own.
    package static func assume(at root: Root) throws(SystemError) {
        guard CurrentProcess.euid == 0, root.isSystem else { return }
        let folder = try root.status(CentreFolder.hosts, followingLinks: false)
        guard folder.owner != 0 else { return }
        try CurrentProcess.assume(uid: folder.owner, gid: folder.group, groups: [])
    }
}
