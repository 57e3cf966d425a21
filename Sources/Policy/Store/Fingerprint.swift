import Platform

/// What the kernel says of a file that changes whenever its content, owner or mode does.
struct Fingerprint: Hashable, Sendable {
    /// Device, inode, owner, mode, size, and the times of modification and change in nanoseconds.
    let fields: [Int64]

    /// Takes what the kernel said.
    init(_ status: FileStatus) {
        fields = [
            Int64(bitPattern: status.device), Int64(bitPattern: status.inode), Int64(status.owner), Int64(status.mode),
            Int64(status.size), status.modified, status.changed,
        ]
    }
}
