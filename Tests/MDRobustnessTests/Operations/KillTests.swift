import Foundation
import MDPropertyList
import MDTestSupport
import Testing

/// `policy apply` and `policy rollback`, killed at every system call that can change a file, and at some of all others.
///
/// Between two of the former the disk stays the same, so no other kill should leave another state; the latter are spread
/// evenly over the run. Each run of the tests takes every third of the former and eight of the latter, beginning
/// anywhere; with `SWEEP` in the environment it takes more, and with `SWEEP=full` every call, which lasts minutes.
struct KillTests {
    /// Whether a program can be followed here; some sandboxes forbid it.
    static let isPossible: Bool = {
        let words = ["1", "-", "/bin/true"]
        return (try? SpawnedProgram.run(TemporaryMachine.program("kill-at"), words))?.code == 137
    }()

    /// The calls at which a command line is killed, as `kill-at` takes them.
    private static func calls(of machine: TemporaryMachine, _ words: String...) throws -> [String] {
        let copy = try TemporaryMachine(copying: machine)
        let list = copy.path + "/calls"
        try #require(try copy.run([TemporaryMachine.program("kill-at"), "list", list], words).code == 0)
        let calls = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n")
        let changes = calls.filter { $0.hasSuffix("w") }.count
        try #require(changes > 10 && calls.count > 10 * changes)
        // One run does a few calls more than another.
        guard let times = Sweeping.times else { return (1...calls.count + 9).map { "\($0)" } }
        func some(of count: Int, _ step: Int) -> StrideThrough<Int> {
            stride(from: Int.random(in: 1...step), through: count, by: step)
        }
        return some(of: changes, max(3 / times, 1)).map { "w\($0)" }
            + some(of: calls.count, max(calls.count / (8 * times), 1)).map { "\($0)" }
    }

    /// What is enforced on a machine on which one state was applied, and another one lies in place.
    private struct States {
        /// What was applied.
        let old: [UInt8]
        /// What is in force of what lies in place until it is applied: a file that is gone still counts.
        let pending: [UInt8]
        /// What is in force once it is applied.
        let new: [UInt8]
    }

    /// A machine on which one state was applied, and another one lies in place.
    private static func machine() throws -> (machine: TemporaryMachine, states: States) {
        let machine = try TemporaryMachine()
        try machine.force("10-a", "Page", "one")
        try machine.force("20-b", "Level", "one")
        try machine.force("30-d", "Both", "one")
        #expect(try machine.applies())
        let old = try machine.enforced()
        try machine.force("10-a", "Level", "two")
        try machine.remove(policy: "20-b")
        try machine.force("40-c", "Page", "two")
        let pending = try machine.enforced()
        let applied = try TemporaryMachine(copying: machine)
        #expect(try applied.applies())
        let states = States(old: old, pending: pending, new: try applied.enforced())
        try #require(states.pending != states.new && states.pending != states.old && states.new != states.old)
        return (machine, states)
    }

    /// What killed processes left behind of what is written under the lock of policy.
    private static func leftovers(_ machine: TemporaryMachine) throws -> [String] {
        try ["etc/managed-defaults", "var/lib/managed-defaults"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: "\(machine.path)/\(folder)").filter { path in
                [".policies.d.new", ".policy.record.", "good/.", "generations/.", "generations/objects/."].contains {
                    path.hasPrefix($0)
                }
            }
        }
    }

    @Test(.enabled(if: isPossible, "programs cannot be traced here"))
    func `an apply that is killed takes nothing away`() throws {
        let (prepared, states) = try KillTests.machine()
        let calls = try KillTests.calls(of: prepared, "policy", "apply")
        var (killed, pending, news) = (0, 0, 0)
        for call in calls {
            let machine = try TemporaryMachine(copying: prepared)
            let code = try machine.run([TemporaryMachine.program("kill-at"), call, "-"], "policy", "apply").code
            #expect(code == 137 || code == 0, "call \(call)")
            if code == 137 { killed += 1 }
            let found = try machine.enforced()
            #expect(found == states.pending || found == states.new, "call \(call)")
            if found == states.pending { pending += 1 } else { news += 1 }
            // The good copy of each file is the old or the new one, and is there.
            try machine.write("etc/managed-defaults/policies.d/30-d.json", "{")
            #expect(try machine.forced("Both") == .string("one"), "call \(call)")
            try machine.force("30-d", "Both", "one")
            #expect(try machine.applies(), "call \(call)")
            #expect(try machine.enforced() == states.new, "call \(call)")
            #expect(try KillTests.leftovers(machine) == [], "call \(call)")
            #expect(try machine.run([], "audit", "verify").code == 0, "call \(call)")
        }
        #expect(killed > calls.count * 9 / 10, "\(killed) of \(calls.count)")
        // Both happen, or the test would say nothing.
        #expect(pending > 5 && news > 5, "\(pending) \(news)")
    }

    @Test func `what a killed process left goes at the next apply, and nothing else`() throws {
        let machine = try TemporaryMachine()
        try machine.force("10-a", "Page", "one")
        #expect(try machine.applies())
        let home = "var/lib/managed-defaults"
        let digest = String(repeating: "0a", count: 32)
        let ours = [
            "\(home)/.policy.record.abcdefghij.tmp", "\(home)/good/.\(digest).abcdefghij.tmp",
            "\(home)/generations/.1.manifest.abcdefghij.tmp", "\(home)/generations/objects/.\(digest).abcdefghij.tmp",
            "etc/managed-defaults/.policies.d.new/10-a.json",
        ]
        // The last is written without the lock, and may be in use.
        let others = [
            "etc/managed-defaults/.policies.d.old/x", "etc/managed-defaults/.mine", "\(home)/.policy.record.swp",
            "\(home)/good/.notes.abcdefghij.tmp", "\(home)/.policy.record.ABCDEFGHIJ.tmp",
            "etc/managed-defaults/policies.d/.10-a.json.abcdefghij.tmp", "\(home)/.policy.table.abcdefghij.tmp",
        ]
        for file in ours + others {
            let folder = URL(fileURLWithPath: "\(machine.path)/\(file)").deletingLastPathComponent().path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try machine.write(file, "x")
        }
        #expect(try machine.applies())
        let isThere = { (file: String) in FileManager.default.fileExists(atPath: "\(machine.path)/\(file)") }
        for file in ours { #expect(!isThere(file), "\(file)") }
        for file in others { #expect(isThere(file), "\(file)") }
        #expect(!isThere("etc/managed-defaults/.policies.d.new"))
        // A directory that holds another one was not made by an installation, and stays whole.
        let strange = "etc/managed-defaults/.policies.d.new"
        try FileManager.default.createDirectory(
            atPath: "\(machine.path)/\(strange)/b", withIntermediateDirectories: true)
        try machine.write("\(strange)/a", "x")
        #expect(try machine.applies())
        #expect(isThere("\(strange)/a") && isThere("\(strange)/b"))
    }

    /// What lies in the directory of policy: the text of each name.
    private static func content(_ machine: TemporaryMachine) throws -> [String: String] {
        var content: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: machine.policies) {
            content[name] = try String(contentsOfFile: "\(machine.policies)/\(name)", encoding: .utf8)
        }
        return content
    }

    @Test(.enabled(if: isPossible, "programs cannot be traced here"))
    func `a rollback that is killed leaves the old state or the new one`() throws {
        let (prepared, states) = try KillTests.machine()
        let (old, new) = (states.old, states.new)
        for name in ["README", ".hidden", "10-a.json~"] {
            try prepared.write("etc/managed-defaults/policies.d/\(name)", name)
        }
        #expect(try prepared.applies())
        let done = try TemporaryMachine(copying: prepared)
        #expect(try done.run([], "policy", "rollback", "--yes", "1").code == 0)
        let contents = (old: try KillTests.content(done), new: try KillTests.content(prepared))
        // The directory is the old one, and nothing is recorded of it yet.
        let between = try TemporaryMachine(copying: prepared)
        try FileManager.default.removeItem(atPath: between.policies)
        try FileManager.default.copyItem(atPath: done.policies, toPath: between.policies)
        let unrecorded = try between.enforced()
        let calls = try KillTests.calls(of: prepared, "policy", "rollback", "--yes", "1")
        var (killed, olds, news) = (0, 0, 0)
        for call in calls {
            let machine = try TemporaryMachine(copying: prepared)
            let front = [TemporaryMachine.program("kill-at"), call, "-"]
            let code = try machine.run(front, "policy", "rollback", "--yes", "1").code
            #expect(code == 137 || code == 0, "call \(call)")
            if code == 137 { killed += 1 }
            let content = try KillTests.content(machine)
            #expect(content == contents.old || content == contents.new, "call \(call): \(content)")
            let found = try machine.enforced()
            #expect(
                content == contents.new ? found == new : found == old || found == unrecorded,
                "call \(call): \(String(decoding: found, as: UTF8.self))")
            if content == contents.old { olds += 1 } else { news += 1 }
            #expect(try machine.applies(), "call \(call)")
            #expect(try machine.enforced() == (content == contents.old ? old : new), "call \(call)")
            #expect(try KillTests.content(machine) == content, "call \(call)")
            #expect(try KillTests.leftovers(machine) == [], "call \(call)")
            // Files that were left beside the directory obstruct nothing.
            let number = content == contents.old ? "2" : "1"
            #expect(try machine.run([], "policy", "rollback", "--yes", number).code == 0, "call \(call)")
            let home = URL(fileURLWithPath: machine.policies).deletingLastPathComponent().path
            #expect(try FileManager.default.contentsOfDirectory(atPath: home) == ["policies.d"], "call \(call)")
            #expect(try machine.run([], "audit", "verify").code == 0, "call \(call)")
        }
        #expect(killed > calls.count * 9 / 10, "\(killed) of \(calls.count)")
        // Both happen, or the test would say nothing.
        #expect(olds > 5 && news > 5, "\(olds) \(news)")
    }

    @Test(arguments: [0, 1, 2, 4]) func `without room nothing is taken away`(_ blocks: Int) throws {
        let (prepared, states) = try KillTests.machine()
        let limit = ["/bin/sh", "-c", "ulimit -f \(blocks); exec \"$@\"", "sh"]
        let machine = try TemporaryMachine(copying: prepared)
        let result = try machine.run(limit, "policy", "apply")
        #expect(result.code == 0 || result.code == 4, "\(result)")
        #expect([states.pending, states.new].contains(try machine.enforced()))
        let back = try machine.run(limit, "policy", "rollback", "--yes", "1")
        #expect(back.code == 0 || back.code == 4, "\(back)")
        #expect(try machine.applies())
        let found = try machine.enforced()
        #expect(found == (back.code == 0 ? states.old : states.new) || back.code == 4 && found == states.old, "\(back)")
    }

    /// Whether a small file system can be mounted, in a name space of its own.
    private static let canMount =
        (try? SpawnedProgram.run(
            "/usr/bin/env", ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"]))?.code == 0

    @Test(.enabled(if: canMount, "nothing can be mounted here"), arguments: [0, 1, 2, 4, 8, 16, 32, 48])
    func `a full disk takes nothing away`(_ free: Int) throws {
        let (machine, states) = try KillTests.machine()
        let (old, pending, new) = (
            SHA256Text.hex(states.old), SHA256Text.hex(states.pending), SHA256Text.hex(states.new)
        )
        let script = """
            cp -a "$2/var/lib/managed-defaults" "$2/saved" && mount -t tmpfs -o size=100m none "$2/var/lib/managed-defaults" || exit 77
            cp -a "$2/saved/." "$2/var/lib/managed-defaults/" && used=$(stat -f -c '%b - %f' "$2/var/lib/managed-defaults") || exit 77
            mount -o remount,size=$((4096 * ($used + $3))) none "$2/var/lib/managed-defaults" || exit 77
            "$1" --root "$2" policy apply >/dev/null 2>&1; echo "apply $?"; "$1" --root "$2" policy digest 2>/dev/null
            "$1" --root "$2" policy rollback --yes 1 >/dev/null 2>&1; echo "rollback $?"; "$1" --root "$2" policy digest 2>/dev/null
            mount -o remount,size=100m none "$2/var/lib/managed-defaults"
            "$1" --root "$2" policy apply >/dev/null 2>&1; echo "again $?"; "$1" --root "$2" policy digest 2>/dev/null
            """
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            [
                "unshare", "-m", "/bin/sh", "-c", script, "sh", TemporaryMachine.program("mdefaults"), machine.path,
                "\(free)",
            ])
        let lines = result.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 6, "\(result)")
        #expect(["apply 0", "apply 4"].contains(lines[0]), "\(result)")
        #expect([pending, new].contains(lines[1]), "\(result)")
        #expect(["rollback 0", "rollback 4", "rollback 1"].contains(lines[2]), "\(result)")
        // What is removed and not recorded is in force beside it.
        if lines[2] == "rollback 0" { #expect(lines[3] == old, "\(result)") }
        #expect(lines[4] == "again 0", "\(result)")
        #expect([old, new].contains(lines[5]), "\(result)")
    }
}
