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

    /// When the process started, in clock ticks since the machine did (field 22 of /proc/self/stat).
    package static var startTime: UInt64? {
        guard let stat = try? Root.system.read("/proc/self/stat", limit: 65_536).bytes else { return nil }
        return startTime(inStat: stat)
    }

    /// The uid that logged in, whatever the process became since; `nil` where nobody did or audit is not built in.
    package static var loginUID: UInt32? { number(in: "/proc/self/loginuid") }

    /// The kernel's session number of the login; `nil` where there is none or audit is not built in.
    package static var sessionID: UInt32? { number(in: "/proc/self/sessionid") }

    /// Whether this process runs in a user namespace whose root is not the root of the machine.
    ///
    /// If `/` belongs to uid 0, this is the machine itself, or a container that is a machine of its own. Otherwise the
    /// machine's root has the overflow uid here, and the process cannot know its own user.
    package static let isInForeignNamespace: Bool = {
        guard let owner = (try? Root.system.status("/", followingLinks: false))?.owner, owner != 0 else { return false }
        if owner == overflowUID { return true }
        return (try? Root.system.read("/proc/self/uid_map", limit: 65_536).bytes).map(isMapped) ?? false
    }()

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
