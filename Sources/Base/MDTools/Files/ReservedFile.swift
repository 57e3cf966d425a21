import Glibc
import MDCPlatform
package import MDPlatform

/// A file whose space is reserved, so that writing within it does not fail on a full disk.
package struct ReservedFile: ~Copyable {
    /// The open file.
    private let descriptor: FileDescriptor
    /// The path as people are shown it.
    private let shown: String

    /// Opens a regular file, which is created with this mode if missing, and reserves space from its beginning.
    ///
    /// - Throws: ENOSPC or EDQUOT if there is not enough space.
    package static func open(
        root: Root, path: String, mode: UInt32, size: Int
    ) throws(SystemError) -> ReservedFile {
        let file = ReservedFile(try root.open(path, .readWrite(mode: mode)), shown: root.display(path))
        try file.reserve(size)
        return file
    }

    /// Takes ownership of an open file.
    private init(_ descriptor: consuming FileDescriptor, shown: String) {
        self.shown = shown
        self.descriptor = descriptor
    }

    /// Reserves space from the beginning; the content does not change, and what is new is zero.
    package borrowing func reserve(_ size: Int) throws(SystemError) {
        let raw = descriptor.raw
        do {
            try SystemCall.run("reserve space for", shown) { cplatform_reserve(raw, Int64(max(size, 0))) }
        } catch {
            // A file system without reservation: bytes that are written are at least there.
            guard error.isUnsupported else { throw error }
            let present = try descriptor.status(shown: shown).size
            if present < size { try write([UInt8](repeating: 0, count: size - present), at: present) }
        }
    }

    /// Reads the whole file.
    package borrowing func read(limit: Int) throws(SystemError) -> [UInt8] {
        try descriptor.read(count: limit, at: 0, shown: shown)
    }

    /// Reads the status of the file.
    package borrowing func status() throws(SystemError) -> FileStatus {
        try descriptor.status(shown: shown)
    }

    /// Writes bytes at an offset.
    package borrowing func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        let raw = descriptor.raw
        var written = 0
        while written < bytes.count {
            let start = written
            let length = try SystemCall.run("write", shown) {
                // The pointer is used inside the closure only, for the bytes from `start` to the end of the array.
                unsafe bytes.withUnsafeBytes { buffer in
                    let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                    return unsafe pwrite(raw, rest.baseAddress, rest.count, off_t(offset + start))
                }
            }
            if length == 0 { throw SystemError(operation: "write", path: shown, code: EIO) }
            written += length
        }
    }

    /// Waits until all that was written is on disk.
    package borrowing func sync() throws(SystemError) {
        let raw = descriptor.raw
        try SystemCall.run("sync", shown) { fdatasync(raw) }
    }
}
