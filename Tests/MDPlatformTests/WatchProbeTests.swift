import Foundation
import MDTestSupport
import Testing

/// What a test cannot put on its own process.
struct WatchProbeTests {
    /// Runs a verb of the probe, by a shell in a new user namespace if a command is given.
    private func run(_ verb: String, mode: mode_t = 0o755, through shell: String = "") throws {
        let folder = try TemporaryFolder()
        try folder.directory("f", mode: 0o777)
        #expect(chmod(folder.path, mode) == 0)
        let program = try #require(Self.program)
        let result =
            shell.isEmpty
            ? try SpawnedProgram.run(program, [verb, folder("f")])
            : try SpawnedProgram.run(
                "/usr/bin/unshare", ["-Ur", "/bin/sh", "-c", "\(shell) && exec \(program) \(verb) \(folder("f"))"])
        #expect(result.code == 0, "\(result.output)\(result.error)")
    }

    /// The probe, which is built beside the tests.
    static var program: String? {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let path = folder.appendingPathComponent("watch-probe").path
            if FileManager.default.isExecutableFile(atPath: path) { return path }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    @Test(arguments: ["fork", "descriptors", "last", "closed", "exit", "overflow"])
    func `a process that forks, has no descriptors, stops, closes them, ends or loses events`(_ verb: String) throws {
        try run(verb)
    }

    @Test(.enabled(if: getuid() == 0, "only root can become somebody else"))
    func `a directory on the way that may not be read`() throws {
        try run("private", mode: 0o711)
    }

    @Test(
        .enabled(if: canLimit, "no user namespace of one's own is allowed here"), arguments: ["watches", "instances"])
    func `no quota of the kernel left`(_ quota: String) throws {
        try run("quota", through: "echo \(quota == "watches" ? 1 : 0) > /proc/sys/user/max_inotify_\(quota)")
    }

    /// Whether a user namespace has quotas of its own here.
    static let canLimit: Bool = {
        let words = ["-Ur", "/bin/sh", "-c", "echo 9 > /proc/sys/user/max_inotify_watches"]
        return (try? SpawnedProgram.run("/usr/bin/unshare", words).code) == 0
    }()
}
