import Platform

/// Which folder root's commands keep what is in force in.
///
/// A copy of that folder, a snapshot or a backup, is another one. Who may make mounts can put an older one of root's in its
/// place, and must not take policy back with it.
struct StoreHome: Hashable, Sendable {
    /// The device.
    let device: UInt64
    /// The inode.
    let inode: UInt64

    /// Names a folder.
    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// The folder as it is; `nil` for a folder that stands for a machine, which may be copied, and where it cannot be
    /// asked about.
    init?(root: Root) {
        guard root.isSystem, let status = try? root.status(StorePath.home, followingLinks: true) else { return nil }
        self.init(device: status.device, inode: status.inode)
    }
}
