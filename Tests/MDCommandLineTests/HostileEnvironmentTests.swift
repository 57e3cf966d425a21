import MDTestSupport
import Testing

/// A user changes the environment of the asking process: a forced key must never be answered with "not forced".
struct HostileEnvironmentTests {
    /// The question, and what is around it.
    struct Case: Sendable, CustomTestStringConvertible {
        /// A shell script; `"$@"` is the command.
        let script: String
        /// Whether the answer reaches the reader of standard output.
        var isAnswerSeen = true

        var testDescription: String { script }
    }

    static let cases: [Case] =
        [
            Case(script: "HOME=/nonexistent exec \"$@\""),
            Case(script: "HOME= exec \"$@\""),
            Case(script: "HOME=relative exec \"$@\""),
            Case(script: "unset HOME PATH; exec \"$@\""),
            Case(script: "HOME=\"$(printf '/\\377\\376')\" exec \"$@\""),
            Case(
                script: "XDG_CONFIG_HOME=/dev/null XDG_STATE_HOME=/proc XDG_DATA_HOME=x XDG_CONFIG_DIRS=:: exec \"$@\""),
            Case(script: "XDG_CONFIG_HOME=.. XDG_STATE_HOME=. XDG_RUNTIME_DIR=/dev/full exec \"$@\""),
            Case(script: "TZ=:/dev/zero TZDIR=/proc exec \"$@\""),
            Case(script: "TZ=XXX99999999999999999999 exec \"$@\""),
            Case(script: "LANG=xx_XX.NONE LC_ALL=tr_TR.UTF-8 LANGUAGE=:::: exec \"$@\""),
            Case(script: "PATH=. exec \"$@\""),
            Case(
                script:
                    "SWIFT_BACKTRACE=x MDEFAULTS_ROOT=/tmp MANAGED_DEFAULTS_ROOT=/tmp ROOT=/tmp USER=root exec \"$@\""),
            Case(script: "DCONF_PROFILE=/dev/null GSETTINGS_BACKEND=memory CFFIXED_USER_HOME=/tmp exec \"$@\""),
            Case(script: "exec \"$@\" <&-"),
            Case(script: "exec \"$@\" >&-", isAnswerSeen: false),
            Case(script: "exec \"$@\" 2>&-"),
            Case(script: "exec \"$@\" <&- 2>&-"),
            Case(script: "exec \"$@\" <&- >&- 2>&-", isAnswerSeen: false),
            Case(script: "exec \"$@\" >/dev/full", isAnswerSeen: false),
            Case(script: "mkdir gone && cd gone && rmdir ../gone && exec \"$@\""),
            Case(script: "ulimit -f 0; exec env --default-signal=XFSZ \"$@\""),
            Case(script: "ulimit -c 0; ulimit -s 256; exec \"$@\""),
            Case(script: "exec prlimit --nproc=1 \"$@\""),
            Case(script: "umask 777; exec \"$@\""),
            Case(script: "trap '' PIPE HUP TERM XFSZ; ulimit -f 0; exec \"$@\""),
        ] + (3...20).map { Case(script: "ulimit -n \($0); exec \"$@\"") }

    @Test(arguments: cases) func `a forced key never becomes free`(_ example: Case) throws {
        let lab = try Lab()
        // Once in an unused machine, and once in one whose policy is recorded.
        for round in 1...2 {
            let result = try ask(lab, example.script)
            if result.code == 0 {
                #expect(!example.isAnswerSeen || result.output == "forced\n", "\(round): \(result)")
            } else {
                // 127 is the loader's: so few descriptors that the program did not even begin.
                #expect([2, 4, 5, 127].contains(result.code), "\(round): \(result)")
                #expect(result.output == "", "\(round): \(result)")
                // No sentence fits into a closed stream, or into a file that must not grow.
                let isSilent = example.script.contains("2>&-") || example.script.contains("ulimit -f")
                #expect(!result.error.isEmpty || isSilent, "\(round): \(result)")
            }
            #expect(!result.output.contains("not forced"), "\(round): \(result)")
            if round == 1 { try lab.apply() }
        }
    }

    @Test(arguments: 3...20) func `a write to a forced key never succeeds`(_ descriptors: Int) throws {
        let lab = try Lab()
        #expect(try lab.run(["forced"]).code == 0)
        let before = try lab.stored("bob", "org.example.Browser")
        let words = ["--root", lab.path, "--user", "bob", "write", "org.example.Browser", "HomePage", "x"]
        let script = "ulimit -n \(descriptors); exec \"$@\""
        let result = try SpawnedProgram.run("/bin/sh", ["-c", script, "sh", MDefaultsProcess.path] + words)
        #expect([2, 3, 4, 127].contains(result.code), "\(result)")
        #expect(!result.error.isEmpty)
        #expect(try lab.stored("bob", "org.example.Browser") == before)
    }

    /// The tests' own process hands some of its descriptors down; without those 13 are enough.
    @Test func `the usual number of descriptors is not needed`() throws {
        let lab = try Lab()
        let result = try ask(lab, "ulimit -n 64; exec \"$@\"")
        #expect(result.code == 0)
        #expect(result.output == "forced\n")
    }

    /// Asks whether the home page is forced, in a shell that did something before.
    private func ask(_ lab: Lab, _ script: String) throws -> SpawnedProgram.Result {
        let question = ["--root", lab.path, "--user", "alice", "forced", "org.example.Browser", "HomePage"]
        return try SpawnedProgram.run(
            "/bin/sh", ["-c", script, "sh", MDefaultsProcess.path] + question, folder: lab.folder)
    }
}
