import Foundation
import MDCPlatform
import MDTestSupport
import Testing

@testable import MDPlatform
@testable import MDTools

/// Work for another user happens as that user, for good.
///
/// The forks happen in processes of their own, because this one has threads.
@Suite(.timeLimit(.minutes(15)))
struct ForkedChildTests {
    @Test(.enabled(if: getuid() == 0, "only root can take on another user's identity"))
    func `a child is the user when it opens files, and cannot go back`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try folder.file("secret", "secret", mode: 0o600)
            let secret = folder("secret")
            let owner = ForkedChild.Owner(uid: 65_534, gid: 65_534, groups: [65_534, 4_242])
            let answer = try ForkedChild.runUnchecked(
                [owner], atOnce: 1, ForkedChild.Bounds(answer: 1_000, seconds: TestLimit.seconds)
            ) { _ in
                let canRead = open(secret, O_RDONLY) >= 0
                let canReturn = setuid(0) == 0 || setgid(0) == 0
                let groups = CurrentProcess.groups.sorted()
                return Array("\(getuid()) \(geteuid()) \(getgid()) \(groups) \(canRead) \(canReturn)".utf8)
            }[0].get()
            #expect(String(decoding: answer, as: UTF8.self) == "65534 65534 65534 [4242, 65534] false false")
            #expect(getuid() == 0)
        }
    }

    @Test func `a child that hangs, prints too much or dies is an error`() async {
        await #expect(processExitsWith: .success) {
            #expect(Self.code(within: 0.05) { while true { pause() } } == ETIMEDOUT)
            #expect(Self.code { [UInt8](repeating: 1, count: 100_000) } == EFBIG)
            #expect(
                Self.code {
                    kill(getpid(), SIGKILL)
                    return []
                } == ECHILD)
            #expect(Self.code { Self.leave() } == ECHILD)
            #expect(Self.code { [1, 2, 3] } == nil)
        }
    }

    /// Ends the process before it has an answer.
    static func leave() -> [UInt8] {
        _exit(3)
    }

    /// How work in a child as the same user fails; `nil` if it succeeds.
    static func code(within seconds: Double = TestLimit.seconds, _ body: () -> [UInt8]) -> Int32? {
        let answers = ForkedChild.runUnchecked(
            [self.own], atOnce: 1, ForkedChild.Bounds(answer: 1_000, memory: 64 << 20, seconds: seconds)
        ) { _ in body() }
        if case .failure(let error) = answers[0] { return error.code }
        return nil
    }

    /// The ids that this process has.
    static var own: ForkedChild.Owner {
        ForkedChild.Owner(uid: CurrentProcess.uid, gid: CurrentProcess.gid, groups: CurrentProcess.groups)
    }

    @Test func `a child that takes too much memory ends, and nothing else does`() async {
        await #expect(processExitsWith: .success) {
            // What is written to is what there has to be room for.
            #expect(Self.code { [[UInt8](repeating: 1, count: 300 << 20)[77]] } == ECHILD)
            #expect(Self.code { [[UInt8](repeating: 1, count: 20 << 20)[77]] } == nil)
        }
    }

    @Test func `children run side by side, and who does not answer keeps nobody waiting`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let answers = ForkedChild.runUnchecked(
                [ForkedChild.Owner](repeating: Self.own, count: 9), atOnce: 4,
                ForkedChild.Bounds(seconds: TestLimit.seconds)
            ) { index in
                // Each of the first four is done only when all four are there.
                try? folder.file("\(index)", "", mode: 0o600)
                while index < 4, (0..<4).contains(where: { access(folder("\($0)"), F_OK) != 0 }) {
                    Clock.pause(microseconds: 1_000)
                }
                return [UInt8](repeating: UInt8(index), count: 200_000)
            }
            #expect(answers.map { try? $0.get() } == (0..<9).map { [UInt8](repeating: $0, count: 200_000) })
            var hanging: [Result<[UInt8], SystemError>] = []
            // On a busy machine the first child may need more time for its answer.
            var limit: Int64 = 100_000
            while (try? hanging.first?.get()) == nil, limit < 1_000_000_000 {
                hanging = ForkedChild.runUnchecked(
                    [ForkedChild.Owner](repeating: Self.own, count: 7), atOnce: 2,
                    ForkedChild.Bounds(seconds: TestLimit.seconds, end: Clock.monotonicMicroseconds() + limit)
                ) { index in
                    while index > 0 { pause() }
                    return [1]
                }
                limit *= 4
            }
            #expect(try hanging[0].get() == [1])
            #expect(
                hanging.dropFirst().allSatisfy {
                    if case .failure(let error) = $0 { error.code == ETIMEDOUT } else { false }
                })
        }
    }

    @Test func `children that only wait take the place of no other one`() async {
        await #expect(processExitsWith: .success) {
            var answers: [Result<[UInt8], SystemError>] = []
            // On a busy machine the last child may need more time for its answer.
            var limit: Int64 = 2_000_000
            while (try? answers.last?.get()) == nil, limit < 1_000_000_000 {
                answers = ForkedChild.runUnchecked(
                    [ForkedChild.Owner](repeating: Self.own, count: 6), atOnce: 1,
                    ForkedChild.Bounds(seconds: TestLimit.seconds, end: Clock.monotonicMicroseconds() + limit)
                ) { index in
                    while index < 5 { pause() }
                    return [1]
                }
                limit *= 4
            }
            #expect((try? answers[5].get()) == [1])
            #expect(answers.dropLast().allSatisfy { (try? $0.get()) == nil })
        }
    }

    @Test func `an owner whose children do not come back gets no more`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            try folder.write("permits", "")
            let bounds = ForkedChild.Bounds(seconds: TestLimit.seconds, permits: folder("permits"))
            let first = Int64(Self.own.uid) * 8
            let other = open(folder("permits"), O_RDWR)
            for byte in first..<first + 8 { #expect(cplatform_try_lock_byte(other, byte) == 0) }
            let refused = ForkedChild.runUnchecked([Self.own], atOnce: 1, bounds) { _ in [1] }
            #expect(throws: SystemError.self) { try refused[0].get() }
            // Locks end with who held them, and an answer gives its own back.
            close(other)
            for _ in 0..<9 {
                let answers = ForkedChild.runUnchecked([Self.own], atOnce: 1, bounds) { _ in [1] }
                #expect(try answers[0].get() == [1])
            }
        }
    }

    /// On a busy machine a thread that has ended may be the last one that gets a processor.
    @Test func `a thread that is slow to leave is waited for`() {
        var looks = 0
        let isAlone = ForkedChild.isAlone {
            looks += 1
            return looks < 1_000 ? 2 : 1
        }
        #expect(isAlone && looks == 1_000)
    }

    @Test func `a process with several threads is refused`() {
        #expect { try ForkedChild.run(as: Self.own) { [] } } throws: {
            ($0 as? SystemError)?.code == EBUSY
        }
    }

    @Test func `without permission the identity is refused`() async {
        await #expect(processExitsWith: .success) {
            if getuid() == 0 { try CurrentProcess.assume(uid: 65_534, gid: 65_534, groups: []) }
            #expect(throws: SystemError.self) { try CurrentProcess.assume(uid: 0, gid: 0, groups: []) }
        }
    }

    @Test func `the id that means none is refused`() {
        #expect(throws: SystemError.self) { try CurrentProcess.assume(uid: .max, gid: 0, groups: []) }
        #expect(throws: SystemError.self) { try CurrentProcess.assume(uid: 0, gid: .max, groups: []) }
    }
}
