/// When the stored values of each user are scanned: soon after a change, and after a scan not before a pause that grows with
/// its cost.
///
/// Each user pays alone: no files of one, however large and however often they change, take more than a tenth of a
/// processor, or delay the scan of another.
package struct ScanSchedule {
    /// The state of a user.
    private struct Turn {
        /// When the next scan is due; `nil` if nothing changed since the last one began.
        var due: Int64?
        /// When the next one may begin.
        var earliest: Int64 = 0
        /// Whether one runs.
        var isRunning = false
    }

    /// The users who are waiting, are scanned or have to pause.
    private var turns: [UInt32: Turn] = [:]

    /// How long changes are gathered before a scan, in microseconds.
    private static let gathering: Int64 = 1_000_000
    /// The pause after a scan, as a multiple of its cost.
    private static let pause: Int64 = 10
    /// The longest pause, in microseconds.
    private static let longestPause: Int64 = 300_000_000
    /// The most scans at a time, those of homes that do not answer included.
    private static let capacity = 32

    /// Makes a schedule without users.
    package init() {}

    /// Notes that files of users changed.
    ///
    /// - Parameters:
    ///   - users: the users.
    ///   - now: the time, in monotonic microseconds, as in all calls.
    package mutating func change(_ users: [UInt32], at now: Int64) {
        for uid in users {
            var turn = turns[uid] ?? Turn()
            turn.due = turn.due ?? max(now + ScanSchedule.gathering, turn.earliest)
            turns[uid] = turn
        }
    }

    /// The users whose scans begin now, those who waited longest first; ``end(_:cost:at:)`` has to follow for each.
    package mutating func begin(at now: Int64) -> [UInt32] {
        turns = turns.filter { $0.value.isRunning || $0.value.due != nil || $0.value.earliest > now }
        let waiting = turns.compactMap { uid, turn in
            turn.due.flatMap { $0 <= now && !turn.isRunning ? (uid: uid, due: $0) : nil }
        }
        let room = ScanSchedule.capacity - turns.values.count(where: \.isRunning)
        let next = waiting.sorted { ($0.due, $0.uid) < ($1.due, $1.uid) }.prefix(max(room, 0)).map(\.uid)
        for uid in next { turns[uid] = Turn(isRunning: true) }
        return next
    }

    /// Notes that the scan of a user ended, and what it cost, in microseconds.
    package mutating func end(_ uid: UInt32, cost: Int64, at now: Int64) {
        var turn = turns[uid] ?? Turn()
        turn.isRunning = false
        turn.earliest =
            now + min(max(cost, 0), ScanSchedule.longestPause / ScanSchedule.pause) * ScanSchedule.pause
        turn.due = turn.due.map { max($0, turn.earliest) }
        turns[uid] = turn
    }

    /// How long nothing will begin unless something changes or ends, in milliseconds; `nil` for ever.
    package func patience(at now: Int64) -> Int? {
        guard turns.values.count(where: \.isRunning) < ScanSchedule.capacity else { return nil }
        return turns.values.compactMap { $0.isRunning ? nil : $0.due }.min().map { Int(max($0 - now, 0) / 1_000) + 1 }
    }
}
