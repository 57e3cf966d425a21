import Glibc
import MDCPlatform
package import MDPlatform

/// A program that runs while this process talks to it, and ends with it.
///
/// It gets a given environment and none of this process's descriptors; what it prints is discarded. It stays in this
/// process's group, so that killing the group ends both, and is killed when this process ends. For processes with a
/// single thread.
package final class TalkingProcess {
    /// Its process id.
    private let id: Int32
    /// The other end of the program's descriptors 3, which it reads, and 4, which it writes.
    package let socket: StreamSocket
    /// Whether the program was ended and reaped.
    private var isOver = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: the program, as an absolute path.
    ///   - arguments: its command line without its name.
    ///   - variables: its whole environment, each as `NAME=VALUE`.
    ///   - deadline: when the connection gives up, in monotonic microseconds.
    /// - Returns: the program.
    /// - Throws: why it could not be started; a file that is not a program ends at once instead.
    package static func start(
        _ path: String, _ arguments: [String], variables: [String], deadline: Int64
    ) throws(SystemError) -> TalkingProcess {
        for text in [path] + arguments + variables { try SystemCall.checkPath(text, "run", shown: path) }
        let (socket, theirs) = try StreamSocket.pair(deadline: deadline, shown: path)
        try SystemCall.run("adopt what is started by", path) { cplatform_adopt_orphans() }
        // The copies of the texts are freed below, after the only call that reads them.
        let words = unsafe Subprocess.copies([path] + arguments)
        let environment = unsafe Subprocess.copies(variables)
        defer { unsafe (words + environment).forEach { unsafe free($0) } }
        let id = try SystemCall.run("run", path) {
            unsafe cplatform_spawn_talking(path, words, environment, theirs.raw)
        }
        return TalkingProcess(id, socket)
    }

    private init(_ id: Int32, _ socket: StreamSocket) { (self.id, self.socket) = (id, socket) }

    deinit { end() }

    /// Whether the program has ended.
    package var hasEnded: Bool {
        // The structure outlives the call, which leaves the child to be reaped later; nothing follows its pointers.
        var information = unsafe siginfo_t()
        let result = unsafe waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT)
        return unsafe result != 0 || information.si_signo == SIGCHLD
    }

    /// How long killed processes may take to end, in microseconds.
    private static let leave: Int64 = 5_000_000

    /// Ends the program and all that it has started, and waits for that.
    ///
    /// All children of this process end and are reaped, others than the program's too, because what the program started becomes a child of this process when its own
    /// parent ends.
    package func end() {
        if isOver { return }
        isOver = true
        _ = kill(id, SIGKILL)
        let deadline = Clock.monotonicMicroseconds() + TalkingProcess.leave
        while Clock.monotonicMicroseconds() < deadline {
            let result = waitpid(-1, nil, WNOHANG)
            if result < 0, errno == ECHILD { return }
            if result > 0 { continue }
            for child in TalkingProcess.children() { _ = kill(child, SIGKILL) }
            Clock.pause(microseconds: 2_000)
        }
    }

    /// The processes whose parent this process is.
    private static func children() -> [Int32] {
        let own = "\(getpid())"
        return ((try? Root.system.names(in: "/proc")) ?? []).compactMap { name in
            guard let id = Int32(name), let stat = try? Root.system.read("/proc/\(name)/stat", limit: 65_536).bytes,
                let end = stat.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            // Field 4, the second one after the name.
            let fields = stat[(end + 1)...].split(separator: 0x20, maxSplits: 3)
            return fields.count > 1 && String(decoding: fields[1], as: UTF8.self) == own ? id : nil
        }
    }
}
