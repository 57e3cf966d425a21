import MDAuditLog
import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

/// Tests which records match a query.
struct AuditQueryTests {
    /// A moment.
    private func time(_ second: Int64) -> Timestamp { Timestamp(microseconds: second * 1_000_000) }

    /// A record at a moment.
    private func record(_ second: Int64) -> AuditRecord {
        var record = AuditRecord(kind: .override)
        (record.time, record.uid, record.user, record.host) = (time(second), 1_000, "alice", "lab-01")
        (record.domain, record.key) = ("org.example", "HomePage")
        return record
    }

    @Test func `each clause lets its own through and nothing else`() {
        let record = record(50)
        for query in [
            AuditQuery(), AuditQuery(since: time(50)), AuditQuery(until: time(50)), AuditQuery(user: "alice"),
            AuditQuery(user: "1000"), AuditQuery(domain: "org.example"), AuditQuery(key: "HomePage"),
            AuditQuery(kind: .override), AuditQuery(host: "lab-01"),
        ] {
            #expect(query.matches(record))
        }
        for query in [
            AuditQuery(since: time(51)), AuditQuery(until: time(49)), AuditQuery(user: "bob"), AuditQuery(user: "0"),
            AuditQuery(domain: "org"), AuditQuery(key: "homepage"), AuditQuery(kind: .drop), AuditQuery(host: "lab"),
        ] {
            #expect(!query.matches(record))
        }
        #expect(!AuditQuery(user: "alice").matches(AuditRecord(kind: .start)))
        #expect(!AuditQuery(since: time(0)).matches(AuditRecord(kind: .start)))
    }

    @Test func `a record of several attempts lies in every span that one of them may lie in`() {
        var several = record(50)
        (several.first, several.last) = (time(40), time(49))
        #expect(AuditQuery(until: time(40)).matches(several))
        #expect(!AuditQuery(until: time(39)).matches(several))
        #expect(AuditQuery(since: time(49)).matches(several))
        #expect(!AuditQuery(since: time(51)).matches(several))
    }

    @Test(arguments: ["client", "claim", "spool"])
    func `what a sender says of the times of its attempts counts for no span`(src: String) {
        var several = record(50)
        (several.src, several.first, several.last) = (RecordSource(rawValue: src), time(10), time(20))
        #expect(AuditQuery(since: time(50), until: time(50)).matches(several))
        #expect(!AuditQuery(until: time(49)).matches(several))
        #expect(!AuditQuery(since: time(51)).matches(several))
        several.src = .scan
        #expect(AuditQuery(since: time(10), until: time(20)).matches(several))
        #expect(!AuditQuery(since: time(21)).matches(several))
    }

    @Test(arguments: [0, 1, 3, 10, 100])
    func `a limit keeps the newest, newest last`(count: Int) throws {
        let temporary = try TemporaryMachine()
        _ = try AuditLog(root: temporary.root).append((0..<20).map { record($0) })
        let reading = try AuditLog(root: temporary.root).records(matching: AuditQuery(limit: count))
        #expect(reading.records.map(\.seq) == Array((21 - min(count, 20))..<21))
    }
}
