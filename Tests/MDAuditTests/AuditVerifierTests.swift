import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDTestSupport
import Testing

/// Tests that checking finds every way of tampering with a log and its checkpoint.
struct AuditVerifierTests {
    /// The number of records of the tested logs.
    private static let count = 40

    /// A log of 40 records, made by 13 commands.
    private func log() throws -> TemporaryMachine {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [1, 2, 3, 4, 5, 6, 7, 3, 1, 1, 1, 1, 5])
        return temporary
    }

    /// The lines of a log, with their line feeds.
    private func lines(_ temporary: TemporaryMachine) throws -> [[UInt8]] {
        try temporary.readLog("current.jsonl").split(separator: 0x0a).map { Array($0) + [0x0a] }
    }

    @Test func `a log as it was stored is intact`() throws {
        let temporary = try log()
        let result = AuditVerifier.verify(root: temporary.root)
        #expect(result.status == .intact)
        #expect(result.records == Self.count)
        #expect(result.firstBad == nil)
    }

    @Test func `every changed byte of the log is found, in the right place`() throws {
        let temporary = try log()
        let bytes = try temporary.readLog("current.jsonl")
        for index in Sweeping.places(in: bytes, about: 200) {
            let record = 1 + bytes[..<index].count { $0 == 0x0a }
            var changed = bytes
            changed[index] ^= 1 << UInt8(index / 8 % 8)
            try temporary.writeLog("current.jsonl", changed)
            let result = AuditVerifier.verify(root: temporary.root)
            if index == bytes.count - 1 {
                #expect(result.status == .truncated)
            } else {
                #expect(result.status == .altered, "byte \(index): \(result.detail)")
                let firstBad = try #require(result.firstBad)
                #expect(firstBad <= record && record - firstBad < 7, "byte \(index) of record \(record): \(firstBad)")
            }
        }
    }

    @Test func `every changed byte of what a checkpoint signs is found`() throws {
        let temporary = try log()
        let bytes = try temporary.readLog("checkpoint")
        // The signature itself is checked by a holder of the first key.
        let signed = try #require(Checkpoint(text: bytes)).body.utf8.count + 1
        for place in Sweeping.places(in: 0..<signed * 8, about: 150) {
            var changed = bytes
            changed[place / 8] ^= 1 << UInt8(place % 8)
            try temporary.writeLog("checkpoint", changed)
            let result = AuditVerifier.verify(root: temporary.root)
            #expect(result.status != .intact && result.status != .gaps, "byte \(place / 8): \(result.detail)")
        }
    }

    @Test func `no changed byte of the history makes a changed log intact`() throws {
        let temporary = try log()
        let history = try temporary.readLog("checkpoints")
        let places = Sweeping.places(in: history, about: 100)
        for index in places {
            var changed = history
            changed[index] ^= 1
            try temporary.writeLog("checkpoints", changed)
            let result = AuditVerifier.verify(root: temporary.root)
            #expect(result.records == Self.count || result.status == .altered)
        }
        var bytes = try temporary.readLog("current.jsonl")
        bytes[20] ^= 1
        try temporary.writeLog("current.jsonl", bytes)
        for index in places {
            var changed = history
            changed[index] ^= 1
            try temporary.writeLog("checkpoints", changed)
            #expect(AuditVerifier.verify(root: temporary.root).status == .altered)
        }
    }

    @Test func `a log cut at any byte is truncated`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [1, 2, 3, 1, 1])
        let bytes = try temporary.readLog("current.jsonl")
        for size in Sweeping.places(in: bytes, about: 200) {
            try temporary.writeLog("current.jsonl", Array(bytes[..<size]))
            let result = AuditVerifier.verify(root: temporary.root)
            #expect(result.status == .truncated, "\(size) bytes: \(result.detail)")
            #expect(result.records == bytes[..<size].count { $0 == 0x0a })
        }
    }

    @Test func `one record is not called several`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [1, 1])
        let bytes = try temporary.readLog("current.jsonl")
        try temporary.writeLog("current.jsonl", bytes + [0x7b])
        #expect(AuditVerifier.verify(root: temporary.root).detail.contains(" 1 byte at the end is no whole record, "))
        let end = try #require(bytes.firstIndex(of: 0x0a))
        try temporary.writeLog("current.jsonl", Array(bytes[...end]))
        let words = "1 record at the end is gone: the log holds 1 whole record, and its checkpoints cover 2."
        #expect(AuditVerifier.verify(root: temporary.root).detail.hasPrefix(words))
    }

    @Test(arguments: 0..<40)
    func `a removed, doubled or moved line is named`(index: Int) throws {
        let temporary = try log()
        let lines = try lines(temporary)
        var changed = lines
        changed.remove(at: index)
        try temporary.writeLog("current.jsonl", Array(changed.joined()))
        var result = AuditVerifier.verify(root: temporary.root)
        if index == Self.count - 1 {
            #expect(result.status == .truncated)
        } else {
            #expect(result.status == .altered)
            #expect(result.firstBad == index + 1)
        }

        changed = lines
        changed.insert(lines[index], at: index)
        try temporary.writeLog("current.jsonl", Array(changed.joined()))
        result = AuditVerifier.verify(root: temporary.root)
        #expect(result.status == .altered)
        #expect(result.firstBad == index + 2)

        guard index + 1 < Self.count else { return }
        changed = lines
        changed.swapAt(index, index + 1)
        try temporary.writeLog("current.jsonl", Array(changed.joined()))
        result = AuditVerifier.verify(root: temporary.root)
        #expect(result.status == .altered)
        #expect(result.firstBad == index + 1)
    }

    @Test
    func `a changed value in a record that a command stored alone is named exactly, with what is still proven`() throws
    {
        let temporary = try log()
        var lines = try lines(temporary)
        let place = try #require(lines[32].lastIndex(of: UInt8(ascii: "K")))
        lines[32][place] = UInt8(ascii: "L")
        try temporary.writeLog("current.jsonl", Array(lines.joined()))
        let result = AuditVerifier.verify(root: temporary.root)
        #expect(result.status == .altered)
        #expect(result.firstBad == 33)
        #expect(
            result.detail
                == "Record 33 is not as it was stored. Records 1 to 32 are proven to be as they were stored.")
    }

    @Test func `removed files are said, each in its way`() throws {
        let temporary = try log()
        try temporary.removeLog("checkpoint")
        #expect(AuditVerifier.verify(root: temporary.root).status == .unchecked)
        let other = try log()
        try other.removeLog("current.jsonl")
        #expect(AuditVerifier.verify(root: other.root).status == .truncated)
        let bare = try log()
        try bare.removeLog("checkpoints")
        let result = AuditVerifier.verify(root: bare.root)
        #expect(result.status == .intact)
        #expect(result.detail.contains("history of checkpoints is missing"))
        #expect(AuditVerifier.verify(root: try TemporaryMachine().root).status == .unchecked)
    }

    @Test func `an older copy of the log is found, alone and with its checkpoint, and not with everything`() throws {
        let temporary = try log()
        let old = try ["current.jsonl", "checkpoint", "checkpoints"].map { ($0, try temporary.readLog($0)) }
        try temporary.makeLog(batches: [3])
        try temporary.writeLog(old[0].0, old[0].1)
        #expect(AuditVerifier.verify(root: temporary.root).status == .truncated)
        try temporary.writeLog(old[1].0, old[1].1)
        let result = AuditVerifier.verify(root: temporary.root)
        #expect(result.status == .truncated)
        #expect(result.firstBad == 41)
        // Nothing on the machine shows this; only a checkpoint held by somebody else does.
        try temporary.writeLog(old[2].0, old[2].1)
        #expect(AuditVerifier.verify(root: temporary.root).status == .intact)
    }

    @Test func `declared gaps have a status of their own, and are counted`() throws {
        let temporary = try log()
        var drop = TemporaryMachine.record(.drop)
        drop.count = 17
        _ = try AuditLog(root: temporary.root).append([drop, TemporaryMachine.record(.gap)])
        let result = AuditVerifier.verify(root: temporary.root)
        #expect(result.status == .gaps)
        #expect(result.detail.contains("1 of kind drop, 1 of kind gap; 17 records were not stored."))
    }

    @Test func `lines after the checkpoint must be records`() throws {
        let temporary = try log()
        let bytes = try temporary.readLog("current.jsonl")
        try temporary.writeLog("current.jsonl", bytes + Array("junk\n".utf8))
        let result = AuditVerifier.verify(root: temporary.root)
        #expect(result.status == .altered)
        #expect(result.firstBad == 41)
        try temporary.writeLog("current.jsonl", bytes + Array("{\"v\":1,\"seq\":41".utf8))
        #expect(AuditVerifier.verify(root: temporary.root).status == .intact)
    }
}

/// The log of the example lab, which was written by the tool and is in the repository.
struct ShippedLogTests {
    /// The lab.
    private static let lab =
        URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path + "/Examples/lab"

    @Test func `the shipped log is intact and names who tried what`() throws {
        let root = try Root(directory: ShippedLogTests.lab)
        let verification = AuditVerifier.verify(root: root, files: [])
        #expect(verification.status == .intact)
        let records = try AuditLog(root: root).records().records
        #expect(records.count == verification.records)
        #expect(Set(records.map(\.kind)) == [.policy, .grant, .override])
        let attempts = records.filter { $0.kind == .override }
        #expect(attempts.count == 6)
        #expect(Set(attempts.compactMap(\.user)) == ["alice", "bob", "chen", "dora", "exam01"])
    }
}
