import Foundation
import MDPlatform
import MDTestSupport
import Testing

@testable import MDAuditLog
@testable import MDAuditReading
@testable import MDAuditRecord

/// The log, held open by one writer.
struct LogSessionTests {
    @Test func `records are on disk before the checkpoint that covers them`() throws {
        let machine = try TemporaryMachine()
        var session = try LogSession.open(root: machine.root)
        #expect(throws: AuditError.self) { try AuditLog(root: machine.root).append([], waiting: 0) }
        for number in 1...3 {
            let result = try session.append([TemporaryMachine.record()])
            #expect(result == AppendResult(sequences: number...number, alarm: nil))
        }
        let (size, isDue) = (session.size, session.isCheckpointDue)
        #expect(size == 3 && isDue)
        #expect(try machine.readLog("current.jsonl").count { $0 == 0x0a } == 3)
        #expect(Checkpoint(text: try machine.readLog("checkpoint"))?.size == 0)
        let alarm = session.checkpoint()
        #expect(alarm == nil)
        #expect(Checkpoint(text: try machine.readLog("checkpoint"))?.size == 3)
        #expect(AuditVerifier.verify(root: machine.root).status == .intact)
    }

    @Test func `the next writer retains what no checkpoint covers`() throws {
        let machine = try TemporaryMachine()
        do {
            var session = try LogSession.open(root: machine.root)
            _ = try session.append([TemporaryMachine.record(), TemporaryMachine.record()])
        }
        let result = try AuditLog(root: machine.root).append([TemporaryMachine.record()])
        #expect(result == AppendResult(sequences: 3...3, alarm: nil))
        #expect(AuditVerifier.verify(root: machine.root).status == .intact)
    }

    @Test func `a log that somebody exchanged or wrote is inspected anew`() throws {
        let machine = try TemporaryMachine()
        var session = try LogSession.open(root: machine.root)
        _ = try session.append([TemporaryMachine.record(), TemporaryMachine.record()])
        // A copy with the same content is the same log.
        let bytes = try machine.readLog("current.jsonl")
        try machine.removeLog("current.jsonl")
        try machine.writeLog("current.jsonl", bytes)
        #expect(try session.append([TemporaryMachine.record()]).sequences == 3...3)
        // Bytes of somebody else are cut away, which the log says.
        try machine.writeLog("current.jsonl", try machine.readLog("current.jsonl") + Array("noise".utf8))
        #expect(try session.append([TemporaryMachine.record()]).sequences == 5...5)
        // Records that are gone are missed, although no checkpoint of the writer's own covered them before.
        try machine.writeLog("current.jsonl", bytes)
        let result = try session.append([TemporaryMachine.record()])
        #expect(result.alarm != nil && result.sequences == 2...2)
        #expect(try machine.logNames().contains { $0.hasPrefix("checkpoint-") })
        // So is a whole folder.
        try FileManager.default.removeItem(at: machine.logFolder)
        #expect(try session.append([TemporaryMachine.record()]).sequences == 2...2)
        _ = session.checkpoint()
        let verification = AuditVerifier.verify(root: machine.root)
        #expect(verification.status == .gaps && verification.detail.contains("1 of kind recover"), "\(verification)")
    }

    @Test func `lines that were being written are found, and not other records with their numbers`() throws {
        let (machine, other) = (try TemporaryMachine(), try TemporaryMachine())
        var lines: [Int64] = []
        var limits = LogLimits()
        limits.segment = 4
        for place in [machine, other] {
            var session = try LogSession.open(root: place.root, limits: limits)
            for _ in 0..<3 {
                let records = [TemporaryMachine.record(), TemporaryMachine.record()]
                _ = try session.append(LogEntries(records)) { if place.path == machine.path { lines += $0 } }
            }
        }
        #expect(Set(lines).count == 6)
        // The first four are in a segment.
        #expect(AuditLog(root: machine.root).stored(among: Set(lines + [5])) == Set(lines))
        #expect(AuditLog(root: other.root).stored(among: Set(lines)).isEmpty)
    }
}
