import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Synchronization
import Testing

@testable import MDAuditDaemon

/// What was sent is stored, or counted as not stored, or reported as not sent.
struct ConservationTests {
    @Test func `beyond the rate attempts are counted exactly`() throws {
        let machine = try TemporaryMachine(.pupil)
        var limits = ServiceLimits()
        (limits.limitsRoot, limits.persons.rate) = (true, TokenRate(perSecond: 0, burst: 20))
        let service = try ServiceThread(machine.root, limits)
        let client = try Client(machine.root)
        for number in 0..<100 { try client.tell([Client.attempt(number)]) }
        try client.tell([Client.attempt(1, count: 30), Client.attempt(2)], unsent: 11)
        #expect(try client.store([Client.attempt(1)]) == .dropped("rate"))
        guard case .health(let totals) = try client.ask(.health) else {
            Issue.record("not well")
            return
        }
        #expect(totals.received == 132 && totals.stored + totals.dropped == 132 && totals.dropped >= 100)
        service.end()
        let sums = try machine.sums()
        #expect(sums.stored == totals.stored)
        // The service has seen two lines of the last message; that one counts 30 attempts is what its sender says.
        #expect(sums.dropped == ["rate": 83, "claimed": 29, "unsent": 11])
        let claims = try machine.records().filter { $0.kind == .drop && $0.src == .client }
        #expect(claims.compactMap(\.count).sorted() == [11, 29])
        let findings = AuditVerifier.verify(root: machine.root)
        #expect(findings.detail.contains("40 of them by the word of senders"), "\(findings.detail)")
    }

    @Test func `a number that a message only says is no number of the service`() throws {
        let machine = try TemporaryMachine(.pupil)
        var limits = ServiceLimits()
        (limits.limitsRoot, limits.persons.rate) = (true, TokenRate(perSecond: 0, burst: 100))
        let service = try ServiceThread(machine.root, limits)
        let client = try Client(machine.root)
        // One with more than a record may count is refused, and the others come too fast.
        for _ in 0..<10 { try client.tell((0..<15).map { Client.attempt($0, count: 1_000_000_000) }) }
        guard case .health = try client.ask(.health) else {
            Issue.record("not well")
            return
        }
        service.end()
        let sums = try machine.sums()
        #expect(sums.stored == 0)
        #expect(sums.dropped == ["invalid": 90, "rate": 60, "claimed": 150 * 999_999_999])
        #expect(try machine.records().allSatisfy { $0.src == .client || $0.count ?? 0 <= 150 })
    }

    @Test func `beyond the volume of a day attempts are counted`() throws {
        let machine = try TemporaryMachine(.pupil)
        var limits = ServiceLimits()
        (limits.limitsRoot, limits.persons.dailyBytes) = (true, 5_000)
        limits.persons.rate = TokenRate(perSecond: 1_000, burst: 1_000)
        let service = try ServiceThread(machine.root, limits)
        let client = try Client(machine.root)
        for number in 0..<100 { try client.tell([Client.attempt(number)]) }
        #expect(try client.store([Client.attempt(1_000)]) == .dropped("volume"))
        service.end()
        let sums = try machine.sums()
        #expect((5...20).contains(sums.stored) && sums.stored + (sums.dropped["volume"] ?? 0) == 101)
    }

    @Test func `nothing is lost with many clients that close at any moment`() throws {
        let machine = try TemporaryMachine(.pupil)
        var limits = ServiceLimits()
        (limits.connectionsOfPerson, limits.connections) = (8, 12)
        (limits.limitsRoot, limits.persons.rate) = (true, TokenRate(perSecond: 1_000_000, burst: 1_000_000))
        let service = try ServiceThread(machine.root, limits)
        let sent = Atomic<Int>(0)
        let unsent = Atomic<Int>(0)
        let root = machine.root
        DispatchQueue.concurrentPerform(iterations: 24) { worker in
            var random = SplitMix(state: UInt64(worker))
            var missed = 0
            for round in 0..<12 {
                guard let client = try? Client(root) else { continue }
                for number in 0..<Int.random(in: 1...40, using: &random) {
                    do {
                        // Some are equal, some are awaited and some of those answers are never read.
                        let record = Client.attempt(number % 5 + worker * 1_000 + round * 10)
                        if number % 7 == 3 {
                            try client.socket.send(
                                ServiceRequest(number: 1, .attempts([record.encoded()], unsent: missed)).encoded)
                        } else {
                            try client.tell([record], unsent: missed)
                        }
                        sent.wrappingAdd(1, ordering: .relaxed)
                        unsent.wrappingAdd(missed, ordering: .relaxed)
                        missed = 0
                    } catch {
                        missed += 1
                        break
                    }
                }
            }
        }
        service.end()
        let sums = try machine.sums()
        #expect(sums.stored == sent.load(ordering: .relaxed))
        #expect(sums.dropped["unsent"] ?? 0 == unsent.load(ordering: .relaxed))
        #expect(Set(sums.dropped.keys).isSubset(of: ["unsent"]))
        #expect(AuditVerifier.verify(root: root).status == .intact)
    }

    @Test(arguments: 0..<4) func `a kill of the daemon loses no acknowledged record`(round: Int) throws {
        let machine = try TemporaryMachine(.pupil)
        let daemon = try RunningDaemon(machine)
        let root = machine.root
        let acknowledged = Mutex<Set<Int>>([])
        let enough = DispatchSemaphore(value: 0)
        let group = DispatchGroup()
        for worker in 0..<4 {
            DispatchQueue.global().async(group: group) {
                guard let client = try? Client(root) else { return }
                for number in 0..<100_000 {
                    let value = worker * 1_000_000 + number
                    guard case .stored? = try? client.store([Client.attempt(value)]) else { return }
                    acknowledged.withLock { _ = $0.insert(value) }
                    if number == 20 + round * 37 { enough.signal() }
                }
            }
        }
        enough.wait()
        #expect(try daemon.end(SIGKILL) == -SIGKILL)
        group.wait()
        let next = try RunningDaemon(machine)
        #expect(try next.end() == 0)
        let records = try machine.records()
        let stored = Set(records.compactMap { $0.tried })
        #expect(acknowledged.withLock { $0 }.allSatisfy { stored.contains(ValueSummary(.integer($0))) })
        #expect(records.count { $0.kind == .gap } == 1)
        #expect(AuditVerifier.verify(root: root).status != .altered)
    }

    @Test func `each attempt counts once, whichever process is killed`() throws {
        let folder = try TemporaryFolder()
        let result = try SpawnedProgram.run(BuiltProgram.path("conservation"), ["run", folder.path, "2", "3"])
        #expect(result.code == 0, "\(result)")
    }

    @Test(.enabled(if: geteuid() == 0 && BuiltProgram.installed("unshare") != nil, "needs root"))
    func `each attempt counts once, also on a file system of a few megabytes that gets full`() throws {
        let folder = try TemporaryFolder()
        let script = "mkdir $1/var && mount -t tmpfs -o size=6m tmpfs $1/var && exec $2 run $1 2 3"
        let result = try SpawnedProgram.run(
            try #require(BuiltProgram.installed("unshare")),
            [
                "-m", "--propagation", "private", "sh", "-c", script, "tiny", folder.path,
                BuiltProgram.path("conservation"),
            ])
        #expect(result.code == 0, "\(result)")
    }

    @Test func `counts of what was not stored survive a kill`() throws {
        let machine = try TemporaryMachine(.pupil)
        let daemon = try RunningDaemon(machine)
        let client = try daemon.client()
        try client.tell([Client.attempt(1)], unsent: 41)
        guard case .health = try client.ask(.health), case .health = try client.ask(.health) else {
            Issue.record("not well")
            return
        }
        #expect(try daemon.end(SIGKILL) == -SIGKILL)
        for _ in 0..<2 { #expect(try RunningDaemon(machine).end() == 0) }
        #expect(try machine.sums().dropped == ["unsent": 41])
    }

    @Test func `a signal to end stores everything that was sent`() throws {
        let machine = try TemporaryMachine(.pupil)
        let daemon = try RunningDaemon(machine)
        let clients = try (0..<8).map { _ in try daemon.client() }
        for (worker, client) in clients.enumerated() {
            for number in 0..<50 { try client.tell([Client.attempt(worker * 100 + number / 2)]) }
        }
        #expect(try daemon.end() == 0)
        #expect(try machine.sums().stored == 400)
        #expect(try machine.records().last?.kind == .stop)
        let verification = AuditVerifier.verify(root: machine.root)
        #expect(verification.status == .intact)
    }

    @Test(.enabled(if: BuiltProgram.installed("prlimit") != nil, "prlimit is not installed"))
    func `a full disk returns attempts to their senders, and what follows is stored again`() throws {
        let prlimit = try #require(BuiltProgram.installed("prlimit"))
        let machine = try TemporaryMachine(.pupil)
        let daemon = try RunningDaemon(machine, behind: [prlimit, "--fsize=200000:unlimited"])
        let client = try daemon.client()
        var (stored, returned) = (0, 0)
        for number in 0..<2_000 where returned < 5 {
            switch try client.store([Client.attempt(number)]) {
            case .stored: stored += 1
            case .unavailable: returned += 1
            case let other: Issue.record("\(other)")
            }
        }
        #expect(stored > 50 && returned == 5)
        // No client waits for these; what a count adds to the lines is a claim here too.
        for number in 0..<10 { try client.tell([Client.attempt(10_000 + number, count: 3)]) }
        guard case .unavailable = try client.ask(.health) else {
            Issue.record("the log is said to be well")
            return
        }
        let result = try SpawnedProgram.run(prlimit, ["--pid", "\(daemon.program.id)", "--fsize=unlimited"])
        #expect(result.code == 0)
        let end = Date(timeIntervalSinceNow: 300)
        while case .unavailable = try client.store([Client.attempt(20_000)]), Date() < end {
            returned += 1
            usleep(10_000)
        }
        stored += 1
        #expect(try daemon.end() == 0)
        let sums = try machine.sums()
        #expect(sums.stored == stored)
        #expect(sums.dropped == ["storage": 10, "claimed": 20])
        let gap = try #require(try machine.records().last { $0.kind == .gap })
        #expect(gap.count == returned)
    }

    @Test(
        .enabled(if: BuiltProgram.installed("strace") != nil, "strace is not installed"),
        arguments: ["fdatasync", "write"])
    func `an input or output error returns attempts to their senders, and each is stored once or counted`(
        _ call: String
    ) throws {
        let strace = try #require(BuiltProgram.installed("strace"))
        let machine = try TemporaryMachine(.pupil)
        let log = machine("var/log/managed-defaults/current.jsonl")
        let daemon = try RunningDaemon(
            machine,
            behind: [
                strace, "-f", "-o", "/dev/null", "-P", log, "-e", "trace=\(call)", "-e",
                "inject=\(call):error=EIO:when=7+5",
            ])
        let client = try daemon.client()
        var stored: [Int] = []
        var returned = 0
        let end = Date(timeIntervalSinceNow: 300)
        for number in 0..<40 {
            // A log that could not be written is tried again after half a second.
            while Date() < end {
                let answer = try client.store([Client.attempt(number)])
                if case .stored = answer {
                    stored.append(number)
                    break
                }
                guard case .unavailable = answer else {
                    Issue.record("\(answer)")
                    break
                }
                returned += 1
                usleep(20_000)
            }
        }
        #expect(returned > 0 && stored.count == 40)
        // strace passes no signal on; the service is its child.
        let id = daemon.program.id
        let children = try String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
        for child in children.split(separator: " ").compactMap({ Int32($0) }) { kill(child, SIGTERM) }
        _ = try daemon.program.code(within: 300)
        let sums = try machine.sums()
        #expect(sums.stored == 40)
        let verification = AuditVerifier.verify(root: machine.root)
        #expect(verification.status == .intact || verification.status == .gaps, "\(verification)")
    }
}
