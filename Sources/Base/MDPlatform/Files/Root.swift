import Glibc
import MDCPlatform

/// The file tree of a machine: `/`, or a folder that represents a machine.
///
/// Paths begin at the root, with or without a slash. In a folder no link and no `..` leads out of it. In every path
/// argument, the empty path and `/` mean the root itself.
package final class Root: Sendable {
    /// The file tree of this machine.
    package static let system = Root()

    /// `/`, or the folder as it was given, without slashes at its end.
    package let path: String
    /// Whether this is `/` of this machine.
    package let isSystem: Bool
    /// The uid that counts as root's, and as that of the owners of homes in a folder.
    package let owner: UInt32
    /// The group of the root directory.
    package let group: UInt32
    /// The folder, held open; `AT_FDCWD` for the system, whose paths are absolute.
    package let anchor: Int32
    /// How paths beneath the folder are resolved.
    let resolution: PathResolution

    /// Creates the root `/`, without holding anything open.
    private init() {
        path = "/"
        isSystem = true
        owner = 0
        group = 0
        anchor = AT_FDCWD
        resolution = .kernel
    }

    /// Opens a folder; its owner counts as root.
    ///
    /// The result of resolving a path does not depend on `resolution`; tests select one of the two ways.
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

    /// Opens a directory beneath another root as a root of its own, which is not left by links.
    ///
    /// - Throws: EXDEV if the path leads across a mount or out of the other root, ENOSYS if the kernel cannot tell.
    package init(directory: String, onFileSystemOf other: Root) throws(SystemError) {
        path = other.display(directory)
        isSystem = false
        let shown = path
        try SystemCall.checkPath(directory, "open", shown: shown)
        let (start, relative) = (other.anchor, RootPath.relative(directory))
        // The string is valid for the duration of the call, which does not store a pointer to it.
        let raw = try SystemCall.run("open", shown) {
            unsafe cplatform_openat2(
                start, relative, OpenMode.lookup.flags | O_DIRECTORY, 0,
                cplatform_resolve_beneath_device | cplatform_resolve_no_magic_links)
        }
        let descriptor = FileDescriptor(owning: raw)
        let status = try descriptor.status(shown: shown)
        (owner, group) = (status.owner, status.group)
        resolution = .kernel
        anchor = descriptor.release()
    }

    /// Whether openat2 works here: old kernels lack it, and some sandboxes return ENOSYS or EPERM.
    ///
    /// Checked only after a path was refused in that way: nearly everywhere openat2 works.
    var kernelResolves: Bool {
        // The string is valid for the duration of the call, which does not store a pointer to it.
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

    /// A path for messages: itself for the system, `DIR/path` for a folder.
    package func display(_ path: String) -> String {
        let bytes = path.utf8.span
        if bytes.count > 1, bytes[0] == UInt8(ascii: "/"), bytes[1] != UInt8(ascii: "/") {
            return isSystem || self.path == "/" ? path : self.path + path
        }
        let relative = RootPath.relative(path)
        if relative == "." { return self.path }
        var shown = isSystem || self.path == "/" ? "" : self.path
        shown.reserveCapacity(shown.utf8.count + 1 + relative.utf8.count)
        shown += "/"
        shown += relative
        return shown
    }
}

/// How paths beneath a folder are resolved.
package enum PathResolution: Sendable {
    /// By the kernel if it can (openat2, Linux 5.6), else by walking.
    case automatic
    /// The kernel.
    case kernel
    /// The walk, name by name.
    case walk
}

/// A path beneath a root, split for calls that need the directory and the last name.
package enum RootPath {
    /// Directory and last name of a path; `nil` if the last name is empty, `.` or `..`.
    static func split(_ path: String) -> (directory: String, name: String)? {
        let utf8 = path.utf8
        let start = utf8.lastIndex(of: UInt8(ascii: "/")).map { utf8.index(after: $0) } ?? utf8.startIndex
        let name = String(path[start...])
        if name.isEmpty || name == "." || name == ".." { return nil }
        return (String(path[..<start]), name)
    }

    /// The path without slashes at its beginning; `.` if nothing is left.
    static func relative(_ path: String) -> String {
        guard let start = path.utf8.firstIndex(where: { $0 != UInt8(ascii: "/") }) else { return "." }
        return String(path[start...])
    }

    /// The path without slashes at its end.
    static func trimmed(_ path: String) -> String {
        var bytes = path.utf8[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
