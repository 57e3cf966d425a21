package import MDAuditRecord
import MDPlatform

/// A record of what a person did that root found, in a home or a spool.
package struct ChargedRecord: Sendable {
    /// The record.
    package let record: AuditRecord
    /// The person that it is charged to; `nil` if it is stored in any case.
    package let person: UInt32?
    /// The mark of the key that policy names (`NamedKeys`); `nil` if it names none.
    package let mark: UInt64?

    /// Joins what belongs together.
    package init(_ record: AuditRecord, person: UInt32?, mark: UInt64?) {
        (self.record, self.person, self.mark) = (record, person, mark)
    }
}

extension AuditLog {
    /// The time between records of what was not stored of a person, in microseconds, and that of one who has had the bytes
    /// of the day: a flood must not fill the log by being counted.
    private static let dropInterval: (usual: Int64, longest: Int64) = (10_000_000, 600_000_000)

    /// Stores records as ``append(_:waiting:)`` does, as many of each person's as its share allows, and counts the rest.
    ///
    /// What was counted is a record of its own 10 s later, with the next records, or at once if that is asked for; of a person
    /// who has had the bytes of the day 10 minutes later.
    ///
    /// - Parameters:
    ///   - records: the records, in their order.
    ///   - isLast: whether no more records follow, so that what was counted is recorded now.
    ///   - limits: the shares' limits.
    ///   - seconds: the longest wait for another writer.
    /// - Returns: of each record whether it is stored and not only counted, whether counts are left that no record has, and
    ///   what ``append(_:waiting:)`` returns.
    /// - Throws: as ``append(_:waiting:)``.
    package func append(
        charged records: [ChargedRecord], isLast: Bool, limits: PersonalShares.Limits = .init(),
        waiting seconds: Double = 5
    ) throws(AuditError) -> (stored: [Bool], hasCounts: Bool, result: AppendResult) {
        var (stored, hasCounts): ([Bool], Bool) = ([], false)
        let result = try storing(waiting: seconds) { (writer: inout LogWriter) throws(SystemError) in
            var shares = PersonalShares(limits: limits)
            shares.renew(root: root)
            defer { shares.write(root: root) }
            let moment = PersonalShares.Moment()
            var free = writer.freeBytes
            let isFull = writer.isFull
            stored = records.map { charged in
                let bytes = charged.record.encoded().count + LogBatch.longestHead
                guard let reason = shares.charge(bytes, charged, free: free, isFull: isFull, at: moment) else {
                    free -= bytes
                    return true
                }
                shares.drop(charged, reason, at: moment.time)
                return false
            }
            let now = shares
            let due = shares.takeDrops { name, drop in
                let isLong = now.isUsedUp(by: name.person, free: free, at: moment.time)
                let pause = isLong ? AuditLog.dropInterval.longest : AuditLog.dropInterval.usual
                return isLast || moment.time.microseconds - drop.first.microseconds >= pause
            }
            hasCounts = !shares.drops.isEmpty
            let kept = zip(records, stored).filter(\.1).map(\.0.record)
            return try writer.append(LogEntries(kept + due.map { AuditRecord(of: $0.key, $0.value) }))
        }
        return (stored, hasCounts, result)
    }
}

extension AuditLog {
    /// The number of records that may be stored of some persons now; 0 of one who has had the bytes of the day.
    ///
    /// - Throws: as ``append(_:waiting:)``.
    package func allowance(
        of persons: [UInt32], limits: PersonalShares.Limits = .init(), waiting seconds: Double = 5
    ) throws(AuditError) -> [UInt32: Int] {
        var allowed: [UInt32: Int] = [:]
        _ = try storing(waiting: seconds) { (writer: inout LogWriter) throws(SystemError) in
            var shares = PersonalShares(limits: limits)
            shares.renew(root: root)
            let (free, isFull, moment) = (writer.freeBytes, writer.isFull, PersonalShares.Moment())
            for person in persons {
                let isUsedUp = isFull || shares.isUsedUp(by: person, free: free, at: moment.time)
                allowed[person] = isUsedUp ? 0 : shares.records(of: person, now: moment.monotonic)
            }
            return AppendResult(sequences: nil, alarm: nil)
        }
        return allowed
    }
}

extension PersonalShares {
    /// Charges a record.
    ///
    /// - Returns: why it is not to be stored; `nil` if it is.
    fileprivate mutating func charge(
        _ bytes: Int, _ charged: ChargedRecord, free: Int, isFull: Bool, at moment: Moment
    ) -> DropReason? {
        guard let person = charged.person else { return nil }
        if isFull { return .full }
        var reason: DropReason?
        if !take(1, of: person, now: moment.monotonic) {
            reason = .rate
        } else if isUsedUp(by: person, free: free, at: moment.time) {
            reason = .volume
        }
        if let reason, !(charged.mark.map { takeFirst($0, of: person, at: moment) } ?? false) { return reason }
        add(bytes, of: person, at: moment)
        return nil
    }

    /// Counts a record that is not stored.
    fileprivate mutating func drop(_ charged: ChargedRecord, _ reason: DropReason, at time: Timestamp) {
        guard let person = charged.person else { return }
        let name = DropName(person: person, reason: reason, source: charged.record.src ?? .scan)
        var drop = drops[name] ?? DropCount(count: 0, first: time, last: time)
        let more = max(charged.record.count ?? 1, 1)
        drop.count = min(drop.count.addingReportingOverflow(more).partialValue, AuditRecord.largestNumber)
        drop.last = time
        drops[name] = drop
    }

    /// Takes the counts that are due.
    fileprivate mutating func takeDrops(
        _ isDue: (DropName, DropCount) -> Bool
    ) -> [(key: DropName, value: DropCount)] {
        let due = drops.filter { isDue($0.key, $0.value) }
        for name in due.keys { drops[name] = nil }
        return due.sorted { ($0.key.person, $0.value.first) < ($1.key.person, $1.value.first) }
    }
}

extension AuditRecord {
    /// The record of a number of records that were not stored.
    fileprivate init(of name: DropName, _ drop: DropCount) {
        self.init(kind: .drop, src: name.source, note: "\(name.reason.rawValue): \(name.reason.sentence)")
        (uid, count, first, last) = (
            name.person == PersonalShares.anyone ? nil : name.person, drop.count, drop.first, drop.last
        )
    }
}
