import Foundation
import MDCPlatform
import MDTestSupport
import Testing

@testable import MDPlatform

/// A lock excludes other processes and the threads of this one.
@Suite(.timeLimit(.minutes(15)))
struct LockTests {
    @Test func `a held lock is waited for, then given up`() throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        let lock = try root.lock("/lock", mode: 0o640)
        #expect(try root.status("/lock", followingLinks: false).kind == .regular)
        let start = Clock.monotonicMicroseconds()
        #expect { try root.lock("/lock", seconds: 0.1) } throws: { ($0 as? SystemError)?.code == ETIMEDOUT }
        let waited = Clock.monotonicMicroseconds() - start
        #expect(waited >= 100_000)
        withExtendedLifetime(lock) {}
    }

    @Test func `a lock ends with its value`() throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        for _ in 0..<3 { _ = try root.lock("/lock", seconds: 0) }
    }

    @Test func `threads that count under a lock lose nothing`() async throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        try folder.file("count", "0")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10 {
                        let lock = try root.lock("/lock", seconds: TestLimit.seconds)
                        let text = String(decoding: try root.read("/count", limit: 9).bytes, as: UTF8.self)
                        let count = try #require(Int(text))
                        try root.replace("/count", with: Array(String(count + 1).utf8), mode: 0o600, durable: false)
                        withExtendedLifetime(lock) {}
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try folder.text("count") == "80")
    }

    @Test func `a lock on a file that was removed meanwhile is not taken for one`() async throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        let first = try root.lock("/lock")
        let waiting = Task.detached { try root.lock("/lock", seconds: TestLimit.seconds) }
        // The task waits for the first lock as soon as it has opened the file.
        while try Self.openCount(folder("lock")) < 2 { sched_yield() }
        try root.remove("/lock")
        let second = try root.lock("/lock", seconds: TestLimit.seconds)
        withExtendedLifetime(first) {}
        #expect { try root.lock("/lock", seconds: 0) } throws: { ($0 as? SystemError)?.code == ETIMEDOUT }
        withExtendedLifetime(second) {}
        _ = consume first
        _ = consume second
        _ = try await waiting.value
    }

    /// The threads that enter a locked file: locks belong to open file descriptions.
    private final class Entries: Sendable {
        /// The names of those that entered, in this order.
        let names = Guarded<[String]>([])
        /// The root of the file.
        let root: Root

        /// Makes an empty list.
        init(_ root: Root) { self.root = root }

        /// Begins to wait for the file, enters, and leaves.
        func enter(_ name: String, hasPrecedence: Bool = false) {
            Thread.detachNewThread { [self] in
                let lock = try? root.lockInTurn(
                    "/lock", owner: geteuid(), seconds: TestLimit.seconds, hasPrecedence: hasPrecedence)
                names.withLock { $0.append(lock == nil ? "failed" : name) }
            }
        }
    }

    @Test(arguments: 0..<5)
    func `who has precedence lets in the one that was next, and nobody else`(_: Int) throws {
        let folder = try TemporaryFolder()
        let entries = Entries(try folder.root())
        let held = try entries.root.lockInTurn("/lock", owner: geteuid())
        let file = open(folder("lock"), O_RDWR | O_CLOEXEC)
        defer { close(file) }
        entries.enter("next")
        while cplatform_is_byte_locked(file, 1) == 0 { sched_yield() }
        for _ in 0..<8 { entries.enter("other") }
        entries.enter("first", hasPrecedence: true)
        while cplatform_is_byte_locked(file, 2) == 0 { sched_yield() }
        _ = consume held
        while entries.names.withLock({ $0.count }) < 10 { sched_yield() }
        let names = entries.names.withLock { $0 }
        #expect(names == ["next", "first"] + Array(repeating: "other", count: 8))
    }

    /// How many descriptors of this process lead to a path.
    static func openCount(_ path: String) throws -> Int {
        try Root.system.names(in: "/proc/self/fd").count {
            (try? Root.system.linkTarget("/proc/self/fd/\($0)")) == path
        }
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "python3 is not installed"))
    func `another process that holds the file is waited for`() throws {
        let folder = try TemporaryFolder()
        let root = try folder.root()
        try folder.file("lock", "", mode: 0o600)
        // F_OFD_SETLK is 37; the structure is l_type, l_whence, l_start, l_len, l_pid.
        let script = """
            import fcntl, struct, sys
            f = open(sys.argv[1], "r+")
            fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
            print("held", flush=True)
            sys.stdin.readline()
            """
        for name in ["output", "error"] { try folder.file(name, "") }
        #expect(mkfifo(folder("input"), 0o600) == 0)
        // Open for both directions, so that neither this process nor the other one waits for the other end.
        let input = open(folder("input"), O_RDWR | O_CLOEXEC)
        defer { close(input) }
        let holder = try SpawnedProgram(
            "/usr/bin/python3", ["-c", script, folder("lock")], environment: [:], folder: "/",
            streams: (input: folder("input"), output: folder("output"), error: folder("error")))
        while try !folder.text("output").hasPrefix("held"), try folder.text("error").isEmpty { sched_yield() }
        #expect { try root.lock("/lock", seconds: 0.05) } throws: { ($0 as? SystemError)?.code == ETIMEDOUT }
        #expect(write(input, "\n", 1) == 1)
        _ = try root.lock("/lock", seconds: TestLimit.seconds)
        let code = try holder.code(within: TestLimit.seconds)
        let problem = try folder.text("error")
        #expect(code == 0, "\(problem)")
    }

    /// A number behind a lock of its own.
    final class Counter: @unchecked Sendable {
        /// The lock of `count`.
        private let lock = Lock()
        /// The number.
        private var count = 0

        /// Counts up, and says how far.
        func up() -> Int {
            lock.acquire()
            defer { lock.release() }
            count += 1
            return count
        }
    }

    @Test func `a lock lets one thread in at a time`() async {
        let counter = Counter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1_000 { _ = counter.up() } } }
        }
        #expect(counter.up() == 8_001)
    }

    @Test func `guarded state counts right with many threads`() async {
        let guarded = Guarded(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1_000 { guarded.withLock { $0 += 1 } } } }
        }
        #expect(guarded.withLock { $0 } == 8_000)
    }
}
