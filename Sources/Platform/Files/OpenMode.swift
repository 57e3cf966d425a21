import CPlatform
import Glibc

/// How a file is opened; every way closes it on exec, takes no controlling terminal and never waits for a fifo's other end.
package enum OpenMode: Hashable, Sendable {
    /// A regular file for reading, links followed.
    case read
    /// A directory for listing and syncing, links followed.
    case directory
    /// A regular file for reading and writing at its end, made with this mode where missing; a link as the last name is refused.
    case append(mode: UInt32)
    /// A regular file for reading and writing, made with this mode where missing; a link as the last name is refused.
    case readWrite(mode: UInt32)
    /// A new regular file for reading and writing; EEXIST where the name is taken.
    case create(mode: UInt32)
    /// Only a name for the file, which is not opened; links followed.
    case lookup

    /// The flags for openat(2).
    var flags: Int32 {
        let always = O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        return switch self {
        case .read: always | O_RDONLY
        case .directory: always | O_RDONLY | O_DIRECTORY
        case .append: always | O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW
        case .readWrite: always | O_RDWR | O_CREAT | O_NOFOLLOW
        case .create: always | O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
        case .lookup: O_CLOEXEC | cplatform_o_path
        }
    }

    /// The permission bits of a file that opening makes.
    var creationMode: UInt32 {
        switch self {
        case .append(let mode), .readWrite(let mode), .create(let mode): mode
        case .read, .directory, .lookup: 0
        }
    }

    /// Whether anything but a regular file is refused.
    var wantsRegularFile: Bool {
        switch self {
        case .read, .append, .readWrite, .create: true
        case .directory, .lookup: false
        }
    }
}
