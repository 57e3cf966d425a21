import Foundation
import MDAuditDaemon
import MDPlatform
import MDPolicyCore
import MDTestSupport
import Testing

/// What programs are told of policy by the service, and what they skip because it watches.
struct GenerationTests {
    /// The folder of policy.
    private static let policies = "etc/managed-defaults/policies.d"
    /// The file that asks the root part to record policy.
    private static let request = "run/mdefaultsd/apply-request"

    /// A machine with more files than are checked one by one in any case.
    private func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.pupil)
        try machine.makeDirectory("/run/managed-defaults/policies.d")
        for index in 0..<12 {
            try machine.write(
                "\(Self.policies)/\(10 + index).json",
                #"{ "Identifier": "a.f\#(index)", "Forced": { "org.example.Other": { "K\#(index)": 1 } } }"#)
        }
        try force("first", machine)
        return machine
    }

    /// Replaces the value that is forced, by one event of the kernel.
    private func force(_ value: String, _ machine: TemporaryMachine) throws {
        try machine.write(
            "new.json", #"{ "Identifier": "a.b", "Forced": { "org.example.App": { "Page": "\#(value)" } } }"#)
        try machine.root.rename("/new.json", to: "/\(Self.policies)/50.json", replacing: true)
    }

    /// Records policy with `policy apply`.
    private func apply(_ machine: TemporaryMachine) throws {
        let words = ["--root", machine.path, "policy", "apply"]
        #expect(try SpawnedProgram.run(BuiltProgram.path("mdefaults"), words).code == 0)
    }

    /// The generation.
    private func number(_ machine: TemporaryMachine) -> String {
        (try? machine.text(String(GenerationFile.path.dropFirst()))) ?? ""
    }

    /// Makes a change that programs are notified of, and waits for the notification.
    private func told(_ machine: TemporaryMachine, _ body: () throws -> Void) throws {
        let before = try machine.root.status(GenerationFile.path, followingLinks: false).modified
        try body()
        let isTold = waits {
            (try? machine.root.status(GenerationFile.path, followingLinks: false).modified) ?? before != before
        }
        #expect(isTold)
    }

    /// The inode of a path.
    private func inode(_ machine: TemporaryMachine, _ name: String) throws -> UInt64 {
        try machine.root.status("/" + name, followingLinks: true).inode
    }

    /// Waits until a condition is true.
    private func waits(until condition: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: 120)
        while Date() < end {
            if condition() { return true }
            usleep(1_000)
        }
        return false
    }

    @Test func `a change of policy changes the generation and asks for it to be recorded`() throws {
        let daemon = try RunningDaemon(try machine())
        let machine = daemon.machine
        #expect(waits { GenerationFile.isHeld(root: machine.root) && machine.exists(Self.request) })
        let first = number(machine)
        try machine.remove(Self.request)
        try force("second", machine)
        #expect(waits { number(machine) != first && machine.exists(Self.request) })
        #expect(first.utf8.count == 20 && number(machine).utf8.count == 20)
        // A record is announced too, and is no change of a policy file.
        try told(machine) { try apply(machine) }
        let second = number(machine)
        try machine.remove(Self.request)
        try told(machine) { try machine.remove("var/lib/managed-defaults/policy.table") }
        try told(machine) { try apply(machine) }
        #expect(number(machine) == second && !machine.exists(Self.request))
        #expect(try daemon.end() == 0)
        #expect(!GenerationFile.isHeld(root: machine.root) && number(machine).isEmpty)
    }

    @Test func `a change is asked for once more where programs' files are written`() throws {
        let machine = try machine()
        try machine.makeDirectory("run/mdefaultsd")
        let delay: Int64 = 300_000
        let keeper = GenerationKeeper(root: machine.root, reminding: [delay / 2, delay])
        keeper.begin()
        defer { keeper.end() }
        try machine.write("var/lib/managed-defaults/programs/written", "")
        for value in ["second", "third"] {
            let change = Clock.now().microseconds
            try force(value, machine)
            // The last request is younger than the change by the last delay, however slow the machine is; the time of
            // a file is a little older than the clock.
            #expect(
                waits {
                    let status = try? machine.root.status("/" + Self.request, followingLinks: false)
                    return (status?.modified ?? 0) / 1_000 >= change + delay - 50_000
                })
        }
    }

    @Test(.enabled(if: BuiltProgram.installed("strace") != nil, "strace is not installed"))
    func `policy files are not examined while the service watches them, and are as soon as it is killed`() throws {
        let daemon = try RunningDaemon(try machine())
        let machine = daemon.machine
        #expect(waits { GenerationFile.isHeld(root: machine.root) })
        try apply(machine)
        let words = [
            "-f", "-e", "trace=newfstatat,statx", BuiltProgram.path("mdefaults"), "--root", machine.path, "--user",
            "pupil", "forced", "org.example.App", "Page",
        ]
        let strace = try #require(BuiltProgram.installed("strace"))
        let watched = try SpawnedProgram.run(strace, words)
        #expect(watched.output == "forced\n" && !watched.error.contains("policies.d/10.json"), "\(watched)")
        #expect(try daemon.end(SIGKILL) == -SIGKILL)
        let alone = try SpawnedProgram.run(strace, words)
        #expect(alone.output == "forced\n" && alone.error.contains("policies.d/10.json"), "\(alone)")
    }

    @Test func `a program is told by the service, and watches by itself once that has been killed`() throws {
        let daemon = try RunningDaemon(try machine())
        let machine = daemon.machine
        #expect(waits { GenerationFile.isHeld(root: machine.root) })
        let reader = try WatchingProgram(machine, key: "Page")
        #expect(reader.waits(for: "forced first"))
        let (own, service) = (try inode(machine, Self.policies), try inode(machine, "run/mdefaultsd"))
        #expect(reader.waits { reader.watchedInodes.contains(service) })
        #expect(reader.waits { !reader.watchedInodes.contains(own) && reader.threads == 2 })
        try force("second", machine)
        #expect(reader.waits(for: "forced second"))
        // A window that opens soon.
        let opening = Timestamp(microseconds: Clock.now().microseconds + 1_500_000).rfc3339
        try machine.write(
            "\(Self.policies)/60.json",
            """
            { "Identifier": "a.c", "Target": { "NotBefore": "\(opening)" },
              "Forced": { "org.example.App": { "Page": "third" } } }
            """)
        #expect(reader.waits(for: "forced third"))
        #expect(reader.waits { !reader.watchedInodes.contains(own) && reader.threads == 2 })
        #expect(try daemon.end(SIGKILL) == -SIGKILL)
        #expect(reader.waits { reader.watchedInodes.contains(own) })
        // The other file takes precedence as long as it is there.
        try force("fourth", machine)
        try machine.remove("\(Self.policies)/60.json")
        #expect(reader.waits(for: "forced fourth"))
        try apply(machine)
        let next = try RunningDaemon(machine)
        #expect(reader.waits { !reader.watchedInodes.contains(own) })
        try force("fifth", machine)
        #expect(reader.waits(for: "forced fifth"))
        #expect(try next.end() == 0)
        #expect(reader.waits { reader.watchedInodes.contains(own) })
        try force("sixth", machine)
        #expect(reader.waits(for: "forced sixth"))
        #expect(
            reader.lines == [
                "forced first", "forced second", "forced third", "forced fourth", "forced fifth", "forced sixth",
            ])
    }
}
