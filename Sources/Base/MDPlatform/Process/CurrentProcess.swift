import Glibc
import MDCPlatform

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
        // If the groups change between both calls, the second one fails with EINVAL.
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

    /// Gives the memory of the program's code and constants back, which the kernel reads again where it is used.
    ///
    /// For a process that rests after its start: most of what starting uses is never used again.
    package static func giveBackCode() { cplatform_give_back_code() }

    /// The path of the program's file, or `nil` if /proc is not mounted.
    package static var executablePath: String? {
        try? FileDescriptor.linkTarget(of: "/proc/self/exe", in: AT_FDCWD, shown: "/proc/self/exe")
    }

    /// When the process started, in clock ticks since the machine did (field 22 of /proc/self/stat).
    package static var startTime: UInt64? {
        guard let stat = try? Root.system.read("/proc/self/stat", limit: 65_536).bytes else { return nil }
        return startTime(inStat: stat)
    }

    /// The uid that logged in, whatever the process became since; `nil` if there was no login, or if it is not certain
    /// (``loginUID(_:uid:inGroups:)``).
    package static var loginUID: UInt32? {
        guard let claim = number(in: "/proc/self/loginuid") else { return nil }
        let groups = (try? Root.system.read("/proc/self/cgroup", limit: 8_192).bytes) ?? []
        return loginUID(claim, uid: uid, inGroups: groups)
    }

    /// A login uid, if it is certain: the process's own uid, or that of the session that the service manager began.
    ///
    /// A process whose login uid is unset, as in containers and behind xrdp, may write any number there. Its control group
    /// is not its own to choose: only the service manager moves a process into `user.slice/user-UID.slice`.
    ///
    /// - Parameters:
    ///   - claim: what the kernel has for the process.
    ///   - uid: the uid of the process.
    ///   - groups: the content of /proc/PID/cgroup.
    /// - Returns: the login uid; `nil` if it is not certain.
    package static func loginUID(_ claim: UInt32, uid: UInt32, inGroups groups: [UInt8]) -> UInt32? {
        let slice = Array("0::/user.slice/user-\(claim).slice/".utf8)
        return claim == uid || groups.split(separator: 0x0a).contains { $0.starts(with: slice) } ? claim : nil
    }

    /// The kernel's session number of the login; `nil` if there is none or the kernel has no audit.
    package static var sessionID: UInt32? { number(in: "/proc/self/sessionid") }

    /// Extracts field 22 of a line of /proc/PID/stat; field 2, the program's name, may hold blanks and parentheses.
    package static func startTime(inStat stat: [UInt8]) -> UInt64? {
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[(end + 1)...].split { $0 == 0x20 || $0 == 0x0a }
        // Field 3 is the first after the name.
        guard fields.count > 19 else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    /// Reads an id from a file; the largest one means "unset".
    private static func number(in path: String) -> UInt32? {
        guard let bytes = try? Root.system.read(path, limit: 64).bytes else { return nil }
        let value = UInt32(String(decoding: bytes.prefix { $0 != 0x0a && $0 != 0 }, as: UTF8.self))
        return value == .max ? nil : value
    }
}

extension CurrentProcess {
    /// The arguments of the process, without its name; bytes that are not UTF-8 are replaced by U+FFFD.
    ///
    /// `CommandLine.arguments` reads /proc, and is empty if that is not mounted.
    package static var arguments: [String] {
        var arguments: [String] = []
        var index: Int32 = 1
        // The kernel ends each argument with NUL, and they live as long as the process does.
        while let text = unsafe cplatform_argument(index) {
            unsafe arguments.append(String(cString: text))
            index += 1
        }
        return arguments
    }

    /// Whether every argument is valid UTF-8.
    package static var areArgumentsText: Bool {
        var index: Int32 = 1
        // As above; the length is that up to the NUL.
        while let text = unsafe cplatform_argument(index) {
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
            if unsafe bytes.contains(where: { $0 >= 0x80 }), unsafe String(exactly: bytes) == nil { return false }
            index += 1
        }
        return true
    }
}

/// The process's environment.
///
/// It belongs to the user, and only locates the user's own files.
package enum Environment {
    /// The values of some variables; those that are not set, or no UTF-8, are left out.
    package static func values(of names: [String]) -> [String: String] {
        var result: [String: String] = [:]
        for name in names {
            // getenv's text stays valid until the environment is changed; it is copied at once.
            guard let text = unsafe getenv(name), let value = unsafe String(validatingCString: text) else { continue }
            result[name] = value
        }
        return result
    }
}

extension CurrentProcess {
    /// Sets the process's uid, gid and groups, for all threads at once and for good.
    ///
    /// Afterwards the real, effective and saved ids are the new ones, the groups are exactly the given ones and the old
    /// ids cannot be regained; anything else is an error, after which the caller must end.
    package static func assume(uid: UInt32, gid: UInt32, groups: [UInt32]) throws(SystemError) {
        let shown = "uid \(uid)"
        if uid == .max || gid == .max {
            throw SystemError(operation: "act as", path: shown, code: EINVAL, reason: "4294967295 is no id")
        }
        if !isAssumed(uid: uid, gid: gid, groups: groups) {
            // The array outlives the call, which reads `count` ids.
            try SystemCall.run("act as", shown) { unsafe cplatform_assume(uid, gid, groups, groups.count) }
        }
        guard isAssumed(uid: uid, gid: gid, groups: groups), uid == 0 || cplatform_can_regain_root() == 0 else {
            throw SystemError(
                operation: "act as", path: shown, code: EPERM, reason: "the kernel did not take on the identity whole")
        }
    }

    /// Whether the process is this user already, groups included.
    private static func isAssumed(uid: UInt32, gid: UInt32, groups: [UInt32]) -> Bool {
        // The kernel may leave out or add the primary group, which changes no permission.
        cplatform_is_identity(uid, gid) == 1
            && Set(CurrentProcess.groups).union([gid]) == Set(groups).union([gid])
    }
}

/// Functions that run when the process ends by `exit` or by a return from `main`.
package enum ProcessExit {
    /// The functions, by the number of their registration.
    private struct State {
        /// The functions to run.
        var functions: [@Sendable () -> Void] = []
        /// Whether the C library knows of us.
        var isRegistered = false
    }

    /// The registered functions of this process.
    private static let state = Guarded(resettable: State())

    /// Adds a function; it runs once, on the thread that ends the process.
    package static func register(_ function: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            state.functions.append(function)
            defer { state.isRegistered = true }
            return !state.isRegistered
        }
        if isFirst { atexit { ProcessExit.runAll() } }
    }

    /// Ends the process with an exit code, after the registered functions.
    package static func end(_ code: Int32) -> Never {
        exit(code)
    }

    /// Runs and forgets every function.
    private static func runAll() {
        let functions = state.withLock { state in
            defer { state.functions = [] }
            return state.functions
        }
        for function in functions { function() }
    }
}
