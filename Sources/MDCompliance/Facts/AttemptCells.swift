import MDAudit
import MDPlatform

/// Counts attempts that agree in user, program, way, key and outcome, by the bytes of their lines and without a text.
///
/// The names are made once for each such combination, when ``take()`` hands out what was counted.
struct AttemptCells: Sendable {
    /// Attempts that agree.
    struct Cell: Sendable {
        /// The user's id.
        let uid: UInt32
        /// What they agree in, as text.
        let user, exe, via, domain, key, outcome: String
        /// The records.
        fileprivate(set) var records = 0
        /// The attempts, repeated ones counted.
        fileprivate(set) var attempts = 0
        /// The hash of the bytes that they agree in.
        fileprivate let hash: UInt64
        /// Where those bytes are among all cells'.
        fileprivate let place: Range<Int>
    }

    /// The most cells, beyond which what was counted has to be taken.
    private static let most = 16_384

    /// The cells, in the order in which they came.
    private var cells: [Cell] = []
    /// The bytes that attempts of each cell agree in, one after the other.
    private var bytes: [UInt8] = []
    /// The numbers of the cells, each at the first free place from its hash on; -1 is free.
    private var slots = [Int32](repeating: -1, count: 2 * most)
    /// What hashes begin with, which differs from process to process, because users choose what is hashed.
    private let seed = UInt64.random(in: .min ... .max)

    /// Whether there is no room for another cell.
    var isFull: Bool { cells.count == AttemptCells.most }

    /// Counts an attempt, if it names everything and there is room.
    ///
    /// - Parameters:
    ///   - count: the number of attempts.
    ///   - attempt: the attempt.
    ///   - line: what it is a part of.
    /// - Returns: whether it was counted.
    mutating func add(_ count: Int, _ attempt: StoredAttempt, in line: [UInt8]) -> Bool {
        guard let uid = attempt.uid, let user = attempt.user, let exe = attempt.exe, let via = attempt.via,
            let domain = attempt.domain, let key = attempt.key, let outcome = attempt.outcome,
            key.upperBound > exe.lowerBound
        else { return false }
        // From the program to the key the line has nothing else, but for the unit where there is one.
        let what = exe.lowerBound..<key.upperBound
        var hash = seed ^ UInt64(uid)
        AttemptCells.combine(line, user, &hash)
        AttemptCells.combine(line, what, &hash)
        AttemptCells.combine(line, outcome, &hash)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let number = Int(slots[slot])
            if cells[number].hash == hash, cells[number].uid == uid,
                isEqual(cells[number].place, line, user, what, outcome)
            {
                cells[number].records += 1
                cells[number].attempts = cells[number].attempts.addingReportingOverflow(count).partialValue
                return true
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        if isFull { return false }
        slots[slot] = Int32(cells.count)
        let start = bytes.count
        for part in [user, what, outcome] { bytes += line[part] }
        /// A part as text.
        func text(_ part: Range<Int>) -> String { String(decoding: line[part], as: UTF8.self) }
        cells.append(
            Cell(
                uid: uid, user: text(user), exe: text(exe), via: text(via), domain: text(domain), key: text(key),
                outcome: text(outcome), records: 1, attempts: count, hash: hash, place: start..<bytes.count))
        return true
    }

    /// Hands out what was counted, and begins anew.
    mutating func take() -> [Cell] {
        if cells.isEmpty { return [] }
        defer {
            cells = []
            bytes.removeAll(keepingCapacity: true)
            slots = [Int32](repeating: -1, count: slots.count)
        }
        return cells
    }

    /// Mixes a part of a line and its length into a hash, eight bytes at once.
    private static func combine(_ line: [UInt8], _ part: Range<Int>, _ hash: inout UInt64) {
        precondition(part.lowerBound >= 0 && part.upperBound <= line.count)
        /// Mixes a number in.
        func mix(_ word: UInt64) {
            let product = (hash ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
            hash = product.high ^ product.low
        }
        let text = line.span
        var index = part.lowerBound
        while part.upperBound - index >= 8 {
            // Eight bytes from here on are within the part, and the part is within the line.
            mix(unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        var rest = UInt64(part.count) &+ 1
        while index < part.upperBound {
            rest = rest << 8 | UInt64(line[index])
            index += 1
        }
        mix(rest)
    }

    /// Whether a cell has the bytes of three parts of a line.
    private func isEqual(
        _ place: Range<Int>, _ line: [UInt8], _ user: Range<Int>, _ what: Range<Int>, _ outcome: Range<Int>
    ) -> Bool {
        guard place.count == user.count + what.count + outcome.count else { return false }
        let start = place.lowerBound
        return bytes.has(line, user, at: start) && bytes.has(line, what, at: start + user.count)
            && bytes.has(line, outcome, at: start + user.count + what.count)
    }
}

/// Counts attempts by day and by hour of the day in a time zone.
struct AttemptTimes: Sendable {
    /// Attempts by day, counted from 1970-01-01.
    private(set) var days: [Int: Int] = [:]
    /// Attempts by hour of the day.
    private(set) var hours = [Int](repeating: 0, count: 24)
    /// The time zone.
    private let zone: Zone
    /// A stretch of time, in microseconds, that has one day and one hour.
    private var stretch: Range<Int64> = 0..<0
    /// The day and the hour of the stretch.
    private var (day, hour) = (0, 0)
    /// Its attempts that were not counted yet.
    private var waiting = 0

    /// The length of a stretch, within which no zone changes twice.
    private static let length: Int64 = 900_000_000

    /// Begins without an attempt.
    init(zone: Zone) { self.zone = zone }

    /// Adds attempts at a time.
    mutating func add(_ count: Int, at time: Timestamp) {
        if !stretch.contains(time.microseconds) {
            settle()
            let time = time.microseconds
            let start = time - (time % AttemptTimes.length + AttemptTimes.length) % AttemptTimes.length
            let first = zone.local(at: Timestamp(microseconds: start))
            let last = zone.local(at: Timestamp(microseconds: start + AttemptTimes.length - 1))
            let isOne = first.day == last.day && first.secondOfDay / 3_600 == last.secondOfDay / 3_600
            let local = isOne ? first : zone.local(at: Timestamp(microseconds: time))
            stretch = isOne ? start..<start + AttemptTimes.length : time..<time + 1
            (day, hour) = (local.day, local.secondOfDay / 3_600)
        }
        waiting = waiting.addingReportingOverflow(count).partialValue
    }

    /// Counts what waits.
    mutating func settle() {
        if waiting == 0 { return }
        days[day] = (days[day] ?? 0).addingReportingOverflow(waiting).partialValue
        if hours.indices.contains(hour) { hours[hour] = hours[hour].addingReportingOverflow(waiting).partialValue }
        waiting = 0
    }
}
