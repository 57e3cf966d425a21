import Glibc
import MDCPlatform
package import MDPlatform

/// Tells which of some directories changed, without opening or reading anything in them.
///
/// It needs no thread: its descriptor is readable when something changed.
package final class DirectoryEvents {
    /// A change of a directory.
    package struct Change: Hashable, Sendable {
        /// The number that ``add(_:)`` returned; -1 if changes of any directory were lost.
        package let directory: Int32
        /// The name in it; empty for the directory itself.
        package let name: [UInt8]
    }

    /// What can change a file in a directory, or the directory itself.
    private static let mask = UInt32(
        IN_CLOSE_WRITE | IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            | IN_EXCL_UNLINK)

    /// The inotify instance.
    private let descriptor: FileDescriptor

    /// Watches nothing yet.
    ///
    /// - Throws: if no descriptor or no quota is left.
    package init() throws(SystemError) {
        descriptor = FileDescriptor(owning: try SystemCall.run("watch", "directories") { cplatform_inotify() })
    }

    /// The number that the kernel knows it by, to wait for.
    package var raw: Int32 { descriptor.raw }

    /// Watches the directory of a root.
    ///
    /// - Returns: the number of the watch; the same for a directory that is watched already.
    /// - Throws: if the quota is used up.
    package func add(_ directory: Root) throws(SystemError) -> Int32 {
        let (inotify, anchor) = (raw, directory.anchor)
        return try SystemCall.run("watch", directory.path) { cplatform_watch(inotify, anchor, DirectoryEvents.mask) }
    }

    /// Ends a watch.
    package func remove(_ directory: Int32) {
        _ = inotify_rm_watch(raw, directory)
    }

    /// The changes since the last call, in their order; empty if there are none.
    package func changes() throws(SystemError) -> [Change] {
        var found: [Change] = []
        while true {
            let events = try InotifyWatches.read(raw)
            if events.isEmpty { return found }
            for event in events where event.mask & UInt32(IN_IGNORED) == 0 {
                found.append(Change(directory: event.watch, name: event.name))
            }
        }
    }
}
