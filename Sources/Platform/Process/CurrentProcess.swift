import CPlatform
import Glibc

/// Facts about this process, from the kernel and never from the environment.
package enum CurrentProcess {
    /// The real user id.
    package static var uid: UInt32 { getuid() }
    /// The effective user id.
    package static var euid: UInt32 { geteuid() }
    /// The real group id.
    package static var gid: UInt32 { getgid() }
    /// The process id.
    package static var pid: Int32 { getpid() }

    /// The supplementary group ids, as the kernel holds them, in its order.
    package static var groups: [UInt32] {
        // A change between both calls is answered with EINVAL, and asked again.
        for _ in 0..<10 {
            // Asks for the number only; nothing is written.
            let count = getgroups(0, nil)
            if count <= 0 { return [] }
            var result: Int32 = 0
            // The buffer has `count` ids, the call writes at most that many and returns how many.
            let ids = unsafe [UInt32](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
                if let base = buffer.baseAddress { result = unsafe getgroups(count, base) }
                filled = Int(max(result, 0))
            }
            if result >= 0 { return ids }
        }
        return []
    }

    /// The program's file, or `nil` where /proc is not mounted.
    package static var executablePath: String? {
        try? FileDescriptor.linkTarget(of: "/proc/self/exe", in: AT_FDCWD, shown: "/proc/self/exe")
    }

    /// Whether some system calls may be denied to this process (seccomp(2)), or nobody can tell.
    package static var isFiltered: Bool {
        guard let status = try? Root.system.read("/proc/self/status", limit: 65_536).bytes else { return true }
        return isFiltered(status: status)
    }

    /// Whether proc_pid_status(5) names a mode of filtering other than none.
    static func isFiltered(status: [UInt8]) -> Bool {
        let name = Array("Seccomp:".utf8)
        guard let line = status.split(separator: 0x0a).first(where: { $0.starts(with: name) }) else { return false }
        return !line.dropFirst(name.count).filter { $0 != 0x09 && $0 != 0x20 }.elementsEqual("0".utf8)
    }

    /// When the process started, in clock ticks since the machine did (field 22 of /proc/self/stat).
    package static var startTime: UInt64? {
        guard let stat = try? Root.system.read("/proc/self/stat", limit: 65_536).bytes else { return nil }
        return startTime(inStat: stat)
    }

    /// The uid that logged in, whatever the process became since; `nil` where nobody did or audit is not built in.
    package static var loginUID: UInt32? { number(in: "/proc/self/loginuid") }

    /// The kernel's session number of the login; `nil` where there is none or audit is not built in.
    package static var sessionID: UInt32? { number(in: "/proc/self/sessionid") }

    /// Whether ids are mapped, as in a container, so that root's files seem to belong to the overflow uid.
    ///
    /// The map alone does not decide: who made the namespace can hide it, or mount another file over it. What belongs to
    /// nobody outside of one is `/`.
    package static let isInUserNamespace: Bool = {
        if let map = try? Root.system.read("/proc/self/uid_map", limit: 65_536).bytes, isMapped(map) { return true }
        return isRootOutside
    }()

    /// Whether `/` belongs to a user whom the namespace of this process does not know.
    package static let isRootOutside =
        (try? Root.system.status("/", followingLinks: false))?.owner == overflowUID

    /// Whether policy is that of another root than the one of the user namespace in which this process runs.
    ///
    /// A container whose `/` belongs to its own root is a machine of its own, and so is what runs for the machine's root in
    /// a namespace that knows it. Nobody else can have `/` belong to root in a namespace of his own, unless he shows another
    /// one as a whole.
    package static let isPolicyOutside: Bool = {
        guard isInUserNamespace else { return false }
        return !["/", "/etc/managed-defaults", "/var/lib/managed-defaults"].allSatisfy { path in
            do throws(SystemError) {
                return try Root.system.status(path, followingLinks: true).owner == Root.system.owner
            } catch {
                return error.isMissing
            }
        }
    }()

    /// Whether this process has ids that its user namespace does not know, so that the kernel tells none of them.
    package static var hasUnknownIDs: Bool { ([getuid(), getgid()] + groups).contains(overflowUID) }

    /// Whether this process may open as many files as reading policy takes, as far as its own limit goes.
    package static var hasDescriptors: Bool {
        do throws(SystemError) {
            let root = try FileDescriptor.open(
                "/", in: AT_FDCWD, flags: OpenMode.lookup.flags | O_DIRECTORY, shown: "/")
            let kept = cplatform_leaving_room(root.release())
            if kept >= 0 { _ = close(kept) }
            return kept >= 0
        } catch {
            return error.code != EMFILE
        }
    }

    /// The uid that stands for every user outside of a user namespace (kernel.overflowuid, as Linux presets it).
    package static let overflowUID: UInt32 = 65_534

    /// Whether a uid map is other than the identity of the first namespace, `0 0 4294967295`.
    static func isMapped(_ map: [UInt8]) -> Bool {
        let fields = map.split { $0 == 0x20 || $0 == 0x0a || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
        return fields != ["0", "0", "4294967295"]
    }

    /// Takes field 22 out of a line of /proc/PID/stat; field 2, the program's name, may hold blanks and parentheses.
    static func startTime(inStat stat: [UInt8]) -> UInt64? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[(end + 1)...].split { $0 == 0x20 || $0 == 0x0a }
        // Field 3 is the first after the name.
        guard fields.count > 19 else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    /// Reads an id, where the largest means "unset".
    private static func number(in path: String) -> UInt32? {
        guard let bytes = try? Root.system.read(path, limit: 64).bytes else { return nil }
        let value = UInt32(String(decoding: bytes.prefix { $0 != 0x0a && $0 != 0 }, as: UTF8.self))
        return value == .max ? nil : value
    }
}
