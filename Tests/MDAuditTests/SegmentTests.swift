import Foundation
import MDAuditRecord
import MDPlatform
import MDTestSupport
import Testing

@testable import MDAuditLog
@testable import MDAuditReading

/// The segments of a log, with eight records each.
struct SegmentTests {
    /// Limits of a small log.
    static func limits(_ count: Int = 8) -> LogLimits {
        var limits = LogLimits()
        limits.segment = count
        return limits
    }

    /// Appends batches of records.
    static func append(_ machine: TemporaryMachine, _ batches: [Int], _ limits: LogLimits = limits()) throws {
        for count in batches {
            let records = (0..<count).map { _ in TemporaryMachine.record() }
            _ = try AuditLog(root: machine.root, limits: limits).append(records)
        }
    }

    /// The names of the files of segments.
    static func segments(_ machine: TemporaryMachine) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: machine.logFolder.path + "/segments").sorted()
    }

    /// The numbers of all records, as they are read.
    static func numbers(_ machine: TemporaryMachine) throws -> [Int] {
        let reading = try AuditLog(root: machine.root).records()
        #expect(reading.problems == [])
        return reading.records.map(\.seq)
    }

    @Test(arguments: [[8], [1, 7, 1], [3, 3, 3, 3, 3, 3, 3, 3], [5, 5, 30, 1], [40, 1], [64], [7, 2, 7, 2, 7, 2]])
    func `a full file becomes a segment, and the tree goes on`(_ batches: [Int]) throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, batches)
        let count = batches.reduce(0, +)
        #expect(try SegmentTests.numbers(machine) == Array(1...count))
        let result = AuditVerifier.verify(root: machine.root)
        #expect(result.status == .intact && result.records == count, "\(result.detail)")
        // One tree over all lines, however they are divided.
        var tree = MerkleTree()
        for record in try AuditLog(root: machine.root).records().records { tree.append(line: record.encoded()) }
        let checkpoint = try #require(Checkpoint(text: try machine.readLog("checkpoint")))
        #expect(checkpoint.size == count && checkpoint.root == tree.root)
        let roots = try #require(SegmentRoots(text: try machine.readLog("roots")))
        #expect(roots.size == 8 && roots.damagedLine == nil)
        #expect(roots.records == roots.segments.reduce(0) { $0 + $1.roots.count * 8 })
        let current = try machine.readLog("current.jsonl").count { $0 == 0x0a }
        #expect(roots.records + current == count)
        #expect(roots.segments.allSatisfy { $0.begin != nil && $0.end != nil && $0.deleted == nil })
    }

    @Test func `a session divides the log too, and stays with the size of the segments that there are`() throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [20])
        var session = try LogSession.open(root: machine.root)
        for number in 21...50 {
            #expect(try session.append([TemporaryMachine.record()]).sequences == number...number)
            if number % 7 == 0 { _ = session.checkpoint() }
        }
        _ = session.checkpoint()
        #expect(try SegmentTests.segments(machine).count { $0.hasSuffix(".jsonl") } == 5)
        #expect(try SegmentTests.numbers(machine) == Array(1...50))
        #expect(AuditVerifier.verify(root: machine.root).status == .intact)
    }

    @Test func `after a kill only the records after all segments are read`() throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [20])
        try machine.removeLog("state")
        // A changed segment is found by checking, not by the next writer, which does not read it.
        var bytes = try machine.readLog("segments/0000000000000001.jsonl")
        bytes[30] ^= 1
        try machine.writeLog("segments/0000000000000001.jsonl", bytes)
        try SegmentTests.append(machine, [1])
        let result = AuditVerifier.verify(root: machine.root)
        #expect(result.status == .altered && result.firstBad == 1, "\(result.detail)")
        #expect(result.records == 21)
    }

    @Test func `a log that was never divided is divided at the next multiple`() throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [20], SegmentTests.limits(1 << 16))
        try SegmentTests.append(machine, [1, 5])
        let roots = try #require(SegmentRoots(text: try machine.readLog("roots")))
        #expect(roots.segments.map(\.roots.count) == [3])
        #expect(try SegmentTests.numbers(machine) == Array(1...26))
        #expect(AuditVerifier.verify(root: machine.root).status == .intact)
    }

    @Test func `roots that are gone or damaged are computed again, with a record`() throws {
        for damage in [nil, 70, 300] as [Int?] {
            let machine = try TemporaryMachine()
            try SegmentTests.append(machine, [8, 8, 8, 4])
            let before = try machine.readLog("roots")
            if let damage {
                try machine.writeLog("roots", Array(before[..<damage]))
            } else {
                try machine.removeLog("roots")
            }
            let result = AuditVerifier.verify(root: machine.root)
            #expect(result.status == .intact && result.records == 28, "\(damage ?? -1): \(result.detail)")
            try SegmentTests.append(machine, [1])
            #expect(try machine.readLog("roots") == before)
            let records = try AuditLog(root: machine.root).records().records
            #expect(records.map(\.seq) == Array(1...30) && records[28].kind == .recover)
            #expect(AuditVerifier.verify(root: machine.root).status == .gaps)
        }
    }
}

/// Every state that a crash can leave while a segment ends.
struct SegmentCrashTests {
    /// A log of 24 records in two segments and eight records after them, and what each file was before.
    private func log() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [8, 15])
        return machine
    }

    /// Checks that the log goes on after a crash with all records and nothing said.
    private func goesOn(_ machine: TemporaryMachine, count: Int) throws {
        let before = AuditVerifier.verify(root: machine.root)
        #expect(before.status == .intact, "\(before.detail)")
        let result = try AuditLog(root: machine.root, limits: SegmentTests.limits()).append([TemporaryMachine.record()])
        #expect(result == AppendResult(sequences: count + 1...count + 1, alarm: nil))
        #expect(try SegmentTests.numbers(machine) == Array(1...count + 1))
        #expect(AuditVerifier.verify(root: machine.root).status == .intact)
        #expect(try !machine.logNames().contains { $0.hasPrefix("next") || $0.hasPrefix("current-") })
        let roots = try #require(SegmentRoots(text: try machine.readLog("roots")))
        #expect(roots.records == (count + 1) / 8 * 8)
    }

    @Test func `the next file is there, and the full one is the log still`() throws {
        let machine = try log()
        try machine.writeLog("next.jsonl", Array("half a rec".utf8))
        try goesOn(machine, count: 23)
    }

    @Test func `the full file is a segment, and the next one is not the log yet`() throws {
        let machine = try log()
        let checkpoints = try machine.readLog("checkpoints")
        try SegmentTests.append(machine, [1, 2])
        let files = FileManager.default
        try files.moveItem(
            at: machine.logFolder.appending(path: "current.jsonl"), to: machine.logFolder.appending(path: "next.jsonl"))
        // Neither are the roots, the history and the cache written.
        var roots = try #require(String(bytes: try machine.readLog("roots"), encoding: .utf8))
        roots = roots.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
        try machine.writeLog("roots", Array(roots.utf8))
        let now = try machine.readLog("checkpoints").split(separator: 0x0a).dropFirst().map { Array($0) + [0x0a] }
        try machine.writeLog("checkpoints", checkpoints + Array(now.joined()))
        let result = try AuditLog(root: machine.root, limits: SegmentTests.limits()).append([TemporaryMachine.record()])
        #expect(result == AppendResult(sequences: 27...27, alarm: nil))
        #expect(AuditVerifier.verify(root: machine.root).status == .intact)
    }

    @Test func `the segment has its place, and its root is not noted`() throws {
        let machine = try log()
        let before = (try machine.readLog("roots"), try machine.readLog("checkpoints"))
        try SegmentTests.append(machine, [1])
        let entries = try machine.readLog("checkpoints").split(separator: 0x0a).dropFirst().map { Array($0) + [0x0a] }
        try machine.writeLog("roots", before.0)
        try machine.writeLog("checkpoints", before.1 + Array(entries.joined()))
        try goesOn(machine, count: 24)
    }

    @Test func `the log is missing, because the next file was empty and its name not on disk`() throws {
        let machine = try log()
        try SegmentTests.append(machine, [1])
        try machine.removeLog("current.jsonl")
        try goesOn(machine, count: 24)
    }

    @Test func `the checkpoint is older than the segment`() throws {
        let machine = try log()
        let before = try ["checkpoint", "checkpoints", "roots"].map { ($0, try machine.readLog($0)) }
        try SegmentTests.append(machine, [1])
        for (name, bytes) in before { try machine.writeLog(name, bytes) }
        try goesOn(machine, count: 24)
        let other = try log()
        let checkpoint = try ["checkpoint", "checkpoints"].map { ($0, try other.readLog($0)) }
        try SegmentTests.append(other, [1])
        for (name, bytes) in checkpoint { try other.writeLog(name, bytes) }
        try goesOn(other, count: 24)
    }
}

/// How long segments are retained.
struct RetentionTests {
    /// Limits under which everything may be deleted at once.
    private static func small(bytes: Int, youngest: Int64 = -1, oldest: Int64? = nil) -> LogLimits {
        var limits = SegmentTests.limits()
        (limits.bytes, limits.youngest, limits.oldest) = (bytes, youngest, oldest)
        return limits
    }

    @Test func `the oldest segments go when the log is too large, and their roots stay`() throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [40])
        let whole = try machine.readLog("checkpoint")
        let limits = Self.small(bytes: 3_000)
        try SegmentTests.append(machine, [8], limits)
        let roots = try #require(SegmentRoots(text: try machine.readLog("roots")))
        let deleted = roots.segments.filter { $0.deleted != nil }
        #expect(
            !deleted.isEmpty && deleted.count < roots.segments.count
                && deleted == Array(roots.segments.prefix(deleted.count)))
        #expect(
            try SegmentTests.segments(machine).allSatisfy {
                $0.prefix(16) > LogFiles.name(ofSegment: deleted[deleted.count - 1].first)
            })
        let result = AuditVerifier.verify(root: machine.root, limits: limits)
        #expect(result.status == .intact && result.records == 48, "\(result.detail)")
        #expect(result.detail.contains("Records 1 to \(deleted[deleted.count - 1].last) were deleted"))
        // What remains continues what somebody saw before.
        let held = HeldCheckpoint(try #require(Checkpoint(text: whole)), holder: "somebody")
        #expect(AuditVerifier.verify(root: machine.root, held: [held], limits: limits).status == .intact)
        try SegmentTests.append(machine, [3], limits)
        #expect(try SegmentTests.numbers(machine).last == 51)
        // A greater age that is chosen later makes no deletion of before a forged one.
        let raised = AuditVerifier.verify(root: machine.root)
        #expect(raised.status == .intact, "\(raised.detail)")
        #expect(raised.detail.contains("from an age of 0 days on, as the administrator's file allowed"))
        // The marks of deletion are not believed if the records were too young for it.
        let text = String(decoding: try machine.readLog("roots"), as: UTF8.self)
        let forged = text.split(separator: "\n").map { line in
            line.contains(" deleted ") && line.hasSuffix("Z 0") ? String(line.dropLast(2)) : String(line)
        }
        try #require(forged.joined(separator: "\n") + "\n" != text)
        try machine.writeLog("roots", Array((forged.joined(separator: "\n") + "\n").utf8))
        let early = AuditVerifier.verify(root: machine.root)
        #expect(early.status == .altered && early.firstBad == 1, "\(early.detail)")
        // Neither is a deletion without a mark.
        let next = deleted[deleted.count - 1].last + 1
        try machine.removeLog("segments/\(LogFiles.name(ofSegment: next)).jsonl")
        let removed = AuditVerifier.verify(root: machine.root, limits: limits)
        #expect(removed.status == .altered && removed.firstBad == next, "\(removed.detail)")
    }

    @Test func `a kept checkpoint among deleted records is not replaced without a word`() throws {
        let machine = try TemporaryMachine()
        try machine.makeDirectory("var/lib/managed-defaults")
        try SegmentTests.append(machine, [11])
        #expect(try KeptCheckpoint.renew(machine.root) == nil)
        let kept = try machine.read(KeptCheckpoint.path)
        let limits = Self.small(bytes: 1)
        try SegmentTests.append(machine, [40], limits)
        try #require(try !SegmentTests.segments(machine).contains { $0.hasPrefix(LogFiles.name(ofSegment: 9)) })
        let words = try KeptCheckpoint.renew(machine.root)
        #expect(words?.contains("of 11 records lies among records that were deleted") == true, "\(words ?? "")")
        #expect(try machine.read("\(KeptCheckpoint.path).uncompared") == kept)
        #expect(try KeptCheckpoint.read(machine.root)?.checkpoint.size == 51)
        #expect(try KeptCheckpoint.renew(machine.root) == nil)
        // At the end of a segment the roots that are kept are enough.
        let ended = try TemporaryMachine()
        try ended.makeDirectory("var/lib/managed-defaults")
        try SegmentTests.append(ended, [8])
        #expect(try KeptCheckpoint.renew(ended.root) == nil)
        try SegmentTests.append(ended, [40], limits)
        #expect(try KeptCheckpoint.renew(ended.root) == nil)
    }

    @Test func `what is too old goes when the log is opened, by the administrator's file`() throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [24])
        try machine.write("etc/managed-defaults/audit.json", #"{ "MaximumDays": 1 }"#)
        let limits = LogLimits(of: machine.root)
        #expect(limits.oldest == 86_400_000_000 && limits.youngest == 86_400_000_000)
        _ = try LogSession.open(root: machine.root)
        #expect(try SegmentTests.segments(machine).contains { $0.hasPrefix(LogFiles.name(ofSegment: 1)) })
        // An age of nothing has passed at once.
        _ = try LogSession.open(root: machine.root, limits: Self.small(bytes: 2 << 30, oldest: 0))
        #expect(try !SegmentTests.segments(machine).contains { $0.hasPrefix(LogFiles.name(ofSegment: 1)) })
        #expect(try SegmentTests.numbers(machine).allSatisfy { $0 > 16 })
    }

    @Test func `no young segment goes for space, and the log says that it is full`() throws {
        let machine = try TemporaryMachine()
        let limits = Self.small(bytes: 1_000, youngest: 30 * 86_400_000_000)
        try SegmentTests.append(machine, [40], limits)
        let session = try LogSession.open(root: machine.root, limits: limits)
        let isFull = session.isFull
        #expect(isFull)
        #expect(try SegmentTests.numbers(machine) == Array(1...40))
        let roomy = try TemporaryMachine()
        try SegmentTests.append(roomy, [40])
        let other = try LogSession.open(root: roomy.root)
        let isOtherFull = other.isFull
        #expect(!isOtherFull)
    }

    @Test func `old segments go by their age, and a crash before that is made good`() throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [20])
        let first = "segments/0000000000000001.jsonl"
        let bytes = try machine.readLog(first)
        let limits = Self.small(bytes: 1 << 30, oldest: 0)
        try SegmentTests.append(machine, [4], limits)
        #expect(try SegmentTests.segments(machine) == [])
        // The file is there again, as if it had been marked and not removed.
        try machine.writeLog(first, bytes)
        #expect(AuditVerifier.verify(root: machine.root, limits: limits).status == .intact)
        try SegmentTests.append(machine, [8], limits)
        #expect(try SegmentTests.segments(machine) == [])
        #expect(AuditVerifier.verify(root: machine.root, limits: limits).status == .intact)
    }
}
