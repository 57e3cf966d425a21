import Glibc

extension FileDescriptor {
    /// Writes all bytes at the position of the descriptor.
    ///
    /// - Throws: what the first write that failed left; part of the bytes may be written then.
    borrowing func write(_ bytes: [UInt8], shown: @autoclosure () -> String) throws(SystemError) {
        let raw = raw
        try SignalRule.failingBeyondFileSizeLimit { () throws(SystemError) in
            try FileDescriptor.write(bytes, to: raw, shown: shown())
        }
    }

    /// Writes all bytes at the position of a descriptor.
    private static func write(
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
            // Some file systems cannot sync a directory and say so with EINVAL; nothing more can be done there.
            if error.code != EINVAL { throw error }
        }
    }
}
