import Glibc
package import MDPlatform

/// The mounts of this machine, by which a path is known to lead through file systems that other machines or programs
/// serve, before anything on it is touched.
///
/// A server that is gone lets every call wait, for ever in some cases; only /proc/self/mountinfo (proc(5)) always answers.
/// The table is as of one moment: read it again for each round of work.
package struct MountTable: Sendable {
    /// A mount.
    private struct Mount {
        /// The kernel's number of it.
        let id: Int
        /// The number of the mount that it covers a directory of.
        let parent: Int
        /// The directory that it covers, as the kernel spells it.
        let path: [UInt8]
        /// Whether its content is on this machine.
        let isLocal: Bool
    }

    /// A directory of a mount that another mount covers.
    private struct Place: Hashable {
        /// The number of the covered mount.
        let mount: Int
        /// The directory.
        let path: [UInt8]
    }

    /// The mount of `/`.
    private let root: Mount
    /// The mounts by the places that they cover.
    private let covering: [Place: Mount]

    /// The file.
    private static let path = "/proc/self/mountinfo"
    /// The most bytes that are read; the kernel allows 100,000 mounts (fs.mount-max).
    private static let sizeLimit = 32 << 20
    /// The most links in one path, as in the kernel (MAXSYMLINKS of linux/namei.h).
    private static let linkLimit = 40

    /// Reads the mounts that this process sees.
    ///
    /// - Throws: why they cannot be read, or which line is not that of a mount.
    package static func read() throws(SystemError) -> MountTable {
        try MountTable(parsing: Root.system.read(path, limit: sizeLimit).bytes)
    }

    /// Parses the text of a table.
    ///
    /// - Throws: EINVAL, with the number of the line that is not that of a mount.
    init(parsing text: [UInt8]) throws(SystemError) {
        var mounts: [Mount] = []
        for (index, line) in text.split(separator: 0x0a).enumerated() {
            guard let mount = MountTable.mount(line) else {
                throw MountTable.damage("line \(index + 1) is not that of a mount")
            }
            mounts.append(mount)
        }
        let ids = Set(mounts.map(\.id))
        guard ids.count == mounts.count,
            let root = mounts.first(where: { $0.path == [0x2f] && ($0.parent == $0.id || !ids.contains($0.parent)) })
        else { throw MountTable.damage("it has no root, or the same mount twice") }
        self.root = root
        covering = Dictionary(mounts.filter { $0.id != root.id }.map { (Place(mount: $0.parent, path: $0.path), $0) }) {
            // Where two cover the same, it is unknown which one is seen.
            $0.isLocal ? $1 : $0
        }
    }

    /// The error of a table that is not as proc(5) says.
    private static func damage(_ reason: String) -> SystemError {
        SystemError(operation: "read", path: path, code: EINVAL, reason: reason)
    }

    /// Parses a line; `nil` if it is not that of a mount.
    private static func mount(_ line: ArraySlice<UInt8>) -> Mount? {
        let fields = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard fields.count > 6, let dash = fields.dropFirst(6).firstIndex(of: [0x2d]), dash + 1 < fields.count,
            let id = Int(String(decoding: fields[0], as: UTF8.self)), id >= 0,
            let parent = Int(String(decoding: fields[1], as: UTF8.self)), parent >= 0,
            let path = unescape(fields[4]), path.first == 0x2f
        else { return nil }
        let type = String(decoding: fields[dash + 1], as: UTF8.self)
        let device = fields[2].split(separator: 0x3a, omittingEmptySubsequences: false)
        guard device.count == 2, let major = UInt32(String(decoding: device[0], as: UTF8.self)), !type.isEmpty
        else { return nil }
        return Mount(id: id, parent: parent, path: path, isLocal: isLocal(type, major: major))
    }

    /// Whether a file system is on this machine: on a disk of its own, which has a device number and no other machines,
    /// or one of those that make up their number.
    private static func isLocal(_ type: String, major: UInt32) -> Bool {
        let others = ["ocfs2", "gfs2"]
        let withoutDevice = ["tmpfs", "ramfs", "rootfs", "overlay", "btrfs", "zfs", "bcachefs", "ubifs", "ecryptfs"]
        return major == 0
            ? withoutDevice.contains(type) : !type.utf8.starts(with: "fuse".utf8) && !others.contains(type)
    }

    /// Replaces `\` and three octal digits by the byte; `nil` if anything else follows a `\`.
    private static func unescape(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == 0x5c {
                let digits = rest.prefix(3)
                guard digits.count == 3, let escaped = UInt8(String(decoding: digits, as: UTF8.self), radix: 8),
                    digits.allSatisfy({ (0x30...0x37).contains($0) })
                else { return nil }
                bytes.append(escaped)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}

extension MountTable {
    /// Whether a path without links in it leads to or through a file system that is not on this machine.
    package func isRemote(_ path: String) -> Bool { !mount(of: path).isLocal }

    /// The mount that a path without links leads to; the first one on the way that is not local.
    private func mount(of path: String) -> Mount {
        var (current, way) = (topmost([0x2f], root), [UInt8]())
        for name in path.utf8.split(separator: 0x2f) {
            if !current.isLocal { return current }
            way += [0x2f] + name
            current = topmost(way, current)
        }
        return current
    }

    /// The mount that is seen at a directory of a mount: the last one that covers it, or the mount itself.
    private func topmost(_ path: [UInt8], _ mount: Mount) -> Mount {
        var current = mount
        // A table that goes in circles is never walked for longer than it is.
        for _ in 0..<covering.count {
            guard let next = covering[Place(mount: current.id, path: path)] else { break }
            current = next
        }
        return current
    }

    /// Resolves the links of a path and touches local file systems only.
    ///
    /// - Returns: the path without links.
    /// - Throws: EREMOTE if the path leads to or through a file system that is not on this machine, before that is
    ///   touched; and errors of the kernel.
    package func localPath(of path: String) throws(SystemError) -> String {
        var (ahead, way, links): ([String], [String], Int) = (MountTable.names(path), [], 0)
        while let name = ahead.popLast() {
            if name == ".." {
                _ = way.popLast()
                continue
            }
            let place = "/" + (way + [name]).joined(separator: "/")
            guard !isRemote(place) else {
                throw SystemError(operation: "open", path: path, code: EREMOTE, reason: "it is not on a local disk")
            }
            do throws(SystemError) {
                let target = try Root.system.linkTarget(place)
                links += 1
                guard links <= MountTable.linkLimit else {
                    throw SystemError(operation: "open", path: path, code: ELOOP)
                }
                if target.utf8.first == 0x2f { way = [] }
                ahead += MountTable.names(target)
            } catch {
                // The name is that of no link.
                guard error.code == EINVAL else { throw error }
                way.append(name)
            }
        }
        return "/" + way.joined(separator: "/")
    }

    /// The names of a path, the first one last.
    private static func names(_ path: String) -> [String] {
        path.utf8.split(separator: 0x2f).map { String(Substring($0)) }.filter { $0 != "." }.reversed()
    }

    /// Opens a directory as a root of its own, as ``localPath(of:)`` finds it.
    ///
    /// What is mounted on the way since the table was read is not entered.
    ///
    /// - Throws: EREMOTE as there, EXDEV if something was mounted meanwhile, and errors of the kernel.
    package func openDirectory(_ path: String) throws(SystemError) -> Root {
        let real = try localPath(of: path)
        let base = mount(of: real).path
        let disk = try Root(directory: String(decoding: base, as: UTF8.self))
        return try Root(
            directory: String(decoding: real.utf8.dropFirst(base.count), as: UTF8.self), onFileSystemOf: disk)
    }
}
