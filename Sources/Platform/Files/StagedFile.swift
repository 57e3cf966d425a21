import CPlatform
import Glibc

/// A file that is written under a name of its own, and then takes the place of another in one step.
///
/// The name is fixed, so whoever stages files there holds a lock. What a killed process left under the name is
/// removed by the next one. A file that did not take a place is gone with this object.
package final class StagedFile {
    /// Where paths begin.
    private let root: Root
    /// The open directory of the file.
    private let directory: FileDescriptor
    /// The name in that directory.
    private let name: String
    /// The file, open for writing.
    private let file: FileDescriptor
    /// The file that it is to replace, as it is shown to people.
    private let shown: String
    /// The time that it was given, in nanoseconds since 1970.
    private var time: Int64 = 0
    /// Whether the file has left its name.
    private var isGone = false

    /// Makes an empty file, readable and writable for its owner.
    ///
    /// - Parameters:
    ///   - root: where paths begin.
    ///   - path: its own path, under the root.
    ///   - target: the file that it is to replace, for messages.
    /// - Throws: what opening or removing throws.
    package init(root: Root, path: String, for target: String) throws(SystemError) {
        self.root = root
        shown = root.display(target)
        let parent = try root.parent(of: path, "replace")
        name = parent.name
        directory = FileDescriptor(owning: parent.takeDescriptor())
        let flags = OpenMode.create(mode: 0o600).flags
        var made: Int32?
        for _ in 0..<10 where made == nil {
            do {
                made = try FileDescriptor.open(
                    name, in: directory.raw, flags: flags, mode: 0o600, shown: root.display(path)
                ).release()
            } catch {
                guard error.isTaken else { throw error }
                // Left by a process that was killed: whoever is alive holds the lock, and that is the caller.
                let (raw, name) = (directory.raw, name)
                // The text lives for the duration of the call.
                try SystemCall.run("remove", root.display(path)) { unsafe unlinkat(raw, name, 0) }
            }
        }
        guard let made else { throw .taken("replace", path: root.display(path)) }
        file = FileDescriptor(owning: made)
        // The umask may have taken bits away.
        try SystemCall.run("change the mode of", shown) { fchmod(made, 0o600) }
    }

    deinit {
        // The text lives for the duration of the call.
        if !isGone { _ = unsafe unlinkat(directory.raw, name, 0) }
    }

    /// Writes all bytes and waits until they are on disk, so that after a power cut the place that the file takes holds
    /// either all of them or what it held before.
    ///
    /// - Throws: ENOSPC, EDQUOT, EFBIG and whatever else the file system answers.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        // Beyond this limit the kernel ends the process with a signal instead of returning an error.
        var limit = rlimit()
        // The structure outlives the call, which fills it whole.
        if unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0,
            UInt64(bytes.count) > limit.rlim_cur
        {
            throw SystemError(operation: "write", path: shown, code: EFBIG)
        }
        try file.write(bytes, shown: shown)
        time = Clock.nanoseconds()
        let (raw, time) = (file.raw, time)
        // The kernel's own times move in steps of milliseconds, within which a file can be written twice. This one is
        // exact, so that nobody who writes later leaves the same.
        _ = cplatform_set_times(raw, time / 1_000_000_000, time % 1_000_000_000)
        try SystemCall.run("sync", shown) { fdatasync(raw) }
    }

    /// Takes the place of another file, or a place where there is none; a link is replaced, not followed.
    ///
    /// - Parameter target: the place, under the root, on the same file system.
    /// - Returns: the state of the file in its place, and whether everybody who writes to it later changes the time that
    ///   is in it.
    /// - Throws: EXDEV for another file system, and what renaming throws.
    package func take(placeOf target: String) throws(SystemError) -> (status: FileStatus, isExact: Bool) {
        let parent = try root.parent(of: target, "replace")
        let (from, to, own) = (directory.raw, parent.descriptor.raw, name)
        // Both texts live for the duration of the call, which keeps no pointer to them.
        try SystemCall.run("replace", shown) { unsafe renameat(from, own, to, parent.name) }
        isGone = true
        let status = try file.status(shown: shown)
        return (status, status.modified == time)
    }
}
