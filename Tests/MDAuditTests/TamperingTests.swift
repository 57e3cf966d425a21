import Foundation
import MDAuditRecord
import MDPlatform
import MDTestSupport
import Testing

@testable import MDAuditLog
@testable import MDAuditReading

/// Every way of tampering with a log of five segments and some records, and its exit status.
struct TamperingTests {
    /// The number of records.
    private static let count = 43
    /// The segments, by the number of their first record.
    private static let firsts = [1, 9, 17, 25, 33]

    /// A log of 43 records in segments of eight.
    private func log() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [3, 5, 8, 1, 1, 1, 5, 2, 6, 7, 1, 3])
        let result = AuditVerifier.verify(root: machine.root)
        #expect(result.status == .intact && result.records == Self.count, "\(result.detail)")
        return machine
    }

    /// The file of a segment.
    private func file(_ first: Int) -> String { "segments/\(LogFiles.name(ofSegment: first)).jsonl" }

    /// Rewrites the lines of a file.
    private func edit(_ machine: TemporaryMachine, _ name: String, _ body: (inout [[UInt8]]) -> Void) throws {
        var lines = try machine.readLog(name).split(separator: 0x0a).map { Array($0) + [0x0a] }
        body(&lines)
        try machine.writeLog(name, Array(lines.joined()))
    }

    /// Checks a log after a change.
    private func expect(
        _ machine: TemporaryMachine, _ status: LogVerification.Status, firstBad: ClosedRange<Int>? = nil,
        held: [HeldCheckpoint] = [], _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let result = AuditVerifier.verify(root: machine.root, held: held)
        #expect(result.status == status, "\(what): \(result.detail)", sourceLocation: sourceLocation)
        if let firstBad {
            #expect(
                result.firstBad.map { firstBad.contains($0) } ?? false,
                "\(what): \(result.firstBad ?? 0), \(result.detail)", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [1, 4, 9, 20, 24, 33, 41, 43])
    func `a changed record is altered, wherever it is`(_ record: Int) throws {
        let first = Self.firsts.last { $0 <= record && record < $0 + 8 }
        let name = first.map { file($0) } ?? "current.jsonl"
        let place = record - (first ?? 41)
        for (what, change) in [
            ("flipped", { $0[place][$0[place].count - 4] ^= 1 }),
            ("inserted", { $0.insert($0[place], at: place) }),
            ("swapped", { $0.swapAt(place, place == 0 ? 1 : place - 1) }),
        ] as [(String, (inout [[UInt8]]) -> Void)] {
            let machine = try log()
            try edit(machine, name, change)
            expect(machine, .altered, firstBad: max(record - 8, 1)...record + 1, what)
        }
        let machine = try log()
        try edit(machine, name) { $0.remove(at: place) }
        let isLast = record == Self.count
        expect(machine, isLast ? .truncated : .altered, firstBad: record...record, "deleted")
    }

    @Test(arguments: firsts) func `a changed segment is enclosed by the checkpoints of its time`(_ first: Int) throws {
        let machine = try log()
        try edit(machine, file(first)) { $0[7][$0[7].count - 4] ^= 1 }
        let result = AuditVerifier.verify(root: machine.root)
        let bad = try #require(result.firstBad)
        #expect(result.status == .altered && (first...first + 7).contains(bad))
        #expect(first == 1 || !result.detail.contains("Nothing before"), "\(result.detail)")
    }

    @Test func `a log that is cut at a line, at a segment or at a checkpoint is truncated`() throws {
        for kept in 0..<3 {
            let machine = try log()
            try edit(machine, "current.jsonl") { $0.removeLast($0.count - kept) }
            expect(machine, .truncated, firstBad: 41 + kept...41 + kept, "\(kept) lines")
        }
        let machine = try log()
        try machine.removeLog("current.jsonl")
        expect(machine, .truncated, firstBad: 41...41, "no current file")
        for first in Self.firsts.reversed() {
            try machine.removeLog(file(first))
            expect(machine, .truncated, firstBad: first...first, "no segment from \(first) on")
        }
        let roots = try log()
        try roots.removeLog("current.jsonl")
        try roots.removeLog(file(33))
        try edit(roots, "roots") { $0.removeLast() }
        expect(roots, .truncated, firstBad: 33...33, "nor its root")
    }

    @Test func `a segment between others that is gone, cut short, doubled or exchanged is altered`() throws {
        for first in Self.firsts {
            let gone = try log()
            try gone.removeLog(file(first))
            expect(gone, .altered, firstBad: first...first, "gone")
            let short = try log()
            try edit(short, file(first)) { $0.removeLast(3) }
            expect(short, .altered, firstBad: first + 5...first + 5, "cut short")
            let other = try log()
            try other.writeLog(file(first), try other.readLog(file(first == 1 ? 9 : first - 8)))
            expect(other, .altered, firstBad: first...first, "exchanged")
            let doubled = try log()
            try doubled.writeLog(file(first + 2), try doubled.readLog(file(first)))
            expect(doubled, .altered, firstBad: first...first + 8, "doubled")
        }
    }

    @Test func `a checkpoint that is cut, changed or of another log is found`() throws {
        let other = try log()
        let machine = try log()
        let checkpoint = try machine.readLog("checkpoint")
        for size in 0..<(checkpoint.count - 1) {
            try machine.writeLog("checkpoint", Array(checkpoint[..<size]))
            let result = AuditVerifier.verify(root: machine.root)
            let signed = try #require(Checkpoint(text: checkpoint)).body.utf8.count + 1
            #expect(result.status == (size == signed ? .intact : .altered), "\(size): \(result.detail)")
        }
        try machine.writeLog("checkpoint", try other.readLog("checkpoint"))
        expect(machine, .altered, "of another log")
        try machine.removeLog("checkpoint")
        expect(machine, .unchecked, "no checkpoint")
    }

    @Test
    func `a rewritten log, an exchanged folder and one rolled back with its checkpoint are found by who holds one`()
        throws
    {
        let machine = try log()
        let held = HeldCheckpoint(
            try #require(Checkpoint(text: try machine.readLog("checkpoint"))), holder: "the collector")
        expect(machine, .intact, held: [held], "as it was")
        let copy = machine.path + "/copy"
        try FileManager.default.copyItem(atPath: machine.logFolder.path, toPath: copy)
        try SegmentTests.append(machine, [9])
        expect(machine, .intact, held: [held], "grown")
        let later = HeldCheckpoint(
            try #require(Checkpoint(text: try machine.readLog("checkpoint"))), holder: "the collector")
        // Rolled back, the folder whole: the machine itself shows nothing.
        try FileManager.default.removeItem(at: machine.logFolder)
        try FileManager.default.copyItem(atPath: copy, toPath: machine.logFolder.path)
        expect(machine, .intact, "rolled back")
        expect(machine, .truncated, firstBad: 44...44, held: [later], "rolled back")
        // Exchanged by another log.
        let other = try log()
        try FileManager.default.removeItem(at: machine.logFolder)
        try FileManager.default.copyItem(at: other.logFolder, to: machine.logFolder)
        expect(machine, .intact, "exchanged")
        expect(machine, .truncated, firstBad: 1...1, held: [held], "exchanged")
        // Written again under the same name, with a right checkpoint.
        let origin = held.checkpoint.origin
        try FileManager.default.removeItem(at: machine.logFolder)
        try FileManager.default.copyItem(atPath: copy, toPath: machine.logFolder.path)
        try edit(machine, "current.jsonl") { $0[0][$0[0].count - 4] ^= 1 }
        let files = Self.firsts.map { file($0) } + ["current.jsonl"]
        var tree = MerkleTree()
        for file in files { try edit(machine, file) { for line in $0 { tree.append(line: line.dropLast()) } } }
        let forged = Checkpoint(origin: origin, tree: tree)
        try machine.writeLog("checkpoint", Array(forged.text.utf8))
        try machine.removeLog("checkpoints")
        expect(machine, .intact, "written anew")
        expect(machine, .altered, held: [held], "written anew")
        // All of it removed.
        try FileManager.default.removeItem(at: machine.logFolder)
        expect(machine, .unchecked, "removed")
        expect(machine, .truncated, held: [held], "removed")
        #expect(AuditVerifier.verify(root: machine.root, expectedBy: "policy was recorded").status == .truncated)
    }

    @Test func `the kept checkpoint is renewed only by a log that continues it`() throws {
        let machine = try log()
        #expect(try KeptCheckpoint.read(machine.root) == nil)
        try FileManager.default.createDirectory(
            atPath: machine.path + "/var/lib/managed-defaults", withIntermediateDirectories: true)
        #expect(try KeptCheckpoint.renew(machine.root) == nil)
        let copy = machine.path + "/copy"
        try FileManager.default.copyItem(atPath: machine.logFolder.path, toPath: copy)
        try SegmentTests.append(machine, [9])
        #expect(try KeptCheckpoint.renew(machine.root) == nil)
        let kept = try #require(try KeptCheckpoint.read(machine.root))
        #expect(kept.checkpoint.size == 52)
        try FileManager.default.removeItem(at: machine.logFolder)
        #expect(try KeptCheckpoint.renew(machine.root) != nil)
        try FileManager.default.copyItem(atPath: copy, toPath: machine.logFolder.path)
        #expect(try KeptCheckpoint.renew(machine.root) != nil)
        // Even if it grows beyond it again.
        try SegmentTests.append(machine, [20])
        #expect(try KeptCheckpoint.renew(machine.root) != nil)
        #expect(try KeptCheckpoint.read(machine.root) == kept)
        expect(machine, .altered, held: [kept], "grown in another way")
        // A log that was set aside for a reason is not missed.
        let damaged = try log()
        try FileManager.default.createDirectory(
            atPath: damaged.path + "/var/lib/managed-defaults", withIntermediateDirectories: true)
        #expect(try KeptCheckpoint.renew(damaged.root) == nil)
        try edit(damaged, "current.jsonl") { $0.removeLast() }
        try SegmentTests.append(damaged, [1])
        #expect(try damaged.logNames().contains { $0.hasPrefix("segments-") })
        #expect(try KeptCheckpoint.renew(damaged.root) == nil)
    }
}

/// The key of the checkpoints, which changes with each.
struct CheckpointKeyTests {
    @Test func `the first key checks every later checkpoint, and no other key does`() throws {
        let machine = try TemporaryMachine()
        try SegmentTests.append(machine, [2])
        let first = try AuditLog(root: machine.root).beginKey()
        #expect(FirstKey(text: Array((first.text + "\n").utf8)) == first)
        var seen: Set<[UInt8]> = []
        for number in 0..<5 {
            let checkpoint = try #require(Checkpoint(text: try machine.readLog("checkpoint")))
            #expect(checkpoint.signatures.count == 1)
            #expect(first.key.verifies(checkpoint) == true, "\(number)")
            #expect(seen.insert(checkpoint.signatures[0].bytes).inserted)
            var changed = Checkpoint(origin: checkpoint.origin, size: checkpoint.size + 1, root: checkpoint.root)
            changed.signatures = checkpoint.signatures
            #expect(first.key.verifies(changed) == false)
            // The other bytes of the number would only say how long to compute.
            for index in checkpoint.signatures[0].bytes.indices where index == 0 || index > 6 {
                var bytes = checkpoint.signatures[0].bytes
                bytes[index] ^= 1
                var forged = checkpoint
                forged.signatures = [NoteSignature(name: checkpoint.origin, keyID: first.key.id, bytes: bytes)]
                #expect(first.key.verifies(forged) == false)
            }
            // The machine has no key any more that signs what was before.
            let key = try #require(CheckpointKey(text: try machine.readLog("key")))
            #expect(key.number > number && key.signature(of: checkpoint) != checkpoint.signatures[0])
            try SegmentTests.append(machine, [3])
        }
        let other = try AuditLog(root: machine.root).beginKey()
        let checkpoint = try #require(Checkpoint(text: try machine.readLog("checkpoint")))
        #expect(first.key.verifies(checkpoint) == nil && other.key.verifies(checkpoint) == true)
        #expect(AuditVerifier.verify(root: machine.root).status == .intact)
    }

    @Test func `a key that is gone or damaged is replaced, and the log says so`() throws {
        for content in [nil, [], Array("managed-defaults checkpoint key 1\n".utf8)] as [[UInt8]?] {
            let machine = try TemporaryMachine()
            try SegmentTests.append(machine, [2])
            if let content { try machine.writeLog("key", content) } else { try machine.removeLog("key") }
            try SegmentTests.append(machine, [1])
            let records = try AuditLog(root: machine.root).records().records
            #expect(records.count == 4 && records[2].kind == .recover && (records[2].note ?? "").contains("key"))
            #expect(CheckpointKey(text: try machine.readLog("key")) != nil)
        }
    }
}
