import Foundation
import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPolicyCore
import MDTestSupport
import Testing

/// Tests that a follower of the log passes on each record once.
struct LogFollowerTests {
    /// What was passed on: numbers of records, and words for the rest.
    private func advance(_ follower: inout LogFollower) throws -> [String] {
        var found: [String] = []
        try follower.advance { entry in
            switch entry {
            case .record(let record): found.append("\(record.seq)")
            case .problem(_, let line, _): found.append("bad \(line)")
            case .replaced: found.append("replaced")
            case .cut: found.append("cut")
            }
        }
        return found
    }

    @Test func `each record comes once`() throws {
        let temporary = try TemporaryMachine()
        var follower = LogFollower(root: temporary.root, hiding: ManifestSecrets())
        #expect(try advance(&follower) == [])
        try temporary.makeLog(batches: [2])
        #expect(try advance(&follower) == ["1", "2"])
        #expect(try advance(&follower) == [])
        try temporary.makeLog(batches: [1, 2])
        #expect(try advance(&follower) == ["3", "4", "5"])
    }

    @Test func `a line comes when it has ended`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [2])
        let whole = try temporary.readLog("current.jsonl")
        try temporary.writeLog("current.jsonl", Array(whole.dropLast(20)))
        var follower = LogFollower(root: temporary.root, hiding: ManifestSecrets())
        #expect(try advance(&follower) == ["1"])
        let handle = try FileHandle(forWritingTo: temporary.logFolder.appending(path: "current.jsonl"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(whole.suffix(20)))
        #expect(try advance(&follower) == ["2"])
    }

    @Test func `what a crash tore off is read anew after it was cut away`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [2])
        let path = temporary.logFolder.appending(path: "current.jsonl")
        let handle = try FileHandle(forWritingTo: path)
        let size = try handle.seekToEnd()
        try handle.write(contentsOf: Data("{\"v\":1,\"seq\":3,\"torn".utf8))
        var follower = LogFollower(root: temporary.root, hiding: ManifestSecrets())
        #expect(try advance(&follower) == ["1", "2"])
        try handle.truncate(atOffset: size)
        try temporary.makeLog(batches: [1])
        // The writer records that it mended the log.
        #expect(try advance(&follower).first == "3")
    }

    @Test func `after a rename the rest of the old file comes before the new one`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [2])
        var follower = LogFollower(root: temporary.root, hiding: ManifestSecrets())
        #expect(try advance(&follower) == ["1", "2"])
        try temporary.makeLog(batches: [1])
        let lines = try temporary.readLog("current.jsonl")
        let folder = temporary.logFolder
        try FileManager.default.moveItem(
            at: folder.appending(path: "current.jsonl"), to: folder.appending(path: "old.jsonl"))
        #expect(try advance(&follower) == ["3"])
        try temporary.writeLog("current.jsonl", Array(lines.split(separator: 0x0a)[0] + [0x0a]))
        #expect(try advance(&follower) == ["1"])
    }

    @Test(arguments: [1, 3, 8, 20, 64])
    func `no record is missed or repeated while segments end`(_ batch: Int) throws {
        let temporary = try TemporaryMachine()
        var limits = LogLimits()
        limits.segment = 8
        let log = AuditLog(root: temporary.root, limits: limits)
        _ = try log.append((0..<21).map { _ in TemporaryMachine.record() })
        var follower = LogFollower(root: temporary.root, hiding: ManifestSecrets())
        try follower.attach()
        // The newest file begins behind two segments.
        #expect(try advance(&follower) == (17...21).map(String.init))
        var next = 22
        for _ in 0..<5 {
            _ = try log.append((0..<batch).map { _ in TemporaryMachine.record() })
            #expect(try advance(&follower) == (next..<next + batch).map(String.init))
            next += batch
        }
    }

    @Test func `a log that was set aside is followed by the new one`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [3])
        var follower = LogFollower(root: temporary.root, hiding: ManifestSecrets())
        #expect(try advance(&follower) == ["1", "2", "3"])
        try temporary.removeLog("checkpoint")
        try temporary.makeLog(batches: [1])
        #expect(try advance(&follower) == ["replaced", "1", "2"])
    }

    @Test func `a line that is no record is said, and a log that shrank`() throws {
        let temporary = try TemporaryMachine()
        try temporary.makeLog(batches: [2])
        let lines = try temporary.readLog("current.jsonl")
        try temporary.writeLog("current.jsonl", lines + Array("nonsense\n".utf8))
        var follower = LogFollower(root: temporary.root, hiding: ManifestSecrets())
        #expect(try advance(&follower) == ["1", "2", "bad 3"])
        let handle = try FileHandle(forWritingTo: temporary.logFolder.appending(path: "current.jsonl"))
        try handle.truncate(atOffset: 5)
        #expect(try advance(&follower) == ["cut"])
    }
}
