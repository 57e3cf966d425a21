import Foundation
import MDTestSupport
import Testing

@testable import MDPlatform

/// Tools get nothing from outside and cannot hold anything up.
@Suite(.timeLimit(.minutes(15)))
struct SubprocessTests {
    /// Runs a line of shell.
    static func shell(_ line: String, milliseconds: Int = 600_000, limit: Int = 100_000) throws -> SubprocessResult {
        try Subprocess.run("/bin/sh", ["-c", line], timeoutMilliseconds: milliseconds, limit: limit)
    }

    @Test func `output and exit code come back`() throws {
        let result = try Self.shell("printf 'a b'; exit 7")
        #expect(result.output == Array("a b".utf8))
        #expect(result.status == 7)
        #expect(try Self.shell("kill -9 $$").status == nil)
        #expect(try Self.shell("head -c 90000 /dev/zero").output.count == 90_000)
    }

    @Test func `arguments are not a command line`() throws {
        let result = try Subprocess.run("/bin/echo", ["$(id)", "a  b", ";x"], timeoutMilliseconds: 600_000, limit: 100)
        #expect(String(decoding: result.output, as: UTF8.self) == "$(id) a  b ;x\n")
    }

    @Test func `the environment is fixed and descriptors stay here`() throws {
        setenv("MANAGED_DEFAULTS_TEST", "leak", 1)
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        let result = try Self.shell("/usr/bin/env | /usr/bin/sort; ls /proc/self/fd | /usr/bin/tr '\\n' ' '; cat")
        let lines = String(decoding: result.output, as: UTF8.self).split(separator: "\n").filter {
            // The shell adds these itself.
            !$0.hasPrefix("PWD=") && !$0.hasPrefix("SHLVL=") && !$0.hasPrefix("_=") && !$0.hasPrefix("OLDPWD=")
        }
        #expect(lines == ["LC_ALL=C", "PATH=/usr/bin:/bin", "0 1 2 3 "])
    }

    @Test func `what takes too long is killed with its children`() throws {
        let folder = try TemporaryFolder()
        var ids: [Int32] = []
        // On a busy machine the shell may need more time to start its child.
        var limit = 100
        while ids.count < 2, limit < 1_000_000 {
            #expect {
                try Self.shell("sleep 3600 & echo $$ $! > \(folder("ids")); wait", milliseconds: limit)
            } throws: {
                ($0 as? SystemError)?.code == ETIMEDOUT
            }
            ids = ((try? folder.text("ids")) ?? "").split { $0 == " " || $0 == "\n" }.compactMap { Int32($0) }
            limit *= 4
        }
        #expect(ids.count == 2)
        for id in ids { while Self.isRunning(id) { sched_yield() } }
        #expect { try Self.shell("exec >&-; sleep 3600", milliseconds: 100) } throws: {
            ($0 as? SystemError)?.code == ETIMEDOUT
        }
    }

    /// Whether a process exists and has not ended; one that nothing has waited for yet has ended.
    static func isRunning(_ id: Int32) -> Bool {
        guard let bytes = try? Root.system.read("/proc/\(id)/stat", limit: 4_096).bytes,
            let end = bytes.lastIndex(of: UInt8(ascii: ")")), end + 2 < bytes.count
        else { return false }
        return ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(bytes[end + 2])
    }

    @Test func `what prints too much is killed`() {
        #expect { try Self.shell("cat /dev/zero", limit: 1_000) } throws: { ($0 as? SystemError)?.code == EFBIG }
    }

    @Test func `a program that cannot be started is an error`() {
        for path in ["/no/such/program", "sh", "/etc/passwd", ""] {
            #expect(throws: SystemError.self) {
                try Subprocess.run(path, [], timeoutMilliseconds: 1_000, limit: 10)
            }
        }
        #expect(throws: SystemError.self) {
            try Subprocess.run("/bin/echo", ["a\0b"], timeoutMilliseconds: 1_000, limit: 10)
        }
    }
}
