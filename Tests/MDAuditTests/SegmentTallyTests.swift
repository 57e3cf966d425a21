import Foundation
import MDPlatform
import MDPolicyCore
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditLog
@testable import MDAuditReading
@testable import MDAuditRecord

/// Tests that the tally of a segment counts what its lines count, and is left alone if it cannot be relied on.
struct SegmentTallyTests {
    /// Makes a log of segments of 8 records with their tallies; the fifth record of each is not an attempt.
    private func log(_ count: Int = 24) throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        var limits = LogLimits()
        limits.segment = 8
        for number in 1...count {
            var record = TemporaryMachine.record(number % 8 == 5 ? .grant : .override)
            record.time = Timestamp(microseconds: Int64(number) * 400_000_000)
            (record.uid, record.user) = (1_000, number % 2 == 0 ? "user" : nil)
            (record.domain, record.key, record.via) = ("org.d", Key("k\(number % 3)"), .set)
            (record.exe, record.outcome) = (number % 4 == 0 ? nil : "/usr/bin/app", .refused)
            record.count = number == 2 ? 7 : nil
            if number % 8 == 6 {
                record.src = .spool
                (record.first, record.last) = (Timestamp(microseconds: 1), Timestamp(microseconds: 2))
            }
            _ = try AuditLog(root: machine.root, limits: limits).append([record])
        }
        _ = SegmentIndexes(root: machine.root)?.renew(most: 100)
        return machine
    }

    /// The tally of a segment; `nil` if there is none to rely on.
    private func tally(_ root: Root, _ first: Int = 1) throws -> SegmentTally? {
        let path = LogFiles.current.segment(first)
        return SegmentTally(root: root, path: path, segment: try ReadFile(root: root, path: path))
    }

    /// The file of the tally of the first segment.
    private func file(_ machine: TemporaryMachine) -> URL {
        machine.logFolder.appending(path: "segments/\(LogFiles.name(ofSegment: 1)).tally")
    }

    @Test func `a tally has the attempts, their quarters and the places of the other lines`() throws {
        let machine = try log()
        let tally = try #require(try tally(machine.root))
        #expect(tally.first == 1 && tally.records == 8)
        #expect(tally.cells.map(\.records).reduce(0, +) == 7)
        #expect(tally.cells.map(\.attempts).reduce(AttemptCount(), +).total == 13)
        #expect(Set(tally.cells.map { $0.user ?? "none" }) == ["user", "none"])
        #expect(tally.cells.filter { $0.attempts.seen == 0 }.map(\.attempts.claimed) == [1])
        #expect(Set(tally.cells.map { $0.exe ?? "none" }) == ["/usr/bin/app", "none"])
        // The records are of the seconds 400, 800 and so on, without 2,000.
        #expect(tally.quarters.map { $0.start.microseconds / 1_000_000 } == [0, 900, 1_800, 2_700])
        #expect(tally.quarters.map(\.attempts) == [8, 2, 0, 2])
        #expect(tally.times == Timestamp(microseconds: 400_000_000)...Timestamp(microseconds: 3_200_000_000))
        let text = try machine.text(String(LogFiles.current.segment(1).dropFirst()))
        let offset = text.split(separator: "\n").prefix(4).map { $0.utf8.count + 1 }.reduce(0, +)
        #expect(tally.others == [offset])
    }

    /// Collects what a pass over a log gets.
    private struct Collector: LogReader {
        var tallies: [Int] = []
        var numbers: [Int] = []
        var takesTallies = true
        mutating func take(_ attempt: StoredAttempt, in bytes: [UInt8]) -> Bool {
            numbers.append(attempt.seq)
            return false
        }
        mutating func take(_ tally: SegmentTally) -> Bool {
            if takesTallies { tallies.append(tally.first) }
            return takesTallies
        }
        mutating func take(_ record: AuditRecord, isCounted: Bool) { numbers.append(record.seq) }
    }

    /// What a pass gets while a log is verified, and the result.
    private func verify(
        _ root: Root, _ collector: Collector = Collector()
    ) -> (tallies: [Int], numbers: [Int], LogVerification.Status) {
        let pass = LogPass(collector, hiding: ManifestSecrets())
        let result = AuditVerifier.verify(root: root, reader: pass)
        #expect(pass.isFinished)
        return (pass.reader.tallies, pass.reader.numbers, result.status)
    }

    @Test func `a pass reads of a segment with a tally only the other lines, and all of what it does not take`() throws
    {
        let machine = try log(20)
        #expect(verify(machine.root) == ([1, 9], [5, 13, 17, 18, 19, 20], .intact))
        var collector = Collector()
        collector.takesTallies = false
        #expect(verify(machine.root, collector) == ([], Array(1...20), .intact))
    }

    @Test func `a changed line is found although there is a tally, also if the line is moved`() throws {
        let machine = try log()
        let segment = machine.logFolder.appending(path: "segments/\(LogFiles.name(ofSegment: 9)).jsonl")
        let text = try String(contentsOf: segment, encoding: .utf8)
        try Data(text.replacingOccurrences(of: "\"user\":\"user\"", with: "\"user\":\"resu\"").utf8).write(to: segment)
        // The segment is another file now, so each line is read.
        let found = verify(machine.root)
        #expect(found.0 == [1, 17] && found.1 == [5] + Array(9...16) + [21])
        #expect(found.2 == .altered)
    }

    @Test func `a copy of the log is counted anew`() throws {
        let machine = try log()
        let copy = try TemporaryMachine(copyOf: machine)
        #expect(try tally(copy.root) == nil)
        #expect(verify(copy.root) == ([], Array(1...24), .intact))
    }

    @Test func `lines that no checkpoint covers are read`() throws {
        let machine = try log()
        // The checkpoint of an earlier state, and no history of later ones.
        let tree = try tree(machine, 12)
        let origin = try #require(Checkpoint(text: try machine.readLog("checkpoint"))?.origin)
        let old = Checkpoint(origin: origin, size: 12, root: tree)
        try machine.writeLog("checkpoint", Array(old.text.utf8))
        try machine.writeLog("checkpoints", Array("\(origin)\n\(CheckpointEntry(size: 12, root: tree).line)".utf8))
        #expect(verify(machine.root).0 == [1])
        #expect(verify(machine.root).1 == [5] + Array(9...24))
    }

    /// The root of the first records of a log.
    private func tree(_ machine: TemporaryMachine, _ count: Int) throws -> Digest {
        var (tree, left) = (MerkleTree(), count)
        for first in [1, 9, 17] {
            let text = try machine.text(String(LogFiles.current.segment(first).dropFirst()))
            for line in text.split(separator: "\n").prefix(left) {
                tree.append(line: Array(line.utf8))
                left -= 1
            }
        }
        return tree.root
    }

    @Test func `any change of a tally is noticed, and it is made anew`() throws {
        let machine = try log()
        let good = Array(try Data(contentsOf: file(machine)))
        let expected = try tally(machine.root)
        var random = SplitMix(state: 7)
        for step in 0..<150 {
            var bytes = good
            switch step % 3 {
            case 0: bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            default:
                bytes = (0..<Int.random(in: 0...900, using: &random)).map { _ in .random(in: 0...255, using: &random) }
            }
            try Data(bytes).write(to: file(machine))
            #expect(try tally(machine.root) == nil)
        }
        _ = SegmentIndexes(root: machine.root)?.renew(most: 100)
        #expect(Array(try Data(contentsOf: file(machine))) == good)
        #expect(try tally(machine.root) == expected)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file(machine).path)
        #expect(try tally(machine.root) == nil)
    }

    @Test func `numbers that contradict each other are no tally, whatever their digest`() throws {
        let machine = try log()
        let root = machine.root
        let status = try root.status(LogFiles.current.segment(1), followingLinks: false)
        let good = try #require(try tally(root))
        let cell = try #require(good.cells.first)
        /// A tally with some changes.
        func changed(
            records: Int = 8, times: ClosedRange<Timestamp>?? = nil, cells: [AttemptCells.Cell]? = nil,
            quarters: [SegmentTally.Quarter]? = nil, others: [Int]? = nil
        ) -> SegmentTally {
            SegmentTally(
                first: 1, records: records, times: times ?? good.times, cells: cells ?? good.cells,
                quarters: quarters ?? good.quarters, others: others ?? good.others)
        }
        /// Whether a tally is read back.
        func isRead(_ tally: SegmentTally) throws -> Bool {
            let bytes = try #require(tally.encoded(of: status))
            let found = SegmentTally(bytes, of: status)
            #expect(found == nil || found == tally)
            return found != nil
        }
        #expect(try isRead(changed()))
        #expect(try !isRead(changed(records: 9)))
        #expect(try !isRead(changed(records: 7)))
        #expect(try !isRead(changed(times: .some(nil))))
        #expect(try !isRead(changed(cells: good.cells + [cell])))
        #expect(try !isRead(changed(quarters: good.quarters.reversed())))
        #expect(try !isRead(changed(others: [status.size])))
        #expect(try !isRead(changed(records: 9, others: good.others + good.others)))
        #expect(try isRead(changed(records: 9, others: [0] + good.others)))
    }

    @Test func `a segment with a line that is no record has no tally`() throws {
        let machine = try log()
        let segment = machine.logFolder.appending(path: "segments/\(LogFiles.name(ofSegment: 1)).jsonl")
        let text = try String(contentsOf: segment, encoding: .utf8)
        for (number, changed) in [
            text.replacingOccurrences(of: #"{"v":1,"seq":3,"#, with: #"{"v":2,"seq":3,"#),
            text.replacingOccurrences(of: #"{"v":1,"seq":3,"#, with: #"{"v":1,"seq":4,"#), text + "{\"v\":1",
        ].enumerated() {
            try changed.write(to: segment, atomically: false, encoding: .utf8)
            _ = SegmentIndexes(root: machine.root)?.renew(most: 100)
            #expect(try tally(machine.root) == nil, "\(number)")
            // That is written down, so that the segment is not read again for it; one with a torn line is not.
            let path = LogFiles.current.segment(1)
            let segment = try ReadFile(root: machine.root, path: path)
            let written = SegmentTally.written(root: machine.root, path: path, segment: segment)
            #expect(written?.records == (number == 2 ? nil : 0), "\(number)")
        }
    }
}
