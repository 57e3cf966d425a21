import Glibc

extension FileDescriptor {
    /// Reads a regular file from its beginning to its end.
    ///
    /// - Parameters:
    ///   - limit: the most bytes that are read.
    ///   - known: what the kernel said of the open file just before; `nil` asks.
    ///   - shown: the path for messages.
    /// - Returns: `nil` where the file changed meanwhile.
    /// - Throws: EFBIG beyond `limit` bytes, EISDIR or EINVAL for anything but a regular file.
    borrowing func readWhole(
        limit: Int, known: FileStatus? = nil, shown: @autoclosure () -> String
    ) throws(SystemError) -> (bytes: [UInt8], status: FileStatus)? {
        let before = if let known { known } else { try status(shown: shown()) }
        try Root.requireRegular(before, "read", shown: shown())
        let limit = max(limit, 0)
        if before.size > limit { throw FileDescriptor.tooLarge(shown(), limit) }
        // Files of /proc say 0 and are not empty, so the size is a first guess and one byte more shows the end.
        // What has a size and was read to it is whole where the size is the same afterwards: nobody asks for more then.
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
    borrowing func read(
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
