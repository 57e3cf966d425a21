import Foundation
import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditDaemon

/// One person fills what is bounded, and another's attempts are on record all the same.
///
/// The processes have ids of their own, which takes root: the kernel says them to the service.
@Suite(.enabled(if: geteuid() == 0, "only root can start processes of several users"))
struct HostilePersonTests {
    /// Connects and sends what each line says: `UID STEP COUNT FLAGS MESSAGE`.
    ///
    /// `UID` grows by `STEP` each time, `%d` in the message is the turn. Flags: `w` prints the answer, `n` makes a connection
    /// for each turn, `k` keeps it open, `r` sends again where the service closed the connection unread.
    private static let script = """
        import os, socket, sys, time
        kept = []
        def connect(uid):
            os.seteuid(uid)
            try:
                s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                s.settimeout(60)
                while True:
                    try:
                        s.connect(sys.argv[1])
                        return s
                    except BlockingIOError:
                        pass
            finally:
                os.seteuid(0)
        for line in sys.stdin:
            uid, step, count, flags, message = line.rstrip("\\n").split(" ", 4)
            s = None
            for turn in range(int(count)):
                begin = time.monotonic()
                while True:
                    if s is None or "n" in flags:
                        s = connect(int(uid) + int(step) * turn)
                    try:
                        s.send(message.replace("\\\\n", "\\n").replace("%d", str(turn)).encode())
                        if "w" in flags:
                            print(s.recv(8192).decode().replace("\\n", " "), flush=True)
                            if "t" in flags: print(round(time.monotonic() - begin, 3), file=sys.stderr)
                    except OSError as error:
                        s = None
                        if "r" in flags and time.monotonic() - begin < 60: continue
                        if "w" in flags: print(error, flush=True)
                    break
                if "k" in flags: kept.append(s)
        """

    /// A message with an attempt of a key of policy, or of another one.
    private func attempt(_ number: Int, _ key: String) -> String {
        var record = Client.attempt(0)
        (record.domain, record.key) = ("org.example.app", Key(key))
        return "MD1 \(number) attempts 0\\n\(String(decoding: record.encoded(), as: UTF8.self))\\n"
    }

    /// The machine of alice, who has subordinate ids, and bob; every folder above is open to both.
    private func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.classroom)
        try machine.write("etc/subuid", "alice:200000:65536\n")
        try machine.write(
            TemporaryMachine.policyDirectory + "/10-a.json",
            #"{ "Identifier": "a.b", "Forced": { "org.example.app": { "Key": 1, "Other": 2 } } }"#)
        var path = machine.path
        while path.utf8.count > 1 {
            var status = stat()
            if stat(path, &status) == 0 { chmod(path, status.st_mode | 0o011) }
            path = (path as NSString).deletingLastPathComponent
        }
        return machine
    }

    /// What alice does.
    static let floods: [(String, [String])] = [
        ("the rate", ["1001 0 1000 - MD1 0 attempts 0\\n%a"]),
        ("ids of hers", ["200000 1 600 n MD1 0 attempts 0\\n%a"]),
        ("ids of nobody", ["300000 1 600 n MD1 0 attempts 0\\n%a"]),
        ("connections", ["1001 0 70 nk MD1 0 health\\n"]),
        ("connections of ids", ["200000 1 300 nk MD1 0 health\\n"]),
        ("marks", ["300000 1 100 nw MD1 1 marks remember\\n%m", "1001 0 300 w MD1 1 marks remember\\n%m"]),
        ("opened domains", ["200000 1 560 nw MD1 1 opened\\norg.example.d%d\\n"]),
        ("windows of equal attempts", ["1001 0 500 w MD1 1 attempts 0\\n%a"]),
    ]

    /// How many times as much she does, in the check that is run by hand.
    private static let factor = ProcessInfo.processInfo.environment["HOSTILE_FACTOR"].flatMap { Int($0) } ?? 1

    /// A task, so many times as often.
    private static func times(_ factor: Int, _ task: String) -> String {
        var words = task.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        words[2] = String((Int(words[2]) ?? 1) * factor)
        return words.joined(separator: " ")
    }

    @Test(arguments: floods)
    func `what one person fills keeps no other person's attempt from the log`(_ name: String, _ tasks: [String]) throws
    {
        let machine = try machine()
        let daemon = try RunningDaemon(machine)
        defer { _ = try? daemon.end() }
        let mark = SetOnceMark(policy: "a.b", occasion: "version 1", domain: "org.example.app", key: "k%d")
        let lines = tasks.map { task in
            Self.times(Self.factor, task).replacing(
                "%a", with: attempt(0, "k%d").replacing("MD1 0 attempts 0\\n", with: "")
            )
            .replacing("%m", with: String(decoding: mark.line, as: UTF8.self) + "\\n")
        }
        let own = [
            "1002 0 1 wt \(attempt(1, "Key"))", "1002 0 1 w MD1 2 opened\\norg.example.bob\\n",
            "1002 0 1 w MD1 3 marks remember\\n"
                + String(decoding: mark.line, as: UTF8.self).replacing("%d", with: "B") + "\\n",
        ]
        // A flood of hers hides nothing that she does to a key of policy.
        let deed = "1001 0 2 wr \(attempt(4, "Other"))"
        let result = try SpawnedProgram.run(
            "/usr/bin/env",
            ["python3", "-c", Self.script, machine(ServiceProtocol.socketPath.dropFirst().description)],
            input: (lines + own + [deed]).joined(separator: "\n") + "\n")
        let answers = result.output.split(separator: "\n").suffix(5).map(String.init)
        try #require(answers.count == 5, "\(result)")
        if Self.factor > 1 { print("\(name): another's attempt was on record after \(result.error.dropLast()) s") }
        #expect(answers[0].hasPrefix("MD1 1 stored "), "\(answers)")
        #expect(answers[1].hasPrefix("MD1 2 done"), "\(answers)")
        #expect(answers[2].hasPrefix("MD1 3 marks "), "\(answers)")
        #expect(answers[3].hasPrefix("MD1 4 stored "), "\(answers)")
        #expect(try daemon.end() == 0)
        let records = try machine.records()
        #expect(records.contains { $0.uid == 1_002 && $0.key == "Key" && $0.kind == .override })
        #expect(records.contains { $0.uid == 1_001 && $0.key == "Other" && $0.kind == .override })
        #expect(try machine.text("run/mdefaultsd/opened").contains("org.example.bob"))
        #expect(machine.names("var/lib/mdefaultsd/marks").allSatisfy { ["1001", "1002"].contains($0) })
        // What was not stored is counted: of her and her ids as hers.
        #expect(records.filter { $0.kind == .drop }.allSatisfy { $0.uid == nil || $0.uid == 1_001 })
    }
}
