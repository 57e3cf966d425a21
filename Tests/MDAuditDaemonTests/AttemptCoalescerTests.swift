import MDAuditRecord
import MDPlatform
import MDPropertyList
import Testing

@testable import MDAuditDaemon

/// Tests joining equal attempts, with a clock that the test sets.
struct AttemptCoalescerTests {
    /// An attempt.
    private func attempt(_ key: Key = "HomePage", tried: Value = .integer(1)) -> AuditRecord {
        var record = AuditRecord(kind: .override, src: .client)
        (record.uid, record.pid, record.via, record.outcome) = (1_000, 7, .set, .refused)
        (record.domain, record.key, record.tried) = ("org.example", key, ValueSummary(tried))
        return record
    }

    /// The time of day that belongs to a moment of the clock.
    private func time(_ second: Int64) -> Timestamp { Timestamp(microseconds: 1_000_000 * (1_000 + second)) }

    @Test func `the first is stored at once, equal ones are counted until the window ends`() {
        var coalescer = AttemptCoalescer()
        var decision = coalescer.add(attempt(), time: time(0), monotonic: 0)
        #expect(decision.ended.isEmpty && !decision.isCounted)
        for second: Int64 in [1, 5, 9] {
            decision = coalescer.add(attempt(), time: time(second), monotonic: second * 1_000_000)
            #expect(decision.ended.isEmpty && decision.isCounted)
        }
        #expect(coalescer.expire(monotonic: 9_999_999).isEmpty)
        decision = coalescer.add(attempt(), time: time(10), monotonic: 10_000_000)
        var counted = attempt()
        (counted.count, counted.first, counted.last) = (3, time(1), time(9))
        #expect(decision.ended.map(\.record) == [counted] && !decision.isCounted)
        #expect(coalescer.flush().isEmpty)
    }

    @Test func `attempts that differ in anything that counts are not joined`() {
        var coalescer = AttemptCoalescer()
        var others = [attempt(), attempt("Proxy"), attempt(tried: .boolean(true)), attempt(tried: .integer(2))]
        for change: (inout AuditRecord) -> Void in [
            { $0.uid = 1 }, { $0.pid = 8 }, { $0.via = .cli }, { $0.domain = "b" }, { $0.outcome = .shadowed },
        ] {
            var record = attempt()
            change(&record)
            others.append(record)
        }
        for record in others {
            #expect(!coalescer.add(record, time: time(0), monotonic: 0).isCounted)
        }
        #expect(!coalescer.add(attempt(), of: 1, time: time(0), monotonic: 0).isCounted)
    }

    @Test func `what is stored adds up to what was tried, also where windows must give way`() {
        var coalescer = AttemptCoalescer(window: 50, capacity: 3)
        var stored: [AuditRecord] = []
        var generator = SystemRandomNumberGenerator()
        for moment: Int64 in 0..<2_000 {
            let record = attempt(Key("key \(Int.random(in: 0..<6, using: &generator))"))
            let decision = coalescer.add(record, time: time(moment), monotonic: moment)
            stored += decision.ended.map(\.record) + (decision.isCounted ? [] : [record])
        }
        stored += coalescer.flush().map(\.record)
        #expect(stored.reduce(0) { $0 + ($1.count ?? 1) } == 2_000)
        #expect(stored.contains { $0.count != nil })
    }
}
