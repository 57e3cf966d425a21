import Foundation
import MDAuditReading
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditClient
@testable import MDAuditLog
@testable import MDAuditRecord

/// Tests where a reporter stores records: in the log, in the spool, or nowhere with a reason.
struct AuditReporterTests {
    /// The directory of the spool.
    private static let state = "/home/alice/.local/state/managed-defaults"

    /// An attempt.
    private func attempt(_ key: Key = "K") -> AuditRecord {
        var record = AuditRecord(kind: .override)
        (record.domain, record.key, record.via, record.outcome) = ("org.example", key, .set, .refused)
        return record
    }

    @Test func `who may write the log stores there at once, with what the kernel says of the process`() throws {
        let temporary = try TemporaryMachine()
        let reporter = AuditReporter(root: temporary.root, stateDirectory: Self.state)
        #expect(reporter.report(attempt()) == .stored(1))
        #expect(reporter.report(attempt()) == .counted)
        #expect(reporter.report(attempt()) == .counted)
        #expect(reporter.report(attempt("L")) == .stored(2))
        #expect(reporter.report(AuditRecord(kind: .damaged)) == .stored(3))
        #expect(reporter.report(AuditRecord(kind: .damaged)) == .stored(4))
        #expect(reporter.flush() == [.stored(5)])
        #expect(reporter.flush().isEmpty)
        #expect(reporter.alarm() == nil)
        let records = try AuditLog(root: temporary.root).records().records
        #expect(records.map(\.count) == [nil, nil, nil, nil, 2])
        #expect(
            records.allSatisfy { $0.pid == CurrentProcess.pid && $0.uid == CurrentProcess.uid && $0.src == .client })
        #expect(records[0].exe == CurrentProcess.executablePath)
    }

    @Test
    func `equal writes that were refused because policy is unknown are counted as attempts are, and apart from them`()
        throws
    {
        let temporary = try TemporaryMachine()
        let reporter = AuditReporter(root: temporary.root, stateDirectory: Self.state)
        var write = attempt()
        write.kind = .damaged
        #expect(reporter.report(write) == .stored(1))
        #expect(reporter.report(write) == .counted)
        #expect(reporter.report(attempt()) == .stored(2))
        #expect(reporter.report(write) == .counted)
        #expect(reporter.flush() == [.stored(3)])
        let records = try AuditLog(root: temporary.root).records().records
        #expect(records.map(\.kind) == [.damaged, .override, .damaged])
        #expect(records.map(\.count) == [nil, nil, 2])
    }

    @Test func `where the log cannot be written, the spool keeps the record and an alarm says why`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        let reporter = AuditReporter(root: temporary.root, stateDirectory: Self.state)
        let path = "\(Self.state)/spool.jsonl"
        #expect(reporter.report(attempt()) == .spooled(temporary.root.display(path)))
        #expect(reporter.report(attempt("L")) == .spooled(temporary.root.display(path)))
        #expect(reporter.alarm() != nil)
        let (bytes, status) = try temporary.root.read(path, limit: 1 << 20)
        #expect(status.mode == 0o600)
        let records = try bytes.split(separator: 0x0a).map { try AuditRecord(line: $0) }
        #expect(records.map(\.key) == ["K", "L"])
        #expect(records.allSatisfy { $0.seq == 0 && $0.time != nil && $0.pid == CurrentProcess.pid })
        #expect(records.allSatisfy { $0.note?.contains("HOME") != true })
    }

    @Test func `a record in a spool that root's report does not find says so`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        let reporter = AuditReporter(root: temporary.root, stateDirectory: Self.state, isHomeKnown: false)
        var record = attempt()
        record.note = "root /x"
        guard case .spooled = reporter.report(record) else {
            Issue.record("the record was not kept")
            return
        }
        let bytes = try temporary.root.read("\(Self.state)/spool.jsonl", limit: 1 << 20).bytes
        let kept = try AuditRecord(line: bytes.prefix { $0 != 0x0a })
        #expect(kept.note?.hasPrefix("root /x; ") == true)
        #expect(kept.note?.hasSuffix("HOME says where this waits") == true)
        #expect(kept.noteOfOrigin == "root /x")
    }

    @Test func `a full spool counts exactly what it does not keep, and a torn line in it is cut away`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        let folder = temporary.url(Self.state)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let line = attempt().encoded() + [0x0a]
        let filling = Array(repeatElement(line, count: (1 << 20) / line.count).joined())
        try Data(filling + Array("{torn".utf8)).write(to: folder.appending(path: "spool.jsonl"))
        let reporter = AuditReporter(root: temporary.root, stateDirectory: Self.state)
        for number in 0..<5 {
            guard case .dropped(let reason) = reporter.report(attempt(Key("\(number)"))) else {
                Issue.record("attempt \(number) was not dropped")
                continue
            }
            #expect(reason.contains("is full"))
        }
        #expect(reporter.report(attempt("0")) == .counted)
        #expect(reporter.report(attempt("0")) == .counted)
        #expect(reporter.flush().count == 1)
        #expect([UInt8](try Data(contentsOf: folder.appending(path: "spool.jsonl"))) == filling)
        let dropped = [UInt8](try Data(contentsOf: folder.appending(path: "spool-dropped.jsonl")))
        let record = try AuditRecord(line: dropped.dropLast())
        #expect(record.kind == .drop)
        #expect(record.count == 7)
    }

    @Test func `a link in place of the spool is not followed`() throws {
        let temporary = try TemporaryMachine.withoutLog()
        let folder = temporary.url(Self.state)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = temporary.url("target")
        try Data("x".utf8).write(to: target)
        try FileManager.default.createSymbolicLink(
            at: folder.appending(path: "spool.jsonl"), withDestinationURL: target)
        let reporter = AuditReporter(root: temporary.root, stateDirectory: Self.state)
        guard case .lost = reporter.report(attempt()) else {
            Issue.record("the link was followed")
            return
        }
        #expect(try Data(contentsOf: target) == Data("x".utf8))
    }

    @Test
    func `what the service has and does not confirm is said to be with it, an attempt or a damaged file`() throws {
        let temporary = try TemporaryMachine()
        let listener = try AuditListener(folder: temporary.path)
        let reporter = AuditReporter(root: temporary.root, stateDirectory: Self.state)
        let words = "The record is with the audit service, which did not confirm in time that it is stored."
        #expect(reporter.report(attempt()) == .unconfirmed(words))
        #expect(reporter.report(AuditRecord(kind: .damaged)) == .unconfirmed(words))
        #expect(!FileManager.default.fileExists(atPath: temporary.path + AuditLog.path))
        listener.read()
        #expect(reporter.report(AuditRecord(kind: .damaged)).problem == nil)
        listener.stop()
        #expect(listener.lines.filter { $0.contains(#""kind":"damaged""#) }.count == 2)
    }

    @Test func `without log and spool the answer says that the record is lost`() throws {
        let reporter = AuditReporter(root: try TemporaryMachine.withoutLog().root, stateDirectory: nil)
        guard case .lost(let reason) = reporter.report(attempt()) else {
            Issue.record("nothing was said")
            return
        }
        #expect(reason.hasPrefix("The audit log could not be written: "))
    }
}
