import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

/// Tests appending, and how a writer treats a log that does not match its checkpoint.
struct AuditLogTests {
    /// The records of a log.
    private func records(_ temporary: TemporaryMachine) throws -> [AuditRecord] {
        let reading = try AuditLog(root: temporary.root).records()
        #expect(reading.problems.isEmpty)
        return reading.records
    }

    @Test func `appending numbers the records, fills in time and place, and keeps the modes narrow`() throws {
        let temporary = try TemporaryMachine()
        let log = AuditLog(root: temporary.root)
        #expect(try log.records().records.isEmpty)
        #expect(try log.append([AuditRecord(kind: .start)]).sequences == 1...1)
        let result = try log.append([AuditRecord(kind: .policy, note: "a"), AuditRecord(kind: .stop)])
        #expect(result == AppendResult(sequences: 2...3, alarm: nil))
        let records = try records(temporary)
        #expect(records.map(\.seq) == [1, 2, 3])
        #expect(records.map(\.kind) == [.start, .policy, .stop])
        #expect(records.allSatisfy { $0.time != nil && $0.host != nil && $0.mono != nil })
        #expect(try temporary.logNames() == ["checkpoint", "checkpoints", "current.jsonl", "key", "lock", "state"])
        let directory = "/var/log/managed-defaults"
        #expect(try temporary.root.status(directory, followingLinks: false).mode == 0o750)
        for (name, mode) in [("current.jsonl", 0o640), ("checkpoint", 0o640), ("lock", 0o600)] as [(String, UInt32)] {
            #expect(try temporary.root.status("\(directory)/\(name)", followingLinks: false).mode == mode)
        }
        #expect(AuditVerifier.verify(root: temporary.root).status == .intact)
        #expect(try log.append([]).sequences == nil)
    }

    @Test func `a writer removes the temporary files of writers that were killed, and nothing else`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [1])
        let others = [
            ".notes.tmp", ".checkpoint.short.tmp", ".lock.abcdefghij.tmp", "checkpoint.abcdefghij.tmp",
        ]
        for name in [".checkpoint.abcdefghij.tmp", ".state.2345672345.tmp"] + others {
            try Data().write(to: temporary.logFolder.appending(path: name))
        }
        #expect(try AuditLog(root: temporary.root).append([AuditRecord(kind: .start)]).alarm == nil)
        #expect(
            Set(try temporary.logNames())
                == Set(["checkpoint", "checkpoints", "current.jsonl", "key", "lock", "state"] + others))
    }

    @Test func `a time to come of the checkpoint stays until somebody takes it back`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [1])
        let checkpoint = temporary.logFolder.appending(path: "checkpoint").path
        /// The modification time of the checkpoint.
        func modified() throws -> Date? {
            try FileManager.default.attributesOfItem(atPath: checkpoint)[.modificationDate] as? Date
        }
        let ahead = Date(timeIntervalSinceNow: 3_600)
        try FileManager.default.setAttributes([.modificationDate: ahead], ofItemAtPath: checkpoint)
        let before = try temporary.readLog("checkpoint")
        try temporary.makeLog(batches: [1])
        #expect(try temporary.readLog("checkpoint") != before)
        #expect(abs(try #require(try modified()).timeIntervalSince(ahead)) < 0.001)
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: checkpoint)
        try temporary.makeLog(batches: [1])
        #expect(try #require(try modified()) < Date(timeIntervalSinceNow: 60))
    }

    @Test func `writers at the same time lose nothing and repeat nothing`() async throws {
        let temporary = try TemporaryMachine()
        let path = temporary.path
        await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<2 {
                group.addTask {
                    let root = try Root(directory: path)
                    for number in 0..<200 {
                        _ = try AuditLog(root: root).append(
                            [AuditRecord(kind: .override, note: "\(writer) \(number)")], waiting: 60)
                    }
                }
            }
            while let result = await group.nextResult() {
                #expect(throws: Never.self) { try result.get() }
            }
        }
        let records = try records(temporary)
        #expect(records.map(\.seq) == Array(1...400))
        for writer in 0..<2 {
            let own = records.compactMap(\.note).filter { $0.hasPrefix("\(writer) ") }
            #expect(own == (0..<200).map { "\(writer) \($0)" })
        }
        #expect(AuditVerifier.verify(root: temporary.root).status == .intact)
    }

    @Test func `a log that stays locked is busy, within the time that was given`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [1])
        let lock = try temporary.root.lock("/var/log/managed-defaults/lock")
        withExtendedLifetime(lock) {
            let error = #expect(throws: AuditError.self) {
                try AuditLog(root: temporary.root).append([TemporaryMachine.record()], waiting: 0.05)
            }
            guard case .busy = error else {
                Issue.record("the error is \(String(describing: error))")
                return
            }
        }
    }

    @Test(arguments: ["remove", "damage", "touch"])
    func `losing, damaging or misdating the cache changes nothing but time`(how: String) throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [3, 4])
        switch how {
        case "remove": try temporary.removeLog("state")
        case "damage": try temporary.writeLog("state", Array(try temporary.readLog("state").dropLast(9)))
        default: try temporary.writeLog("current.jsonl", try temporary.readLog("current.jsonl"))
        }
        try temporary.makeLog(batches: [1])
        #expect(try records(temporary).map(\.kind) == [RecordKind](repeating: .override, count: 8))
        #expect(AuditVerifier.verify(root: temporary.root).status == .intact)
    }

    @Test func `a torn last line is cut away and recorded; whole lines before it stay`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [2])
        var crashed = TemporaryMachine.record()
        (crashed.seq, crashed.time) = (3, Timestamp(microseconds: 0))
        let log = try temporary.readLog("current.jsonl")
        try temporary.writeLog("current.jsonl", log + crashed.encoded() + [0x0a] + crashed.encoded().prefix(30))
        let result = try AuditLog(root: temporary.root).append([TemporaryMachine.record()])
        #expect(result == AppendResult(sequences: 5...5, alarm: nil))
        let records = try records(temporary)
        #expect(records.map(\.kind) == [.override, .override, .override, .recover, .override])
        #expect(records[3].count == 30)
        #expect(AuditVerifier.verify(root: temporary.root).status == .gaps)
    }

    @Test func `lines after the checkpoint that are no records are cut away and recorded`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [2])
        let junk = [UInt8](repeating: 0, count: 20) + [0x0a] + Array("more\n".utf8)
        try temporary.writeLog("current.jsonl", try temporary.readLog("current.jsonl") + junk)
        try temporary.makeLog(batches: [1])
        let records = try records(temporary)
        #expect(records.map(\.kind) == [.override, .override, .recover, .override])
        #expect(records[2].count == junk.count)
    }

    @Test(arguments: [
        "shorter", "changed", "removed", "no checkpoint", "bad checkpoint", "other checkpoint", "rolled back",
    ])
    func `a log that is not what it committed to is set aside, with a record and an alarm`(how: String) throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [2])
        let old = (try temporary.readLog("current.jsonl"), try temporary.readLog("checkpoint"))
        try temporary.makeLog(batches: [2])
        var bytes = try temporary.readLog("current.jsonl")
        switch how {
        case "shorter": try temporary.writeLog("current.jsonl", Array(bytes.dropLast(5)))
        case "changed":
            bytes[20] ^= 1
            try temporary.writeLog("current.jsonl", bytes)
        case "removed": try temporary.removeLog("current.jsonl")
        case "no checkpoint": try temporary.removeLog("checkpoint")
        case "bad checkpoint": try temporary.writeLog("checkpoint", Array("x".utf8))
        case "other checkpoint":
            let other = try TemporaryMachine()
            try other.makeLog(batches: [4])
            try temporary.writeLog("checkpoint", try other.readLog("checkpoint"))
        default:
            try temporary.writeLog("current.jsonl", old.0)
            try temporary.writeLog("checkpoint", old.1)
        }
        let before = try Checkpoint(text: temporary.readLog("checkpoints").isEmpty ? [] : old.1)
        let result = try AuditLog(root: temporary.root).append([TemporaryMachine.record()])
        #expect(result.sequences == 2...2)
        #expect(result.alarm?.contains("was not continued") == true)
        #expect(try records(temporary).map(\.kind) == [.recover, .override])
        let after = try #require(Checkpoint(text: temporary.readLog("checkpoint")))
        #expect(after.logID != before?.logID)
        #expect(after.size == 2)
        let verification = AuditVerifier.verify(root: temporary.root)
        #expect(verification.status == .gaps, "\(verification.detail)")
        let names = try temporary.logNames().filter { $0.contains("-") }
        #expect(!names.isEmpty)
        if let aside = names.first(where: { $0.hasPrefix("current-") }) {
            let path = "/var/log/managed-defaults/\(aside)"
            let status = AuditVerifier.verify(root: temporary.root, files: [path]).status
            #expect(status != .intact && status != .gaps)
        }
        let next = try AuditLog(root: temporary.root).append([TemporaryMachine.record()])
        #expect(next == AppendResult(sequences: 3...3, alarm: nil))
    }

    @Test func `a crash while a log is set aside loses no part of it, and the new log says so`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [2])
        let files = temporary.logFolder
        try FileManager.default.moveItem(
            at: files.appending(path: "current.jsonl"), to: files.appending(path: "current-abc.jsonl"))
        for name in ["checkpoints", "checkpoint"] {
            let result = try AuditLog(root: temporary.root).append([])
            #expect(try records(temporary).map(\.kind) == [.recover])
            #expect(result.alarm != nil)
            #expect(try temporary.logNames().contains { $0.hasPrefix("\(name)-") })
            try temporary.removeLog("current.jsonl")
        }
        for name in ["checkpoints", "checkpoint", "state"] { try? temporary.removeLog(name) }
        let result = try AuditLog(root: temporary.root).append([TemporaryMachine.record()])
        #expect(result.alarm != nil)
        #expect(try records(temporary).map(\.kind) == [.recover, .override])
    }

    @Test func `a missing history is begun again and recorded`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [2])
        try temporary.removeLog("checkpoints")
        try temporary.makeLog(batches: [1])
        #expect(try records(temporary).map(\.kind) == [.override, .override, .recover, .override])
        #expect(AuditVerifier.verify(root: temporary.root).status == .gaps)
    }

    @Test func `reading passes over what is no record, names it, and returns the rest`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [3])
        var lines = try temporary.readLog("current.jsonl").split(separator: 0x0a).map { Array($0) }
        lines[1] = Array("{broken".utf8)
        lines.insert([UInt8](repeating: 0x78, count: 70_000), at: 2)
        try temporary.writeLog("current.jsonl", Array(lines.joined(separator: [0x0a])))
        let reading = try AuditLog(root: temporary.root).records()
        #expect(reading.records.map(\.seq) == [1])
        #expect(reading.problems.map(\.line) == [2, 3, 4])
        #expect(reading.problemCount == 3)
    }
}
