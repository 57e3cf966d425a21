import Glibc
import MDCPlatform
package import MDPlatform

/// A file that other processes keep mapped, and whose first bytes tell them that another one has taken its place.
///
/// The databases of dconf work this way: readers map one, look at its first byte before each lookup, and open the name
/// again when the byte is 0. A file is opened before it is replaced and is marked afterwards, so that a process that
/// opens the name again finds the new file.
package final class MappedFile {
    /// The bytes that are set to 0.
    private static let mark = [UInt8](repeating: 0, count: 8)

    private let descriptor: FileDescriptor
    private let shown: String

    /// Opens a regular file.
    ///
    /// - Throws: errors of the file system, ENOENT if there is none.
    package init(root: Root, path: String) throws(SystemError) {
        shown = root.display(path)
        let file = try root.resolve(path, flags: O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW)
        try Root.requireRegular(try file.status(shown: shown), "open", shown: shown)
        descriptor = file
    }

    /// Tells the processes that mapped it that it was replaced or removed.
    ///
    /// The size stays, because a reader of a file that becomes shorter is killed.
    package func markReplaced() throws(SystemError) {
        let (raw, size) = (descriptor.raw, try descriptor.status(shown: shown).size)
        let count = min(Int(clamping: size), MappedFile.mark.count)
        // The array has at least `count` bytes and outlives the call.
        _ = try SystemCall.run("mark", shown) { unsafe pwrite(raw, MappedFile.mark, count, 0) }
    }
}
