import Glibc
import MDCPlatform
package import MDPlatform

/// Tells when a file grows, and when its path may lead to another one.
///
/// For a file that another process holds open and appends to, which ``FolderWatch`` reports only once it is closed. It
/// needs no thread: its descriptor is readable when there is something to look at.
package final class PathEvents {
    /// The root of the path.
    private let root: Root
    /// The path.
    private let path: String
    /// The inotify instance.
    private let descriptor: FileDescriptor
    /// The watch of the file; `nil` if there was none.
    private var file: Int32?

    /// What can make a path lead elsewhere, in each directory on the way.
    private static let entries = UInt32(
        IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB)

    /// The number that the kernel knows it by, to wait for.
    package var raw: Int32 { descriptor.raw }

    /// Watches nothing yet; call ``renew()`` before the first look at the file.
    ///
    /// - Throws: if no descriptor or no quota is left.
    package init(root: Root, path: String) throws(SystemError) {
        (self.root, self.path) = (root, path)
        descriptor = FileDescriptor(owning: try SystemCall.run("watch", path) { cplatform_inotify() })
    }

    /// Discards the pending events and watches what is on the path now: look at the file after this returns.
    ///
    /// - Throws: if a directory or the file cannot be watched because the quota is used up; a directory that this process
    ///   may not list is passed over, because of another one it could not see the entries either.
    package func renew() throws(SystemError) {
        let inotify = raw
        while try !InotifyWatches.read(inotify).isEmpty {}
        var directory = ""
        try watch("/", PathEvents.entries)
        for name in path.split(separator: "/").dropLast() {
            directory += "/" + name
            try watch(directory, PathEvents.entries)
        }
        let found = try watch(path, UInt32(IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF))
        // Each file that had the name would otherwise stay watched.
        if let file, file != found { _ = inotify_rm_watch(inotify, file) }
        file = found
    }

    /// Watches what a path leads to; returns the watch, or `nil` if nothing is there or it may not be read.
    @discardableResult
    private func watch(_ path: String, _ mask: UInt32) throws(SystemError) -> Int32? {
        do {
            let target = try root.open(path, .lookup)
            let (inotify, handle) = (raw, target.raw)
            return try SystemCall.run("watch", root.display(path)) { cplatform_watch(inotify, handle, mask) }
        } catch {
            if error.isMissing || error.isPermission { return nil }
            throw error
        }
    }
}
