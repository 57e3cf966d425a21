import Glibc
import MDCPlatform

/// A file that is written under a temporary name, and then replaces another one in one step.
///
/// The temporary name is fixed, so that the caller must hold a lock. A file that a killed process left under the name
/// is removed by the next one. A file that replaced nothing is removed with this object.
package final class StagedFile {
    /// The root of all paths.
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

    /// Creates an empty file, readable and writable for its owner.
    ///
    /// - Parameters:
    ///   - root: the root of all paths.
    ///   - path: the temporary path of the file, under the root.
    ///   - target: the file that it will replace, for messages.
    /// - Returns: the file.
    /// - Throws: errors of opening or removing.
    package static func create(root: Root, path: String, for target: String) throws(SystemError) -> StagedFile {
        let shown = root.display(target)
        let parent = try root.parent(of: path, "replace")
        let name = parent.name
        let directory = FileDescriptor(owning: parent.takeDescriptor())
        let flags = OpenMode.create(mode: 0o600).flags
        var made: Int32?
        for _ in 0..<10 where made == nil {
            do {
                made = try FileDescriptor.open(
                    name, in: directory.raw, flags: flags, mode: 0o600, shown: root.display(path)
                ).release()
            } catch {
                guard error.isTaken else { throw error }
                // Left by a process that was killed: the caller holds the lock.
                let raw = directory.raw
                // The text lives for the duration of the call.
                try SystemCall.run("remove", root.display(path)) { unsafe unlinkat(raw, name, 0) }
            }
        }
        guard let made else { throw .taken("replace", path: root.display(path)) }
        let file = StagedFile(root, directory, name, FileDescriptor(owning: made), shown)
        // The umask may have cleared bits.
        try SystemCall.run("change the mode of", shown) { fchmod(made, 0o600) }
        return file
    }

    private init(
        _ root: Root, _ directory: consuming FileDescriptor, _ name: String, _ file: consuming FileDescriptor,
        _ shown: String
    ) {
        (self.root, self.name, self.shown) = (root, name, shown)
        self.directory = directory
        self.file = file
    }

    deinit {
        // The text lives for the duration of the call.
        if !isGone { _ = unsafe unlinkat(directory.raw, name, 0) }
    }

    /// Writes all bytes and waits until they are on disk, so that after a power cut the replaced file has either the
    /// new content or the old one.
    ///
    /// - Throws: ENOSPC, EDQUOT, EFBIG and any other error of the file system.
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
        // The kernel's own times advance in steps of milliseconds, within which a file can be written twice. This one
        // is exact, so that no later write leaves the same time.
        _ = cplatform_set_times(raw, time / 1_000_000_000, time % 1_000_000_000)
        try SystemCall.run("sync", shown) { fdatasync(raw) }
    }

    /// Renames the file over another one, or to a name that does not exist; a link is replaced, not followed.
    ///
    /// - Parameter target: the path of the other file, under the root, on the same file system.
    /// - Returns: the status of the file under its new name, and whether its time of modification is exact, so that
    ///   every later write changes it.
    /// - Throws: EXDEV for another file system, and errors of renaming.
    package func replace(fileAt target: String) throws(SystemError) -> (status: FileStatus, isExact: Bool) {
        let parent = try root.parent(of: target, "replace")
        let (from, to, own) = (directory.raw, parent.descriptor.raw, name)
        // Both strings are valid for the duration of the call, which does not store a pointer to them.
        try SystemCall.run("replace", shown) { unsafe renameat(from, own, to, parent.name) }
        isGone = true
        let status = try file.status(shown: shown)
        return (status, status.modified == time)
    }
}

/// A new empty file with a unique name, for its owner only.
package struct TemporaryFile: ~Copyable {
    /// The file, open for reading and writing.
    package let descriptor: FileDescriptor
    /// Its name in the directory: `.NAME.` with random characters and `.tmp`.
    package let name: String

    /// Creates a file in the directory of the one that it will replace.
    package static func create(
        for name: String, in directory: Int32, shown: String
    ) throws(SystemError) -> TemporaryFile {
        var tries = 0
        while true {
            let candidate = TemporaryFile.name(for: name)
            do {
                let flags = OpenMode.create(mode: 0o600).flags
                return TemporaryFile(
                    descriptor: try FileDescriptor.open(
                        candidate, in: directory, flags: flags, mode: 0o600, shown: shown), name: candidate)
            } catch {
                tries += 1
                // Two of 48 random bits collide by intent only, and not a hundred times.
                if error.code != EEXIST || tries == 100 { throw error }
            }
        }
    }

    /// The file alone; the caller has renamed it.
    package consuming func takeDescriptor() -> FileDescriptor { FileDescriptor(owning: descriptor.release()) }

    /// The name of the file that a temporary file of this name is to replace; `nil` for any other name.
    static func target(of name: String) -> String? {
        let bytes = Array(name.utf8)
        let stem = bytes.dropLast(suffix.utf8.count + length + 1)
        guard stem.count > 1, stem.first == UInt8(ascii: "."), bytes[stem.count] == UInt8(ascii: "."),
            bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8),
            bytes[(stem.count + 1)...].prefix(length).allSatisfy(alphabet.utf8.contains)
        else { return nil }
        return String(decoding: stem.dropFirst(), as: UTF8.self)
    }

    /// The random characters of a name.
    private static let length = 10
    /// The suffix of all names.
    private static let suffix = ".tmp"
    /// What the random characters are of.
    private static let alphabet = "abcdefghijklmnopqrstuvwxyz234567"

    /// A random name that begins with a dot, so that readers of the directory ignore it, and fits into NAME_MAX (255
    /// bytes).
    private static func name(for name: String) -> String {
        let alphabet = Array(self.alphabet)
        var random = UInt64.random(in: .min ... .max)
        var letters = ""
        for _ in 0..<length {
            letters.append(alphabet[Int(random & 31)])
            random >>= 5
        }
        var stem = Substring(name)
        while stem.utf8.count > 200 { stem.removeLast() }
        return ".\(stem).\(letters)\(suffix)"
    }
}
