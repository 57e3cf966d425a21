import CPlatform
import Glibc

/// Does work as another user, in a child, so that this process keeps its own identity.
package enum ForkedChild {
    /// The exit code of a child that could not take on the identity; its output is the error number.
    private static let identityFailed: Int32 = 97
    /// How often threads that have ended are looked for before they count as threads that stay, 500 µs apart.
    ///
    /// Looks and not a time: while the whole process is stopped or gets no processor, no thread can leave either.
    private static let patience = 2_000

    /// Runs `body` in a child that has taken on the user's uid, gid and groups first, and gives back what it returned.
    ///
    /// Only for programs with a single thread, which is checked: in a fork of any other, locks of the threads that are not
    /// there stay locked for good.
    /// - Throws: ETIMEDOUT after `seconds`, EFBIG beyond `limit` bytes, EBUSY with several threads, ECHILD where the child
    ///   ended in another way than by returning.
    package static func run(
        uid: UInt32, gid: UInt32, groups: [UInt32], limit: Int = 64 << 20, seconds: Double = 60, body: () -> [UInt8]
    ) throws(SystemError) -> [UInt8] {
        if !isAlone() {
            throw SystemError(
                operation: "act as", path: "uid \(uid)", code: EBUSY, reason: "this process has several threads")
        }
        return try runUnchecked(uid: uid, gid: gid, groups: groups, limit: limit, seconds: seconds, body: body)
    }

    /// Runs `body` as another user without a look at the threads.
    static func runUnchecked(
        uid: UInt32, gid: UInt32, groups: [UInt32], limit: Int, seconds: Double, body: () -> [UInt8]
    ) throws(SystemError) -> [UInt8] {
        let shown = "uid \(uid)"
        let deadline = Clock.monotonicMicroseconds() + Int64(min(max(seconds, 0), 3_600) * 1_000_000)
        let pipe = try Pipe(shown: shown)
        let child = try SystemCall.run("act as", shown) { cplatform_fork() }
        if child == 0 {
            pipe.closeReading()
            becomeChild(uid: uid, gid: gid, groups: groups, output: pipe.writing, body: body)
        }
        pipe.closeWriting()
        let output: [UInt8]
        let status: Int32?
        do {
            output = try pipe.readAll(limit: limit, deadline: deadline, operation: "act as", shown: shown)
            status = try Child.wait(for: child, deadline: deadline, shown: shown)
        } catch {
            Child.kill(child)
            throw error
        }
        if status == 0 { return output }
        if status == identityFailed, let code = Int32(String(decoding: output, as: UTF8.self)) {
            throw SystemError(operation: "act as", path: shown, code: code)
        }
        throw SystemError(
            operation: "act as", path: shown, code: ECHILD, reason: "the child ended before it had an answer")
    }

    /// What the child does instead of returning.
    private static func becomeChild(
        uid: UInt32, gid: UInt32, groups: [UInt32], output: Int32, body: () -> [UInt8]
    ) -> Never {
        // A group of its own, so that a parent that gives up ends what the child has started as well.
        _ = setpgid(0, 0)
        let file = FileDescriptor(owning: output)
        do {
            try Identity.assume(uid: uid, gid: gid, groups: groups)
        } catch {
            try? file.write(Array(String(error.code).utf8), shown: "the answer")
            _exit(identityFailed)
        }
        let answer = body()
        do {
            try file.write(answer, shown: "the answer")
        } catch {
            _exit(1)
        }
        // Without the parent's exit handlers and buffers, which belong to the parent.
        _exit(0)
    }

    /// Whether this process has a single thread, once those that have nothing left to do are gone: the kernel counts a
    /// thread a moment longer.
    ///
    /// - Parameter count: counts the threads.
    /// - Returns: whether no other one is left.
    static func isAlone(_ count: () -> Int = threadCount) -> Bool {
        for _ in 0..<patience {
            if count() == 1 { return true }
            Clock.pause(microseconds: 500)
        }
        return false
    }

    /// How many threads this process has; 0 where /proc is not mounted.
    private static func threadCount() -> Int {
        (try? Root.system.names(in: "/proc/self/task").count) ?? 0
    }
}
