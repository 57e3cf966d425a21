package import MDPlatform

/// What each person may have stored in the log: how often, how much a day, and the first attempt of the day on each key.
///
/// A person is a user with an account; ids that a user may hand out in namespaces are charged to that user, and all ids
/// without an account to one place (``anyone``). The audit service and what root looks for in homes and spools charge the
/// same shares: they lie in a file beside the log, which belongs to the holder of the log's lock.
package struct PersonalShares: Sendable {
    /// How much a person may have stored.
    package struct Limits: Sendable {
        /// How often.
        package var rate = TokenRate(perSecond: 50, burst: 500)
        /// The most bytes in a day.
        package var dailyBytes = 20 << 20
        /// The most of the space that is still free for all, as its part.
        package var part = 8
        /// The most keys whose first attempt of the day is stored beyond the other limits.
        package var firsts = 200

        /// Makes the usual limits.
        package init() {}
    }

    /// The moment of a charge.
    package struct Moment: Sendable {
        /// The time of day.
        package let time: Timestamp
        /// The time on the monotonic clock.
        package let monotonic: Int64

        /// Makes a moment, which is now by default.
        package init(time: Timestamp = Clock.now(), monotonic: Int64 = Clock.monotonicMicroseconds()) {
            (self.time, self.monotonic) = (time, monotonic)
        }
    }

    /// What a person has had.
    struct Share: Hashable, Sendable {
        /// The tokens; `nil` for all.
        var bucket: TokenBucket?
        /// The day that the rest is about, in days since 1970 UTC.
        var day: Int64 = 0
        /// The bytes of the day.
        var bytes = 0
        /// The keys whose first attempt of the day was stored beyond the other limits.
        var firsts: Set<UInt64> = []
    }

    /// What was taken since the file was last read or written.
    private struct Debt {
        /// Bytes of the day.
        var bytes = 0
        /// Tokens.
        var tokens: Int64 = 0
        /// Keys.
        var firsts: Set<UInt64> = []
    }

    /// The place of all ids without an account.
    package static let anyone = UInt32.max
    /// The most persons with a place of their own; if so many store something within a day, the others share one.
    static let capacity = 4_096

    /// The limits.
    package let limits: Limits
    /// What each person has had.
    private(set) var shares: [UInt32: Share] = [:]
    /// What is not in the file yet.
    private var debts: [UInt32: Debt] = [:]
    /// What was not stored of what root found, and no record says yet.
    var drops: [DropName: DropCount] = [:]
    /// The file as it was last read or written; `nil` before.
    private var known: FileStatus?

    /// Makes unused shares.
    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Takes tokens of a person, all or none.
    ///
    /// - Returns: whether there were enough.
    package mutating func take(_ count: Int, of person: UInt32, now: Int64) -> Bool {
        let place = place(of: person, now: now)
        var share = shares[place] ?? Share()
        var bucket = share.bucket ?? TokenBucket(full: limits.rate, now: now)
        let isEnough = bucket.take(count, at: limits.rate, now: now)
        share.bucket = bucket
        shares[place] = share
        if isEnough { debts[place, default: Debt()].tokens += Int64(count) }
        return isEnough
    }

    /// The number of records for which a person has tokens now.
    func records(of person: UInt32, now: Int64) -> Int {
        (share(of: person)?.bucket ?? TokenBucket(full: limits.rate, now: now)).whole(at: limits.rate, now: now)
    }

    /// Whether a person has had the bytes of the day.
    ///
    /// - Parameters:
    ///   - person: the person.
    ///   - free: the bytes that are free for all persons.
    ///   - time: now.
    /// - Returns: whether nothing more is stored for the person, but for first attempts on keys.
    package func isUsedUp(by person: UInt32, free: Int, at time: Timestamp) -> Bool {
        let bytes = share(of: person).map { $0.day == time.day ? $0.bytes : 0 } ?? 0
        // What the person has had today was free before.
        return bytes >= min(limits.dailyBytes, (max(free, 0) + bytes) / max(limits.part, 1))
    }

    /// Adds the bytes of a record.
    package mutating func add(_ count: Int, of person: UInt32, at moment: Moment) {
        let place = place(of: person, now: moment.monotonic)
        var share = shares[place] ?? Share()
        share.turn(to: moment.time.day)
        share.bytes += count
        shares[place] = share
        debts[place, default: Debt()].bytes += count
    }

    /// Whether an attempt on a key is the first of a person on this day that is stored beyond the limits.
    ///
    /// - Parameters:
    ///   - mark: the key's mark (`NamedKeys`).
    ///   - person: the person.
    ///   - time: now.
    /// - Returns: whether it is.
    package func isFirst(_ mark: UInt64, of person: UInt32, at time: Timestamp) -> Bool {
        guard let share = share(of: person), share.day == time.day else { return true }
        return share.firsts.count < limits.firsts && !share.firsts.contains(mark)
    }

    /// Takes the place of the first attempt of a person on a key on this day; a second time there is none.
    ///
    /// - Returns: whether the attempt is to be stored, as ``isFirst(_:of:at:)`` says.
    package mutating func takeFirst(_ mark: UInt64, of person: UInt32, at moment: Moment) -> Bool {
        guard isFirst(mark, of: person, at: moment.time) else { return false }
        let place = place(of: person, now: moment.monotonic)
        var share = shares[place] ?? Share()
        share.turn(to: moment.time.day)
        share.firsts.insert(mark)
        shares[place] = share
        debts[place, default: Debt()].firsts.insert(mark)
        return true
    }

    /// What a person has had; `nil` for nothing.
    private func share(of person: UInt32) -> Share? {
        shares[shares[person] == nil && shares.count >= PersonalShares.capacity ? PersonalShares.anyone : person]
    }

    /// The place of a person.
    private mutating func place(of person: UInt32, now: Int64) -> UInt32 {
        guard shares[person] == nil, shares.count >= PersonalShares.capacity else { return person }
        let today = Clock.now().day
        shares = shares.filter { _, share in
            share.day == today && share.bytes > 0 || !(share.bucket?.isFull(at: limits.rate, now: now) ?? true)
        }
        return shares.count < PersonalShares.capacity ? person : PersonalShares.anyone
    }
}

extension PersonalShares.Share {
    /// Begins a day.
    mutating func turn(to today: Int64) {
        if day != today { (day, bytes, firsts) = (today, 0, []) }
    }
}

/// The file.
extension PersonalShares {
    /// Takes over what other processes have charged, if there was something; the caller holds the lock of the log.
    package mutating func renew(root: Root) {
        let status = try? root.status(SharesFile.path, followingLinks: false)
        if status == known, status != nil { return }
        known = status
        let file = SharesFile(root: root)
        (shares, drops) = (file.shares, file.drops)
        for (place, debt) in debts {
            var share = shares[place] ?? Share()
            share.turn(to: Clock.now().day)
            share.bytes += debt.bytes
            share.firsts.formUnion(debt.firsts)
            share.bucket?.lose(debt.tokens.multipliedReportingOverflow(by: 1_000_000).partialValue)
            shares[place] = share
        }
    }

    /// Writes what was charged since the last time, without waiting for the disk; the caller holds the lock of the log.
    ///
    /// If that fails, as on a full disk, it is written the next time.
    package mutating func save(root: Root) {
        if debts.isEmpty, known != nil { return }
        write(root: root)
    }

    /// Writes all, also if nothing was charged.
    mutating func write(root: Root) {
        let file = SharesFile(shares: shares, drops: drops)
        guard (try? root.replace(SharesFile.path, with: file.encoded, mode: 0o600, durable: false)) != nil else {
            return
        }
        known = try? root.status(SharesFile.path, followingLinks: false)
        debts = [:]
    }
}
