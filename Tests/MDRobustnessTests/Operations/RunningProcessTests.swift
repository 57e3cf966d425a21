import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import ManagedDefaults
import Testing

/// What a program that runs sees while policy files are replaced, in all the ways in which people and tools do that.
struct RunningProcessTests {
    /// A way to put a new text in the place of a policy file: a shell script with `$1` the file and `$2` a file that has
    /// the new text and does not lie beside it.
    struct Way: Sendable, CustomTestStringConvertible {
        /// The script.
        let script: String
        /// The tool that it needs.
        var tool: String?

        var testDescription: String { script }

        /// Whether it can be gone here.
        var isPossible: Bool {
            guard let tool else { return true }
            return ["/usr/bin/", "/bin/"].contains { FileManager.default.isExecutableFile(atPath: $0 + tool) }
        }
    }

    static let ways: [Way] = [
        Way(script: "cp \"$2\" \"$1\""),
        Way(script: "cat \"$2\" > \"$1\""),
        // nano: a backup, then in place, in parts.
        Way(
            script:
                "cp \"$1\" \"$1~\"; : > \"$1\"; head -c 20 \"$2\" >> \"$1\"; tail -c +21 \"$2\" >> \"$1\"; rm \"$1~\""),
        // vim with backupcopy=no: the old file becomes the backup, a new one gets the name.
        Way(script: "mv \"$1\" \"$1~\"; cat \"$2\" > \"$1\"; rm \"$1~\""),
        Way(
            script:
                "new=$(grep -o 'value[0-9]*' \"$2\"); vim -u NONE -N -i NONE -n -es -c 'set backup writebackup' -c \"%s/value[0-9]*/$new/\" -c wq \"$1\" </dev/null; rm -f \"$1~\"",
            tool: "vim"),
        Way(script: "new=$(grep -o 'value[0-9]*' \"$2\"); sed -i \"s/value[0-9]*/$new/\" \"$1\"", tool: "sed"),
        // rsync: a file with a dot and random letters, then a rename.
        Way(
            script:
                "d=$(dirname \"$1\"); cp \"$2\" \"$d/.$(basename \"$1\").Xq3Ud1\"; mv \"$d/.$(basename \"$1\").Xq3Ud1\" \"$1\""
        ),
        Way(script: "rsync -a \"$2\" \"$1\"", tool: "rsync"),
        // dpkg: unpacked beside, a link to the old one, then a rename.
        Way(
            script:
                "cp \"$2\" \"$1.dpkg-new\"; ln \"$1\" \"$1.dpkg-tmp\"; mv \"$1.dpkg-new\" \"$1\"; rm \"$1.dpkg-tmp\""),
        // rpm, puppet, ansible: a temporary name, then a rename.
        Way(script: "cp \"$2\" \"$1;5f3a\"; mv \"$1;5f3a\" \"$1\""),
        Way(
            script:
                "cp \"$2\" \"$(dirname \"$1\")/.ansible_tmp8x\"; chmod 644 \"$(dirname \"$1\")/.ansible_tmp8x\"; mv \"$(dirname \"$1\")/.ansible_tmp8x\" \"$1\""
        ),
        // A checkout removes the old file and writes a new one.
        Way(
            script:
                "d=$(dirname \"$1\"); cd \"$d\"; g='git -c user.name=a -c user.email=a@b -c init.defaultBranch=m'; [ -d .git ] || { $g init -q; $g add .; $g commit -qm a; }; $g checkout -q -B new; cp \"$2\" /tmp/x$$; $g rm -q --cached \"$1\"; b=$($g hash-object -w \"$2\"); $g update-index --add --cacheinfo 100644,$b,$(basename \"$1\"); $g commit -qm b; $g checkout -qf new; rm -f /tmp/x$$",
            tool: "git"),
    ]

    @Test(arguments: ways.filter(\.isPossible)) func `nobody ever sees half a policy`(_ way: Way) throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a", "Page", "value0")
        #expect(try machine.applies())
        let watcher = try WatchingProgram(machine, key: "Page")
        #expect(watcher.waits(for: "forced value0"))
        let file = machine.policies + "/50-a.json"
        for round in 1...3 {
            try machine.write("new", TemporaryMachine.policy("a", "Page", "value\(round)"))
            let result = try SpawnedProgram.run("/bin/sh", ["-ec", way.script, "sh", file, machine.path + "/new"])
            #expect(result.code == 0, "\(result)")
            #expect(watcher.waits(for: "forced value\(round)"), "\(watcher.lines)")
            // The next gap shows what was recorded last.
            #expect(try machine.applies())
        }
        #expect(watcher.lines == (0...3).map { "forced value\($0)" })
    }

    /// Each look is that of a program that starts at this moment.
    @Test func `who starts while an editor saves sees no gap`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a", "Page", "value")
        #expect(try machine.applies())
        // The old file is the backup before there is a new one; as long as it takes this shell to go on.
        let script = """
            text=$(cat "$1"); n=0
            while [ $n -lt 100 ]; do mv "$1" "$1~"; printf '%s' "$text" > "$1"; rm "$1~"; n=$((n + 1)); done
            """
        let file = machine.policies + "/50-a.json"
        let isOver = Guarded(false)
        let code = Guarded<Int32?>(nil)
        // A thread, because a task may not begin before all other tests are over, and the looks would go on until then.
        Thread.detachNewThread {
            let result = try? SpawnedProgram.run("/bin/sh", ["-ec", script, "sh", file])
            code.withLock { $0 = result?.code }
            isOver.withLock { $0 = true }
        }
        var looks = 0
        while !isOver.withLock({ $0 }) {
            #expect(try machine.forced("Page") == .string("value"))
            looks += 1
        }
        #expect(code.withLock { $0 } == 0 && looks > 5)
        // What stays away is in force until that is recorded.
        try FileManager.default.removeItem(atPath: file)
        #expect(try machine.forced("Page") == .string("value"))
        #expect(try machine.applies())
        #expect(try machine.forced("Page") == nil)
    }

    /// Both directories go, and with them the home of policy.
    @Test func `a folder that is moved away frees nothing`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a", "Page", "value")
        #expect(try machine.applies())
        let watcher = try WatchingProgram(machine, key: "Page")
        #expect(watcher.waits(for: "forced value"))
        let words = [machine.path, "pupil", TemporaryMachine.domain, "Page"]
        for part in ["etc/managed-defaults", "etc/managed-defaults/policies.d", "etc/managed-defaults"] {
            let (here, away) = ("\(machine.path)/\(part)", machine.path + "/away")
            try FileManager.default.moveItem(atPath: here, toPath: away)
            let start = try SpawnedProgram.run(TemporaryMachine.program("library-probe"), words)
            #expect(start.output == "forced value refused\n")
            #expect(try machine.run([], "forced", TemporaryMachine.domain, "Page").output == "forced\n")
            // A missing directory lets nothing go, however often policy is applied.
            _ = try machine.applies()
            #expect(try machine.forced("Page") == .string("value"))
            try FileManager.default.moveItem(atPath: away, toPath: here)
        }
        try machine.force("50-a", "Page", "new")
        #expect(watcher.waits(for: "forced new"), "\(watcher.lines)")
        #expect(watcher.lines == ["forced value", "forced new"])
    }

    /// A restore, or the switch of an image: `/etc/managed-defaults` and `/var/lib/managed-defaults` go together.
    @Test func `both folders away free nothing until a record says so`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a", "Page", "value")
        #expect(try machine.applies())
        let running = try ManagedDefaults(root: machine.path, user: "pupil", application: TemporaryMachine.domain)
        #expect(running.string(forKey: "Page") == "value")
        let looks = Guarded((all: 0, free: 0, threads: 0, isOver: false))
        for _ in 0..<2 {
            looks.withLock { $0.threads += 1 }
            Thread.detachNewThread {
                while !looks.withLock({ $0.isOver }) {
                    for _ in 0..<100 {
                        let isForced =
                            running.objectIsForced(forKey: "Page") && running.string(forKey: "Page") == "value"
                        looks.withLock { ($0.all, $0.free) = ($0.all + 1, $0.free + (isForced ? 0 : 1)) }
                    }
                }
                looks.withLock { $0.threads -= 1 }
            }
        }
        let end = Clock.monotonicMicroseconds() + 60_000_000
        let parts = ["etc/managed-defaults", "var/lib/managed-defaults"]
        /// Moves folders away or back.
        func move(_ parts: [String], isBack: Bool) throws {
            for (number, part) in parts.enumerated() {
                let (here, away) = ("\(machine.path)/\(part)", "\(machine.path)/away\(number)")
                try FileManager.default.moveItem(atPath: isBack ? away : here, toPath: isBack ? here : away)
            }
        }
        /// Waits until a program that runs has said that it retains policy.
        func isRetained() -> Bool {
            while Clock.monotonicMicroseconds() < end {
                if running.drainProblems().contains(where: { $0.description.contains("what was in force before stays") }
                ) {
                    return true
                }
                Clock.pause(microseconds: 2_000)
            }
            return false
        }
        for round in 0..<2 {
            try move(parts, isBack: false)
            #expect(isRetained())
            // The service's root part may run meanwhile.
            #expect(try machine.run([], "policy", "apply").code == 0)
            try move(parts, isBack: true)
            // It follows again.
            try machine.force("60-b", "Other", "round \(round)")
            while running.string(forKey: "Other") != "round \(round)", Clock.monotonicMicroseconds() < end {
                Clock.pause(microseconds: 2_000)
            }
            #expect(running.string(forKey: "Other") == "round \(round)")
            #expect(try machine.applies())
        }
        looks.withLock { $0.isOver = true }
        while looks.withLock({ $0.threads }) > 0 { Clock.pause(microseconds: 1_000) }
        #expect(looks.withLock { $0.free } == 0 && looks.withLock { $0.all } > 1_000)
        try move(parts, isBack: false)
        #expect(isRetained())
        #expect(try machine.run([], "policy", "forget").code == 0)
        while running.objectIsForced(forKey: "Page"), Clock.monotonicMicroseconds() < end {
            Clock.pause(microseconds: 2_000)
        }
        #expect(!running.objectIsForced(forKey: "Page") && running.string(forKey: "Page") == nil)
        // What is forgotten stays so without the record.
        try FileManager.default.removeItem(atPath: machine.path + "/var/lib/managed-defaults")
        #expect(!running.objectIsForced(forKey: "Page") && running.synchronize())
        #expect(!running.objectIsForced(forKey: "Page"))
    }

    /// The file is broken and its copy is lost: a new process knows nothing, and a running one keeps what it knew.
    @Test func `a running process keeps what it knew when policy becomes unknown`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a", "Page", "value")
        #expect(try machine.applies())
        let running = try ManagedDefaults(root: machine.path, user: "pupil", application: TemporaryMachine.domain)
        #expect(running.string(forKey: "Page") == "value")
        let copies = machine.path + "/var/lib/managed-defaults/good"
        for copy in try FileManager.default.contentsOfDirectory(atPath: copies) {
            try FileManager.default.removeItem(atPath: "\(copies)/\(copy)")
        }
        try machine.write("etc/managed-defaults/policies.d/50-a.json", "junk")
        let end = Clock.monotonicMicroseconds() + 60_000_000
        var said: [String] = []
        while !said.contains(where: { $0.contains("what was in force before stays") }),
            Clock.monotonicMicroseconds() < end
        {
            #expect(running.objectIsForced(forKey: "Page") && running.string(forKey: "Page") == "value")
            #expect(!running.objectIsForced(forKey: "Other"))
            said += running.drainProblems().map(\.description)
            Clock.pause(microseconds: 2_000)
        }
        #expect(said.contains { $0.contains("what was in force before stays") }, "\(said)")
        #expect(running.objectIsForced(forKey: "Page") && running.string(forKey: "Page") == "value")
        let probe = TemporaryMachine.program("library-probe")
        for key in ["Page", "Other"] {
            let start = try SpawnedProgram.run(probe, [machine.path, "pupil", TemporaryMachine.domain, key])
            #expect(start.output == "forced - invalid\n")
        }
        #expect(try machine.run([], "forced", TemporaryMachine.domain, "Page").code == 4)
        // A file that is good ends it.
        try machine.force("50-a", "Page", "new")
        while running.string(forKey: "Page") != "new", Clock.monotonicMicroseconds() < end {
            Clock.pause(microseconds: 2_000)
        }
        #expect(running.string(forKey: "Page") == "new")
    }

    @Test func `damage of what is kept never blinks`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a", "Page", "value0")
        #expect(try machine.applies())
        let watcher = try WatchingProgram(machine, key: "Page")
        #expect(watcher.waits(for: "forced value0"))
        let home = machine.path + "/var/lib/managed-defaults"
        let damages = [
            ": > \"$1\"", "head -c 40 \"$1\" > \"$1.x\"; cat \"$1.x\" > \"$1\"; rm \"$1.x\"",
            "printf 'managed' > \"$1.x\"; mv \"$1.x\" \"$1\"", "rm \"$1\"", "chmod 666 \"$1\"",
            "rm \"$1\"; mkdir \"$1\"",
            "rm -r \"$1\"; ln -s /etc/passwd \"$1\"", "rm \"$1\"; mkfifo \"$1\"",
            "rm \"$1\"; head -c 100000 /dev/urandom > \"$1\"",
        ]
        var round = 0
        for damage in damages {
            for name in ["policy.table", "policy.record"] {
                let script = "[ -e \"$1\" ] || : > \"$1\"; \(damage)"
                let words = ["-ec", script, "sh", "\(home)/\(name)"]
                #expect(try SpawnedProgram.run("/bin/sh", words).code == 0, "\(damage)")
                // A process that reads policy now reads the damaged file.
                round += 1
                try machine.force("60-x\(round)", "Other", "x")
                #expect(try machine.forced("Page") == .string("value0"), "\(damage) \(name)")
                try? FileManager.default.removeItem(atPath: "\(home)/\(name)")
                #expect(try machine.applies(), "\(damage) \(name)")
                #expect(try machine.forced("Page") == .string("value0"), "\(damage) \(name)")
            }
        }
        try machine.force("50-a", "Page", "value1")
        #expect(watcher.waits(for: "forced value1"))
        #expect(watcher.lines == ["forced value0", "forced value1"])
    }

    @Test func `a rollback is seen as one change`() throws {
        let machine = try TemporaryMachine()
        try machine.force("50-a", "Page", "value0")
        #expect(try machine.applies())
        // The key moves to another file, and both files change places.
        try machine.force("40-b", "Page", "value1")
        try machine.force("50-a", "Other", "x")
        #expect(try machine.applies())
        let watcher = try WatchingProgram(machine, key: "Page")
        #expect(watcher.waits(for: "forced value1"))
        #expect(try machine.run([], "policy", "rollback", "--yes", "1").code == 0)
        #expect(watcher.waits(for: "forced value0"))
        #expect(try machine.run([], "policy", "rollback", "--yes", "2").code == 0)
        #expect(watcher.waits(for: "forced value1"))
        #expect(watcher.lines == ["forced value1", "forced value0", "forced value1"])
    }

    /// What a program has to do without: shell scripts around it, which is `"$@"`.
    static let wants = [
        "exec \"$@\"", "ulimit -n 64; exec \"$@\"",
        "exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_inotify_instances; exec \"$@\"' sh \"$@\"",
        "exec unshare -Ur sh -c 'echo 0 > /proc/sys/user/max_inotify_watches; exec \"$@\"' sh \"$@\"",
    ]

    /// Whether user name spaces can be made here.
    private static let canUnshare = (try? SpawnedProgram.run("/usr/bin/env", ["unshare", "-Ur", "true"]))?.code == 0

    @Test(arguments: wants) func `changes and boundaries are seen without the kernel's help`(_ script: String) throws {
        if script.contains("unshare"), !RunningProcessTests.canUnshare { return }
        var isApplied = false
        try watch(try TemporaryMachine(), in: script) { machine in
            // What comes later is found by the program itself.
            if !isApplied {
                let isDone = try machine.applies()
                #expect(isDone)
            }
            isApplied = true
        }
    }

    /// Ways to give the machine another name: shell scripts with `$1` the file and `$2` the name.
    static let namings = [
        "echo \"$2\" > \"$1\"", "echo \"$2\" > \"$1.new\"; mv \"$1.new\" \"$1\"", "rm \"$1\"; echo \"$2\" > \"$1\"",
    ]

    @Test(arguments: namings) func `another name of the machine counts`(_ naming: String) throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "etc/managed-defaults/policies.d/10-a.json",
            """
            { "Identifier": "edu.example.a", "Target": { "Hosts": ["exam-*"] },
              "Forced": { "\(TemporaryMachine.domain)": { "Page": "exam" } } }
            """)
        #expect(try machine.applies())
        let watcher = try WatchingProgram(machine, key: "Page")
        #expect(watcher.waits(for: "free -"), "\(watcher.lines)")
        for (name, line) in [("exam-7", "forced exam"), ("room1-pc02", "free -")] {
            let words = ["-ec", naming, "sh", machine.path + "/etc/hostname", name]
            #expect(try SpawnedProgram.run("/bin/sh", words).code == 0)
            #expect(watcher.waits(for: line), "\(watcher.lines)")
        }
    }

    /// Whether this process may run programs as a user who runs no others, with `setpriv`.
    private static let canBecomeAnother: Bool = {
        guard geteuid() == 0 else { return false }
        let words = another + [TemporaryMachine.program("library-probe")]
        let code = (try? SpawnedProgram.run("/usr/bin/env", words))?.code
        return code.map { $0 != 126 && $0 != 127 } ?? false
    }()

    /// A user who runs no programs.
    private static let other: UInt32 = 39_997
    /// The words that run a program as that user.
    private static let another = ["setpriv", "--reuid=\(other)", "--regid=\(other)", "--clear-groups"]

    @Test(.enabled(if: canBecomeAnother, "this process may not run programs as another user"))
    func `changes and boundaries are seen without a thread`() throws {
        let machine = try TemporaryMachine()
        try machine.write("etc/passwd", "pupil:x:\(Self.other):\(Self.other):Pupil:/home/pupil:/bin/sh\n")
        let words = Self.another.joined(separator: " ")
        try watch(machine, in: "exec \(words) prlimit --nproc=1 \"$@\"") { machine in
            // Only the owner of the folder is trusted.
            let code = try SpawnedProgram.run("/usr/bin/env", ["chown", "-R", "\(Self.other)", machine.path]).code
            #expect(code == 0)
        }
    }

    @Test(.enabled(if: canBecomeAnother, "this process may not run programs as another user"))
    func `what only root can read reaches programs that run once it is recorded`() throws {
        let machine = try TemporaryMachine()
        try machine.write("etc/passwd", "pupil:x:\(Self.other):\(Self.other):Pupil:/home/pupil:/bin/sh\n")
        try machine.force("50-a", "Page", "value0")
        #expect(try machine.applies())
        let watcher = try WatchingProgram(
            machine, key: "Page", in: "exec \(Self.another.joined(separator: " ")) \"$@\"")
        #expect(watcher.waits(for: "forced value0"), "\(watcher.lines)")
        for round in 1...2 {
            try machine.write("new", TemporaryMachine.policy("a", "Page", "value\(round)"))
            chmod(machine.path + "/new", 0o600)
            #expect(rename(machine.path + "/new", machine.policies + "/50-a.json") == 0)
            #expect(try machine.applies())
            #expect(watcher.waits(for: "forced value\(round)"), "\(watcher.lines)")
        }
        #expect(watcher.lines == (0...2).map { "forced value\($0)" })
    }

    /// Changes policy, and lets a boundary pass, beneath a program that a script starts.
    ///
    /// - Parameters:
    ///   - machine: the machine.
    ///   - script: the script.
    ///   - settle: what is done behind each change of a file.
    /// - Throws: what a file system or a program does not allow.
    private func watch(_ machine: TemporaryMachine, in script: String, settle: (TemporaryMachine) throws -> Void) throws
    {
        try machine.force("50-a", "Page", "one")
        try settle(machine)
        let watcher = try WatchingProgram(machine, key: "Page", in: script)
        #expect(watcher.waits(for: "forced one"), "\(watcher.lines)")
        try machine.force("60-b", "Page", "two")
        try settle(machine)
        #expect(watcher.waits(for: "forced two"), "\(watcher.lines)")
        let soon = Timestamp(microseconds: Clock.now().microseconds + 1_500_000)
        try machine.write(
            "etc/managed-defaults/policies.d/70-c.json",
            """
            { "Identifier": "edu.example.c", "Target": { "NotBefore": "\(soon.rfc3339)" },
              "Forced": { "\(TemporaryMachine.domain)": { "Page": "three" } } }
            """)
        try settle(machine)
        #expect(watcher.waits(for: "forced three"), "\(watcher.lines)")
        #expect(Clock.now() >= soon)
        #expect(watcher.lines == ["forced one", "forced two", "forced three"])
    }
}
