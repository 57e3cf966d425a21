import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDFleet
import MDPlatform
import MDReport
import MDTestSupport
import Testing

/// Hosts that contradict themselves are named by the right word, what they said is kept, and others go on.
@Suite struct DisputeTests {
    /// A centre that has 8 records of a host.
    private static func lab() throws -> (CollectorLab, HostLog) {
        let (lab, log) = (try CollectorLab(), HostLog(8))
        try lab.put(status: "pc01")
        try lab.put(log.batch())
        try lab.collect()
        return (lab, log)
    }

    /// A log that another one announces in its first record.
    private static func successor(
        of log: HostLog, _ succession: LogSuccession, last: Int, id: String = "0c"
    ) -> HostLog {
        var next = HostLog(id: id)
        next.grow(
            by: 1, .recover,
            note:
                "This log was begun because the one that was here \(succession.rawValue): the log \(log.id), whose last "
                + "record here is \(last).")
        next.grow(by: 2)
        return next
    }

    /// What must be true of every dispute.
    private static func check(_ lab: CollectorLab, _ round: CollectorRound, _ word: DisputeWord, log: String) throws {
        #expect(round.alarms.map(\.word) == [word])
        #expect(round.alarms.filter { !$0.isDispute }.isEmpty)
        #expect(try lab.head().dispute == word)
        let answer = try lab.acknowledgement()
        #expect(answer?.log == log)
        #expect(answer?.answer == .refused(word))
        let host = try CollectorLab.host("pc01")
        #expect(try lab.root.names(in: CentreFolder.disputed(host)).count == 1)
        #expect(try lab.lines().count == 8)
        #expect(try lab.verify() == .intact)
        // Others go on, and the host itself does not.
        try lab.put(HostLog(4, id: "0f").batch(), of: "pc09")
        try lab.put(HostLog(12).batch(from: 9))
        let next = try lab.collect()
        #expect((next.records, next.alarms.isEmpty) == (4, true))
        #expect(try lab.lines().count == 8)
        #expect(try lab.acknowledgement()?.answer == .refused(word))
    }

    @Test(arguments: [1, 5, 8]) func `a record that is another one now was rewritten`(number: Int) throws {
        let (lab, log) = try DisputeTests.lab()
        var other = HostLog(number - 1)
        other.grow(by: 1, note: "another")
        other.grow(by: 3)
        try lab.put(other.batch(from: number))
        try DisputeTests.check(lab, try lab.collect(), .rewritten, log: log.id)
    }

    @Test func `a checkpoint that is not that of the records is altered`() throws {
        let (lab, log) = try DisputeTests.lab()
        var longer = log
        longer.grow(by: 2)
        let forged = Checkpoint(origin: log.origin, size: 10, root: longer.tree(9).root)
        try lab.put(longer.batch(9...10, forged))
        try DisputeTests.check(lab, try lab.collect(), .altered, log: log.id)
    }

    @Test func `a log whose earlier records were changed and that grew since is altered`() throws {
        let (lab, log) = try DisputeTests.lab()
        var other = HostLog(3)
        other.grow(by: 1, note: "another")
        other.grow(by: 6)
        try lab.put(other.batch(9...10))
        try DisputeTests.check(lab, try lab.collect(), .altered, log: log.id)
    }

    @Test func `another root at the same number of records is altered`() throws {
        let (lab, log) = try DisputeTests.lab()
        try lab.put(log.batch(8...8, Checkpoint(origin: log.origin, size: 8, root: log.tree(7).root)))
        try DisputeTests.check(lab, try lab.collect(), .altered, log: log.id)
    }

    @Test func `a log that nothing announced was exchanged`() throws {
        let (lab, _) = try DisputeTests.lab()
        let other = HostLog(9, id: "0d")
        try lab.put(other.batch())
        try DisputeTests.check(lab, try lab.collect(), .exchanged, log: other.id)
    }

    @Test func `a log of another machine is a copy, also if it says so`() throws {
        let (lab, log) = try DisputeTests.lab()
        let next = DisputeTests.successor(of: log, .copied, last: 8)
        try lab.put(next.batch())
        try DisputeTests.check(lab, try lab.collect(), .copied, log: next.id)
    }

    @Test func `the log of another host is a copy, and both are named`() throws {
        let (lab, log) = try DisputeTests.lab()
        try lab.put(HostLog(10).batch(), of: "pc02")
        let round = try lab.collect()
        #expect(round.alarms.map(\.word) == [.copied])
        #expect(round.alarms.first?.sentence.contains("pc02 and pc01") == true)
        #expect(try lab.head("pc02").dispute == .copied)
        // The one that had it first goes on.
        try lab.put(HostLog(9).batch(from: 9))
        #expect(try lab.collect().records == 1)
        // An administrator may have renamed it.
        _ = try lab.accept("pc02")
        try lab.put(HostLog(10).batch(), of: "pc02")
        let next = try lab.collect()
        #expect((next.records, next.alarms.isEmpty) == (10, true))
        #expect(log.id == (try lab.head("pc02").log))
    }

    @Test func `two hosts with one log in one round are a copy`() throws {
        let lab = try CollectorLab()
        try lab.put(HostLog(3).batch(), of: "pc01")
        try lab.put(HostLog(3).batch(), of: "pc02")
        let round = try lab.collect()
        #expect(round.alarms.map(\.word) == [.copied])
        #expect(round.records == 3)
    }

    @Test func `a host that was set back says so in a new log and goes on`() throws {
        let (lab, log) = try DisputeTests.lab()
        let next = DisputeTests.successor(of: log, .setBack, last: 5)
        try lab.put(next.batch())
        let round = try lab.collect()
        #expect(round.alarms.map(\.word) == [.rolledBack])
        #expect(round.alarms.filter(\.isDispute).isEmpty)
        #expect(try lab.acknowledgement() == Acknowledgement(log: next.id, size: 3, .held(next.tree(3).root)))
        #expect(try lab.verify() == .gaps)
        // The old log is beside it, as a host's own is, and late batches of it change nothing.
        let old = AuditVerifier.verify(root: try lab.mirror(), files: [LogFiles.aside(log.id).log])
        #expect((old.status, old.records) == (.intact, 8))
        try lab.put(log.batch(2...7))
        #expect(try lab.collect().alarms.isEmpty)
        // The answer is about the log that came.
        #expect(try lab.acknowledgement()?.log == log.id)
        try lab.put(next.batch(from: 2))
        #expect(try lab.collect().alarms.isEmpty)
        #expect(try lab.acknowledgement()?.log == next.id)
    }

    @Test func `a machine that is set back at each boot raises an alarm at most once`() throws {
        let (lab, log) = try DisputeTests.lab()
        // Any machine could say it, so the first one counts.
        let next = DisputeTests.successor(of: log, .resetAtBoot, last: 5)
        try lab.put(next.batch())
        #expect(try lab.collect().alarms.map(\.word) == [.rolledBack])
        #expect(try lab.lines() == next.lines)
        let last = DisputeTests.successor(of: next, .resetAtBoot, last: 0, id: "0d")
        try lab.put(last.batch())
        #expect(try lab.collect().alarms.isEmpty)
        #expect(try lab.lines() == last.lines)
        #expect(try lab.head().dispute == nil)
    }

    @Test func `a machine that was enrolled as one that is set back at each boot raises no alarm`() throws {
        let (lab, log) = try DisputeTests.lab()
        try lab.root.replace(CentreFolder.resets(try CollectorLab.host("pc01")), with: [], mode: 0o644)
        let next = DisputeTests.successor(of: log, .resetAtBoot, last: 5)
        try lab.put(next.batch())
        #expect(try lab.collect().alarms.isEmpty)
        #expect(try lab.lines() == next.lines)
    }

    @Test func `a host that comes back to a log that it had left is told what is here of it`() throws {
        let (lab, log) = try DisputeTests.lab()
        let next = DisputeTests.successor(of: log, .setBack, last: 5)
        try lab.put(next.batch())
        try lab.collect()
        var late = log
        late.grow(by: 2)
        for _ in 0..<2 {
            try lab.put(late.batch(from: 9))
            #expect(try lab.collect().alarms.isEmpty)
            #expect(try lab.acknowledgement() == Acknowledgement(log: log.id, size: 8, .held(log.tree(8).root)))
        }
        // Its own first records, sent again, raise nothing.
        try lab.put(next.batch())
        #expect(try lab.collect().alarms.isEmpty)
        #expect(try lab.head().dispute == nil)
        // It was set back again, and what it begins follows a log that is not the newest here.
        let last = DisputeTests.successor(of: log, .setBack, last: 5, id: "0d")
        try lab.put(last.batch())
        #expect(try lab.collect().alarms.map(\.word) == [.rolledBack])
        #expect(try lab.lines() == last.lines)
    }

    @Test func `records that nobody was told of may be other ones`() throws {
        let (lab, log) = try DisputeTests.lab()
        var lost = log
        lost.grow(by: 2, note: "lost")
        let path = try lab.mirror().display(AuditLog.path)
        let file = try AppendFile.open(root: Root(directory: "/"), path: path, mode: 0o640)
        try file.append(lost.lines[8...].flatMap { $0 + [0x0a] })
        var other = log
        other.grow(by: 3, note: "another")
        try lab.put(other.batch(from: 9))
        for _ in 0..<2 { #expect(try lab.collect().alarms.isEmpty) }
        #expect(try lab.lines() == other.lines)
        #expect(try lab.acknowledgement()?.size == 11)
    }

    @Test func `statuses that are late say nothing, and rubbish in turn is named once a day`() throws {
        let (lab, log) = try DisputeTests.lab()
        for (size, minutes) in [(3, 90), (5, 80)] {
            try lab.put(status: "pc01") {
                ($0.log, $0.size) = (log.id, size)
                $0.time = Timestamp(microseconds: 1_795_000_000_000_000 - Int64(minutes) * 60_000_000)
            }
            #expect(try lab.collect().alarms.isEmpty)
        }
        var words: [DisputeWord] = []
        for _ in 0..<3 {
            try lab.put(Array("no gzip file".utf8), .batch)
            words += try lab.collect().alarms.map(\.word)
            try lab.put(log.batch())
            words += try lab.collect().alarms.map(\.word)
        }
        #expect(words == [.malformed])
    }

    @Test func `a new log moves nothing if it does not fit its own checkpoint`() throws {
        let (lab, log) = try DisputeTests.lab()
        let next = DisputeTests.successor(of: log, .setBack, last: 5)
        try lab.put(next.batch(1...3, Checkpoint(origin: next.origin, size: 3, root: log.tree(3).root)))
        try DisputeTests.check(lab, try lab.collect(), .altered, log: next.id)
    }

    @Test func `a kill while a log is set aside forgets no alarm`() throws {
        let (lab, log) = try DisputeTests.lab()
        let next = DisputeTests.successor(of: log, .setBack, last: 5)
        try lab.put(next.batch())
        do {
            var killed = try Collector(lab.root, now: lab.now)
            try killed.take()
        }
        let round = try lab.collect()
        #expect(round.alarms.map(\.word) == [.rolledBack])
        #expect(try lab.lines() == next.lines)
        #expect(try lab.acknowledgement()?.size == 3)
        #expect(round.problems.isEmpty)
        // The same of a kill between two of its renames.
        let (other, _) = try DisputeTests.lab()
        let folder = CentreFolder.log(try CollectorLab.host("pc01"))
        try other.root.rename("\(folder)/current.jsonl", to: "\(folder)/current-\(log.id).jsonl", replacing: false)
        try other.put(next.batch())
        #expect(try other.collect().alarms.map(\.word) == [.rolledBack])
        #expect(try other.lines() == next.lines)
        let old = AuditVerifier.verify(root: try other.mirror(), files: [LogFiles.aside(log.id).log])
        #expect(old.status == .intact)
    }

    @Test(SystemTools.needed("openssl")) func `a checkpoint must be signed by the host's key if the centre has it`()
        throws
    {
        let (lab, log) = try DisputeTests.lab()
        let machine = try TemporaryMachine(.none)
        let key = try Subprocess.run(
            "/usr/bin/openssl", ["genpkey", "-algorithm", "ed25519"], timeoutMilliseconds: 20_000, limit: 4_096)
        try machine.root.createDirectory("/etc/managed-defaults", mode: 0o755)
        try machine.root.replace(CheckpointSigner.path, with: key.output, mode: 0o600)
        let signer = try #require(try CheckpointSigner(of: machine.root))
        let host = try CollectorLab.host("pc01")
        try lab.root.replace(CentreFolder.publicKey(host), with: signer.publicKeyPEM, mode: 0o640)
        var longer = log
        longer.grow(by: 2)
        var checkpoint = longer.checkpoint(10)
        checkpoint.signatures = [try signer.signature(of: checkpoint)]
        try lab.put(longer.batch(9...10, checkpoint))
        #expect(try lab.collect().alarms.isEmpty)
        #expect(try lab.head().isSigned)
        longer.grow(by: 1)
        // The signature of another checkpoint.
        var forged = longer.checkpoint(11)
        forged.signatures = checkpoint.signatures
        try lab.put(longer.batch(11...11, forged))
        #expect(try lab.collect().alarms.map(\.word) == [.altered])
        #expect(try lab.acknowledgement()?.size == 10)
    }

    @Test func `another machine under a name, and a copy that says so, are named once`() throws {
        let (lab, _) = try DisputeTests.lab()
        for _ in 0..<3 { try lab.put(status: "pc01", machine: "0123456789abcdef0123.-.00000000000000000000") }
        #expect(try lab.collect().alarms.isEmpty)
        let other = "ffffffffffffffffffff.-.-"
        for wanted in [1, 0, 0] {
            try lab.put(status: "pc01", machine: other) { $0.copyOf = $0.host }
            let round = try lab.collect()
            #expect(round.alarms.map(\.word) == Array(repeating: .copied, count: wanted))
        }
        #expect(try lab.head().dispute == nil)
        // A copy's sign of life is not that of its original.
        let seen = try lab.head().seen
        try lab.put(status: "pc01", machine: other) { $0.copyOf = $0.host }
        try lab.collect()
        #expect(try lab.head().seen == seen)
    }

    @Test func `a host that twice says to have fewer records was set back`() throws {
        let (lab, log) = try DisputeTests.lab()
        func say(_ size: Int) throws -> [DisputeWord] {
            try lab.put(status: "pc01") { ($0.log, $0.size) = (log.id, size) }
            return try lab.collect().alarms.map(\.word)
        }
        #expect(try say(8).isEmpty)
        // One may be late.
        #expect(try say(5).isEmpty)
        #expect(try say(8).isEmpty)
        #expect(try say(5).isEmpty)
        #expect(try say(6) == [.rolledBack])
        #expect(try say(6).isEmpty)
        #expect(try lab.head().dispute == nil)
    }

    @Test func `an accepted host begins again, and its old copy stays`() throws {
        let (lab, log) = try DisputeTests.lab()
        let other = HostLog(3, id: "0d")
        try lab.put(other.batch())
        try lab.collect()
        let host = try CollectorLab.host("pc01")
        let aside = try #require(try lab.accept("pc01", "new disk"))
        #expect(aside.hasSuffix("/hosts/pc01/log-\(log.id)"))
        #expect(try lab.acknowledgement() == nil)
        try lab.put(other.batch())
        let round = try lab.collect()
        #expect((round.records, round.alarms.isEmpty) == (3, true))
        #expect(try lab.head().dispute == nil)
        let old = "\(CentreFolder.folder(host))/log-\(log.id)/current.jsonl"
        #expect(AuditVerifier.verify(root: lab.root, files: [old]).status == .intact)
        let own = try CentreFolder.own(lab.root).read(AuditLog.path, limit: 1 << 16).bytes
        #expect(String(decoding: own, as: UTF8.self).contains("new disk (exchanged)"))
    }

    @Test func `accepting ends an alarm that is no dispute, and the log goes on`() throws {
        let (lab, log) = try DisputeTests.lab()
        func copy() throws -> Int {
            try lab.put(status: "pc01", machine: "ffffffffffffffffffff.-.-") { $0.copyOf = $0.host }
            return try lab.collect().alarms.count
        }
        func open() throws -> Int { try FleetView.read(lab.root, clock: .given(lab.now)).alarms.count }
        #expect(try (copy(), copy(), open()) == (1, 0, 1))
        #expect(try lab.accept("pc01", "the copy was wiped") == nil)
        #expect(try open() == 0)
        let own = try CentreFolder.own(lab.root).read(AuditLog.path, limit: 1 << 16).bytes
        #expect(String(decoding: own, as: UTF8.self).contains("the copy was wiped"))
        var longer = log
        longer.grow(by: 1)
        try lab.put(longer.batch(from: 9))
        #expect(try lab.collect().records == 1)
        // The same again is an alarm again, on the same day too.
        #expect(try (copy(), open()) == (1, 1))
        // So is what has the same words as before.
        func rubbish() throws -> Int {
            try lab.put(Array("no gzip file".utf8), .batch)
            return try lab.collect().alarms.count
        }
        #expect(try (rubbish(), rubbish()) == (1, 0))
        _ = try lab.accept()
        #expect(try (rubbish(), open()) == (1, 1))
    }

    @Test func `two hosts that are one machine, each with a log of its own, are named once`() throws {
        let (lab, _) = try DisputeTests.lab()
        try lab.put(status: "pc02", machine: "0123456789abcdef0123.1111111111111111.-")
        let first = try lab.collect()
        #expect(first.alarms.map(\.word) == [.copied] && first.alarms.first?.host.name == "pc02")
        #expect(first.alarms.first?.sentence.hasPrefix("pc02 and pc01 are one machine") == true)
        #expect(try lab.collect().alarms.isEmpty && lab.head("pc02").dispute == nil)
        // The same id on another board: each was enrolled after it was copied.
        try lab.put(status: "pc03", machine: "0123456789abcdef0123.2222222222222222.-")
        try lab.put(status: "pc04", machine: "-.11111111111111111111.-")
        #expect(try lab.collect().alarms.map { $0.sentence.prefix(13) } == ["pc03 and pc01"])
        _ = try lab.accept("pc02", "its new name")
        try lab.put(status: "pc02", machine: "0123456789abcdef0123.1111111111111111.3333333333333333")
        #expect(try lab.collect().alarms.isEmpty)
    }

    @Test func `what cannot be read is named once, and the next good batch is taken`() throws {
        let (lab, log) = try DisputeTests.lab()
        for wanted in [1, 0] {
            try lab.put(Array("no gzip file".utf8), .batch)
            #expect(try lab.collect().alarms.count == wanted)
            #expect(try lab.acknowledgement()?.answer == .refused(.malformed))
        }
        try lab.put([UInt8](repeating: 7, count: SpoolName.Kind.batch.limit + 1), .batch)
        try lab.collect()
        #expect(try lab.spool.isEmpty)
        #expect(try lab.head().dispute == nil)
        var longer = log
        longer.grow(by: 1)
        try lab.put(longer.batch(from: 9))
        #expect(try lab.collect().records == 1)
        #expect(try lab.acknowledgement()?.answer == .held(longer.tree(9).root))
    }

    @Test func `no change of a batch is taken for records, and no host stops another`() throws {
        let (lab, log) = try DisputeTests.lab()
        var longer = log
        longer.grow(by: 6)
        let good = longer.batch(from: 7).bytes
        var random = SplitMix(state: 37)
        let host = try CollectorLab.host("pc01")
        for number in 0..<60 {
            var bytes = good
            switch number % 3 {
            case 0: bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))
            case 1:
                bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            default:
                bytes.insert(
                    UInt8.random(in: 0...255, using: &random), at: Int.random(in: 0..<bytes.count, using: &random))
            }
            let packed = try Gzip.pack(bytes)
            try lab.put(number % 5 == 0 ? Array(packed.dropLast(number % 7)) : packed, .batch)
            let round = try lab.collect()
            #expect(round.problems.isEmpty)
            let lines = try lab.lines()
            #expect(lines == Array(longer.lines.prefix(lines.count)))
            let head = try lab.head()
            if lines.count > 8 || head.dispute != nil {
                // Begin again with the log as it was.
                var head = head
                head.dispute = head.dispute ?? .altered
                try lab.root.replace(CentreFolder.head(host), with: head.bytes, mode: 0o640)
                _ = try lab.accept()
                try lab.put(log.batch())
                try lab.collect()
            }
        }
        #expect(try lab.root.names(in: CentreFolder.disputed(host)).count <= 16)
        #expect(try lab.verify() == .intact)
    }
}
