import Foundation
import MDTestSupport
import Testing

/// The system calls of a short command before it answers, and what it depends on.
struct StartUpTests {
    /// Where strace is installed and may trace.
    static let strace: String? = Tool.path("strace").flatMap { path in
        (try? SpawnedProgram.run(path, ["-o", "/dev/null", "/bin/true"]).code) == 0 ? path : nil
    }

    /// System calls of the C library's memory, whose number depends on how the program was built.
    private static let memory = ["brk(", "mmap(", "munmap(", "mprotect(", "madvise(", "futex(", "getrandom("]

    /// What `forced` asks the kernel between its first words and its end, one call a line.
    private func calls(_ lab: Lab, _ words: [String]) throws -> [String] {
        let output = lab.folder + "/trace"
        let run = try SpawnedProgram.run(
            try #require(StartUpTests.strace),
            ["-f", "-o", output, MDefaultsProcess.path, "--root", lab.path, "--user", "alice"] + words,
            folder: lab.folder)
        #expect(run.output == "forced\n", "\(run.error)")
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map { line in
            // Each line begins with a process number.
            String(line.drop { $0 != " " }.drop { $0 == " " })
        }
        // What the loader and the runtime do before is not ours.
        let start = try #require(lines.firstIndex { $0.hasPrefix("rt_sigaction(SIGXFSZ") })
        return lines[start...].filter { line in !StartUpTests.memory.contains { line.hasPrefix($0) } }
    }

    @Test(.enabled(if: strace != nil, "strace is not installed, or may not trace"))
    func `one question asks the kernel no more than its table needs`() throws {
        let lab = try Lab()
        try lab.apply()
        let words = ["forced", "org.example.Browser", "HomePage"]
        let calls = try calls(lab, words)
        let witnesses = calls.filter { $0.hasPrefix("newfstatat(") && $0.contains("AT_SYMLINK_NOFOLLOW)") }
        let files = witnesses.filter { $0.contains("/policies.d/") }
        #expect(!files.isEmpty, "\(calls.joined(separator: "\n"))")
        // Beside one look at each policy file: 21 looks at what else the table depends on.
        #expect(witnesses.count - files.count <= 21, "\(witnesses.joined(separator: "\n"))")
        // The signal, the folder (2), the caller, whether there is policy (2), the table (3), users and groups (5
        // each), the answer, the end, and strace's word that it ended.
        let others = calls.filter { !witnesses.contains($0) }
        #expect(others.count <= 22, "\(others.joined(separator: "\n"))")
    }

    @Test(.enabled(if: strace != nil, "strace is not installed, or may not trace"))
    func `a policy that no time changes does not look at the clock's record`() throws {
        let lab = try Lab()
        let run = try lab.run(["policy", "apply"])
        #expect(run.code == 0, "\(run.error)")
        let calls = try calls(lab, ["forced", "org.example.Browser", "HomePage"])
        #expect(!calls.contains { $0.contains("checkpoint") }, "\(calls.joined(separator: "\n"))")
    }

    @Test(.enabled(if: strace != nil, "strace is not installed, or may not trace"))
    func `arguments arrive where /proc is not mounted`() throws {
        let lab = try Lab()
        var words = ["-f", "-o", "/dev/null", "-e", "trace=openat,open", "-e", "inject=openat,open:error=ENOENT"]
        for path in ["/proc/self/maps", "/proc/self/cmdline"] { words += ["-P", path] }
        let run = try SpawnedProgram.run(
            try #require(StartUpTests.strace),
            words + [
                MDefaultsProcess.path, "--root", lab.path, "--user", "alice", "forced", "org.example.Browser",
                "HomePage",
            ], folder: lab.folder)
        #expect(run.output == "forced\n")
        #expect(run.code == 0, "\(run.error)")
    }

    @Test(arguments: ["forced", "read", "write", "delete", "explain"])
    func `a verb that is found without the table of verbs is the one of that name`(_ verb: String) throws {
        let run = try Lab().run(["help", verb])
        #expect(run.code == 0)
        #expect(run.output.hasPrefix("mdefaults \(verb): "), "\(run.output)")
    }
}
