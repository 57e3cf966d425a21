import Glibc

/// What a directory entry is.
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
