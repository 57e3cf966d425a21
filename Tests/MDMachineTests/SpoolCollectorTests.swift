import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDPlatform
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

@testable import MDCare

/// Tests that what waits in users' spools gets into the log, once and as theirs.
struct SpoolCollectorTests {
    /// A machine with policy.
    private func lab() throws -> TemporaryMachine {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", #"{"Identifier":"edu.example.a","Forced":{"org.x":{"k":"all"}}}"#)
        return lab
    }

    /// The spool of a user.
    private func path(_ user: String, _ name: String = "spool.jsonl") -> String {
        "/home/\(user)/.local/state/managed-defaults/\(name)"
    }

    /// A line of a spool.
    private static func line(_ number: Int, _ change: (inout AuditRecord) -> Void = { _ in }) -> String {
        var record = AuditRecord(kind: .override, src: .client)
        record.time = Timestamp(microseconds: TemporaryMachine.time.microseconds + Int64(number))
        (record.domain, record.key, record.via, record.outcome) = ("org.x", "k", .set, .refused)
        (record.forced, record.tried) = (.full(.string("all")), .full(.integer(number)))
        change(&record)
        return String(decoding: record.encoded(), as: UTF8.self) + "\n"
    }

    /// The records of the log.
    private func log(_ lab: TemporaryMachine) throws -> [AuditRecord] {
        try AuditLog(root: lab.root).records().records
    }

    /// What is tried in the records of the log.
    private func tried(_ lab: TemporaryMachine) throws -> [ValueSummary?] {
        try log(lab).filter { $0.kind == .override }.map(\.tried)
    }

    @Test func `without policy spools are taken too, and the machine stays unmanaged`() throws {
        let lab = try TemporaryMachine()
        try lab.write(path("alice"), Self.line(1) + Self.line(2))
        let result = try lab.mdefaults(["policy", "apply"])
        #expect(result.code == 0 && result.output == "2 records of 1 user were taken into the log.\n", "\(result)")
        #expect(try tried(lab) == [.full(.integer(1)), .full(.integer(2))])
        #expect(try lab.text(path("alice")) == "")
        #expect(lab.names("var/lib").isEmpty || !lab.names("var/lib").contains("managed-defaults"))
        let again = try lab.mdefaults(["policy", "apply"])
        #expect(again.code == 0 && again.output.isEmpty, "\(again)")
        #expect(try tried(lab).count == 2)
    }

    @Test func `what waits for two users is stored once, with its claims and its user`() throws {
        let lab = try lab()
        let first = Self.line(1) { record in
            (record.pid, record.start, record.exe, record.count) = (7, 1 << 40, "/usr/bin/x", 3)
            (record.first, record.last) = (record.time, record.time)
            record.policy = PolicyReference(id: "a.b", file: "/etc/x", line: 3, sha256: SHA256.hash([1]))
            record.session = .max
        }
        let values: [Value] = [
            .boolean(true), .integer(Integer(UInt64.max)), .integer(-5), .real(.nan), .real(0.5), .date(12.5),
            .data([0, 255]), .string("é"), .string(String(repeating: "x", count: 300)),
        ]
        let others = values.enumerated().map { index, value in Self.line(2 + index) { $0.tried = ValueSummary(value) } }
        try lab.write(path("alice"), first + others.joined())
        try lab.write(path("bob"), Self.line(20) { ($0.tried, $0.forced) = (.sensitive(hmac: nil), nil) })
        let taken = SpoolCollector.collect(on: try lab.machine())
        #expect(taken.records == 11 && taken.users == 2 && taken.problems.isEmpty && taken.failure == nil)
        let log = try log(lab)
        #expect(log.map(\.uid) == Array(repeating: 1001, count: 10) + [1002])
        #expect(log.map(\.user) == Array(repeating: "alice", count: 10) + ["bob"])
        #expect(log.allSatisfy { $0.src == .spool && $0.host == "pc1" })
        var expected = try AuditRecord(line: Array(first.utf8.dropLast()))
        (expected.seq, expected.src, expected.uid, expected.user, expected.host) = (1, .spool, 1001, "alice", "pc1")
        (expected.boot, expected.mono, expected.time) = (log.first?.boot, log.first?.mono, log.first?.time)
        #expect(log.first == expected)
        #expect(log[1...9].map(\.tried) == values.map { ValueSummary($0) })
        #expect(log.last?.tried == .sensitive(hmac: nil) && log.last?.forced == nil)
        #expect(try lab.text(path("alice")) == "" && lab.text(path("bob")) == "")
        #expect(AuditVerifier.verify(root: lab.root).status == .intact)
        let again = SpoolCollector.collect(on: try lab.machine())
        #expect(again.records == 0 && again.problems.isEmpty)
        #expect(try self.log(lab).count == 11)
    }

    @Test(arguments: ["1999", "2099"])
    func `the time that a user claims neither deletes records nor retains them`(_ year: String) throws {
        let lab = try lab()
        try lab.write(AuditSettings.path, #"{"MaximumDays":30}"#)
        let own = (0..<7).map { _ in AuditRecord(kind: .damaged, src: .observed) }
        _ = try AuditLog(root: lab.root).append(own)
        let name = try #require(AuditLog(root: lab.root).name)
        // The next record ends the first segment.
        try lab.write("/var/log/managed-defaults/roots", "\(name) 8\n")
        let claim = Timestamp(rfc3339: "\(year)-01-01T00:00:00Z")
        let begin = Clock.now()
        try lab.write(path("alice"), Self.line(1) { $0.time = claim })
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 1)
        let roots = try #require(SegmentRoots(text: Array(lab.text("/var/log/managed-defaults/roots").utf8)))
        let segment = try #require(roots.segments.first)
        let end = try #require(segment.end)
        #expect(segment.last == 8 && segment.deleted == nil && begin <= end && end <= Clock.now(), "\(segment)")
        #expect(lab.names("var/log/managed-defaults/segments").contains { $0.hasSuffix(".jsonl") })
        let record = try #require(try log(lab).last { $0.src == .spool })
        // The user's claim about the past is beside it.
        let isPast = year == "1999"
        #expect(record.time == end && record.first == (isPast ? claim : nil) && record.last == record.first)
    }

    @Test func `a value of a sensitive key is digested whatever the spool calls it`() throws {
        let lab = try lab()
        try lab.policy(
            "20-b.json",
            #"{"Identifier":"b.c","Metadata":{"org.x":{"k":{"Sensitive":true}}},"Forced":{"org.x":{"j":1}}}"#)
        try lab.write(path("alice"), Self.line(1) + Self.line(2) { $0.key = "j" } + Self.line(3) { $0.key = nil })
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 3)
        let host = try #require(HostKey.readOrMake(of: lab.root))
        #expect(
            try tried(lab) == [
                .sensitive(hmac: host.digest(of: .integer(1))), .full(.integer(2)),
                .sensitive(hmac: host.digest(of: .integer(3))),
            ])
        #expect(try log(lab).first?.forced == .sensitive(hmac: host.digest(of: .string("all"))))
    }

    @Test func `nothing is stored twice after a spool could not be emptied`() throws {
        let lab = try lab()
        let old = Self.line(1) + Self.line(2)
        try lab.write(path("alice"), old)
        try lab.write(path("alice", "spool-dropped.jsonl"), TemporaryMachine.dropped(5))
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 3)
        // As after a removal that failed, and more attempts.
        try lab.write(path("alice"), old + Self.line(3))
        try lab.write(path("alice", "spool-dropped.jsonl"), TemporaryMachine.dropped(9))
        #expect(try lab.report().summary.unproven == 1)
        #expect(try lab.report().users.first?.dropped == 4)
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 2)
        #expect(try tried(lab) == [1, 2, 3].map { .full(.integer($0)) })
        #expect(try log(lab).filter { $0.kind == .drop }.map(\.count) == [5, 4])
        try lab.write(path("alice"), old + Self.line(3))
        #expect(try lab.report().summary.unproven == 0)
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 0)
        #expect(try lab.text(path("alice")) == "")
        // The same user with another spool.
        try lab.write(path("alice"), Self.line(4))
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 1)
        #expect(try tried(lab).count == 4)
    }

    @Test(arguments: [true, false])
    func `nothing is lost or stored twice if the process is killed`(_ isStored: Bool) throws {
        let lab = try lab()
        let first = Self.line(1) { ($0.boot, $0.mono) = ("b", 1) } + "garbage\n"
        try lab.write(path("alice"), first)
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 2)
        var register = try SpoolRegister(root: lab.root)
        let owner = try #require(register.taken.keys.first)
        let second =
            Self.line(2) { ($0.boot, $0.mono, $0.note) = ("b", 2, String(repeating: "n", count: 9_000)) } + "x\ny\n"
        register.taken[owner]?.pending = Clock.now()
        // Killed before the log was written, or after it.
        try lab.write(path("alice"), second)
        try lab.write(path("alice", "spool-dropped.jsonl"), TemporaryMachine.dropped(7))
        if isStored { #expect(SpoolCollector.collect(on: try lab.machine()).records == 3) }
        try register.write(root: lab.root)
        try lab.write(path("alice"), second + Self.line(3) { ($0.boot, $0.mono) = ("b", 3) })
        try lab.write(path("alice", "spool-dropped.jsonl"), TemporaryMachine.dropped(8))
        #expect(SpoolCollector.collect(on: try lab.machine()).failure == nil)
        #expect(try tried(lab) == [1, 2, 3].map { .full(.integer($0)) })
        let counts = try log(lab).filter { $0.kind == .drop }.map { $0.count ?? 0 }
        let sum = counts.reduce(0, +)
        #expect(sum == 11, "1 and 2 lines, 8 attempts")
        #expect(try SpoolRegister(root: lab.root).taken[owner]?.pending == nil)
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 0)
    }

    @Test func `only what was taken is removed`() throws {
        let lab = try lab()
        let spool = Spool(root: lab.root, directory: "/home/alice/.local/state/managed-defaults")
        let reader = SpoolReader(spool: spool, owner: nil)
        try lab.write(path("alice"), Self.line(1))
        try lab.write(path("alice", "spool-dropped.jsonl"), TemporaryMachine.dropped(5))
        let content = reader.read(after: SpoolRegister.Taken())
        #expect(content.records.count == 1 && content.overflow?.count == 5)
        try lab.write(path("alice"), Self.line(1) + Self.line(2))
        try lab.write(path("alice", "spool-dropped.jsonl"), TemporaryMachine.dropped(6))
        try reader.remove(content)
        #expect(try lab.text(path("alice")) == Self.line(2))
        #expect(try lab.text(path("alice", "spool-dropped.jsonl")) == TemporaryMachine.dropped(6))
        // Another spool than the one that was read.
        try reader.remove(content)
        #expect(try lab.text(path("alice")) == Self.line(2))
        try reader.remove(reader.read(after: SpoolRegister.Taken()))
        #expect(try lab.text(path("alice")) == "")
        #expect(!FileManager.default.fileExists(atPath: lab.path + path("alice", "spool-dropped.jsonl")))
    }

    @Test func `what a record claims of others is not believed`() throws {
        let lab = try lab()
        let lines = [
            Self.line(1) { ($0.uid, $0.user, $0.auid, $0.host, $0.src) = (0, "root", 1002, "pc9", .kernel) },
            Self.line(2) { ($0.uid, $0.auid, $0.host, $0.note) = (1001, 1001, "pc1", "a note") },
            // Only root makes these.
            Self.line(3) { $0.kind = .gap }, Self.line(4) { $0.kind = .drop },
            Self.line(5) { ($0.kind, $0.note) = (.policy, "set-once mark gone, version 1") },
            Self.line(6) { $0.count = AuditRecord.mostEqualAttempts + 1 },
            Self.line(7) { ($0.kind, $0.note, $0.host) = (.policy, "set once, version 1", "pc8") },
        ]
        try lab.write(
            path("alice"),
            lines.joined().replacingOccurrences(
                of: "\"outcome\":\"refused\",\"note\":\"set once",
                with: "\"policy\":{\"id\":\"a.b\"},\"outcome\":\"refused\",\"note\":\"set once"))
        let taken = SpoolCollector.collect(on: try lab.machine())
        #expect(taken.records == 4)
        #expect(taken.problems == ["4 lines of the spool of alice were no records, and are only counted in the log."])
        let log = try log(lab)
        #expect(
            log.map(\.uid) == [1001, 1001, 1001, 1001] && log.allSatisfy { $0.user == "alice" && $0.src == .spool })
        #expect(log.map(\.host) == ["pc1", "pc1", "pc1", "pc1"])
        #expect(log.map(\.auid) == [nil, 1001, nil, nil])
        #expect(
            log.map(\.note) == [
                "[the spool says host pc9, uid 0, login uid 1002]", "a note",
                "set once, version 1; [the spool says host pc8]",
                "So many lines of the spool were no records of a user's program.",
            ])
        #expect(log[2].setOnceMark?.occasion == "version 1")
        #expect(log.last?.kind == .drop && log.last?.count == 4)
    }

    @Test func `a hostile spool is named and takes no other down`() throws {
        typealias Writing = (TemporaryMachine, String) throws -> Void
        let files = FileManager.default
        let cases: [(write: Writing, problem: String?)] = [
            ({ try $0.write($1, String(repeating: "garbage\n", count: 1 << 17)) }, " lines of"),
            ({ try $0.write($1, String(repeating: "x", count: 1 << 20)) }, "1 line"),
            (
                { try $0.write($1, String(repeating: String(repeating: "x", count: 99) + "\n", count: 30_000)) },
                " lines of"
            ),
            ({ #expect(mkfifo($0.path + $1, 0o600) == 0) }, "is a fifo, not a regular file"),
            (
                { try files.createSymbolicLink(atPath: $0.path + $1, withDestinationPath: "/etc/shadow") },
                "is a symbolic link, not a regular file"
            ),
            ({ try $0.makeDirectory($1) }, "is a directory, not a regular file"),
            ({ try $0.write($1, [0xff, 0xfe, 0x0a, 0x00, 0x0a]) }, "2 lines"),
            ({ try $0.write($1, Self.line(5) + Self.line(6).dropLast(9)) }, "1 line"),
            ({ try $0.write($1, String(repeating: "\n", count: 1_000)) }, nil),
        ]
        for (index, item) in cases.enumerated() {
            let lab = try lab()
            try lab.write("/etc/shadow", "root:secret:1::::::\n")
            try lab.write(path("alice", "other"), "")
            try item.write(lab, path("alice"))
            try lab.write(path("bob"), Self.line(7))
            let taken = SpoolCollector.collect(on: try lab.machine())
            #expect(taken.failure == nil)
            #expect(taken.problems.count == (item.problem == nil ? 0 : 1), "\(index) \(taken.problems)")
            if let problem = item.problem {
                #expect(taken.problems.first?.contains(problem) == true, "\(index) \(taken.problems)")
                #expect(taken.problems.first?.contains("alice") == true)
            }
            let log = try log(lab)
            #expect(log.last?.uid == 1002 && log.last?.tried == .full(.integer(7)), "\(index)")
            #expect(AuditVerifier.verify(root: lab.root).firstBad == nil)
            let lines = try lab.text("/var/log/managed-defaults/current.jsonl")
            #expect(!lines.contains("secret") && !lines.contains("garbage"))
            #expect(try lab.text("/etc/shadow") == "root:secret:1::::::\n")
            // Neither file nor report grows with what the user wrote.
            if let size = try? lab.root.status(path("alice"), followingLinks: false).size {
                #expect(size <= SpoolReader.mostBytes, "\(index)")
            }
        }
    }

    @Test func `a count that is none, or too large, is named`() throws {
        let lab = try lab()
        try lab.write(path("alice", "spool-dropped.jsonl"), TemporaryMachine.dropped(1 << 50))
        try lab.write(path("bob", "spool-dropped.jsonl"), TemporaryMachine.dropped(98_417))
        let taken = SpoolCollector.collect(on: try lab.machine())
        #expect(taken.records == 1 && taken.problems.count == 1)
        #expect(taken.problems.first?.contains("spool-dropped.jsonl holds no count") == true)
        let record = try #require(try log(lab).last)
        #expect(record.kind == .drop && record.src == .spool && record.uid == 1002 && record.count == 98_417)
        #expect(!FileManager.default.fileExists(atPath: lab.path + path("bob", "spool-dropped.jsonl")))
    }

    @Test func `many records are taken in several runs`() throws {
        let lab = try lab()
        let number = SpoolReader.mostRecords + 10
        var limits = PersonalShares.Limits()
        limits.rate = TokenRate(perSecond: 0, burst: number)
        let lines = (0..<number).map {
            #"{"v":1,"time":"2026-01-01T00:00:00Z","kind":"damaged","mono":\#($0)}"# + "\n"
        }
        try lab.write(path("alice"), lines.joined())
        var all = 0
        for _ in 0..<100 where all < number {
            let taken = SpoolCollector.collect(on: try lab.machine(), limits: limits)
            #expect(taken.records > 0 && taken.problems.isEmpty)
            if taken.records == 0 { break }
            all += taken.records
        }
        #expect(try log(lab).map(\.mono) == Array(0..<number))
    }

    @Test func `of a user who has had the bytes of the day nothing is taken, and of others all`() throws {
        let lab = try lab()
        var limits = PersonalShares.Limits()
        limits.dailyBytes = 100
        try lab.write(path("alice"), Self.line(1))
        #expect(SpoolCollector.collect(on: try lab.machine(), limits: limits).records == 1)
        try lab.write(path("alice"), Self.line(2))
        try lab.write(path("bob"), Self.line(3))
        let taken = SpoolCollector.collect(on: try lab.machine(), limits: limits)
        #expect(taken.records == 1)
        #expect(taken.problems.count == 1 && taken.problems.first?.contains("takes no more of this user") == true)
        #expect(try lab.text(path("alice")) == Self.line(2))
    }

    @Test func `no more is taken at a time than the user may store at once, and nothing is lost`() throws {
        let lab = try lab()
        var limits = PersonalShares.Limits()
        limits.rate = TokenRate(perSecond: 0, burst: 3)
        try lab.write(path("alice"), (0..<5).map { Self.line($0) }.joined())
        try lab.write(path("bob"), Self.line(9))
        #expect(SpoolCollector.collect(on: try lab.machine(), limits: limits).records == 4)
        #expect(try lab.text(path("alice")) == (3..<5).map { Self.line($0) }.joined())
        limits.rate = TokenRate(perSecond: 1_000_000, burst: 3)
        #expect(SpoolCollector.collect(on: try lab.machine(), limits: limits).records == 2)
        #expect(try log(lab).filter { $0.kind == .drop }.isEmpty)
    }

    @Test func `a log that cannot be written leaves the spools as they are`() throws {
        let lab = try lab()
        try lab.write(path("alice"), Self.line(1))
        try lab.write("/var/log/managed-defaults", "a file")
        let taken = SpoolCollector.collect(on: try lab.machine())
        #expect(taken.records == 0)
        #expect(taken.failure?.hasPrefix("What waits in the spools of users could not be") == true)
        #expect(try lab.text(path("alice")) == Self.line(1))
        try FileManager.default.removeItem(atPath: lab.path + "/var/log/managed-defaults")
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 1)
    }

    @Test func `a damaged register is begun anew and named`() throws {
        let lab = try lab()
        try lab.write(path("alice"), Self.line(1))
        #expect(SpoolCollector.collect(on: try lab.machine()).records == 1)
        let register = try SpoolRegister(root: lab.root)
        #expect(try SpoolRegister(decoding: register.encoded) == register && register.taken.count == 1)
        #expect(try lab.root.status(SpoolRegister.path, followingLinks: false).mode == 0o600)
        try lab.write(SpoolRegister.path, "x")
        try lab.write(path("alice"), Self.line(2))
        let taken = SpoolCollector.collect(on: try lab.machine())
        #expect(taken.records == 1)
        #expect(taken.problems.first?.hasPrefix("What was taken of spools before is not known") == true)
    }

    @Test func `an answer that is cut short or changed is none, or is one`() throws {
        var content = SpoolContent()
        content.records = [try AuditRecord(line: Array(Self.line(1) { ($0.pid, $0.note) = (4, "n") }.utf8.dropLast()))]
        content.overflow = SpoolContent.Overflow(first: 1, last: 2, count: 3)
        content.problem = "p"
        let bytes = content.encoded
        let arrived = try #require(SpoolContent(bytes))
        #expect(arrived.encoded == bytes && arrived.overflow == content.overflow && arrived.problem == "p")
        for end in bytes.indices { #expect(SpoolContent(Array(bytes[..<end])) == nil) }
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                guard let other = SpoolContent(changed) else { continue }
                // Whatever a child sends, a line of the log comes of it that reads.
                for record in other.records { _ = try AuditRecord(line: record.encoded()) }
            }
        }
    }
}
