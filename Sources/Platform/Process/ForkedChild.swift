import CPlatform
import Glibc

/// Does work as other users, in children, so that this process keeps its own identity.
package enum ForkedChild {
    /// The ids that a child takes on before it does anything.
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

    /// What a child may take.
    package struct Bounds: Sendable {
        /// The most bytes of its answer.
        package var answer = 64 << 20
        /// How much memory it may take beside what this process has, in bytes; `nil` for as much as there is.
        package var memory: Int?
        /// How long it may take.
        package var seconds = 60.0
        /// When every child has to be done, in monotonic microseconds; `nil` where only each one is bounded.
        package var end: Int64?

        /// Makes bounds.
        package init(answer: Int = 64 << 20, memory: Int? = nil, seconds: Double = 60, end: Int64? = nil) {
            (self.answer, self.memory, self.seconds, self.end) = (answer, memory, seconds, end)
        }
    }

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
    /// - Throws: ETIMEDOUT after the time of `bounds`, EFBIG beyond their bytes, EBUSY with several threads, ECHILD where
    ///   the child ended in another way than by returning.
    package static func run(
        as owner: Owner, _ bounds: Bounds = Bounds(), body: () -> [UInt8]
    ) throws(SystemError) -> [UInt8] {
        let answers = runAll([owner], atOnce: 1, bounds) { _ in body() }
        return try answers[0].get()
    }

    /// Runs `body` once for each owner, in children that have taken on their ids, several of them at once.
    ///
    /// - Parameters:
    ///   - owners: the owners.
    ///   - count: how many children there are at most at a time.
    ///   - bounds: what each of them may take.
    ///   - body: the work, for the owner of an index.
    /// - Returns: what `body` returned or why there is no answer, as ``run(as:_:body:)`` throws it, for each owner.
    package static func runAll(
        _ owners: [Owner], atOnce count: Int, _ bounds: Bounds, body: (Int) -> [UInt8]
    ) -> [Result<[UInt8], SystemError>] {
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

    /// Runs children without a look at the threads.
    static func runUnchecked(
        _ owners: [Owner], atOnce count: Int, _ bounds: Bounds, body: (Int) -> [UInt8]
    ) -> [Result<[UInt8], SystemError>] {
        var answers = [Result<[UInt8], SystemError>?](repeating: nil, count: owners.count)
        var running: [RunningChild] = []
        var next = 0
        while next < owners.count || !running.isEmpty {
            while next < owners.count, running.count < max(count, 1) {
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
            RunningChild.wait(for: running)
            running.removeAll { child in
                guard let answer = child.take(limit: bounds.answer) else { return false }
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
        let pipe = try Pipe(shown: owner.shown)
        let child = try SystemCall.run("act as", owner.shown) { cplatform_fork() }
        if child == 0 {
            pipe.closeReading()
            // What others answer is none of this user's business.
            for other in others { other.pipe.closeReading() }
            becomeChild(owner, memory: memory, output: pipe.writing, body)
        }
        pipe.closeWriting()
        let own = Clock.monotonicMicroseconds() + Int64(min(max(bounds.seconds, 0), 3_600) * 1_000_000)
        return RunningChild(
            index: index, id: child, pipe: pipe, deadline: min(own, bounds.end ?? own), shown: owner.shown)
    }

    /// What the result of a child means.
    ///
    /// - Parameters:
    ///   - output: everything that it wrote.
    ///   - status: its exit code; `nil` where it has none.
    ///   - shown: whom it acted as.
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

    /// What the child does instead of returning.
    private static func becomeChild(_ owner: Owner, memory: Int?, output: Int32, _ body: () -> [UInt8]) -> Never {
        // A group of its own, so that a parent that gives up ends what the child has started as well.
        _ = setpgid(0, 0)
        let file = FileDescriptor(owning: output)
        do throws(SystemError) {
            if let memory { try bound(memory: memory, shown: owner.shown) }
            try Identity.assume(uid: owner.uid, gid: owner.gid, groups: owner.groups)
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
            // Whoever started this process may allow less already.
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
