import Foundation
import MDTestSupport
import Testing

/// What a user can do to the application that asks: a forced key never comes out as free.
struct HostileLibraryTests {
    /// Whether user name spaces can be made here.
    private static let canUnshare = (try? SpawnedProgram.run("/usr/bin/env", ["unshare", "-Ur", "true"]))?.code == 0
    /// Shell scripts around the program, which is `"$@"`.
    static let scripts: [String] =
        [
            "HOME=/nonexistent exec \"$@\"", "HOME= exec \"$@\"", "HOME=relative exec \"$@\"",
            "unset HOME PATH; exec \"$@\"",
            "XDG_CONFIG_HOME=/dev/null XDG_STATE_HOME=/proc XDG_RUNTIME_DIR=/dev/full exec \"$@\"",
            "XDG_CONFIG_HOME=.. XDG_STATE_HOME=. XDG_CONFIG_DIRS=:: exec \"$@\"",
            "TZ=:/dev/zero TZDIR=/proc exec \"$@\"", "TZ=XXX99999999999999999999 TZDIR=. exec \"$@\"",
            "LANG=xx_XX.NONE LC_ALL=tr_TR.UTF-8 LANGUAGE=:::: exec \"$@\"", "PATH=. exec \"$@\"",
            "cd \"$(mktemp -d)\" && rmdir \"$PWD\" && exec \"$@\"", "umask 777; exec \"$@\"",
            "exec \"$@\" <&-", "exec \"$@\" 2>&-", "exec \"$@\" <&- 2>&-",
            "ulimit -c 0; ulimit -s 512; exec \"$@\"", "exec prlimit --nproc=1 \"$@\"",
            "ulimit -f 0; exec env --default-signal=XFSZ \"$@\"",
        ]
        + (3...16).map { "ulimit -n \($0); exec \"$@\"" }
        + [20, 60, 100, 200, 400].map { "ulimit -v \($0)000; exec \"$@\"" }

    /// Scripts that make name spaces.
    static let spaces = [
        "exec unshare -U \"$@\"", "exec unshare -Ur \"$@\"",
        "exec unshare -Ur --uts sh -c 'hostname elsewhere 2>/dev/null; exec \"$@\"' sh \"$@\"",
        "exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_inotify_instances; exec \"$@\"' sh \"$@\"",
        "exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_inotify_watches; exec \"$@\"' sh \"$@\"",
    ]

    /// Scripts that hide policy with an empty directory, whose owner is the root of the user's name space.
    static let hidden = ["/etc/managed-defaults", "/etc/managed-defaults/policies.d", "/etc"].map {
        "exec unshare -Urm sh -c 'mount -t tmpfs -o mode=755 none \($0) || exit 78; exec \"$@\"' sh \"$@\""
    }

    /// Holds what the program said to what it may say: policy, a failure, or that what is forced is unknown.
    private func check(_ result: SpawnedProgram.Result, _ script: String) {
        let words = result.output.split(whereSeparator: { $0 == " " || $0 == "\n" }).map(String.init)
        #expect(!result.output.contains("free"), "\(script): \(result)")
        #expect(!words.contains("mine") && !words.contains("stored"), "\(script): \(result)")
        if result.code == 0 {
            // Forced without a value if policy could not be read, or the caller is unknown; otherwise as it is in
            // force.
            let isUserUnknown = script.contains("unshare") && words == ["forced", "-", "refused"]
            #expect(
                isUserUnknown || words == ["forced", "policy", "refused"] || words == ["forced", "-", "invalid"],
                "\(script): \(result)")
        }
    }

    @Test(arguments: scripts) func `a forced key stays forced`(_ script: String) throws { try ask(script) }

    @Test(.enabled(if: canUnshare, "no user name spaces can be made here"), arguments: spaces)
    func `a forced key stays forced in namespaces`(_ script: String) throws { try ask(script) }

    /// Asks in an unused machine, and in one whose policy was applied.
    private func ask(_ script: String) throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "etc/managed-defaults/policies.d/50-a.json",
            """
            { "Identifier": "edu.example.a", "Target": { "Hosts": ["room1-*"] },
              "Forced": { "\(TemporaryMachine.domain)": { "Page": "policy" } } }
            """)
        try machine.write("home/pupil/.config/\(TemporaryMachine.domain).plist", "{ Page = mine; }")
        for isApplied in [false, true] {
            if isApplied { #expect(try machine.applies()) }
            let words = [
                "-c", script, "sh", TemporaryMachine.program("library-probe"), machine.path, "pupil",
                TemporaryMachine.domain,
                "Page",
            ]
            check(try SpawnedProgram.run("/bin/sh", words), script)
        }
    }

    /// A process that prints then must not write into what the library opened in the place of a stream.
    @Test func `without standard streams nothing takes their place`() throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "etc/managed-defaults/policies.d/50-a.json",
            """
            { "Identifier": "edu.example.a", "Target": { "NotAfter": "2999-01-01T00:00:00Z" },
              "Forced": { "\(TemporaryMachine.domain)": { "Page": "policy" } } }
            """)
        for isApplied in [false, true] {
            if isApplied { #expect(try machine.applies()) }
            let answer = machine.path + "/answer"
            let result = try SpawnedProgram.run(
                "/bin/sh",
                [
                    "-c", "exec \"$@\" <&- >&- 2>&-", "sh", TemporaryMachine.program("library-probe"), machine.path,
                    "pupil", TemporaryMachine.domain, "Page", "into", answer,
                ])
            #expect(result.code == 0)
            #expect(try String(contentsOfFile: answer, encoding: .utf8) == "forced policy refused\n")
        }
    }

    @Test func `the usual surroundings give the usual answer`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a", "Page", "policy")
        let words = [machine.path, "pupil", TemporaryMachine.domain]
        let program = TemporaryMachine.program("library-probe")
        #expect(try SpawnedProgram.run(program, words + ["Page"]).output == "forced policy refused\n")
        #expect(try SpawnedProgram.run(program, words + ["Other"]).output == "free - stored\n")
    }

    /// The running system itself, as an unprivileged user sees it, in directories that are this test's own.
    @Test(
        .enabled(if: OwnMachine.isPossible, OwnMachine.need),
        arguments: [
            "exec \"$@\"", "unset HOME PATH; exec \"$@\"", "exec unshare -U \"$@\"", "exec unshare -Ur \"$@\"",
            "exec unshare -Ur --uts sh -c 'hostname elsewhere; exec \"$@\"' sh \"$@\"", "ulimit -n 4; exec \"$@\"",
            "exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_inotify_instances; exec \"$@\"' sh \"$@\"",
            "TZ=/dev/zero TZDIR=/proc LC_ALL=tr_TR XDG_CONFIG_HOME=/proc exec \"$@\"",
        ] + hidden)
    func `the machine itself stays managed`(_ script: String) throws {
        let policy = """
            { "Identifier": "edu.example.a", "Target": { "Hosts": ["room1-*"], "Groups": ["pupils"] },
              "Forced": { "\(TemporaryMachine.domain)": { "Page": "policy" } } }
            """
        let setup = """
            \(OwnMachine.setup)
            printf 'root:x:0:\\npupil:x:1001:\\npupils:x:1002:pupil\\n' > /etc/group
            printf 'passwd: nowhere\\ngroup: nowhere\\n' > /etc/nsswitch.conf
            printf '%s' "$3" > /etc/managed-defaults/policies.d/50-a.json
            "$1" policy apply > /dev/null || exit 77
            exec setpriv --reuid 1001 --regid 1001 --groups 1001,1002 /bin/sh -c "$4" sh "$2" / - "$5" Page
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", TemporaryMachine.program("mdefaults"),
                TemporaryMachine.program("library-probe"), policy, script, TemporaryMachine.domain,
            ])
        #expect(result.code != 77, "\(result)")
        if result.code == 78 { print("skipped: a user may not make these mounts here: \(script)") }
        check(result, script)
        if script == "exec \"$@\"" { #expect(result.output == "forced policy refused\n", "\(result)") }
    }

    /// Without a thread that watches, opening an object tells the observers of others, on the caller's own thread.
    @Test(.enabled(if: OwnMachine.isPossible, OwnMachine.need))
    func `an observer may ask for the shared object while it is opened`() throws {
        let setup = """
            \(OwnMachine.setup)
            put() { printf '%s' "$1" > /etc/new; mv /etc/new /etc/managed-defaults/policies.d/50-a.json; }
            put "$3"; "$1" policy apply > /dev/null || exit 77
            mkfifo -m 666 /run/go /run/said
            setpriv --reuid 1001 --regid 1001 --clear-groups \\
                prlimit --nproc=1 "$2" / - "$5" Page again < /run/go > /run/said &
            exec 8> /run/go 9< /run/said
            read -r line <&9; echo "$line"; sed -n 's/^Threads:.//p' /proc/$!/status
            put "$4"; echo >&8
            cat <&9
            wait $!
            """
        let policies = ["one", "two"].map { TemporaryMachine.policy("a", "Page", $0) }
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-ec", setup, "sh", TemporaryMachine.program("mdefaults"),
                TemporaryMachine.program("library-probe"), policies[0], policies[1], TemporaryMachine.domain,
            ])
        // A program that waits for itself is ended by its alarm.
        #expect(result.code == 0 && result.output == "ready\n1\ntold two\nopened\n", "\(result)")
    }

    /// A rule that looks at the host's name, and what forces the key.
    static let hostRules = [
        #""Target": { "Hosts": ["room1-*"] }"#, #""Target": { "Except": { "Hosts": ["elsewhere"] } }"#,
        #""Waivers": [ { "Hosts": ["elsewhere"], "Domain": "org.example.App", "Key": "Page", "Until": "#
            + #""2999-01-01T00:00:00Z", "Reason": "r" } ]"#,
    ]

    /// If no file tells the machine's name, the kernel's is recorded, and what a user calls a namespace counts for nothing.
    @Test(.enabled(if: OwnMachine.isPossible, OwnMachine.need), arguments: hostRules)
    func `a host name of the user's own making tells nothing`(_ rule: String) throws {
        #expect(TemporaryMachine.domain == "org.example.App")
        let policy = """
            { "Identifier": "edu.example.a", \(rule), "Forced": { "\(TemporaryMachine.domain)": { "Page": "policy" } } }
            """
        let setup = """
            \(OwnMachine.setup)
            rm /etc/hostname; hostname "$4"
            printf 'root:x:0:\\npupil:x:1001:\\n' > /etc/group
            printf '%s' "$3" > /etc/managed-defaults/policies.d/50-a.json
            "$1" policy apply > /dev/null || exit 77
            exec setpriv --reuid 1001 --regid 1001 --clear-groups /bin/sh -c "$5" sh "$2" / - "$6" Page
            """
        let own = "exec unshare -Ur --uts sh -c 'hostname elsewhere || exit 78; exec \"$@\"' sh \"$@\""
        let cases = [
            ("room1-pc01", "exec \"$@\"", true), ("elsewhere", "exec \"$@\"", false), ("room1-pc01", own, true),
        ]
        for (host, script, isForced) in cases {
            let result = try SpawnedProgram.run(
                "/usr/bin/env",
                [
                    "unshare", "-m", "--uts", "/bin/sh", "-ec", setup, "sh", TemporaryMachine.program("mdefaults"),
                    TemporaryMachine.program("library-probe"), policy, host, script, TemporaryMachine.domain,
                ])
            if result.code == 78 {
                print("skipped: a user may not do this here: \(script)")
                continue
            }
            #expect(result.code == 0, "\(script): \(result)")
            let answer = isForced ? "forced policy refused\n" : "free - stored\n"
            #expect(result.output == answer, "\(script): \(result)")
        }
    }
}
