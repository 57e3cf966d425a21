import MDPlatform

/// The check that a process which listens at the service's path is the audit service of the machine.
enum GenuineService {
    /// Whether the process at the other end of a connection is the machine's audit service.
    ///
    /// On the machine it is root, whose service manager may have opened the socket, or the owner of the service's folder.
    /// In a user namespace of somebody else both have the overflow id, as every user outside: there the folder has to lie
    /// on the device of the machine's own `/run` too, where only root makes folders. A folder that represents a machine
    /// belongs to its owner, and is not checked.
    static func listens(at socket: borrowing MessageSocket, root: Root) -> Bool {
        guard root.isSystem else { return true }
        guard let user = socket.peerUser,
            let folder = try? root.status(RunFolder.serviceFolder, followingLinks: false)
        else { return false }
        return isGenuine(
            user: user, folder: folder, isForeign: UserNamespace.isForeign,
            device: UserNamespace.isForeign ? RunFolder.recordedDevice(root: root) : nil)
    }

    /// Whether a listening user and the status of the folder above the socket are those of the service.
    ///
    /// - Parameters:
    ///   - user: the user of the process that listens.
    ///   - folder: the folder of the socket.
    ///   - isForeign: whether this process runs in a user namespace whose root is not the machine's.
    ///   - device: the device of the machine's `/run`, if it is known.
    /// - Returns: whether they are.
    static func isGenuine(user: UInt32, folder: FileStatus, isForeign: Bool, device: UInt64?) -> Bool {
        guard folder.kind == .directory, folder.mode & 0o022 == 0 else { return false }
        guard isForeign else { return user == 0 || user == folder.owner }
        return user == UserNamespace.overflowUID && folder.owner == UserNamespace.overflowUID && folder.device == device
    }
}
