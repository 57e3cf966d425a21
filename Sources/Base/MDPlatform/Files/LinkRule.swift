import Glibc

/// Which links and pipes on the way to a file that a caller names are used: those that no other user can have planted.
///
/// This is the rule of the kernel's protected_symlinks and protected_fifos, whatever these are set to: the walk reads
/// the links itself, so that the kernel's rule does not apply to them. Links and pipes of the caller and of root are
/// used; those of others only if no other user may write any folder on the way.
struct LinkRule {
    /// Whose links are used.
    private let owners: Set<UInt32>
    /// The owners whose folders no other user may write, if their mode says so.
    private let folderOwners: Set<UInt32>
    /// The folder of this process's open files, whose names the kernel does not follow as paths.
    private let descriptors: DirectoryHandle?
    /// Whether somebody else may write a folder on the way, so that links there can be anybody's.
    private(set) var isShared = false

    /// The rule for this process.
    init(root: Root) {
        owners = [geteuid(), 0, root.owner]
        // In a user namespace everybody else has the overflow uid: its folders can be root's, its links anybody's.
        folderOwners = owners.union([TrustRule(root: root).owner])
        let place = "/proc/self/fd"
        let folder =
            root.isSystem
            ? try? FileDescriptor.open(
                place, in: AT_FDCWD, flags: OpenMode.lookup.flags | O_DIRECTORY, shown: place
            ).release() : nil
        descriptors = folder.map { DirectoryHandle(owning: FileDescriptor(owning: $0), path: place) }
    }

    /// Takes note of a folder on the way.
    mutating func enter(_ folder: FileStatus) {
        // With an access control list the bits of the group are the most that any entry of it grants.
        if !folderOwners.contains(folder.owner) || folder.mode & 0o022 != 0 { isShared = true }
    }

    /// Why a link, pipe or device is not used, as the end of a sentence that begins with its path; `nil` if it is.
    func objection(to status: FileStatus) -> String? {
        guard isShared else { return nil }
        if !owners.contains(status.owner) {
            return "it is \(status.kind.noun) of uid \(status.owner), and others may write a folder on the way to it"
        }
        // Where the kernel lets them, others give a link of root a name in a folder of theirs.
        guard status.kind == .link, status.links > 1 else { return nil }
        return "it is a symbolic link with several names, and others may write a folder on the way to it"
    }

    /// Whether a folder is that of this process's open files.
    func isDescriptors(_ folder: DirectoryHandle) -> Bool {
        guard let descriptors, let own = try? FileDescriptor.status(of: descriptors.raw, shown: ""),
            let status = try? FileDescriptor.status(of: folder.raw, shown: "")
        else { return false }
        return status.isSameFile(as: own)
    }
}
