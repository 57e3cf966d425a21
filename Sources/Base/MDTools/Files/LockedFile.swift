import Glibc
import MDCPlatform
package import MDPlatform

/// A small file that one process keeps locked for writing as long as it lives, and through which it informs others.
///
/// Each start makes a new file, which gets its name once it is locked, so that no other process can have opened it for
/// writing. The lock belongs to the process (fcntl(2), F_SETLK): the kernel releases it before it reports the closing
/// of the file, so that a process that watches the file finds the lock gone. No other descriptor of the file may be
/// closed in this process, which would end the lock.
package final class LockedFile: Sendable {
    /// The open file.
    private let descriptor: FileDescriptor
    /// The root of the path.
    private let root: Root
    /// The path under the root.
    private let path: String

    /// Makes a file that everybody can read, locks it and replaces the one of this name.
    ///
    /// - Parameters:
    ///   - root: the root of the path.
    ///   - path: the file.
    ///   - content: its bytes.
    /// - Returns: the file.
    /// - Throws: if it cannot be made, locked or renamed.
    package static func publish(root: Root, path: String, content: [UInt8]) throws(SystemError) -> LockedFile {
        let shown = root.display(path)
        let parent = try root.parent(of: path, "replace")
        let file = try TemporaryFile.create(for: parent.name, in: parent.descriptor.raw, shown: shown)
        let (raw, directory) = (file.descriptor.raw, parent.descriptor.raw)
        do throws(SystemError) {
            try SystemCall.run("change the mode of", shown) { fchmod(raw, 0o644) }
            var lock = flock()
            lock.l_type = Int16(F_WRLCK)
            lock.l_whence = Int16(SEEK_SET)
            // The structure outlives the call.
            try SystemCall.run("lock", shown) { unsafe fcntl(raw, F_SETLK, &lock) }
            try LockedFile.write(content, to: raw, shown)
            // Both strings are valid for the duration of the call, which does not store a pointer to them.
            try SystemCall.run("replace", shown) { unsafe renameat(directory, file.name, directory, parent.name) }
        } catch {
            // As above.
            _ = unsafe unlinkat(directory, file.name, 0)
            throw error
        }
        return LockedFile(file.takeDescriptor(), root, path)
    }

    private init(_ descriptor: consuming FileDescriptor, _ root: Root, _ path: String) {
        self.descriptor = descriptor
        (self.root, self.path) = (root, path)
    }

    /// Replaces the bytes of the file by as many others, in one step, and notifies its watchers.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        try LockedFile.write(bytes, to: descriptor.raw, root.display(path))
        try touch()
    }

    /// Sets the times of the file, which notifies its watchers.
    package func touch() throws(SystemError) {
        let (raw, now) = (descriptor.raw, Clock.nanoseconds())
        try SystemCall.run("touch", root.display(path)) {
            cplatform_set_times(raw, now / 1_000_000_000, now % 1_000_000_000)
        }
    }

    /// Removes the file's name, if it still is this file's.
    package func remove() throws(SystemError) {
        let own = try descriptor.status(shown: root.display(path))
        guard try root.isCurrent(own, at: path) else { return }
        try root.remove(path)
    }

    /// Writes bytes at the beginning; a few bytes are written whole or not at all.
    private static func write(_ bytes: [UInt8], to raw: Int32, _ shown: String) throws(SystemError) {
        let length = try SystemCall.run("write", shown) {
            // The pointer is used inside the closure only, for the bytes of the array.
            unsafe bytes.withUnsafeBytes { unsafe pwrite(raw, $0.baseAddress, $0.count, 0) }
        }
        guard length == bytes.count else { throw SystemError(operation: "write", path: shown, code: EIO) }
    }
}
