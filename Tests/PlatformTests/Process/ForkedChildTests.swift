import Foundation
import Testing

@testable import Platform

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
            let answer = try ForkedChild.runUnchecked(
                uid: 65_534, gid: 65_534, groups: [65_534, 4_242], limit: 1_000, seconds: 20
            ) {
                let canRead = open(secret, O_RDONLY) >= 0
                let canReturn = setuid(0) == 0 || setgid(0) == 0
                let groups = CurrentProcess.groups.sorted()
                return Array("\(getuid()) \(geteuid()) \(getgid()) \(groups) \(canRead) \(canReturn)".utf8)
            }
            #expect(String(decoding: answer, as: UTF8.self) == "65534 65534 65534 [4242, 65534] false false")
            #expect(getuid() == 0)
        }
    }

    @Test func `a child that hangs, prints too much or dies is an error`() async {
        await #expect(processExitsWith: .success) {
            #expect(Self.code { while true { pause() } } == ETIMEDOUT)
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

    /// How work in a child as the same user fails; `nil` where it does not.
    static func code(_ body: () -> [UInt8]) -> Int32? {
        let (uid, gid, groups) = (CurrentProcess.uid, CurrentProcess.gid, CurrentProcess.groups)
        do {
            _ = try ForkedChild.runUnchecked(
                uid: uid, gid: gid, groups: groups, limit: 1_000, seconds: 2, body: body)
            return nil
        } catch {
            return error.code
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
        #expect { try ForkedChild.run(uid: getuid(), gid: getgid(), groups: []) { [] } } throws: {
            ($0 as? SystemError)?.code == EBUSY
        }
    }

    @Test(.enabled(if: getuid() != 0, "root can take on every identity"))
    func `without permission the identity is refused`() {
        #expect(throws: SystemError.self) { try Identity.assume(uid: 0, gid: 0, groups: []) }
    }

    @Test func `the id that means none is refused`() {
        #expect(throws: SystemError.self) { try Identity.assume(uid: .max, gid: 0, groups: []) }
        #expect(throws: SystemError.self) { try Identity.assume(uid: 0, gid: .max, groups: []) }
    }
}
