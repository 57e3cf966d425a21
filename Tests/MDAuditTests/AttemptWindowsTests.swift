import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditClient

/// Tests joining equal attempts of one process, with a clock that the test sets.
struct AttemptWindowsTests {
    /// An attempt.
    private func attempt(_ key: Key = "HomePage", tried: Value = .integer(1)) -> AuditRecord {
        var record = AuditRecord(kind: .override, src: .client)
        (record.uid, record.via, record.outcome) = (1_000, .set, .refused)
        (record.domain, record.key, record.tried) = ("org.example", key, ValueSummary(tried))
        return record
    }

    /// The time of day that belongs to a moment of the clock.
    private func time(_ second: Int64) -> Timestamp { Timestamp(microseconds: 1_000_000 * (1_000 + second)) }

    /// Adds an attempt.
    ///
    /// - Returns: whether it was only counted, and the count of a window that had ended.
    private func add(
        _ record: AuditRecord, to windows: inout AttemptWindows, second: Int64
    ) -> (isCounted: Bool, ended: WaitingAttempt?) {
        let waiting = WaitingAttempt(record, at: time(second))
        switch windows.add(waiting, hash: AttemptWindows.hash(of: waiting), monotonic: second * 1_000_000) {
        case .separate: return (false, nil)
        case .separateAfter(let counts): return (false, counts)
        case .counted: return (true, nil)
        }
    }

    @Test func `the first attempt is stored at once, and equal ones are counted until the window ends`() throws {
        let root = try TemporaryMachine().root
        var windows = AttemptWindows()
        #expect(!add(attempt(), to: &windows, second: 0).isCounted)
        for second: Int64 in [1, 5, 9] { #expect(add(attempt(), to: &windows, second: second).isCounted) }
        #expect(windows.close(monotonic: 9_999_999).counts.isEmpty)
        let (isCounted, ended) = add(attempt(), to: &windows, second: 10)
        var counted = attempt()
        (counted.time, counted.count, counted.first, counted.last) = (time(9), 3, time(1), time(9))
        #expect(!isCounted)
        #expect(ended.map { $0.attempt.record(of: $0, root: root) } == counted)
        #expect(windows.close().counts.isEmpty)
    }

    @Test func `attempts that differ in anything that counts are not joined`() {
        var removal = attempt()
        removal.tried = nil
        var others = [
            attempt(), attempt("Proxy"), attempt(tried: .boolean(true)), attempt(tried: .integer(2)), removal,
        ]
        for change: (inout AuditRecord) -> Void in [
            { $0.uid = 1 }, { $0.kind = .damaged }, { $0.via = .cli }, { $0.domain = "b" }, { $0.outcome = .shadowed },
        ] {
            var record = attempt()
            change(&record)
            others.append(record)
        }
        var windows = AttemptWindows()
        for record in others { #expect(!add(record, to: &windows, second: 0).isCounted) }
    }

    @Test func `an attempt to set a forced key and the record of an equal one are joined, and the newest is stored`() {
        var record = attempt()
        record.tried = nil
        let prepared = PreparedAttempt(record, forced: .integer(0), isSecret: false) { false }
        let waiting = WaitingAttempt(attempt: prepared, tried: ValueSummary(.integer(1)), time: time(0))
        var windows = AttemptWindows()
        guard case .separate = windows.add(waiting, hash: AttemptWindows.hash(of: waiting), monotonic: 0) else {
            Issue.record("the first attempt was joined")
            return
        }
        #expect(add(attempt(), to: &windows, second: 1).isCounted)
        #expect(windows.close().counts.first?.attempt !== prepared)
    }

    @Test func `what is stored adds up to what was tried, also where the table has no room`() {
        var windows = AttemptWindows()
        var (sum, counts) = (0, 0)
        for moment: Int64 in 0..<4_000 {
            let (isCounted, ended) = add(
                attempt(Key("key \(Int.random(in: 0..<600))")), to: &windows, second: moment / 100)
            sum += (isCounted ? 0 : 1) + (ended?.weight ?? 0)
        }
        for rest in windows.close().counts { (sum, counts) = (sum + rest.weight, counts + 1) }
        #expect(sum == 4_000)
        #expect(counts > 0)
    }

    @Test func `all that one process says to the service of a root goes over one connection`() throws {
        let machine = try TemporaryMachine()
        let one = AuditReporter(root: machine.root, stateDirectory: nil)
        let other = AuditReporter(root: try Root(directory: machine.path), stateDirectory: nil)
        #expect(one.channel.connection === other.channel.connection)
        #expect(ServiceConnection.shared(of: machine.root) === one.channel.connection)
        #expect(ServiceConnection.shared(of: try TemporaryMachine().root) !== one.channel.connection)
    }
}
