import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDTestSupport
import Testing

@testable import MDAuditDaemon

/// Whose the service's files are, and what `doctor` says of that and of the service.
struct ServiceUserTests {
    /// A user who is not the one of the tests.
    private static let user: UInt32 = 65_534

    /// What `doctor` says in a check, and whether the check is passed.
    private func doctor(_ machine: TemporaryMachine, _ check: String) throws -> (isOK: Bool, detail: String) {
        let words = ["--root", machine.path, "--user", "pupil", "doctor", "--json"]
        let output = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), words).output
        let checks = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
        let found = try #require(checks.first { $0["check"] as? String == check }, "\(output)")
        return (try #require(found["ok"] as? Bool), try #require(found["detail"] as? String))
    }

    @Test func `the service names people of a directory as the register of people does, and others as their accounts`()
        throws
    {
        let machine = try TemporaryMachine(.classroom)
        var names = UserNames(root: machine.root)
        #expect(names.account(of: 20_008) == nil)
        let rows = [(20_008, "mia"), (1_001, "eve")].map { uid, name in
            PeopleRegister.Row(uid: uid, name: name, home: "/net/\(name)", from: Timestamp(microseconds: 0))
        }
        try machine.write("var/lib/managed-defaults/people", PeopleRegister.encode(rows))
        #expect(names.name(of: 20_008) == "mia" && names.account(of: 20_008)?.home == "/net/mia")
        #expect(names.name(of: 1_001) == "alice")
    }

    @Test(.enabled(if: geteuid() == 0, "needs root")) func `a service that root starts becomes the owner of the log`()
        throws
    {
        let machine = try TemporaryMachine(.pupil)
        chmod(machine.folder, 0o755)
        let log = machine("var/log/managed-defaults")
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
        #expect(chown(log, Self.user, Self.user) == 0)
        let daemon = try RunningDaemon(machine)
        let status = try String(contentsOfFile: "/proc/\(daemon.program.id)/status", encoding: .utf8)
        let ids = [String](repeating: "\(Self.user)", count: 4).joined(separator: "\t")
        #expect(status.contains("\nUid:\t\(ids)\n") && status.contains("\nGid:\t\(ids)\n"), "\(status)")
        let client = try daemon.client()
        guard case .stored = try client.store([Client.attempt(1)]) else {
            Issue.record("not stored")
            return
        }
        #expect(try daemon.end() == 0)
        for folder in ["var/log/managed-defaults", "var/lib/mdefaultsd", "run/mdefaultsd"] {
            for name in machine.names(folder) {
                var status = stat()
                #expect(lstat(machine("\(folder)/\(name)"), &status) == 0)
                #expect(status.st_uid == Self.user, "\(folder)/\(name)")
            }
        }
        // Root's commands write the same log as its owner.
        let apply = ["--root", machine.path, "policy", "apply"]
        #expect(try SpawnedProgram.run(BuiltProgram.path("mdefaults"), apply).code == 0)
        let isWritable = try doctor(machine, "audit-writable")
        #expect(isWritable.isOK, "\(isWritable)")
        #expect(chown(log + "/key", 0, 0) == 0)
        let isNot = try doctor(machine, "audit-writable")
        #expect(!isNot.isOK && isNot.detail.contains("/var/log/managed-defaults/key does not belong"), "\(isNot)")
    }

    @Test func `doctor asks the service where it is meant to run, and misses none where it ended by itself`() throws {
        let machine = try TemporaryMachine(.pupil)
        let running = try RunningDaemon(machine)
        #expect(try doctor(machine, "audit-service").isOK)
        running.program.send(SIGSTOP)
        let hung = try doctor(machine, "audit-service")
        #expect(!hung.isOK && hung.detail.contains("does not answer"), "\(hung)")
        running.program.send(SIGCONT)
        #expect(try running.end(SIGKILL) == -SIGKILL)
        let killed = try doctor(machine, "audit-service")
        #expect(!killed.isOK && killed.detail.contains("should run here"), "\(killed)")
        let next = try RunningDaemon(machine)
        #expect(try doctor(machine, "audit-service").isOK)
        #expect(try next.end() == 0)
        let words = ["--root", machine.path, "--user", "pupil", "doctor", "--json"]
        #expect(try !SpawnedProgram.run(BuiltProgram.path("mdefaults"), words).output.contains("audit-service"))
    }

    @Test(.enabled(if: geteuid() == 0, "needs root and a mount namespace"))
    func `doctor says that the log is full, or its disk`() throws {
        let machine = try TemporaryMachine(.pupil)
        try machine.write(
            TemporaryMachine.policyDirectory + "/10-a.json",
            #"{ "Identifier": "a.b", "Forced": { "org.example.app": { "Key": "forced" } } }"#)
        let script = """
            log="$2/var/log/managed-defaults"
            mkdir -p "$log" && mount -t tmpfs -o size=4m none "$log" || exit 9
            "$1" --root "$2" policy apply
            head -c 3500000 /dev/zero > "$log/other"
            "$1" --root "$2" --user pupil doctor --json
            rm "$log/other" && head -c 300000 /dev/zero >> "$log/current.jsonl"
            "$1" --root "$2" --user pupil doctor --json
            """
        let run = try SpawnedProgram.run(
            "/usr/bin/unshare", ["-m", "sh", "-c", script, "sh", BuiltProgram.path("mdefaults"), machine.path])
        #expect(run.output.contains("takes no records: its file system has less than 1 MiB left"), "\(run)")
        // The log takes at most the twentieth part of its file system.
        #expect(run.output.contains("takes no records: it has as many bytes as it may have"), "\(run)")
    }

    @Test func `a trace is kept where the service answers, and missed where nothing listens`() throws {
        let machine = try TemporaryMachine(.pupil)
        try machine.write(
            TemporaryMachine.policyDirectory + "/10-a.json",
            #"{ "Identifier": "a.b", "SetOnce": { "org.example.app": { "Size": 14 } } }"#)
        let daemon = try RunningDaemon(machine)
        let kept = try doctor(machine, "log-service")
        #expect(kept.isOK && kept.detail.hasPrefix("The audit service keeps a trace "), "\(kept)")
        #expect(try daemon.end() == 0)
        let missed = try doctor(machine, "log-service")
        #expect(!missed.isOK && missed.detail.contains("neither the audit service nor a log service"), "\(missed)")
    }
}
