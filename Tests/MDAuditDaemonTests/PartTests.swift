import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDAuditDaemon

/// The parts of the service.
struct PartTests {
    @Test func `a bucket fills at its rate and not beyond its size`() {
        var buckets = TokenBuckets(rate: TokenRate(perSecond: 50, burst: 500))
        /// Takes tokens.
        func take(_ count: Int, of uid: UInt32, now: Int64) -> Bool { buckets.take(count, of: uid, now: now) }
        #expect(take(500, of: 1, now: 0) && !take(1, of: 1, now: 0))
        #expect(take(1, of: 2, now: 0))
        #expect(take(1, of: 1, now: 20_000) && !take(1, of: 1, now: 20_001))
        #expect(!take(501, of: 1, now: .max) && take(500, of: 1, now: .max))
        // 4,096 users have buckets of their own, and the others share one of 500 tokens.
        for uid: UInt32 in 0..<10_000 { #expect(take(1, of: uid, now: .max) == (uid != 1 && uid < 4_596), "\(uid)") }
    }

    @Test func `subordinate uids count as their owner's, and all without an account as one person`() throws {
        let machine = try TemporaryMachine(.classroom)
        try machine.write(
            "etc/subuid",
            """
            alice:100000:65536
            1002:300000:10
            nobody-here:400000:10
            alice:4294967295:2
            alice:x:1
            bob:1001:1
            bob:500000:0
            :::
            """)
        var names = UserNames(root: machine.root)
        /// The person of a uid.
        func person(_ uid: UInt32) -> UInt32 { names.person(of: uid) }
        let anyone = PersonalShares.anyone
        #expect(person(100_000) == 1_001 && person(165_535) == 1_001 && person(165_536) == anyone)
        #expect(person(300_009) == 1_002 && person(400_000) == anyone && person(500_000) == anyone)
        // An account is its own.
        #expect(person(1_001) == 1_001)
        try machine.write("etc/subuid", "bob:100000:1\n")
        #expect(person(100_000) == 1_002)
        try machine.remove("etc/subuid")
        #expect(person(100_000) == anyone)
        // A user of a directory has a session.
        try machine.write("run/systemd/users/100000", "")
        #expect(person(100_000) == 100_000)
    }

    @Test func `attempts of a message are counted before it is parsed`() {
        let lines = [Client.attempt(1).encoded(), Client.attempt(2, count: 12).encoded()]
        let head = MessageHead(ServiceRequest(number: 9, .attempts(lines, unsent: 4)).encoded)
        #expect(head.number == 9 && head.isAttempts && head.unsent == 4)
        #expect(head.attempts == AttemptCount(seen: 2, claimed: 11))
        var tricky = Client.attempt(3)
        tricky.note = #"","count":99,""#
        #expect(
            MessageHead(ServiceRequest(number: 0, .attempts([tricky.encoded()], unsent: 0)).encoded).attempts.total == 1
        )
        for text in ["", "\n", "MD1", "MD1 99999999999999999999 attempts 99999999999999999999\n", " \n\n\n"] {
            #expect(MessageHead(Array(text.utf8)).attempts == AttemptCount())
        }
        var random = SplitMix(state: 1)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...80, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            _ = MessageHead(Array("MD1 1 attempts 1\n".utf8) + bytes)
        }
    }

    @Test func `counters survive, and those that are in the log are not counted again`() throws {
        let machine = try TemporaryMachine(.none)
        let time = Timestamp(microseconds: 1_000_000)
        do {
            var drops = DropCounters.open(root: machine.root) { _ in [] }
            let (wasKilled, isEmpty) = (drops.wasKilled, drops.isEmpty)
            #expect(!wasKilled && isEmpty)
            drops.mark(isRunning: true)
            drops.add(.init(seen: 3), .rate, of: 1, at: time)
            drops.add(.init(seen: 4), .rate, of: 1, at: Timestamp(microseconds: 2_000_000))
            drops.add(.init(claimed: 5), .unsent, of: 2, at: time)
            drops.save()
        }
        do {
            var drops = DropCounters.open(root: machine.root) { _ in [] }
            let wasKilled = drops.wasKilled
            #expect(wasKilled)
            let records = drops.records()
            drops.noteRecords([21, 22])
            #expect(records.map(\.count) == [7, 5] && records.map(\.uid) == [1, 2])
            // Only what could not be sent is what the sender says.
            #expect(records.map(\.src) == [nil, .client])
            #expect(records[0].first == time && records[0].last == Timestamp(microseconds: 2_000_000))
        }
        // Killed before both records were in the log, after the first one, and after both.
        for (stored, sums) in [([], [7, 5]), ([21], [5]), ([21, 22], [])] as [(Set<Int64>, [Int])] {
            let copy = try TemporaryMachine(copyOf: machine)
            let drops = DropCounters.open(root: copy.root) { $0.intersection(stored) }
            let records = drops.records()
            #expect(records.map { $0.count ?? 0 } == sums)
        }
        var drops = DropCounters.open(root: machine.root) { _ in [] }
        drops.clear()
        drops.mark(isRunning: false)
        let last = DropCounters.open(root: machine.root) { _ in [] }
        let (isEmpty, wasKilled) = (last.isEmpty, last.wasKilled)
        #expect(isEmpty && !wasKilled)
    }

    @Test func `users that come too late share a counter, and damage of the file is no count`() throws {
        let machine = try TemporaryMachine(.none)
        let time = Timestamp(microseconds: 1)
        var drops = DropCounters.open(root: machine.root) { _ in [] }
        for uid in 0..<3_000 { drops.add(.init(seen: 1), .rate, of: UInt32(uid), at: time) }
        drops.save()
        let records = drops.records()
        #expect(records.reduce(0) { $0 + ($1.count ?? 0) } == 3_000 && records.count <= 1_024)
        #expect(records.count { $0.uid == nil } == 1)
        var bytes = try machine.read("var/lib/mdefaultsd/drops")
        var random = SplitMix(state: 7)
        for _ in 0..<5_000 {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = UInt8.random(in: 0...255, using: &random)
        }
        try machine.write("var/lib/mdefaultsd/drops", bytes)
        let damaged = DropCounters.open(root: machine.root) { $0 }
        let left = damaged.records()
        #expect(left.count <= 1_024)
    }

    @Test func `an ordinary process may send attempts and what it lost only, in its own name`() throws {
        let daemon = try RunningDaemon(try TemporaryMachine(.pupil))
        defer { _ = try? daemon.end() }
        let client = try daemon.client()
        let peer = try PeerStamp(of: client.socket)
        let (user, root) = (
            RecordStamp(peer: peer, user: "pupil", person: 1, isRoot: false),
            RecordStamp(peer: peer, user: "pupil", person: 1, isRoot: true)
        )
        for kind in RecordKind.known {
            var record = AuditRecord(kind: kind)
            record.domain = "a"
            #expect((user.objection(to: record) == nil) == [.override, .damaged, .drop].contains(kind), "\(kind)")
            let isOfService = [.start, .stop, .gap].contains(kind)
            #expect((root.objection(to: record) == nil) == !isOfService, "\(kind)")
        }
        let machine = MachineStamp(root: daemon.machine.root, key: nil)
        var claim = Client.attempt(1)
        (claim.uid, claim.user, claim.src) = (4_000, "other", .kernel)
        var (mine, roots) = (claim, claim)
        user.apply(to: &mine, machine: machine, time: Clock.now(), monotonic: 1)
        root.apply(to: &roots, machine: machine, time: Clock.now(), monotonic: 1)
        #expect(mine.uid == peer.uid && mine.user == "pupil" && mine.src == .client)
        #expect(roots.uid == 4_000 && roots.user == "other" && roots.pid == peer.pid)
    }
}
