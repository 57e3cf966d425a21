import Foundation
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDAuditClient

/// What the command and the library send to the built service.
struct SenderTests {
    /// A machine with one forced key.
    private func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.pupil)
        try machine.write(
            TemporaryMachine.policyDirectory + "/10-a.json",
            #"{ "Identifier": "a.b", "Forced": { "org.example.app": { "Key": "forced" } } }"#)
        return machine
    }

    /// The attempts in a machine's log.
    private func attempts(_ machine: TemporaryMachine) throws -> [AuditRecord] {
        try machine.records().filter { $0.kind == .override }
    }

    @Test func `where many connect, a sender waits for its turn, and a thread that sets a value does not`() throws {
        let machine = try machine()
        try machine.root.createDirectory("/run/mdefaultsd", mode: 0o755)
        let listener = try MessageListener.bind(ServiceProtocol.socketPath, under: machine.root, mode: 0o666)
        var waiting: [Client] = []
        while let client = try? Client(machine.root) { waiting.append(client) }
        let begin = Clock.monotonicMicroseconds()
        #expect(ServiceConnection.shared(of: machine.root).connect(waiting: 50) == .full)
        #expect(Clock.monotonicMicroseconds() - begin >= 50_000)
        // What the service does not take in time is stored without it.
        let channel = AttemptChannel(AuditReporter(root: machine.root, stateDirectory: nil))
        #expect(channel.report(Client.attempt(1)) == .counted)
        #expect(channel.flush().allSatisfy { $0.problem == nil })
        #expect(try attempts(machine).count == 1)
        let (root, connected) = (machine.root, DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            let socket = try? MessageSocket.connect(ServiceProtocol.socketPath, under: root, waiting: 300_000)
            if socket != nil { connected.signal() }
        }
        usleep(20_000)
        guard case .connection = listener.accept() else {
            Issue.record("nothing waits")
            return
        }
        #expect(connected.wait(timeout: .now() + 300) == .success)
        withExtendedLifetime(waiting) {}
    }

    @Test func `a refused write of the command is in the log when it returns`() throws {
        let daemon = try RunningDaemon(try machine())
        let words = ["--root", daemon.machine.path, "--user", "pupil", "write", "org.example.app", "Key", "mine"]
        let result = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), words)
        #expect(result.code == 3, "\(result)")
        let record = try #require(try attempts(daemon.machine).first)
        #expect(record.tried?.value == .string("mine") && record.via == .cli && record.user == "pupil")
        #expect(record.exe?.hasSuffix("/mdefaults") == true && record.policy?.id == "a.b")
        #expect(daemon.machine.names("home/pupil/.local/state/managed-defaults").isEmpty)
        #expect(try daemon.end() == 0)
    }

    @Test func `while the service hangs, the command says that the records are with it, and they are stored later`()
        throws
    {
        let daemon = try RunningDaemon(try machine())
        try daemon.machine.write("home/pupil/.config/org.example.app.plist", "{ a = ")
        daemon.program.send(SIGSTOP)
        for (key, code) in [("Key", Int32(3)), ("Other", 0)] {
            let words = ["--root", daemon.machine.path, "--user", "pupil", "write", "org.example.app", key, "mine"]
            let result = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), words)
            #expect(result.code == code, "\(result)")
            #expect(result.error.contains("The record is with the audit service, which did not confirm"), "\(result)")
            #expect(!result.error.contains("not stored"), "\(result)")
        }
        daemon.program.send(SIGCONT)
        #expect(try daemon.end() == 0)
        #expect(try daemon.machine.records().filter { [.override, .damaged].contains($0.kind) }.count == 2)
        #expect(daemon.machine.names("home/pupil/.local/state/managed-defaults").isEmpty)
    }

    @Test func `a refused write of a program is in the log when it has ended`() throws {
        let daemon = try RunningDaemon(try machine())
        let words = [daemon.machine.path, "pupil", "org.example.app", "Key"]
        let result = try SpawnedProgram.run(BuiltProgram.path("library-probe"), words)
        #expect(result.output == "forced forced refused\n", "\(result)")
        // The service ends with everything stored that it received.
        #expect(try daemon.end() == 0)
        let record = try #require(try attempts(daemon.machine).first)
        #expect(record.tried?.value == .string("mine") && record.via == .set)
        #expect(record.exe?.hasSuffix("/library-probe") == true && record.forced?.value == .string("forced"))
        #expect(try daemon.machine.text("run/mdefaultsd/opened").contains("\"domain\":\"org.example.app\""))
    }

    @Test func `secret values are digested by the service, equal ones alike, under the key that root's commands use`()
        throws
    {
        let machine = try TemporaryMachine(.pupil)
        try machine.write(
            TemporaryMachine.policyDirectory + "/10-a.json",
            """
            { "Identifier": "a.b", "Forced": { "org.example.app": { "Key": "S3CR3T-forced" } },
              "Metadata": { "org.example.app": { "Key": { "Sensitive": true } } } }
            """)
        let daemon = try RunningDaemon(machine)
        let words = [machine.path, "pupil", "org.example.app", "Key"]
        #expect(
            try SpawnedProgram.run(BuiltProgram.path("library-probe"), words).output == "forced S3CR3T-forced refused\n"
        )
        let write = ["--root", machine.path, "--user", "pupil", "write", "org.example.app", "Key"]
        for value in ["mine", "S3CR3T-other", "S3CR3T-forced-not"] {
            #expect(try SpawnedProgram.run(BuiltProgram.path("mdefaults"), write + [value]).code == 3)
        }
        #expect(try daemon.end() == 0)
        #expect(try SpawnedProgram.run(BuiltProgram.path("mdefaults"), write + ["S3CR3T-other"]).code == 3)
        let digests = try attempts(machine).compactMap { record -> String? in
            guard case .sensitive(let hmac)? = record.tried, case .sensitive(.some)? = record.forced else { return nil }
            return hmac
        }
        try #require(digests.count == 5)
        #expect(digests[0] == digests[1] && digests[2] == digests[4] && Set(digests).count == 3)
        #expect(try !machine.text("var/log/managed-defaults/current.jsonl").contains("S3CR3T"))
    }

    @Test func `with pseudonyms a secret value is not even a digest, and the service still has the key`() throws {
        let machine = try TemporaryMachine(.pupil)
        try machine.write("etc/managed-defaults/audit.json", #"{ "Pseudonyms": true }"#)
        try machine.write(
            TemporaryMachine.policyDirectory + "/10-a.json",
            """
            { "Identifier": "a.b", "Forced": { "org.example.app": { "Key": "S3CR3T-forced", "Open": 4 } },
              "Metadata": { "org.example.app": { "Key": { "Sensitive": true } } } }
            """)
        let daemon = try RunningDaemon(machine)
        for (key, value) in [("Key", "S3CR3T-tried"), ("Key", "S3CR3T-other"), ("Open", "mine")] {
            let words = ["--root", machine.path, "--user", "pupil", "write", "org.example.app", key, value]
            let result = try SpawnedProgram.run(BuiltProgram.path("mdefaults"), words)
            #expect(result.code == 3, "\(result)")
        }
        #expect(try daemon.end() == 0)
        let text = try machine.text("var/log/managed-defaults/current.jsonl")
        #expect(!text.contains("S3CR3T") && !text.contains("hmac") && !text.contains("mine"))
        let attempts = try attempts(machine)
        #expect(attempts.count == 3 && attempts.allSatisfy { $0.tried == .sensitive(hmac: nil) })
        #expect(attempts.map(\.forced) == [.sensitive(hmac: nil), .sensitive(hmac: nil), .full(.integer(4))])
        // Root is not a person; the tests may run as one who is.
        let isPerson = CurrentProcess.uid >= 1_000
        #expect(attempts.allSatisfy { ($0.uid == nil) == isPerson })
        // The key of the digests is there for when the mode ends.
        #expect(HostKey.readOrMake(of: machine.root) != nil)
    }

    @Test func `root's commands write the log beside the service`() throws {
        let daemon = try RunningDaemon(try machine())
        let apply = ["--root", daemon.machine.path, "policy", "apply"]
        #expect(try SpawnedProgram.run(BuiltProgram.path("mdefaults"), apply).code == 0)
        let client = try daemon.client()
        guard case .stored = try client.store([Client.attempt(1)]) else {
            Issue.record("not stored")
            return
        }
        #expect(try SpawnedProgram.run(BuiltProgram.path("mdefaults"), apply).code == 0)
        #expect(try daemon.end() == 0)
        let verify = try SpawnedProgram.run(
            BuiltProgram.path("mdefaults"), ["--root", daemon.machine.path, "audit", "verify"])
        #expect(verify.code == 0, "\(verify)")
        let changes = try daemon.machine.records().filter { $0.kind == .policy }
        #expect(!changes.isEmpty && changes.allSatisfy { $0.uid == CurrentProcess.uid && $0.user == "pupil" })
    }

    @Test func `the service knows the versions of programs that are connected, and forgets them with the connection`()
        throws
    {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let root = daemon.machine.root
        #expect(ServiceQuestion.engines(of: root)?.programs == [])
        // A program of before versions were told, and one that tells a version twice.
        let (older, newer) = (try Client(root), try Client(root))
        #expect(try older.ask(.opened(["org.example.app"])) == .done)
        #expect(try newer.ask(.engine("9.0")) == .done)
        #expect(try newer.ask(.opened(["org.example.app"])) == .done)
        let channel = AttemptChannel(AuditReporter(root: root, stateDirectory: nil))
        channel.tell(opened: ["org.example.app"], engine: "9.1")
        channel.tell(opened: ["org.example.other"], engine: "9.1")
        let found = try #require(ServiceQuestion.engines(of: root))
        #expect(found.programs.map(\.engine) == [nil, "9.0", "9.1"])
        #expect(found.programs.allSatisfy { $0.count == 1 && !$0.name.isEmpty })
        #expect(found.more == 0)
        newer.socket.endReceiving()
        #expect(try older.ask(.health) != .done)
        #expect(try daemon.end() == 0)
        #expect(ServiceQuestion.engines(of: root) == nil)
        withExtendedLifetime(channel) {}
    }

    @Test func `a service that hangs is waited for once, and not at all where nothing was sent`() throws {
        let machine = try TemporaryMachine(.pupil)
        try machine.makeDirectory("run/mdefaultsd")
        let listener = try MessageListener.bind(ServiceProtocol.socketPath, under: machine.root, mode: 0o600)
        let channel = AttemptChannel(AuditReporter(root: machine.root, stateDirectory: nil))
        channel.tell(opened: ["org.example.app"])
        /// How long a flush takes, in milliseconds.
        func flush() -> Int64 {
            let start = Clock.monotonicMicroseconds()
            _ = channel.flush()
            return (Clock.monotonicMicroseconds() - start) / 1_000
        }
        #expect(flush() < 1_000)
        let attempt = PreparedAttempt(Client.attempt(0), forced: .integer(0), isSecret: false) { false }
        channel.record(attempt, .integer(1))
        // A thread of the channel is asking by now.
        Clock.pause(microseconds: Int64(AttemptChannel.confirmDelay + 200) * 1_000)
        let first = flush()
        #expect((1_000..<2_500).contains(first), "\(first)")
        #expect(flush() < 1_000)
        channel.record(attempt, .integer(2))
        #expect(flush() < 1_000)
        guard case .connection(let client) = listener.accept() else {
            Issue.record("no connection")
            return
        }
        // A sign of the service is worth another wait.
        try client.send(Array("MD1 1 done\n".utf8))
        #expect(flush() >= 1_500)
    }

    /// With the short delay a thread of the channel asks and stores beside the flush.
    @Test(arguments: [AttemptChannel.confirmDelay, 1])
    func `what a service that ended had not read is the sender's, also if that was just asking`(delay: Int) throws {
        let machine = try TemporaryMachine(.pupil)
        try machine.makeDirectory("run/mdefaultsd")
        let channel = AttemptChannel(
            AuditReporter(root: machine.root, stateDirectory: "/home/pupil/.local/state/managed-defaults"),
            confirmDelay: delay)
        let group = DispatchGroup()
        do {
            let listener = try MessageListener.bind(ServiceProtocol.socketPath, under: machine.root, mode: 0o600)
            channel.tell(opened: ["org.example.app"])
            guard case .connection(let client) = listener.accept() else {
                Issue.record("no connection")
                return
            }
            let attempt = PreparedAttempt(Client.attempt(0), forced: .integer(0), isSecret: false) { false }
            for number in 1...28 { channel.record(attempt, .integer(number)) }
            DispatchQueue.global().async(group: group) { _ = channel.flush() }
            // It ends when it is asked, and has taken nothing over.
            asked: while client.wait(milliseconds: Client.milliseconds) {
                while case .message(let bytes) = client.receive(limit: ServiceProtocol.longestMessage) {
                    if bytes.starts(with: "MD1 1 health".utf8) { break asked }
                }
            }
        }
        group.wait()
        #expect(try machine.sums().dropped == ["unconfirmed": 28])
    }
}
