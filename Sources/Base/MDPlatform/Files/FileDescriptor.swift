import Glibc
import MDCPlatform

/// An open file, closed when its value goes out of scope.
package struct FileDescriptor: ~Copyable, Sendable {
    /// The number that the kernel knows it by.
    package let raw: Int32

    /// Takes ownership of an open descriptor.
    package init(owning raw: Int32) {
        self.raw = raw
    }

    deinit {
        // The kernel releases the number even if it reports an error, so there is nothing to repeat.
        _ = close(raw)
    }

    /// Gives the number away; the receiver closes it.
    package consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }
}

/// How a file is opened.
///
/// Every mode closes it on exec, acquires no controlling terminal and never waits for a fifo's other end.
package enum OpenMode: Hashable, Sendable {
    /// A regular file for reading, links followed.
    case read
    /// A directory for listing and syncing, links followed.
    case directory
    /// A regular file for reading and for writing at its end, created with this mode if missing; a link as the last
    /// name is refused.
    case append(mode: UInt32)
    /// A regular file for reading and writing, created with this mode if missing; a link as the last name is refused.
    case readWrite(mode: UInt32)
    /// A new regular file for reading and writing; EEXIST if the name exists.
    case create(mode: UInt32)
    /// Only a name for the file, which is not opened; links followed.
    case lookup

    /// The flags for openat(2).
    package var flags: Int32 {
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

/// Calls relative to an open directory; names are one component, or a path for `AT_FDCWD`.
extension FileDescriptor {
    /// openat(2); `shown` is the path for messages.
    package static func open(
        _ name: String, in directory: Int32, flags: Int32, mode: UInt32 = 0, shown: @autoclosure () -> String
    ) throws(SystemError) -> FileDescriptor {
        try SystemCall.checkPath(name, "open", shown: shown())
        // The string is valid for the duration of the call, which does not store a pointer to it.
        let raw = try SystemCall.run("open", shown()) { unsafe cplatform_openat(directory, name, flags, mode) }
        return FileDescriptor(owning: raw)
    }

    /// fstatat(2).
    static func status(
        of name: String, in directory: Int32, followingLinks: Bool, shown: @autoclosure () -> String
    ) throws(SystemError) -> FileStatus {
        try SystemCall.checkPath(name, "examine", shown: shown())
        var result = stat()
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        // String and structure outlive the call, which does not store a pointer to them.
        try SystemCall.run("examine", shown()) { unsafe fstatat(directory, name, &result, flags) }
        return FileStatus(result)
    }

    /// readlinkat(2); an empty name reads the link that the descriptor itself names.
    package static func linkTarget(
        of name: String, in directory: Int32, shown: @autoclosure () -> String
    ) throws(SystemError) -> String {
        String(decoding: try linkBytes(of: name, in: directory, shown: shown()), as: UTF8.self)
    }

    /// The bytes of a link as they are, at most 4,096.
    package static func linkBytes(
        of name: String, in directory: Int32, shown: @autoclosure () -> String
    ) throws(SystemError) -> [UInt8] {
        try SystemCall.checkPath(name, "read the link", shown: shown())
        // PATH_MAX of linux/limits.h, with its NUL: no link is longer.
        let capacity = 4096
        var failure: SystemError?
        // The buffer has `capacity` bytes, the call writes at most that many and returns how many.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            let length = unsafe readlinkat(directory, name, base, capacity)
            if length < 0 { failure = SystemError(operation: "read the link", path: shown(), code: errno) }
            count = max(length, 0)
        }
        if let failure { throw failure }
        return bytes
    }

    /// The names in a directory, complete and in byte order, without `.` and `..`.
    ///
    /// A name that is not UTF-8 is given with U+FFFD for what cannot be decoded; opening that name then fails.
    static func names(
        in directory: Int32, inOrder: Bool = true, directoriesOnly: Bool = false, shown: @autoclosure () -> String
    ) throws(SystemError) -> [String] {
        // A listing has its own position, so that threads that share the descriptor do not tear each other's.
        let listing = try open(".", in: directory, flags: OpenMode.directory.flags, shown: shown())
        let raw = listing.raw
        var names: [String] = []
        var isASCII = true
        while true {
            let capacity = 32_768
            var failure: SystemError?
            // The buffer has `capacity` bytes, the call writes at most that many and returns how many.
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                let length = unsafe cplatform_getdents(raw, buffer.baseAddress, capacity)
                if length < 0 { failure = SystemError(operation: "list", path: shown(), code: errno) }
                count = max(length, 0)
            }
            if let failure { throw failure }
            if bytes.isEmpty { break }
            appendNames(in: bytes, to: &names, &isASCII, directoriesOnly)
        }
        if !inOrder { return names }
        // Most names differ in the first eight bytes, which are compared at once. For ASCII the order of strings is that of
        // their bytes, and faster.
        return names.map { (start: beginning(of: $0), name: $0) }.sorted { one, other in
            if one.start != other.start { return one.start < other.start }
            return isASCII ? one.name < other.name : one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
        }.map(\.name)
    }

    /// The first eight bytes of a name, the first one on top, with zeros behind a shorter one.
    private static func beginning(of name: String) -> UInt64 {
        let bytes = name.utf8.span
        var start: UInt64 = 0
        for index in 0..<8 { start = start << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
        return start
    }

    /// Extracts the names from the output of getdents64(2): inode 8, offset 8, length 2, type 1, name with NUL.
    private static func appendNames(
        in bytes: [UInt8], to names: inout [String], _ isASCII: inout Bool, _ directoriesOnly: Bool
    ) {
        var start = 0
        while start + 19 < bytes.count {
            // The length is in the machine's byte order; both orders are supported.
            let pair = (UInt16(bytes[start + 16]), UInt16(bytes[start + 17]))
            let length = Int(UInt16(littleEndian: 1) == 1 ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1)
            guard length >= 20, start + length <= bytes.count else { return }
            let (first, type) = (start + 19, bytes[start + 18])
            if directoriesOnly, type != 0, type != 4 {
                // Neither DT_UNKNOWN nor DT_DIR.
                start += length
                continue
            }
            var (end, bits) = (first, UInt8(0))
            while end < start + length, bytes[end] != 0 {
                bits |= bytes[end]
                end += 1
            }
            let name = bytes[first..<end]
            if bits >= 0x80 { isASCII = false }
            let isSelfOrParent = name.count <= 2 && name.allSatisfy { $0 == 0x2e }
            if !isSelfOrParent { names.append(String(decoding: name, as: UTF8.self)) }
            start += length
        }
    }
}

extension FileDescriptor {
    /// Reads a regular file from its beginning to its end.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that are read.
    ///   - known: the status of the open file from just before; if `nil`, it is read.
    ///   - shown: the path for messages.
    /// - Returns: the content with the status after reading; `nil` if the file changed meanwhile.
    /// - Throws: EFBIG beyond `limit` bytes, EISDIR or EINVAL for anything but a regular file.
    borrowing func readWhole(
        limit: Int, known: FileStatus? = nil, shown: @autoclosure () -> String
    ) throws(SystemError) -> (bytes: [UInt8], status: FileStatus)? {
        let before = if let known { known } else { try status(shown: shown()) }
        try Root.requireRegular(before, "read", shown: shown())
        let limit = max(limit, 0)
        if before.size > limit { throw FileDescriptor.tooLarge(shown(), limit) }
        // Files of /proc report the size 0 and are not empty, so the size is a first guess and one byte more shows the
        // end. A file with a size, read up to it, is complete if its size is the same afterwards, without another read.
        var bytes = try read(
            count: before.size + 1, at: 0, enough: before.size > 0 ? before.size : .max, shown: shown())
        while bytes.count > before.size, bytes.count <= limit {
            let more = try read(
                count: min(max(bytes.count, 4_096), limit - bytes.count + 1), at: bytes.count, shown: shown())
            if more.isEmpty { break }
            bytes += more
        }
        if bytes.count > limit { throw FileDescriptor.tooLarge(shown(), limit) }
        let after = try status(shown: shown())
        let isWhole = bytes.count == before.size || before.size == 0
        return isWhole && after.isSameContent(as: before) ? (bytes, after) : nil
    }

    /// Reads up to `count` bytes at an offset, fewer only at the end of the file or from `enough` bytes on.
    package borrowing func read(
        count: Int, at offset: Int, enough: Int = .max, shown: @autoclosure () -> String
    ) throws(SystemError) -> [UInt8] {
        let raw = raw
        var code: Int32 = 0
        // The buffer has `count` bytes; each call writes at most what is left of it, and `filled` is what was written.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, filled in
            filled = 0
            while filled < min(count, enough), let base = buffer.baseAddress {
                let length = unsafe pread(raw, base + filled, count - filled, off_t(offset + filled))
                if length > 0 {
                    filled += length
                } else if length == 0 {
                    break
                } else if errno != EINTR {
                    code = errno
                    break
                }
            }
        }
        if code != 0 { throw SystemError(operation: "read", path: shown(), code: code) }
        return bytes
    }

    /// The failure of a file beyond its limit.
    static func tooLarge(_ shown: String, _ limit: Int) -> SystemError {
        SystemError(operation: "read", path: shown, code: EFBIG, reason: "it is larger than \(limit) bytes")
    }
}

extension FileDescriptor {
    /// Writes all bytes at the position of the descriptor.
    ///
    /// - Throws: what the first write that failed left; part of the bytes may be written then.
    package borrowing func write(_ bytes: [UInt8], shown: @autoclosure () -> String) throws(SystemError) {
        let raw = raw
        try FileSizeSignal.suppress { () throws(SystemError) in
            try FileDescriptor.write(bytes, to: raw, shown: shown())
        }
    }

    /// Writes all bytes at the position of a descriptor that the caller does not own.
    static func write(
        _ bytes: [UInt8], to raw: CInt, shown: @autoclosure () -> String
    ) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let start = written
            let length = try SystemCall.run("write", shown()) {
                // The pointer is used inside the closure only, for the bytes from `start` to the end of the array.
                unsafe bytes.withUnsafeBytes { buffer in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                    return unsafe Glibc.write(raw, rest.baseAddress, rest.count)
                }
            }
            if length == 0 { throw SystemError(operation: "write", path: shown(), code: EIO) }
            written += length
        }
    }

    /// Puts the names in a directory on disk.
    borrowing func syncDirectory(shown: @autoclosure () -> String) throws(SystemError) {
        let raw = raw
        do {
            try SystemCall.run("sync the directory of", shown()) { fsync(raw) }
        } catch {
            // Some file systems cannot sync a directory and return EINVAL; nothing more can be done there.
            if error.code != EINVAL { throw error }
        }
    }
}
