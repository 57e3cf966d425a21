import Foundation
import MDTestSupport
import Testing

/// What policy costs if there is none: no `managed-defaults` in `/etc`, `/run` and `/var/lib`, and no service.
struct UnmanagedTests {
    /// Whether system calls can be watched here: strace is installed and may trace.
    static let canTrace: Bool = {
        let strace = "/usr/bin/strace"
        guard FileManager.default.isExecutableFile(atPath: strace) else { return false }
        return (try? SpawnedProgram.run(strace, ["-o", "/dev/null", "/bin/true"]).code) == 0
    }()

    /// The system calls of a program that opens defaults on a machine and reads a key, one a line.
    private func trace(in root: String) throws -> [String] {
        let output = root + ".trace"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let program = LinkageTests.products.appendingPathComponent("managed-defaults-benchmarks").path
        let result = try SpawnedProgram.run(
            "/usr/bin/strace", ["-f", "-o", output, program, "--measure-cold", root, "managed", "org.example.A"],
            environment: ["HOME": root + "/home/user", "PATH": "/usr/bin:/bin"])
        #expect(result.code == 0, "\(result.error)")
        return try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: canTrace, "strace is not installed, or may not trace"))
    func `an unmanaged machine costs four system calls, no thread and no descriptor`() throws {
        let root = Scratch.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: root) }
        let home = root + "/home/user/.config"
        for directory in [home, root + "/etc"] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        try Data("user:x:\(getuid()):\(getgid())::/home/user:/bin/sh\n".utf8).write(
            to: URL(fileURLWithPath: root + "/etc/passwd"))
        let settings = try PropertyListSerialization.data(
            fromPropertyList: ["Key7": "value 7"], format: .xml, options: 0)
        try settings.write(to: URL(fileURLWithPath: home + "/org.example.A.plist"))
        let lines = try trace(in: root)
        let asked = lines.filter(isAboutPolicy)
        #expect(asked.count == 4, "\(asked.joined(separator: "\n"))")
        #expect(asked.allSatisfy { $0.contains("ENOENT") })
        let costly = ["inotify_init", "timerfd_create", "epoll_create"]
        let spent = lines.filter { line in costly.contains { line.contains($0) } }
        #expect(spent.isEmpty, "\(spent.joined(separator: "\n"))")
        // The store of the user's own defaults has a thread, and policy none.
        #expect(lines.filter { $0.contains(" clone3(") || $0.contains(" clone(") }.count <= 1)
        // The trace sees what it is to see: with policy there is more.
        try FileManager.default.createDirectory(
            atPath: root + "/etc/managed-defaults/policies.d", withIntermediateDirectories: true)
        let more = try trace(in: root).filter(isAboutPolicy)
        #expect(more.count > 4)
    }

    /// Whether a system call names something that policy, or what the administrator gives all users, lies in.
    private func isAboutPolicy(_ line: String) -> Bool {
        let folders = [
            "etc/managed-defaults", "run/managed-defaults", "lib/managed-defaults", "\"managed-defaults\"",
            "mdefaultsd",
        ]
        return folders.contains { line.contains($0) }
    }
}
