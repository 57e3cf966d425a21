import Foundation
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditLog
@testable import MDAuditReading

/// Tests that the index of a segment finds what reading all lines finds, and is left alone if it cannot be relied on.
struct SegmentIndexTests {
    /// Makes a log of segments of 8 records by five users, with other kinds in between.
    private func log(_ count: Int = 50) throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        var limits = LogLimits()
        limits.segment = 8
        let records = (1...count).map { number in
            var record = TemporaryMachine.record(number % 11 == 0 ? .drop : .override)
            record.time = Timestamp(microseconds: Int64(number) * 1_000_000)
            // The segment has more than the bytes that the index has a digest of.
            record.note = String(repeating: "n", count: 700)
            if number % 13 == 0 { record.first = Timestamp(microseconds: 500_000) }
            if number % 6 == 0 {
                record.src = .spool
                (record.first, record.last) = (Timestamp(microseconds: 400_000), Timestamp(microseconds: 600_000))
            }
            (record.uid, record.user) = (UInt32(1_000 + number % 5), "user\(number % 5)")
            (record.domain, record.key) = (Key("org.d\(number % 3)"), Key("k\"\(number % 7)"))
            return record
        }
        // One write fills at most one segment.
        for start in stride(from: 0, to: count, by: 4) {
            _ = try AuditLog(root: machine.root, limits: limits).append(Array(records[start..<min(start + 4, count)]))
        }
        return machine
    }

    /// Queries of every kind.
    private static let queries: [AuditQuery] = {
        let seconds: [Int64?] = [nil, 0, 7, 20, 49, 60]
        let times = seconds.map { $0.map { Timestamp(microseconds: $0 * 1_000_000) } }
        var queries = [
            AuditQuery(), AuditQuery(user: "user3"), AuditQuery(user: "1003"), AuditQuery(user: "nobody"),
            AuditQuery(domain: "org.d1"), AuditQuery(key: "k\"2"), AuditQuery(kind: .drop), AuditQuery(kind: .override),
            AuditQuery(kind: .gap), AuditQuery(user: "user1", key: "k\"2"), AuditQuery(host: "h"),
            AuditQuery(user: "user1", domain: "org.d1", key: "k\"1", kind: .override), AuditQuery(host: "other"),
        ]
        for since in times {
            for until in times { queries.append(AuditQuery(since: since, until: until, user: "user2")) }
        }
        return queries.flatMap { query in
            [nil, 0, 1, 3, 100].map { limit in
                var query = query
                query.limit = limit
                return query
            }
        }
    }()

    /// What a query finds.
    private func numbers(_ machine: TemporaryMachine, _ query: AuditQuery) throws -> [Int] {
        try AuditLog(root: machine.root).records(matching: query).records.map(\.seq)
    }

    /// Makes the indexes that are missing or cannot be used.
    private func renew(_ machine: TemporaryMachine) {
        _ = SegmentIndexes(root: machine.root)?.renew(most: 100)
    }

    /// The indexes that are there.
    private func indexes(_ machine: TemporaryMachine) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: machine.logFolder.path + "/segments").sorted()
            .filter { $0.hasSuffix(".index") }
    }

    /// The content of an index.
    private func index(_ machine: TemporaryMachine, _ first: Int) -> URL {
        machine.logFolder.appending(path: "segments/\(LogFiles.name(ofSegment: first)).index")
    }

    @Test func `every query finds the same with and without an index`() throws {
        let machine = try log()
        let all = try AuditLog(root: machine.root).records().records
        #expect(all.count == 50)
        #expect(try indexes(machine) == [])
        for hasIndexes in [false, true] {
            if hasIndexes { renew(machine) }
            for query in Self.queries {
                let expected = all.filter { query.matches($0) }.map(\.seq)
                #expect(try numbers(machine, query) == expected.suffix(query.limit ?? .max), "\(query)")
            }
            // A question writes nothing, even if root asks.
            #expect(try indexes(machine).count == (hasIndexes ? 6 : 0))
        }
        // The records of kind drop declare gaps.
        #expect(AuditVerifier.verify(root: machine.root).status == .gaps)
    }

    @Test func `an index is read, and the segment only where it says`() throws {
        let machine = try log()
        renew(machine)
        #expect(try numbers(machine, AuditQuery(user: "user3")).count == 10)
        let segment = machine.logFolder.appending(path: "segments/\(LogFiles.name(ofSegment: 9)).jsonl")
        let status = try machine.root.status(LogFiles.current.segment(9), followingLinks: false)
        // Another line is damaged, with the same size and time: a reader of every line finds it.
        var bytes = Array(try Data(contentsOf: segment))
        let lines = bytes.indices.filter { bytes[$0] == 0x0a }
        try #require(lines[5] > SegmentIndex.sampleSize)
        bytes[lines[5] + 1] = UInt8(ascii: "X")
        let handle = try FileHandle(forWritingTo: segment)
        try handle.write(contentsOf: Data(bytes))
        // UTIME_OMIT of linux/stat.h, a macro that Swift cannot import.
        let utimeOmit = (1 << 30) - 2
        var times = [
            timespec(tv_sec: 0, tv_nsec: utimeOmit),
            timespec(tv_sec: Int(status.modified / 1_000_000_000), tv_nsec: Int(status.modified % 1_000_000_000)),
        ]
        #expect(utimensat(AT_FDCWD, segment.path, &times, 0) == 0)
        // Record 15 is of user0, the damaged one.
        #expect(try AuditLog(root: machine.root).records(matching: AuditQuery(user: "user3")).problems == [])
        #expect(try AuditLog(root: machine.root).records().problems.map(\.line) == [7])
    }

    @Test func `any change of an index is noticed, and it is made anew`() throws {
        let machine = try log()
        renew(machine)
        let query = AuditQuery(user: "user3")
        let expected = try numbers(machine, query)
        let file = index(machine, 9)
        let good = Array(try Data(contentsOf: file))
        var random = SplitMix(state: 7)
        for step in 0..<150 {
            var bytes = good
            switch step % 3 {
            case 0: bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
            default:
                bytes = (0..<Int.random(in: 0...9_000, using: &random)).map { _ in .random(in: 0...255, using: &random)
                }
            }
            try Data(bytes).write(to: file)
            #expect(try numbers(machine, query) == expected)
        }
        try FileManager.default.removeItem(at: file)
        #expect(try numbers(machine, query) == expected)
        renew(machine)
        #expect(Array(try Data(contentsOf: file)) == good)
    }

    @Test func `an index of another segment, or one that others can write, is not read`() throws {
        let machine = try log()
        renew(machine)
        let query = AuditQuery(user: "user3")
        let expected = try numbers(machine, query)
        try FileManager.default.removeItem(at: index(machine, 9))
        try FileManager.default.copyItem(at: index(machine, 17), to: index(machine, 9))
        #expect(try numbers(machine, query) == expected)
        let root = machine.root
        let path = LogFiles.current.segment(17)
        #expect(SegmentIndex(root: root, path: path, segment: try ReadFile(root: root, path: path)) != nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: index(machine, 17).path)
        #expect(SegmentIndex(root: root, path: path, segment: try ReadFile(root: root, path: path)) == nil)
    }

    @Test func `lines that are no records are named, whatever is looked for`() throws {
        let machine = try log()
        let segment = machine.logFolder.appending(path: "segments/\(LogFiles.name(ofSegment: 9)).jsonl")
        let text = try String(contentsOf: segment, encoding: .utf8)
        try text.replacingOccurrences(of: #"{"v":1,"seq":12,"#, with: #"{"v":2,"seq":12,"#)
            .write(to: segment, atomically: false, encoding: .utf8)
        for hasIndexes in [false, true] {
            if hasIndexes { renew(machine) }
            let reading = try AuditLog(root: machine.root).records(matching: AuditQuery(user: "nobody"))
            #expect(reading.problems.map(\.line) == [4])
            #expect(reading.problems.first?.file == LogFiles.current.segment(9))
        }
    }

    @Test func `indexes are made in time by who may write the log`() throws {
        let machine = try log()
        let indexes = try #require(SegmentIndexes(root: machine.root))
        #expect(indexes.renew(most: 4) == 4)
        #expect(indexes.renew(most: 100) == 2)
        #expect(indexes.renew(most: 100) == 0)
        #expect(try self.indexes(machine).count == 6)
    }

    @Test(arguments: [
        #"{"v":1,"uid":5,"user":"a","x":{"uid":6,"y":[{"key":"no"}]},"domain":"d","key":"k","kind":"drop"}"#,
        #"{"kind":"drop","note":"\",\"user\":\"b","user":"a","uid":5,"key":"k","domain":"d"}"#,
    ])
    func `members are found without parsing`(_ line: String) {
        let bytes = Array(line.utf8)
        for query in [
            AuditQuery(user: "a"), AuditQuery(user: "5"), AuditQuery(domain: "d"), AuditQuery(key: "k"),
            AuditQuery(kind: .drop), AuditQuery(user: "a", domain: "d", key: "k", kind: .drop),
        ] {
            #expect(LineFilter(query)?.mayMatch(bytes, bytes.indices) == true)
        }
        for query in [
            AuditQuery(user: "b"), AuditQuery(user: "6"), AuditQuery(domain: "D"), AuditQuery(key: "no"),
            AuditQuery(kind: .override), AuditQuery(user: "a", domain: "x"),
        ] {
            #expect(LineFilter(query)?.mayMatch(bytes, bytes.indices) == false)
        }
        #expect(LineFilter(AuditQuery(host: "h")) == nil)
    }

    @Test(arguments: [
        "", "{", "{}", "x", #"{"a":1} "#, #"{ "a":1}"#, #"{"a": 1}"#, #"{"a":1,}"#, #"{"a"}"#, #"{"a":}"#, #"{"a":"x}"#,
        #"{"a":[1}"#, #"{"a":1}}"#, #"{"a\u0062":1}"#, #"{"user":"\u0061"}"#,
    ])
    func `what is not as this program writes it is left to the parser`(_ line: String) {
        let bytes = Array(line.utf8)
        #expect(LineFilter(AuditQuery(user: "a"))?.mayMatch(bytes, bytes.indices) == true)
    }
}
