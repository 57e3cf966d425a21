import MDCare
import Testing

/// Each user pays alone for scans.
struct ScanScheduleTests {
    /// A second, in microseconds.
    private static let second: Int64 = 1_000_000

    @Test func `a change is scanned after a second, once for all changes until then`() {
        var schedule = ScanSchedule()
        #expect(schedule.patience(at: 0) == nil)
        schedule.change([1], at: 0)
        schedule.change([1, 2], at: Self.second / 2)
        #expect(schedule.begin(at: Self.second - 1).isEmpty)
        #expect(schedule.patience(at: 0) == 1_001)
        #expect(schedule.begin(at: Self.second) == [1])
        #expect(schedule.begin(at: 2 * Self.second) == [2])
    }

    @Test func `after a scan comes a pause of ten times its cost, for that user only`() {
        var schedule = ScanSchedule()
        schedule.change([1, 2], at: 0)
        #expect(schedule.begin(at: Self.second) == [1, 2])
        // What changes during a scan is scanned after it.
        schedule.change([1, 2], at: Self.second)
        #expect(schedule.begin(at: 3 * Self.second).isEmpty && schedule.patience(at: 3 * Self.second) == nil)
        schedule.end(1, cost: 2 * Self.second, at: 3 * Self.second)
        schedule.end(2, cost: 1_000, at: 3 * Self.second)
        #expect(schedule.begin(at: 3 * Self.second + 10_000) == [2])
        #expect(schedule.begin(at: 23 * Self.second - 1).isEmpty)
        #expect(schedule.begin(at: 23 * Self.second) == [1])
        schedule.end(1, cost: .max, at: 24 * Self.second)
        schedule.change([1], at: 25 * Self.second)
        #expect(schedule.patience(at: 25 * Self.second) == 299_001)
    }

    @Test func `one user who changes files without a pause costs a tenth of a processor, and delays nobody`() {
        var schedule = ScanSchedule()
        var (spent, begun): (Int64, Int64?) = (0, nil)
        for now in stride(from: Int64(0), to: 100 * Self.second, by: 5_000) {
            schedule.change([1], at: now)
            if now == 50 * Self.second { schedule.change([2], at: now) }
            for uid in schedule.begin(at: now) {
                if uid == 2 { begun = now }
                spent += uid == 1 ? Self.second : 0
                schedule.end(uid, cost: uid == 1 ? Self.second : 0, at: now)
            }
        }
        #expect(spent <= 11 * Self.second && begun == 51 * Self.second)
    }

    @Test func `more scans than there is room for wait in turn`() {
        var schedule = ScanSchedule()
        schedule.change(Array(0..<40), at: 0)
        #expect(schedule.begin(at: Self.second) == Array(0..<32))
        #expect(schedule.patience(at: Self.second) == nil)
        schedule.end(5, cost: 0, at: Self.second)
        #expect(schedule.begin(at: Self.second) == [32])
    }
}
