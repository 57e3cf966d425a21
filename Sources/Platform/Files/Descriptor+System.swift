import CPlatform
import Glibc

/// Calls relative to an open directory; names are one component, or a path for `AT_FDCWD`.
extension FileDescriptor {
    /// openat(2); `shown` is the path for messages.
    static func open(
        _ name: String, in directory: Int32, flags: Int32, mode: UInt32 = 0, shown: @autoclosure () -> String
    ) throws(SystemError) -> FileDescriptor {
        try SystemCall.checkPath(name, "open", shown: shown())
        // The text lives for the duration of the call, which keeps no pointer to it.
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
        // Text and structure outlive the call, which keeps no pointer to them.
        try SystemCall.run("examine", shown()) { unsafe fstatat(directory, name, &result, flags) }
        return FileStatus(result)
    }

    /// readlinkat(2); an empty name reads the link that the descriptor itself names.
    static func linkTarget(
        of name: String, in directory: Int32, shown: @autoclosure () -> String
    ) throws(SystemError) -> String {
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
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names in a directory, complete and in byte order, without `.` and `..`.
    ///
    /// A name that is not UTF-8 is given with U+FFFD for what cannot be decoded; opening that name then fails.
    static func names(
        in directory: Int32, inOrder: Bool = true, shown: @autoclosure () -> String
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
            appendNames(in: bytes, to: &names, &isASCII)
        }
        if !inOrder { return names }
        // For ASCII the order of strings is that of their bytes, and faster.
        if isASCII { return names.sorted() }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Takes the names out of what getdents64(2) wrote: inode 8, offset 8, length 2, type 1, name with NUL.
    private static func appendNames(in bytes: [UInt8], to names: inout [String], _ isASCII: inout Bool) {
        var start = 0
        while start + 19 < bytes.count {
            // The length is in the machine's byte order; both supported orders are put together alike from bytes.
            let pair = (UInt16(bytes[start + 16]), UInt16(bytes[start + 17]))
            let length = Int(UInt16(littleEndian: 1) == 1 ? pair.1 << 8 | pair.0 : pair.0 << 8 | pair.1)
            guard length >= 20, start + length <= bytes.count else { return }
            let first = start + 19
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
