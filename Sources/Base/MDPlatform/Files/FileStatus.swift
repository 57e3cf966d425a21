import Glibc

/// The status of a file (stat(2)).
package struct FileStatus: Hashable, Sendable {
    /// The device that holds it.
    package let device: UInt64
    /// Its number on that device.
    package let inode: UInt64
    /// The uid that owns it.
    package let owner: UInt32
    /// The gid of its group.
    package let group: UInt32
    /// The permission bits, 0o7777 at most.
    package let mode: UInt32
    /// The kind of the file.
    package let kind: FileKind
    /// The size in bytes.
    package let size: Int
    /// When its content changed: nanoseconds since 1970.
    package let modified: Int64
    /// When its content, owner, mode or links changed: nanoseconds since 1970.
    package let changed: Int64
    /// How many names it has.
    package let links: Int

    /// Converts the result of stat(2).
    init(_ status: stat) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode & 0o7777
        kind = FileKind(mode: status.st_mode)
        size = Int(status.st_size)
        modified = FileStatus.nanoseconds(status.st_mtim)
        changed = FileStatus.nanoseconds(status.st_ctim)
        links = Int(truncatingIfNeeded: status.st_nlink)
    }

    /// Whether both describe the same content of the same file.
    package func isSameContent(as other: FileStatus) -> Bool {
        isSameFile(as: other) && size == other.size && modified == other.modified && changed == other.changed
    }

    /// Whether both describe the same file, whatever its content.
    package func isSameFile(as other: FileStatus) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Joins seconds and nanoseconds; a file system may hold times beyond the year 2262, which are clamped.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        let (product, overflow) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, second) = product.addingReportingOverflow(Int64(time.tv_nsec))
        return overflow || second ? (time.tv_sec < 0 ? .min : .max) : sum
    }
}

extension FileDescriptor {
    /// Reads the status of the open file.
    package func status(shown path: @autoclosure () -> String) throws(SystemError) -> FileStatus {
        try FileDescriptor.status(of: raw, shown: path())
    }

    /// Reads the status of a descriptor that the caller does not own.
    static func status(of raw: Int32, shown path: @autoclosure () -> String) throws(SystemError) -> FileStatus {
        var result = stat()
        // The structure outlives the call, which fills it whole or fails.
        try SystemCall.run("examine", path()) { unsafe fstat(raw, &result) }
        return FileStatus(result)
    }
}

/// The kind of a directory entry.
package enum FileKind: String, Hashable, Sendable {
    /// A regular file.
    case regular
    /// A directory.
    case directory
    /// A symbolic link.
    case link
    /// A named pipe.
    case fifo
    /// A socket.
    case socket
    /// A character device.
    case character
    /// A block device.
    case block
    /// Anything that this version does not know.
    case other

    /// Reads the type bits of a mode.
    init(mode: UInt32) {
        switch mode & 0o170000 {
        case 0o100000: self = .regular
        case 0o040000: self = .directory
        case 0o120000: self = .link
        case 0o010000: self = .fifo
        case 0o140000: self = .socket
        case 0o020000: self = .character
        case 0o060000: self = .block
        default: self = .other
        }
    }

    /// The kind with its article, for messages: `a fifo`.
    package var noun: String {
        switch self {
        case .regular: "a regular file"
        case .directory: "a directory"
        case .link: "a symbolic link"
        case .fifo: "a fifo"
        case .socket: "a socket"
        case .character: "a character device"
        case .block: "a block device"
        case .other: "of an unknown kind"
        }
    }
}
