package import MDPlatform
package import MDPropertyList

/// Which machine a report is about, and what runs on it.
package struct MachineIdentity: Sendable {
    /// A number that no other machine has; `nil` if the machine has none.
    ///
    /// It is a digest of `/etc/machine-id`, which itself is not for others to know (machine-id(5)).
    package let id: String?
    /// The machine's tags, in byte order; `nil` if they are unknown.
    package let tags: [String]?
    /// The first tag that begins with `room`; `nil` for a machine without room.
    package let room: String?
    /// The operating system, as os-release names it.
    package let system: String?
    /// The kernel's release.
    package let kernel: String?
    /// The processor's architecture, as the kernel names it.
    package let architecture: String?

    /// The file of tags, in whose order the first room is looked for.
    private static let tagsPath = "/etc/managed-defaults/tags"

    /// Reads the facts of a machine.
    ///
    /// - Parameters:
    ///   - root: the machine.
    ///   - tags: its tags as policy has them; `nil` if they are unknown.
    package init(root: Root, tags: Set<Key>?) {
        id = Machine.machineID(root: root).map { id in
            String(SHA256.hmac(key: Array(id.utf8), Array("managed-defaults report".utf8)).hex.prefix(32))
        }
        self.tags = tags.map { $0.sorted().map(\.string) }
        room = tags.flatMap { MachineIdentity.room(among: $0, root: root) }
        func line(_ path: String) -> String? {
            guard let bytes = try? root.read(path, limit: 4_096).bytes else { return nil }
            let line = bytes.prefix { $0 != 0x0a }
            return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
        }
        kernel = line("/proc/sys/kernel/osrelease")
        architecture = line("/proc/sys/kernel/arch")
        system =
            ["/etc/os-release", "/usr/lib/os-release"].lazy.compactMap { path in
                (try? root.read(path, limit: 65_536).bytes).flatMap(MachineIdentity.name(inRelease:))
            }.first
    }

    /// The first tag of the file that begins with `room`; the smallest if the file cannot tell the order.
    private static func room(among tags: Set<Key>, root: Root) -> String? {
        let rooms = tags.filter { $0.string.utf8.starts(with: "room".utf8) }
        guard rooms.count > 1, let bytes = try? root.read(tagsPath, limit: 1 << 16).bytes else {
            return rooms.min()?.string
        }
        let words = bytes.split { $0 <= 0x20 }.map { Key(String(decoding: $0, as: UTF8.self)) }
        return (words.first { rooms.contains($0) } ?? rooms.min())?.string
    }

    /// The value of `PRETTY_NAME` of os-release(5).
    private static func name(inRelease bytes: [UInt8]) -> String? {
        for line in bytes.split(separator: 0x0a) where line.starts(with: "PRETTY_NAME=".utf8) {
            var value = line.dropFirst("PRETTY_NAME=".utf8.count)
            if let quote = value.first, quote == 0x22 || quote == 0x27, value.count > 1, value.last == quote {
                value = value.dropFirst().dropLast()
            }
            return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}
