import Glibc
import MDCPlatform
package import MDPlatform

/// Runs work as other users, in children, so that this process keeps its own identity.
package enum ForkedChild {
    /// The ids that a child assumes before it does anything.
    package struct Owner: Hashable, Sendable {
        /// The user.
        package let uid: UInt32
        /// The group.
        package let gid: UInt32
        /// The supplementary groups.
        package let groups: [UInt32]

        /// Makes an owner.
        package init(uid: UInt32, gid: UInt32, groups: [UInt32]) {
            (self.uid, self.gid, self.groups) = (uid, gid, groups)
        }

        /// The owner in messages.
        var shown: String { "uid \(uid)" }
    }

    /// The limits of a child.
    package struct Bounds: Sendable {
        /// The most bytes of its answer.
        package var answer = 64 << 20
        /// How much memory it may use beside what this process has, in bytes; `nil` for no limit.
        package var memory: Int?
        /// How long it may run.
        package var seconds = 60.0
        /// When every child must have ended, in monotonic microseconds; `nil` if only each one is limited.
        package var end: Int64?
        /// A file in which each child locks one of some bytes of its owner until it ends; `nil` for no such bound.
        ///
        /// A file system that an owner serves can keep a child for ever, and no signal ends it. The bound is that of all
        /// processes of the machine together.
        package var permits: String?

        /// Makes bounds.
        package init(
            answer: Int = 64 << 20, memory: Int? = nil, seconds: Double = 60, end: Int64? = nil, permits: String? = nil
        ) {
            (self.answer, self.memory, self.seconds, self.end) = (answer, memory, seconds, end)
            self.permits = permits
        }
    }

    /// The most children of an owner that hold a permit.
    private static let permitsOfOwner: Int64 = 8
    /// The most children at a time, those that wait for their disk or server included.
    private static let capacity = 64

    /// The exit code of a child that could not assume the identity; its output is the error number.
    private static let identityFailed: Int32 = 97
    /// How often the threads are counted, 500 µs apart, before other threads count as permanent.
    ///
    /// A number of attempts and not a time: while the whole process is stopped or gets no processor, no thread can end
    /// either.
    private static let patience = 2_000

    /// Runs `body` in a child that has assumed the owner's uid, gid and groups, and returns its result.
    ///
    /// Only for programs with a single thread, which is checked: in a fork of any other process, the locks of threads
    /// that do not exist there stay locked for good.
    ///
    /// - Throws: ETIMEDOUT after the time of `bounds`, EFBIG beyond their bytes, EBUSY with several threads, ECHILD if
    ///   the child ended in another way than by returning.
    package static func run(
        as owner: Owner, _ bounds: Bounds = Bounds(), body: () -> [UInt8]
    ) throws(SystemError) -> [UInt8] {
        let answers = runAll([owner], atOnce: 1, bounds) { _ in body() }
        return try answers[0].get()
    }

    /// Runs `body` once for each owner, in children that have assumed their ids, several of them at once.
    ///
    /// A child that only waits for a disk or a server takes the place of no other one.
    ///
    /// - Parameters:
    ///   - owners: the owners.
    ///   - count: the most children at a time that work.
    ///   - bounds: the limits of each child.
    ///   - body: the work for the owner at an index.
    /// - Returns: for each owner what `body` returned, or the error that ``run(as:_:body:)`` would throw.
    package static func runAll(
        _ owners: [Owner], atOnce count: Int, _ bounds: Bounds, body: (Int) -> [UInt8]
    ) -> [Result<[UInt8], SystemError>] {
        if owners.isEmpty { return [] }
        if !isAlone() {
            return owners.map { owner in
                .failure(
                    SystemError(
                        operation: "act as", path: owner.shown, code: EBUSY, reason: "this process has several threads")
                )
            }
        }
        return runUnchecked(owners, atOnce: count, bounds, body: body)
    }

    /// Runs children without checking that this process has a single thread.
    static func runUnchecked(
        _ owners: [Owner], atOnce count: Int, _ bounds: Bounds, body: (Int) -> [UInt8]
    ) -> [Result<[UInt8], SystemError>] {
        var answers = [Result<[UInt8], SystemError>?](repeating: nil, count: owners.count)
        var running: [RunningChild] = []
        var next = 0
        while next < owners.count || !running.isEmpty {
            while next < owners.count, running.count < capacity, running.count(where: \.isWorking) < max(count, 1) {
                let (index, owner) = (next, owners[next])
                next += 1
                do throws(SystemError) {
                    if let end = bounds.end, end <= Clock.monotonicMicroseconds() {
                        throw SystemError(
                            operation: "act as", path: owner.shown, code: ETIMEDOUT,
                            reason: "no time was left, because others took too long")
                    }
                    let child = try start(index, owner, bounds, beside: running) { body(index) }
                    running.append(child)
                } catch {
                    answers[index] = .failure(error)
                }
            }
            RunningChild.wait(for: running, untilOneWaits: next < owners.count && running.count < capacity)
            running.removeAll { child in
                guard let answer = child.collect(limit: bounds.answer) else { return false }
                answers[child.index] = answer
                return true
            }
        }
        return answers.enumerated().map { index, answer in
            answer ?? .failure(SystemError(operation: "act as", path: owners[index].shown, code: ECHILD))
        }
    }

    /// Starts a child.
    private static func start(
        _ index: Int, _ owner: Owner, _ bounds: Bounds, beside others: [RunningChild], _ body: () -> [UInt8]
    ) throws(SystemError) -> RunningChild {
        let memory = try bounds.memory.map { more throws(SystemError) in try addressSpace() + more }
        let permit = try permit(of: owner, in: bounds.permits)
        // This process closes its descriptor here, and the lock stays with the child.
        defer { withExtendedLifetime(permit) {} }
        let pipe = try Pipe(shown: owner.shown)
        let child = try SystemCall.run("act as", owner.shown) { cplatform_fork() }
        if child == 0 {
            pipe.closeReading()
            // The answers of other children must not be readable by this user.
            for other in others { other.pipe.closeReading() }
            becomeChild(owner, memory: memory, output: pipe.writing, body)
        }
        pipe.closeWriting()
        let own = Clock.monotonicMicroseconds() + Int64(min(max(bounds.seconds, 0), 3_600) * 1_000_000)
        return RunningChild(
            index: index, id: child, pipe: pipe, deadline: min(own, bounds.end ?? own), shown: owner.shown)
    }

    /// Locks one of the bytes of an owner; `nil` if there is no such file.
    ///
    /// - Throws: EBUSY if children that were left behind hold all of them.
    private static func permit(of owner: Owner, in path: String?) throws(SystemError) -> FileDescriptor? {
        guard let path else { return nil }
        let file: FileDescriptor
        do { file = try Root.system.open(path, .readWrite(mode: 0o600)) } catch { return nil }
        let first = Int64(owner.uid) * permitsOfOwner
        for offset in first..<first + permitsOfOwner {
            if cplatform_try_lock_byte(file.raw, offset) == 0 { return file }
            if errno != EAGAIN { return nil }
        }
        throw SystemError(
            operation: "act as", path: owner.shown, code: EBUSY, reason: "earlier processes still wait for an answer")
    }

    /// Interprets the output and exit code of a child.
    ///
    /// - Parameters:
    ///   - output: everything that it wrote.
    ///   - status: its exit code; `nil` if it has none.
    ///   - shown: the name of its user for messages.
    /// - Returns: the answer.
    static func answer(_ output: [UInt8], status: Int32?, shown: String) -> Result<[UInt8], SystemError> {
        if status == 0 { return .success(output) }
        if status == identityFailed, let code = Int32(String(decoding: output, as: UTF8.self)) {
            return .failure(SystemError(operation: "act as", path: shown, code: code))
        }
        return .failure(
            SystemError(
                operation: "act as", path: shown, code: ECHILD, reason: "the child ended before it had an answer"))
    }

    /// The work of the child, which never returns.
    private static func becomeChild(_ owner: Owner, memory: Int?, output: Int32, _ body: () -> [UInt8]) -> Never {
        // A process group, so that a parent that gives up also ends the processes that the child has started.
        _ = setpgid(0, 0)
        let file = FileDescriptor(owning: output)
        do throws(SystemError) {
            if let memory { try bound(memory: memory, shown: owner.shown) }
            try CurrentProcess.assume(uid: owner.uid, gid: owner.gid, groups: owner.groups)
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

    /// Bounds the addresses that this process may use, beyond which it ends, without an image of its memory.
    private static func bound(memory: Int, shown: String) throws(SystemError) {
        for (kind, most) in [(RLIMIT_AS, memory), (RLIMIT_CORE, 0)] {
            let kind = __rlimit_resource_t(kind.rawValue)
            var limit = rlimit()
            // The structure outlives both calls, which fill and read it.
            try SystemCall.run("bound", shown) { unsafe getrlimit(kind, &limit) }
            // The caller of this process may have set a lower limit.
            limit.rlim_max = min(limit.rlim_max, rlim_t(max(most, 0)))
            limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
            try SystemCall.run("bound", shown) { unsafe setrlimit(kind, &limit) }
        }
    }

    /// How many bytes of addresses this process uses; a child begins with as many.
    private static func addressSpace() throws(SystemError) -> Int {
        let text = try Root.system.read("/proc/self/statm", limit: 1_024).bytes
        guard let pages = Int(String(decoding: text.prefix { $0 != 0x20 }, as: UTF8.self)) else {
            throw SystemError(operation: "read", path: "/proc/self/statm", code: EIO)
        }
        return pages * Int(getpagesize())
    }

    /// Whether this process has a single thread, after waiting for threads that are about to end: the kernel counts a
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

    /// How many threads this process has; 0 if /proc is not mounted.
    private static func threadCount() -> Int {
        (try? Root.system.names(in: "/proc/self/task").count) ?? 0
    }
}

/// A child of this process that has not answered yet.
final class RunningChild {
    /// Which of several it is.
    let index: Int
    /// Its process id.
    private let id: Int32
    /// The pipe of its answer.
    let pipe: Pipe
    /// When it has to be done, in monotonic microseconds.
    let deadline: Int64
    /// The name of its user for messages.
    private let shown: String
    /// The answer so far.
    private var output: [UInt8] = []
    /// Whether it used a processor lately, and does not only wait for its disk or server.
    private(set) var isWorking = true
    /// The time that it had used a processor at the last look, in ticks, and when that was, in monotonic microseconds.
    private var look: (ticks: UInt64?, time: Int64)

    /// How long a child has to use no processor before it counts as waiting, in microseconds.
    private static let idle: Int64 = 50_000

    /// Creates the state of a child that was just started.
    init(index: Int, id: Int32, pipe: Pipe, deadline: Int64, shown: String) {
        (self.index, self.id, self.pipe) = (index, id, pipe)
        (self.deadline, self.shown) = (deadline, shown)
        look = (nil, Clock.monotonicMicroseconds())
    }

    /// Looks whether the child uses a processor, at most once in some time.
    private func lookAtWork(_ now: Int64) {
        guard now - look.time >= RunningChild.idle else { return }
        // proc(5): the name in parentheses, then state, 10 numbers, and the ticks in user and in kernel mode.
        let text = (try? Root.system.read("/proc/\(id)/stat", limit: 4_096).bytes) ?? []
        let fields = text[(text.lastIndex(of: 0x29) ?? text.endIndex)...].split(separator: 0x20).map {
            String(decoding: $0, as: UTF8.self)
        }
        let ticks =
            fields.count > 13 ? UInt64(fields[12]).flatMap { user in UInt64(fields[13]).map { user &+ $0 } } : nil
        isWorking = ticks == nil || ticks != look.ticks || fields[1] == "R"
        look = (ticks, now)
    }

    /// Waits until at least one child has output, or has reached its deadline; or for a moment, after which some may count
    /// as waiting.
    static func wait(for children: [RunningChild], untilOneWaits: Bool) {
        guard var deadline = children.map(\.deadline).min() else { return }
        if untilOneWaits {
            let now = Clock.monotonicMicroseconds()
            for child in children { child.lookAtWork(now) }
            deadline = min(deadline, now + idle)
        }
        var requests = children.map { pollfd(fd: $0.pipe.reading, events: Int16(POLLIN), revents: 0) }
        let rest = max(deadline - Clock.monotonicMicroseconds(), 0)
        // The array outlives the call. Rounding up avoids a busy loop in the last millisecond; the caller's loop
        // repeats an interrupted call.
        _ = unsafe poll(&requests, nfds_t(requests.count), Int32(clamping: (rest + 999) / 1_000))
    }

    /// Reads the available output of the child, and kills it at its deadline.
    ///
    /// - Parameter limit: the most bytes of its answer.
    /// - Returns: its answer, or why there is none; `nil` if it is not done.
    func collect(limit: Int) -> Result<[UInt8], SystemError>? {
        do throws(SystemError) {
            while try pipe.isReady(shown: shown) {
                guard let part = try pipe.readSome(operation: "act as", shown: shown) else { continue }
                if part.isEmpty {
                    let status = try Child.wait(for: id, deadline: deadline, shown: shown)
                    return ForkedChild.answer(output, status: status, shown: shown)
                }
                output += part
                if output.count > limit {
                    throw SystemError(
                        operation: "act as", path: shown, code: EFBIG, reason: "it prints more than \(limit) bytes")
                }
                // A child that never stops writing must not get more time than others.
                if deadline <= Clock.monotonicMicroseconds() { break }
            }
            if deadline <= Clock.monotonicMicroseconds() { throw Child.timeout("act as", shown) }
            return nil
        } catch {
            Child.kill(id)
            return .failure(error)
        }
    }
}
