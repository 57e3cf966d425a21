import Glibc
import MDCPlatform
package import MDPlatform

/// What the kernel says of the process at the other end of a connection.
///
/// User and groups are those of the moment when it connected, and count for decisions. The rest describes the process
/// for people; a value that cannot be read, or that another process with the same number may have, is `nil`.
package struct PeerStamp: Hashable, Sendable {
    /// The user.
    package let uid: UInt32
    /// The group.
    package let gid: UInt32
    /// The process.
    package let pid: Int32
    /// The supplementary groups; `nil` if the kernel does not give them.
    package let groups: [UInt32]?
    /// The user who logged in, if that is certain.
    package private(set) var loginUID: UInt32?
    /// The kernel's number of the login session.
    package private(set) var sessionID: UInt32?
    /// When the process began, in clock ticks since the boot.
    package private(set) var startTime: UInt64?
    /// The program's file; a service without privileges can read only that of a process of its own user.
    package var executable: String?
    /// The service unit of the process.
    package private(set) var unit: String?

    /// The most supplementary groups of a process (NGROUPS_MAX of linux/limits.h).
    private static let mostGroups = 65_536

    /// Reads what the kernel says of a connection.
    ///
    /// - Throws: if the kernel does not identify the process that connected.
    package init(of socket: borrowing MessageSocket) throws(SystemError) {
        let raw = socket.raw
        var peer = cplatform_peer()
        // The structure outlives the call, which fills it whole or fails.
        try SystemCall.run("examine", "a connection") { unsafe cplatform_peer(raw, &peer) }
        (uid, gid, pid) = (peer.uid, peer.gid, peer.pid)
        groups = PeerStamp.groups(of: raw)
        // A process of another pid namespace has the number 0.
        guard pid > 0 else { return }
        readProcess(ProcessHandle(peerOf: socket))
    }

    /// Reads the files of the process, and forgets them if it may have been another one.
    ///
    /// - Parameter process: a descriptor for the process; without one its directory in /proc shows only that all values
    ///   are of one process, and its owner that it is one of the same user.
    private mutating func readProcess(_ process: consuming ProcessHandle?) {
        let path = "/proc/\(pid)"
        guard let directory = try? FileDescriptor.open(path, in: AT_FDCWD, flags: OpenMode.directory.flags, shown: path)
        else { return }
        /// The content of a file of the process.
        func content(_ name: String) -> [UInt8]? {
            let file = try? FileDescriptor.open(name, in: directory.raw, flags: OpenMode.read.flags, shown: name)
            return try? file?.read(count: 8_192, at: 0, shown: name)
        }
        var found = self
        let groups = content("cgroup") ?? []
        found.loginUID = content("loginuid").flatMap(PeerStamp.number).flatMap {
            CurrentProcess.loginUID($0, uid: uid, inGroups: groups)
        }
        found.sessionID = content("sessionid").flatMap(PeerStamp.number)
        found.startTime = content("stat").flatMap { CurrentProcess.startTime(inStat: $0) }
        found.unit = PeerStamp.unit(inGroups: groups)
        found.executable = try? FileDescriptor.linkTarget(of: "exe", in: directory.raw, shown: "exe")
        switch process {
        case .some(let process):
            if process.isAlive { self = found }
        case .none:
            if let owner = try? directory.status(shown: path).owner, owner == uid || owner == 0 { self = found }
        }
    }

    /// Reads the supplementary groups.
    private static func groups(of raw: Int32) -> [UInt32]? {
        for capacity in [64, mostGroups] {
            var result: Int32 = 0
            // The buffer has `capacity` ids, the call writes at most that many and returns how many.
            let ids = unsafe [UInt32](unsafeUninitializedCapacity: capacity) { buffer, count in
                result = unsafe cplatform_peer_groups(raw, buffer.baseAddress, Int32(capacity))
                count = Int(max(result, 0))
            }
            if result >= 0 { return ids }
            if errno != ERANGE { return nil }
        }
        return nil
    }

    /// Parses an id; the largest one means "unset".
    static func number(_ bytes: [UInt8]) -> UInt32? {
        let value = UInt32(String(decoding: bytes.prefix { $0 != 0x0a && $0 != 0 }, as: UTF8.self))
        return value == .max ? nil : value
    }

    /// The unit in a line `0::/a.slice/b.service/…` of /proc/PID/cgroup.
    ///
    /// The first part that is not a slice: what lies beneath it may be named by the user.
    static func unit(inGroups bytes: [UInt8]) -> String? {
        for line in bytes.split(separator: 0x0a) {
            guard let text = String(validating: line, as: UTF8.self), text.hasPrefix("0::/") else { continue }
            let name = text.dropFirst(4).split(separator: "/").first { !$0.hasSuffix(".slice") }
            guard let name, [".service", ".scope", ".socket", ".mount", ".swap"].contains(where: name.hasSuffix) else {
                return nil
            }
            return String(name)
        }
        return nil
    }
}
