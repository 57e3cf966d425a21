import Platform

/// What the kernel says of a file that changes whenever its content, owner or mode does.
struct Fingerprint: Hashable, Sendable {
    /// The device.
    private let device: UInt64
    /// The number of the file on it.
    private let inode: UInt64
    /// Whose it is.
    private let owner: UInt32
    /// Who may do what.
    private let mode: UInt32
    /// How many bytes it has.
    private let size: Int
    /// When its content changed, in nanoseconds.
    private let modified: Int64
    /// When anything of it changed, in nanoseconds.
    let changed: Int64

    /// Takes what the kernel said.
    init(_ status: FileStatus) {
        (device, inode, owner, mode) = (status.device, status.inode, status.owner, status.mode)
        (size, modified, changed) = (status.size, status.modified, status.changed)
    }
}
