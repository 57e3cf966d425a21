import CPlatform
import Glibc

/// The file tree that a machine is: `/`, or a folder that looks like one.
///
/// Paths begin at the root, with or without a slash. In a folder no link and no `..` leads out of it. In every path that is
/// given, the empty path and `/` mean the root itself.
package final class Root: Sendable {
    /// The file tree of this machine.
    package static let system = Root()

    /// `/`, or the folder as it was given, without slashes at its end.
    package let path: String
    /// Whether this is `/` of this machine.
    package let isSystem: Bool
    /// The uid that stands for root, and for the owners of homes in a folder.
    package let owner: UInt32
    /// The group of the root directory.
    package let group: UInt32
    /// The folder, held open; `AT_FDCWD` for the system, whose paths are absolute.
    let anchor: Int32
    /// Who keeps paths beneath the folder.
    let resolution: PathResolution

    /// Takes on `/`, without holding anything open.
    private init() {
        path = "/"
        isSystem = true
        owner = 0
        group = 0
        anchor = AT_FDCWD
        resolution = .kernel
    }

    /// Takes on a folder; its owner stands for root.
    ///
    /// Paths mean the same whichever way they are resolved; tests ask for one of the two.
    package init(directory: String, resolution: PathResolution = .automatic) throws(SystemError) {
        path = RootPath.trimmed(directory)
        isSystem = false
        let descriptor = try FileDescriptor.open(
            directory, in: AT_FDCWD, flags: OpenMode.lookup.flags | O_DIRECTORY, shown: directory)
        let status = try descriptor.status(shown: directory)
        (owner, group) = (status.owner, status.group)
        self.resolution = resolution
        anchor = descriptor.release()
    }

    /// Whether openat2 works here: old kernels lack it, and some sandboxes answer ENOSYS or EPERM.
    ///
    /// Asked where a path is refused in that way, and not before: almost everywhere it works.
    var kernelResolves: Bool {
        // The text lives for the duration of the call, which keeps no pointer to it.
        let raw = unsafe cplatform_openat2(
            anchor, ".", OpenMode.lookup.flags | O_DIRECTORY, 0,
            cplatform_resolve_in_root | cplatform_resolve_no_magic_links)
        if raw < 0 { return false }
        _ = close(raw)
        return true
    }

    deinit {
        if !isSystem { _ = close(anchor) }
    }

    /// What people are shown for a path: itself for the system, `DIR/path` for a folder.
    package func display(_ path: String) -> String {
        let bytes = path.utf8.span
        if bytes.count > 1, bytes[0] == UInt8(ascii: "/"), bytes[1] != UInt8(ascii: "/") {
            return isSystem ? path : self.path + path
        }
        let relative = RootPath.relative(path)
        if relative == "." { return self.path }
        var shown = isSystem ? "" : self.path
        shown.reserveCapacity(shown.utf8.count + 1 + relative.utf8.count)
        shown += "/"
        shown += relative
        return shown
    }
}
