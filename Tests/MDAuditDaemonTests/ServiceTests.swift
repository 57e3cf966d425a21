import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditDaemon

/// What the service stores and answers.
struct ServiceTests {
    @Test func `what a sender says of itself and of the moment is replaced`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let client = try daemon.client()
        var claim = Client.attempt(1)
        (claim.pid, claim.start, claim.exe, claim.unit) = (1, 2, "/bin/other", "other.service")
        (claim.auid, claim.session, claim.boot, claim.host) = (3, 4, "boot", "elsewhere")
        (claim.time, claim.mono) = (Timestamp(microseconds: 5), 6)
        claim.extra = [ExtraField(name: "later", json: "1")]
        let before = Clock.now()
        guard case .stored(let place, 1) = try client.store([claim]) else {
            Issue.record("not stored")
            return
        }
        let stored = try #require(try daemon.machine.records().first { $0.seq == place })
        #expect(stored.uid == CurrentProcess.uid && stored.user == "pupil" && stored.pid == CurrentProcess.pid)
        #expect(stored.start == CurrentProcess.startTime && stored.exe == CurrentProcess.executablePath)
        #expect(stored.auid == CurrentProcess.loginUID && stored.session == CurrentProcess.sessionID)
        #expect(stored.unit != "other.service" && stored.host == "room1-pc01" && stored.boot == Machine.bootID())
        #expect(try #require(stored.time) >= before && stored.extra.isEmpty)
        #expect(stored.src == .client && stored.domain == "org.example.app" && stored.tried == claim.tried)
        #expect(try daemon.end() == 0)
    }

    @Test func `who asks is told what the kernel says`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        guard case .identity(let identity) = try daemon.client().ask(.identity) else {
            Issue.record("no identity")
            return
        }
        #expect(identity.uid == CurrentProcess.euid && identity.gid == CurrentProcess.gid)
        #expect(identity.loginUID == CurrentProcess.loginUID && Set(identity.groups) == Set(CurrentProcess.groups))
        #expect(try daemon.end() == 0)
    }

    @Test func `who asks is told the name and the home of the account files`() throws {
        let machine = try TemporaryMachine(.pupil)
        let (uid, gid) = (CurrentProcess.euid, CurrentProcess.gid)
        try machine.write("etc/passwd", "somebody:x:\(uid):\(gid)::/home/somebody:/bin/sh\n")
        let daemon = try RunningDaemon(machine)
        guard case .identity(let identity) = try daemon.client().ask(.identity) else {
            Issue.record("no identity")
            return
        }
        #expect(identity.name == "somebody" && identity.home == "/home/somebody")
        #expect(try daemon.end() == 0)
    }

    @Test func `messages that are not valid are answered or end the connection, and others go on`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let (client, other) = (try daemon.client(), try daemon.client())
        let record = String(decoding: Client.attempt(1).encoded(), as: UTF8.self)
        let bad = [
            "MD1 1 unknown\n", "MD2 1 health\n", "MD1 1 attempts 0\n{\"v\":1,\n", "MD1 1 attempts 0\n\(record)",
            "MD1 1 attempts x\n\(record)\n", "MD1 1 attempts 0\n[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n",
            "MD1 1 attempts 0\n" + String(repeating: "\(record)\n", count: 17),
            "MD1 1 attempts 0\n{\"v\":1,\"kind\":\"stop\"}\n",
            "MD1 1 attempts 0\n{\"v\":1,\"kind\":\"start\",\"count\":7}\n",
            "MD1 1 attempts 0\n" + record.replacing("override", with: "whatever") + "\n",
            "MD1 1 attempts 0\n" + record.dropLast() + ",\"count\":99999999999999999999}\n",
        ]
        for message in bad {
            let result = try client.ask(Array(message.utf8), number: 1)
            guard case .invalid = result else {
                Issue.record("\(message): \(result)")
                continue
            }
        }
        let notText = Array("MD1 1 attempts 0\n".utf8) + [0xff, 0xfe, 0x0a]
        guard case .invalid = try client.ask(notText, number: 1) else {
            Issue.record("not UTF-8 and not refused")
            return
        }
        try other.socket.send([UInt8](repeating: 0x41, count: 100_000))
        #expect(other.isClosed())
        for _ in 0..<100 { try client.socket.send([0, 1, 2, 3]) }
        guard case .health(let totals) = try client.ask(.health) else {
            Issue.record("not well")
            return
        }
        #expect(totals.stored == 0 && totals.received == totals.dropped)
        #expect(try daemon.end() == 0)
        #expect(try daemon.machine.records().allSatisfy { [.start, .drop, .stop].contains($0.kind) })
        #expect(AuditVerifier.verify(root: daemon.machine.root).status == .gaps)
    }

    @Test func `equal attempts are one record with their count, and an acknowledged one is on disk`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let client = try daemon.client()
        for _ in 0..<50 { try client.tell([Client.attempt(1)]) }
        #expect(try client.ask(.health) == .health(ServiceTotals(received: 50, stored: 50, dropped: 0)))
        #expect(try daemon.machine.sums().stored == 50)
        #expect(try daemon.machine.records().count { $0.kind == .override } == 2)
        #expect(try client.store([Client.attempt(1, count: 7)]) == .stored(first: 0, count: 0))
        #expect(try daemon.machine.sums().stored == 57)
        #expect(try daemon.end() == 0)
        #expect(try daemon.machine.sums().stored == 57)
    }

    @Test func `opened domains are remembered once, and make no record`() throws {
        let machine = try TemporaryMachine(.pupil)
        for _ in 0..<2 {
            let daemon = try RunningDaemon(machine)
            #expect(try daemon.client().ask(.opened(["org.example.a", "org.example.b"])) == .done)
            #expect(try daemon.client().ask(.opened(["org.example.b"])) == .done)
            #expect(try daemon.end() == 0)
        }
        let lines = try machine.text("run/mdefaultsd/opened").split(separator: "\n")
        #expect(lines.count == 3 && lines[1].contains("\"domain\":\"org.example.a\""))
        #expect(try machine.records().map(\.kind) == [.start, .stop, .start, .stop])
    }

    @Test func `a second daemon does not start, and a socket that was left behind is replaced`() throws {
        let machine = try TemporaryMachine(.pupil)
        let daemon = try RunningDaemon(machine)
        #expect(try daemon.client().ask(.health) == .health(ServiceTotals(received: 0, stored: 0, dropped: 0)))
        #expect(try daemon.end(SIGKILL) == -SIGKILL)
        #expect(machine.names("run/mdefaultsd").contains("audit.sock"))
        let next = try RunningDaemon(machine)
        #expect(try machine.root.status(ServiceProtocol.socketPath, followingLinks: false).mode == 0o666)
        let second = try SpawnedProgram.run(BuiltProgram.path("mdefaultsd"), ["--root", machine.path])
        #expect(second.code == 1 && second.error.contains("another audit service runs"))
        #expect(try next.end() == 0)
        #expect(!machine.names("run/mdefaultsd").contains("audit.sock"))
        let kinds = try machine.records().map(\.kind)
        #expect(kinds == [.start, .gap, .start, .stop])
    }

    @Test func `a log that is exchanged is noticed, and none of it is continued`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        let client = try daemon.client()
        #expect(try client.store([Client.attempt(1)]) == .stored(first: 2, count: 1))
        try FileManager.default.removeItem(atPath: daemon.machine("var/log/managed-defaults/current.jsonl"))
        guard case .stored = try client.store([Client.attempt(2)]) else {
            Issue.record("not stored")
            return
        }
        #expect(try daemon.machine.records().first?.kind == .recover)
        #expect(daemon.machine.names("var/log/managed-defaults").contains { $0.hasPrefix("checkpoint-") })
        #expect(try daemon.end() == 0)
    }

    /// Stores attempts until one is in the log that is there now.
    private func storeHere(_ machine: TemporaryMachine, _ client: Client, _ numbers: Range<Int>) throws {
        // The name of an open log is looked at each 20 ms.
        for number in numbers {
            guard case .stored = try client.store([Client.attempt(number)]) else {
                throw ClientFailure(description: "not stored")
            }
            let records = (try? machine.records()) ?? []
            if records.contains(where: { $0.tried == ValueSummary(.integer(number)) }) { return }
            usleep(5_000)
        }
        throw ClientFailure(description: "no attempt is in the log that is there")
    }

    /// The name of the log that is there.
    private func logID(_ machine: TemporaryMachine) -> String? {
        (try? machine.read("var/log/managed-defaults/checkpoint")).flatMap { Checkpoint(text: $0)?.logID }
    }

    /// The notes of the records about repairs.
    private func recoveries(_ machine: TemporaryMachine) throws -> [String] {
        try machine.records().filter { $0.kind == .recover }.compactMap(\.note)
    }

    @Test(arguments: [Int64(0), 3_600_000_000])
    func `a folder in place of the log's is recorded at the next record, once, and so is the old one that is back`(
        checkpointInterval: Int64
    ) throws {
        let (machine, files) = (try TemporaryMachine(.pupil), FileManager.default)
        var limits = ServiceLimits()
        limits.checkpointInterval = checkpointInterval
        let service = try ServiceThread(machine.root, limits)
        let client = try Client(machine.root)
        let (here, kept, other) = (
            machine("var/log/managed-defaults"), machine("var/log/kept"), machine("var/log/other")
        )
        try storeHere(machine, client, 0..<10)
        let id = try #require(logID(machine))
        try files.moveItem(atPath: here, toPath: kept)
        try files.createDirectory(atPath: here, withIntermediateDirectories: false)
        try storeHere(machine, client, 100..<1_000)
        try storeHere(machine, client, 2_000..<2_001)
        var notes = try recoveries(machine)
        #expect(notes.count { $0.contains("the log \(id) had ") } == 1, "\(notes)")
        #expect(try machine.records()[0].kind == .recover)
        let second = try #require(logID(machine))
        try files.moveItem(atPath: here, toPath: other)
        try files.moveItem(atPath: kept, toPath: here)
        try storeHere(machine, client, 3_000..<4_000)
        try storeHere(machine, client, 5_000..<5_001)
        notes = try recoveries(machine)
        #expect(notes.count { $0.contains("the log \(second) had ") } == 1, "\(notes)")
        service.end()
        #expect(AuditVerifier.verify(root: machine.root).status == .gaps)
    }

    @Test func `an older copy of the log is recorded without any attempt, while the service manager watches`() throws {
        let (machine, files) = (try TemporaryMachine(.pupil), FileManager.default)
        let daemon = try RunningDaemon(machine, behind: ["/usr/bin/env", "WATCHDOG_USEC=200000"])
        let (here, old) = (machine("var/log/managed-defaults"), machine("var/log/old"))
        let end = Date(timeIntervalSinceNow: 300)
        /// Waits for a checkpoint, with which the log is let go of.
        func waitForCheckpoint(_ size: Int) throws {
            let path = "var/log/managed-defaults/checkpoint"
            while try Checkpoint(text: machine.read(path))?.size != size, Date() < end { usleep(10_000) }
        }
        try waitForCheckpoint(1)
        try files.copyItem(atPath: here, toPath: old)
        try storeHere(machine, try daemon.client(), 0..<1)
        try waitForCheckpoint(2)
        try files.moveItem(atPath: here, toPath: machine("var/log/newer"))
        try files.moveItem(atPath: old, toPath: here)
        while try recoveries(machine).isEmpty, Date() < end { usleep(10_000) }
        let notes = try recoveries(machine)
        #expect(notes.count == 1 && notes[0].contains(" had 2 records, and in its place "), "\(notes)")
        #expect(try daemon.end() == 0)
        #expect(try recoveries(machine).count == 1)
    }

    @Test func `a user that connects again and again is closed at once after a while`() throws {
        let machine = try TemporaryMachine(.pupil)
        var limits = ServiceLimits()
        (limits.limitsRoot, limits.connectionsOfPerson) = (true, 4)
        limits.persons.rate = TokenRate(perSecond: 0, burst: 6)
        let service = try ServiceThread(machine.root, limits)
        // The idle ones give way to the newest, as long as the user may ask something.
        let clients = try (0..<10).map { _ in try Client(machine.root) }
        #expect(clients[..<6].allSatisfy { $0.isClosed() })
        #expect(try Client(machine.root).isClosed())
        for client in clients[6...] { #expect(try client.ask(.identity) == .dropped("rate")) }
        service.end()
    }

    @Test func `help and version are printed, and wrong arguments are an error`() throws {
        let program = BuiltProgram.path("mdefaultsd")
        #expect(try SpawnedProgram.run(program, ["--help"]).output.contains("--root DIR"))
        #expect(try SpawnedProgram.run(program, ["--version"]).code == 0)
        #expect(try SpawnedProgram.run(program, ["--rot"]).code == 2)
        #expect(try SpawnedProgram.run(program, ["--root", "/nonexistent"]).code == 1)
    }
}
