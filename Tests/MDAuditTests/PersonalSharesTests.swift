import MDAuditReading
import MDAuditRecord
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDAuditLog

/// What of each person's records is stored.
struct PersonalSharesTests {
    /// A moment of a day.
    private func moment(day: Int64 = 20_000, _ monotonic: Int64 = 1) -> PersonalShares.Moment {
        .init(time: Timestamp(microseconds: day * 86_400_000_000 + monotonic), monotonic: monotonic)
    }

    /// Limits of few tokens that never come back.
    private func few(_ burst: Int = 2) -> PersonalShares.Limits {
        var limits = PersonalShares.Limits()
        limits.rate = TokenRate(perSecond: 0, burst: burst)
        return limits
    }

    @Test func `the bytes of a day are those of one day and one person`() {
        var limits = PersonalShares.Limits()
        limits.dailyBytes = 10
        var shares = PersonalShares(limits: limits)
        let free = 1 << 30
        shares.add(10, of: 1, at: moment())
        #expect(shares.isUsedUp(by: 1, free: free, at: moment().time))
        #expect(!shares.isUsedUp(by: 2, free: free, at: moment().time))
        #expect(!shares.isUsedUp(by: 1, free: free, at: moment(day: 20_001).time))
    }

    @Test func `a share is a part of what is free, so that no share is ever nothing`() {
        var shares = PersonalShares()
        var free = 1 << 20
        var most: [Int] = []
        for person in 0..<40 as Range<UInt32> {
            var bytes = 0
            while !shares.isUsedUp(by: person, free: free, at: moment().time) {
                shares.add(100, of: person, at: moment())
                (free, bytes) = (free - 100, bytes + 100)
            }
            most.append(bytes)
        }
        #expect(most[0] > 100_000 && most.allSatisfy { $0 > 0 } && most == most.sorted(by: >) && free > 0)
    }

    @Test func `the first attempts on keys have places of their own, and no more than are allowed`() {
        var limits = few()
        limits.firsts = 3
        var shares = PersonalShares(limits: limits)
        /// Whether an attempt is the first.
        func take(_ mark: UInt64, of person: UInt32 = 1, day: Int64 = 20_000) -> Bool {
            shares.takeFirst(mark, of: person, at: moment(day: day))
        }
        #expect(take(1) && !take(1) && take(2) && take(3) && !take(4))
        #expect(take(1, of: 2) && take(1, day: 20_001))
    }

    @Test func `what several processes charge adds up`() throws {
        let machine = try TemporaryMachine(.none)
        try AuditLog(root: machine.root).append([AuditRecord(kind: .start)])
        let now = PersonalShares.Moment()
        var (one, other) = (PersonalShares(limits: few(5)), PersonalShares(limits: few(5)))
        /// Takes tokens in one process or the other.
        func take(_ count: Int, isOther: Bool = false) -> Bool {
            isOther ? other.take(count, of: 7, now: now.monotonic) : one.take(count, of: 7, now: now.monotonic)
        }
        one.renew(root: machine.root)
        #expect(take(1))
        one.add(100, of: 7, at: now)
        other.renew(root: machine.root)
        #expect(take(2, isOther: true))
        other.add(30, of: 7, at: now)
        let isFirst = other.takeFirst(9, of: 7, at: now)
        #expect(isFirst)
        other.save(root: machine.root)
        // What it had charged before it read the file counts too.
        one.renew(root: machine.root)
        #expect(one.shares[7]?.bytes == 130 && one.shares[7]?.firsts == [9])
        #expect(take(2) && !take(1))
        one.save(root: machine.root)
        other.renew(root: machine.root)
        #expect(other.shares[7]?.bytes == 130 && !take(1, isOther: true))
    }

    @Test func `records that root found are charged to persons, and the rest is counted in records of its own`() throws
    {
        let machine = try TemporaryMachine(.none)
        let log = AuditLog(root: machine.root)
        /// A record of a person.
        func charged(_ key: String, _ person: UInt32?, mark: UInt64? = nil) -> ChargedRecord {
            var record = AuditRecord(kind: .override, src: .scan)
            (record.domain, record.key, record.uid) = ("org.x", Key(key), person)
            return ChargedRecord(record, person: person, mark: mark)
        }
        let records =
            ["a", "b", "c", "d"].map { charged($0, 1, mark: $0 == "d" ? 4 : nil) } + [
                charged("e", 2), charged("f", nil),
            ]
        let first = try log.append(charged: records, isLast: false, limits: few())
        #expect(first.stored == [true, true, false, true, true, true])
        #expect(try log.records().records.count { $0.kind == .drop } == 0)
        let second = try log.append(charged: [charged("d", 1, mark: 4)], isLast: true, limits: few())
        #expect(second.stored == [false])
        let drops = try log.records().records.filter { $0.kind == .drop }
        #expect(drops.map(\.count) == [2] && drops.map(\.uid) == [1] && drops.map(\.src) == [.scan])
        #expect(drops[0].note?.hasPrefix("rate: ") == true)
        #expect(try log.allowance(of: [1, 2, 3], limits: few()) == [1: 0, 2: 1, 3: 2])
    }

    @Test func `a log that may take no more takes nothing of persons, and what root's commands record all the same`()
        throws
    {
        let machine = try TemporaryMachine(.none)
        var limits = LogLimits()
        limits.bytes = 4_000
        let log = AuditLog(root: machine.root, limits: limits)
        /// A record of a person.
        func charged(_ person: UInt32?) -> ChargedRecord {
            var record = AuditRecord(kind: .override, src: .scan, note: String(repeating: "x", count: 200))
            (record.domain, record.uid) = ("org.x", person)
            return ChargedRecord(record, person: person, mark: UInt64(person ?? 0))
        }
        let first = try log.append(charged: [charged(1)], isLast: true)
        #expect(first.stored == [true])
        try log.append((0..<20).map { _ in charged(nil).record })
        // Not even the first attempt on a key, by a scan or through a spool.
        let second = try log.append(charged: [charged(2), charged(nil)], isLast: true)
        #expect(second.stored == [false, true])
        #expect(
            try log.records().records.contains { $0.kind == .drop && $0.uid == 2 && $0.note?.hasPrefix("full") == true }
        )
        #expect(try log.allowance(of: [3]) == [3: 0])
    }

    @Test func `damage of the file grants no more than a share, and nothing crashes`() throws {
        let machine = try TemporaryMachine(.none)
        try AuditLog(root: machine.root).append([AuditRecord(kind: .start)])
        var shares = PersonalShares()
        for person in 0..<60 as Range<UInt32> {
            shares.add(1_000, of: person, at: .init())
            _ = shares.takeFirst(UInt64(person), of: person, at: .init())
            _ = shares.take(3, of: person, now: 1_000)
        }
        shares.save(root: machine.root)
        let path = String(SharesFile.path.dropFirst())
        let whole = try machine.read(path)
        #expect(SharesFile(whole).shares == shares.shares)
        var random = SplitMix(state: 3)
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let file = SharesFile(Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random))))
            #expect(file.shares.count <= 61 && file.shares.values.allSatisfy { $0.bytes >= 0 })
        }
    }
}
