import Foundation
import MDCare
import MDPlatform
import MDPolicyCore
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditLog
@testable import MDAuditReading
@testable import MDAuditRecord
@testable import MDReport

/// Tests that a report reads from a log without parsing each line what it reads by parsing.
struct LogPassTests {
    /// What is read of a log, as text.
    private static func read(
        _ root: Root, isParsing: Bool, isWhole: Bool, since: Timestamp? = nil, isVerifying: Bool = false
    ) throws -> String {
        let period = AuditLogInspection.Period(
            since: since, now: Timestamp(microseconds: 1_795_000_000_000_000), zone: .utc, isWhole: isWhole)
        let pass = LogPass(LogRecords(period, owner: 0), hiding: ManifestSecrets(), isParsing: isParsing)
        if isVerifying { _ = AuditVerifier.verify(root: root, reader: pass) } else { try pass.read(root) }
        #expect(pass.isFinished)
        var records = pass.reader
        records.finish()
        let tally = records.tally
        let lines = (records.attempts + records.history.changes.map(\.record) + records.history.claims).map {
            String(decoding: $0.encoded(), as: UTF8.self)
        }
        return """
            \(tally.attempts) \(tally.records) \(tally.byUser) \(tally.byProgram) \(tally.byWay) \(tally.byOutcome)
            \(tally.byKey) \(tally.byDay) \(tally.hours) \(tally.uids.sorted()) \(records.before?.attempts ?? -1)
            \(tally.claimed) \(records.dropped) \(records.allDropped)
            \(lines.joined(separator: "\n"))
            """
    }

    /// Compares both readings of a log.
    private static func compare(_ root: Root) throws {
        for isWhole in [false, true] {
            for since in [nil, "2026-11-19T00:00:00Z", "2030-01-01T00:00:00Z"] {
                let since = since.flatMap { Timestamp(rfc3339: $0) }
                #expect(
                    try read(root, isParsing: false, isWhole: isWhole, since: since)
                        == read(root, isParsing: true, isWhole: isWhole, since: since))
            }
        }
    }

    @Test func `segments with tallies count alike, in whatever period`() throws {
        let machine = try TemporaryMachine()
        var limits = LogLimits()
        limits.segment = 32
        var random = SplitMix(state: 20)
        for number in 0..<20 {
            var records = (0..<16).map { _ in LogPassTests.record(0, &random) }
            // Some are as programs send them, and of these every second one is from a spool.
            for index in stride(from: 0, to: records.count, by: 4) {
                var plain = AuditRecord(kind: .override, src: index % 8 == 0 ? .spool : .client)
                (plain.uid, plain.user, plain.via, plain.outcome) = (1_001, "alice", .set, .refused)
                (plain.domain, plain.key, plain.count) = ("org.example.App", "K", index + 1)
                records[index] = plain
            }
            for index in records.indices {
                // The first attempts are of the first days, so that segments lie before, in and after a period.
                records[index].time = Timestamp(
                    microseconds: 1_795_000_000_000_000 + Int64(number) * 20_000_000_000
                        + Int64.random(in: 0...30_000_000_000, using: &random))
                (records[index].first, records[index].last) = (nil, nil)
                if records[index].kind == .override, number % 4 != 0 {
                    (records[index].uid, records[index].domain, records[index].key) = (1_001, "org.example.App", "K")
                }
            }
            _ = try AuditLog(root: machine.root, limits: limits).append(records)
        }
        #expect(SegmentIndexes(root: machine.root)?.renew(most: 100) == 10)
        for isWhole in [false, true] {
            for hour in [nil, -100, 0, 20, 50, 80, 200] {
                let since = hour.map { Timestamp(microseconds: 1_795_000_000_000_000 + Int64($0) * 3_600_000_000) }
                let counted = try LogPassTests.read(
                    machine.root, isParsing: false, isWhole: isWhole, since: since, isVerifying: true)
                #expect(
                    try counted == LogPassTests.read(machine.root, isParsing: true, isWhole: isWhole, since: since))
            }
        }
    }

    /// Makes a machine whose log has some lines.
    private func machine(_ lines: [[UInt8]]) throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.none)
        try machine.write(
            AuditLog.path, String(decoding: lines.flatMap { $0 + [0x0a] }, as: UTF8.self))
        return machine
    }

    /// A record whose fields are there or not, plain or not.
    private static func record(_ seq: Int, _ random: inout SplitMix) -> AuditRecord {
        let texts = [
            "", "a", "org.example.App", "Grün", "quote\"d", "back\\slash", "tab\t", "\u{7f}", "a\",\"key\":\"b",
        ]
        func text() -> String? { Bool.random(using: &random) ? texts.randomElement(using: &random) : "usual" }
        let kinds: [RecordKind] = [.override, .override, .override, .override, .policy, .grant, .drop, .gap, .start]
        func some<T>(_ value: T) -> T? { Bool.random(using: &random) ? value : nil }
        let sources: [RecordSource] = [.client, .client, .claim, .spool, .scan, RecordSource(rawValue: "later")]
        var record = AuditRecord(kind: kinds.randomElement(using: &random) ?? .override)
        record.src = sources.randomElement(using: &random).flatMap { some($0) }
        record.seq = seq
        record.time = Timestamp(
            microseconds: Int64.random(in: 1_794_000_000_000_000...1_796_000_000_000_000, using: &random))
        (record.boot, record.mono, record.host) = (some("boot"), some(seq), text())
        (record.uid, record.user) = (
            some(UInt32.random(in: 1000...1010, using: &random)), some("u").flatMap { _ in text() }
        )
        (record.auid, record.session, record.pid, record.start) = (some(.max), some(3), some(4), some(5))
        (record.exe, record.unit, record.via) = (text(), some("u.service"), some(.set))
        (record.domain, record.key) = (some("d").flatMap { _ in text().map { Key($0) } }, text().map { Key($0) })
        let values: [Value] = [
            .string("x"), .string("ü"), .boolean(true), .integer(-5), .integer(0), .real(1.5), .array([.integer(1)]),
        ]
        record.forced = some(0).flatMap { _ in values.randomElement(using: &random) }.map { ValueSummary($0) }
        record.tried = values.randomElement(using: &random).map { ValueSummary($0) }
        record.policy = some(
            PolicyReference(id: some("id"), file: text(), line: some(7), sha256: some(SHA256.hash([1]))))
        (record.outcome, record.count) = (some(.refused), some(Int.random(in: 0...9, using: &random)))
        for path in [\AuditRecord.first, \.last] {
            record[keyPath: path] = some(
                Timestamp(
                    microseconds: Int64.random(in: 1_794_000_000_000_000...1_796_000_000_000_000, using: &random)))
        }
        record.note = some("n").flatMap { _ in text() }
        if Int.random(in: 0..<8, using: &random) == 0 { record.extra = [ExtraField(name: "later", json: "1")] }
        return record
    }

    @Test func `random records count alike`() throws {
        var random = SplitMix(state: 19)
        let lines = (1...2_000).map { LogPassTests.record($0, &random).encoded() }
        try LogPassTests.compare(try machine(lines).root)
    }

    /// A usual line.
    private static let usual = #"""
        {"v":1,"seq":7,"time":"2026-11-20T08:00:00.000000Z","boot":"b","mono":5,"kind":"override","src":"client",\#
        "host":"h","uid":1001,"user":"alice","auid":1001,"session":3,"pid":4,"start":5,"exe":"/usr/bin/app","unit":"u",\#
        "via":"set","domain":"org.example.App","key":"K","forced":"a","tried":-3,"policy":{"id":"p","file":"/f",\#
        "line":3,"sha256":"\#(String(repeating: "0a", count: 32))"},"outcome":"refused","count":2,\#
        "first":"2026-11-20T08:00:00.000000Z","last":"2026-11-20T08:00:01.000000Z","note":"n"}
        """#

    @Test func `a usual line needs no parser, and every change of a byte or of two fields is read as by it`() throws {
        var times = PlainTimes()
        let usual = Array(LogPassTests.usual.utf8)
        let attempt = try #require(StoredAttempt(usual + [0x0a], usual.indices, &times))
        #expect(attempt.attempts == AttemptCount(seen: 1, claimed: 1) && attempt.uid == 1001)
        #expect(StoredAttempt(usual + [0x0a], 0..<usual.count + 1, &times) == nil)
        #expect(StoredAttempt(usual, 0..<usual.count - 1, &times) == nil)
        var lines: [[UInt8]] = [usual]
        for index in usual.indices {
            for byte in Array("\"\\,:{}[]-0159ae.Z \u{7f}\u{0}".utf8) + [0x80, 0xff] {
                var line = usual
                line[index] = byte
                lines.append(line)
            }
            lines.append(Array(usual[..<index]))
            lines.append(Array(usual[..<index] + usual[index...].dropFirst()))
        }
        let fields = LogPassTests.usual.dropFirst().dropLast().components(separatedBy: ",\"")
        for index in fields.indices.dropFirst() {
            var swapped = fields
            swapped.swapAt(index, index - 1)
            lines.append(Array("{\(swapped.joined(separator: ",\""))}".utf8))
            lines.append(Array("{\((fields + [fields[index]]).joined(separator: ",\""))}".utf8))
        }
        for number in [
            "0", "00", "4294967295", "4294967296", "2147483648", "999999999999999", "1000000000000000", "1e3",
        ] {
            for name in ["seq", "mono", "uid", "auid", "session", "pid", "start", "count", "line"] {
                lines.append(
                    Array(
                        LogPassTests.usual.replacing(try Regex("\"\(name)\":\\d+"), with: "\"\(name)\":\(number)").utf8)
                )
            }
        }
        for time in ["2026-02-29", "2024-02-29", "2026-13-01", "0000-01-01", "9999-12-31", "2026-11-20T23:59:60"] {
            lines.append(Array(LogPassTests.usual.replacing("2026-11-20", with: time).utf8))
        }
        lines.append([UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20))
        lines.append(usual)
        try LogPassTests.compare(try bytes(lines).root)
    }

    /// Makes a machine whose log has some lines of any bytes.
    private func bytes(_ lines: [[UInt8]]) throws -> TemporaryMachine {
        let machine = try machine([])
        try Data(lines.flatMap { $0 + [0x0a] }).write(to: URL(fileURLWithPath: machine.path + AuditLog.path))
        return machine
    }

    @Test func `the log of the lab counts alike`() throws {
        try LogPassTests.compare(try TemporaryMachine(copying: "Examples/lab").root)
    }
}
