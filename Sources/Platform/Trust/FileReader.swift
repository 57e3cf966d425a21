/// Somebody as whom files are read: whoever could read more asks what that one would find.
package struct FileReader: Hashable, Sendable {
    /// Their id.
    private let uid: UInt32
    /// The ids of their groups.
    private let groups: [UInt32]

    /// A right to a file or directory, as the bit of the mode that gives it to others.
    enum Right: UInt32 {
        /// To read a file, or to list a directory.
        case read = 0o4
        /// To reach what is in a directory.
        case search = 0o1
    }

    /// Names somebody.
    package init(uid: UInt32, groups: [UInt32]) {
        (self.uid, self.groups) = (uid, groups)
    }

    /// Whether they have a right, by owner, group and mode, as the kernel decides for everybody but root.
    func has(_ right: Right, to status: FileStatus) -> Bool { rights(to: status) & right.rawValue != 0 }

    /// All rights that they have, as three bits of a mode.
    package func rights(to status: FileStatus) -> UInt32 {
        if uid == 0 { return 0o7 }
        let shift: UInt32 = status.owner == uid ? 6 : groups.contains(status.group) ? 3 : 0
        return status.mode >> shift & 0o7
    }
}
