import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDEngine
import MDFleet
import MDPlatform
import MDReport
import MDTestSupport
import Testing

/// What honest hosts send is kept once and acknowledged, whatever is repeated, late, cut off or killed.
@Suite struct CollectorTests {
    @Test func `records are kept as the host has them, and acknowledged`() throws {
        let lab = try CollectorLab()
        var log = HostLog(5)
        try lab.put(log.batch())
        #expect(try lab.collect().records == 5)
        log.grow(by: 3)
        try lab.put(log.batch(from: 6))
        let round = try lab.collect()
        #expect((round.records, round.repeated) == (3, 0))
        #expect(round.alarms.isEmpty)
        #expect(try lab.lines() == log.lines)
        #expect(try lab.acknowledgement() == Acknowledgement(log: log.id, size: 8, .held(log.tree(8).root)))
        #expect(try lab.spool.isEmpty)
        #expect(try lab.verify() == .intact)
        let head = try lab.head()
        #expect((head.log, head.size, head.root) == (log.id, 8, log.tree(8).root))
        #expect(!head.isSigned)
        #expect(head.seen == lab.now)
    }

    @Test func `what arrives again is compared, and late or early batches change nothing`() throws {
        let lab = try CollectorLab()
        let log = HostLog(20)
        for range in [1...6, 1...6, 4...9, 2...3, 9...9, 10...12, 1...12, 5...20, 1...4] {
            try lab.put(log.batch(range))
            let round = try lab.collect()
            #expect(round.alarms.isEmpty)
            #expect(try lab.spool.isEmpty)
        }
        #expect(try lab.lines() == log.lines)
        #expect(try lab.acknowledgement()?.size == 20)
        #expect(try lab.verify() == .intact)
    }

    @Test func `records behind missing ones wait, and the host is told where to go on`() throws {
        let lab = try CollectorLab()
        let log = HostLog(9)
        try lab.put(log.batch(4...9))
        #expect(try lab.collect().waiting.count == 1)
        #expect(try lab.acknowledgement()?.size == 0)
        try lab.put(log.batch(1...3))
        try lab.collect()
        try lab.put(log.batch(6...9))
        let round = try lab.collect()
        #expect(round.waiting == ["pc01: records 4 to 5 are missing before those that it sent"])
        #expect(round.alarms.isEmpty)
        #expect(try lab.acknowledgement()?.size == 3)
        #expect(try lab.lines().count == 3)
    }

    @Test func `a host to which nothing can be said does not stop another one, and keeps its batch`() throws {
        let lab = try CollectorLab()
        let logs = [HostLog(3), HostLog(4, id: "0b")]
        for (name, log) in zip(["pc01", "pc02"], logs) { try lab.put(log.batch(), of: name) }
        let path = CentreFolder.acknowledgement(try CollectorLab.host("pc01")) + "~new"
        try lab.root.createDirectory(path, mode: 0o755)
        #expect(try lab.collect().problems.count == 1)
        #expect(try lab.acknowledgement("pc02")?.size == 4)
        #expect(try lab.acknowledgement() == nil)
        #expect(try lab.spool == ["pc01~batch.gz"])
        try lab.root.removeDirectory(path)
        #expect(try lab.collect().problems.isEmpty)
        #expect(try lab.acknowledgement()?.size == 3)
        #expect(try lab.verify() == .intact)
    }

    @Test func `what a power cut left of the next files is replaced`() throws {
        let lab = try CollectorLab()
        var log = HostLog(3)
        try lab.put(log.batch())
        try lab.collect()
        let host = try CollectorLab.host("pc01")
        for path in [
            CentreFolder.acknowledgement(host), CentreFolder.head(host), CentreFolder.log(host) + "/checkpoint",
        ] {
            try lab.root.replace(path + "~new", with: [], mode: 0o640)
        }
        #expect(try lab.verify() == .intact)
        log.grow(by: 2)
        try lab.put(log.batch(from: 4))
        #expect(try lab.collect().records == 2)
        #expect(try lab.acknowledgement()?.size == 5)
        #expect(try lab.head().size == 5)
        #expect(try lab.verify() == .intact)
    }

    @Test(arguments: 0...3) func `a kill after any step loses and repeats nothing`(steps: Int) throws {
        let lab = try CollectorLab()
        var log = HostLog(4)
        try lab.put(log.batch())
        try lab.collect()
        log.grow(by: 5)
        try lab.put(log.batch(from: 5))
        do {
            var killed = try Collector(lab.root, now: lab.now)
            if steps > 0 { try killed.take() }
            if steps > 1 { try killed.commit() }
            if steps > 2 { try killed.acknowledge() }
        }
        // Nothing is acknowledged before it is on disk.
        #expect(try lab.acknowledgement()?.size == (steps > 2 ? 9 : 4))
        let round = try lab.collect()
        #expect(round.records + round.repeated == 5)
        #expect(try lab.lines() == log.lines)
        #expect(try lab.acknowledgement()?.size == 9)
        #expect(try lab.verify() == .intact)
        #expect(round.alarms.isEmpty)
        #expect(try lab.spool.isEmpty)
    }

    @Test(arguments: [1, 40, 200, 500]) func `a copy that was cut while it was written is completed`(bytes: Int) throws
    {
        let lab = try CollectorLab()
        var log = HostLog(4)
        try lab.put(log.batch())
        try lab.collect()
        log.grow(by: 5)
        let whole = log.lines.reduce(into: [UInt8]()) { $0 += $1 + [0x0a] }
        let path = "\(CentreFolder.log(try CollectorLab.host("pc01")))/current.jsonl"
        let held = log.lines.prefix(4).reduce(0) { $0 + $1.count + 1 }
        try lab.root.replace(path, with: Array(whole.prefix(held + bytes)), mode: 0o640)
        try lab.put(log.batch(from: 5))
        let round = try lab.collect()
        #expect(round.alarms.isEmpty)
        #expect(try lab.lines() == log.lines)
        #expect(try lab.verify() == .intact)
    }

    @Test func `segments that the host deleted are a declared gap`() throws {
        let lab = try CollectorLab()
        let log = HostLog(1_290)
        func deleted(_ first: Int) -> RecordBatch.Part {
            let lines = log.lines[(first - 1)..<(first + 255)]
            let root = lines.reduce(into: MerkleTree()) { $0.append(line: $1) }.root
            return .deleted(first: first, last: first + 255, roots: [root])
        }
        func lines(_ range: ClosedRange<Int>) -> RecordBatch.Part {
            .lines(Array(log.lines[(range.lowerBound - 1)..<range.upperBound]))
        }
        func send(_ range: ClosedRange<Int>, _ parts: [RecordBatch.Part]) throws -> CollectorRound {
            try lab.put(
                RecordBatch(
                    first: range.lowerBound, last: range.upperBound, parts: parts,
                    checkpoint: log.checkpoint(range.upperBound)))
            return try lab.collect()
        }
        #expect(try send(1...258, [deleted(1), lines(257...258)]).records == 2)
        #expect(try lab.acknowledgement()?.size == 258)
        // The segment that was begun here was deleted before it was sent whole.
        let gap = try send(257...770, [deleted(257), deleted(513), lines(769...770)])
        #expect(gap.records == 2 && gap.alarms.map(\.word) == [.unproven])
        #expect(gap.alarms.first?.sentence.contains("begins with record 257. The centre has and keeps") == true)
        // Segments fill here as they do on a host, and what is in them is compared too.
        #expect(try send(771...1_290, [lines(771...1_290)]).records == 520)
        let again = try send(769...1_290, [lines(769...1_290)])
        #expect((again.repeated, again.alarms.isEmpty) == (522, true))
        #expect(try lab.acknowledgement() == Acknowledgement(log: log.id, size: 1_290, .held(log.tree(1_290).root)))
        let verified = AuditVerifier.verify(root: try lab.mirror())
        #expect(verified.status == .intact && verified.detail.contains("Records 1 to 768 were deleted"))
        #expect(try lab.mirror().names(in: "\(LogFiles.current.segments)").count >= 3)
        var other = log
        other.lines[800] = Array(other.lines[800].map { $0 == UInt8(ascii: "a") ? UInt8(ascii: "b") : $0 })
        try lab.put(other.batch(771...1_290))
        #expect(try lab.collect().alarms.map(\.word) == [.rewritten])
    }

    @Test func `a status and a report are stored, and what no host can send is left`() throws {
        let lab = try CollectorLab()
        try lab.put(status: "pc01") { $0.room = "room1" }
        for name in ["pc01~other", "..~status", "PC01~status", "status", "pc01~batch.gz~"] {
            try lab.root.replace("\(CentreFolder.spool)/\(name)", with: [1], mode: 0o644)
        }
        try lab.root.replaceWithLink("\(CentreFolder.spool)/pc02~status", to: "../lock")
        let round = try lab.collect()
        #expect((round.hosts, round.unknown) == (2, 5))
        #expect(try lab.spool.count == 5)
        let host = try CollectorLab.host("pc01")
        #expect(try HostStatus(try lab.root.read(CentreFolder.status(host), limit: 1_024).bytes).room == "room1")
        #expect(try lab.head().machine == "0123456789abcdef0123.-.-")
    }

    @Test func `what policy asks about a host comes with its report, and anything else is one finding`() throws {
        let lab = try CollectorLab()
        let host = try CollectorLab.host("pc01")
        let machine = try TemporaryMachine(.classroom)
        try machine.write("etc/hostname", "pc01\n")
        let policy = PolicyMachine(root: machine.root).policy()
        func send(_ facts: String?) throws -> [FleetAlarm] {
            let report = JSONReport.render(
                ComplianceReport(of: policy, ReportRequest(time: lab.now, version: "1")),
                facts: facts.map { Array($0.utf8) })
            try lab.put(try Gzip.pack(report), .report)
            return try lab.collect().alarms
        }
        func facts() -> String? {
            (try? lab.root.read(CentreFolder.facts(host), limit: 1 << 20).bytes).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        #expect(try send(#"{"Host":"PC01.lab.example","Tags":["room1"],"Users":{}}"#).isEmpty)
        #expect(facts()?.contains(#""room1""#) == true)
        for (wrong, words) in [
            (#"{"Host":"pc02"}"#, "calls itself pc02"),
            (#"{"Host":"pc01","Tag":[]}"#, "1:16: a facts file has no field"),
            ("7", "facts that cannot be read"),
            ("{\"Host\":\"\(String(repeating: "a", count: 2 << 20))\"}", "more than 2"),
        ] {
            let alarms = try send(wrong)
            #expect(alarms.map(\.word) == [.malformed] && alarms.first?.sentence.contains(words) == true, "\(alarms)")
            _ = try lab.accept()
        }
        #expect(facts()?.contains(#""room1""#) == true)
        // A host of another version sends none.
        #expect(try send(nil).isEmpty && facts() == nil)
    }

    @Test func `a host over its budget of the day waits, and others go on`() throws {
        let lab = try CollectorLab()
        var log = HostLog(2)
        try lab.put(log.batch())
        try lab.collect()
        var head = try lab.head()
        head.dayBytes = 64 << 20
        try lab.root.replace(CentreFolder.head(try CollectorLab.host("pc01")), with: head.bytes, mode: 0o640)
        log.grow(by: 1)
        try lab.put(log.batch(from: 3))
        try lab.put(HostLog(3, id: "0b").batch(), of: "pc02")
        #expect(try lab.collect().records == 3)
        #expect(try lab.head().waits != nil)
        #expect(try lab.acknowledgement()?.size == 2)
        #expect(try lab.spool == ["pc01~batch.gz"])
        lab.now = Timestamp(microseconds: lab.now.microseconds + 86_400_000_000)
        #expect(try lab.collect().records == 1)
        #expect(try lab.head().waits == nil)
    }

    @Test func `the heads of a day are bound by the centre's own log`() throws {
        let lab = try CollectorLab()
        let log = HostLog(2)
        try lab.put(log.batch())
        try lab.collect()
        let day = String(lab.now.rfc3339.prefix(10))
        let text = try lab.root.read("\(CentreFolder.heads)/\(day)", limit: 1 << 16).bytes
        #expect(String(decoding: text, as: UTF8.self).hasPrefix("pc01 \(log.id) 2 "))
        let own = try CentreFolder.own(lab.root)
        let lines = try own.read(AuditLog.path, limit: 1 << 16).bytes.split(separator: 0x0a)
        #expect(lines.count == 1)
        #expect(try AuditRecord(line: lines[0]).policy?.sha256 == SHA256.hash(text))
    }
}
