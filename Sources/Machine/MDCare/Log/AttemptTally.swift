import MDAuditReading
package import MDAuditRecord
package import MDPlatform
package import MDPropertyList

/// Counts override attempts by user, key, program, way, day and hour, in memory that does not grow with their number.
package struct AttemptTally: Sendable {
    /// A name and its attempts.
    package struct Count: Hashable, Sendable {
        package let name: String
        /// Those that were seen.
        package let attempts: Int
        /// Those that senders say there were beside them.
        package let claimed: Int
        /// The different keys.
        package let keys: Int
    }

    /// The key that an attempt is about.
    package struct Place: Hashable, Sendable {
        package let domain: Key?
        package let key: Key?

        /// The words for it.
        package var words: String { "\(domain?.string ?? "?") \(key?.string ?? "?")" }
    }

    /// What is counted of one name.
    private struct Item: Sendable {
        var attempts = AttemptCount()
        var keys: Set<Place> = []
    }

    /// The most different names of each kind; attempts of further ones are counted without their name.
    private static let limit = 20_000
    /// The most different programs and keys that the attempts of one user bring, so that none keeps out another's; those of
    /// users without a name count as one user's.
    private static let userLimit = 1_000

    /// The attempts that the service saw.
    package var attempts: Int { all.seen }
    /// The attempts that senders say there were beside them: by the counts of records, and by spools.
    package var claimed: Int { all.claimed }
    /// All attempts.
    private var all = AttemptCount()
    /// The records.
    package private(set) var records = 0
    /// The attempts by their outcome.
    private var outcomes: [Key: Item] = [:]
    private var users: [Key: Item] = [:]
    private var programs: [Key: Item] = [:]
    private var ways: [Key: Item] = [:]
    private var keys: [Place: AttemptCount] = [:]
    /// The attempts by day and hour.
    private var times: AttemptTimes
    /// The number of programs and keys that each user's attempts brought; an empty name for users without one.
    private var brought: [Key: Int] = [:]
    /// The ids of users who made attempts.
    package private(set) var uids: Set<UInt32> = []
    /// Attempts that are counted and have no names yet.
    private var cells = AttemptCells()

    /// The names of users in records without one.
    private let names: PeopleNames

    /// Makes an empty count.
    package init(zone: Zone, names: PeopleNames = PeopleNames()) {
        (times, self.names) = (AttemptTimes(zone: zone), names)
    }

    /// Adds a record.
    package mutating func add(_ record: AuditRecord) {
        records += 1
        add(record.attempts, of: record)
        if let time = record.time { times.add(record.attempts.seen, at: time) }
    }

    /// Adds an attempt that was read without parsing its line; ``settle()`` has to follow.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - bytes: what it is a part of.
    mutating func add(_ attempt: StoredAttempt, in bytes: [UInt8]) {
        records += 1
        times.add(attempt.attempts.seen, at: attempt.time)
        if cells.isFull { takeCells() }
        let name = attempt.user == nil ? names.name(of: attempt.uid, at: attempt.time) : nil
        if name == nil, cells.add(attempt, in: bytes) { return }
        /// A part as text.
        func text(_ part: Range<Int>?) -> String? { part.map { String(decoding: bytes[$0], as: UTF8.self) } }
        var record = AuditRecord(kind: .override, src: .client)
        (record.uid, record.user, record.exe) = (attempt.uid, text(attempt.user) ?? name, text(attempt.exe))
        record.via = text(attempt.via).map { WriteVia(rawValue: $0) }
        (record.domain, record.key) = (text(attempt.domain).map { Key($0) }, text(attempt.key).map { Key($0) })
        record.outcome = text(attempt.outcome).map { AttemptOutcome(rawValue: $0) }
        add(attempt.attempts, of: record)
    }

    /// Adds the attempts of a segment; ``settle()`` has to follow.
    mutating func add(_ tally: SegmentTally) {
        for quarter in tally.quarters { times.add(quarter.attempts, at: quarter.start) }
        for cell in tally.cells {
            records += cell.records
            // Its attempts are of one person if the uid was that person's all the time.
            let name = names.name(of: cell.uid, at: tally.times?.lowerBound)
            add(cell, name: name == names.name(of: cell.uid, at: tally.times?.upperBound) ? name : nil)
        }
    }

    /// Gives names to everything that was added.
    mutating func settle() {
        takeCells()
        times.settle()
    }

    /// Adds the attempts that have no names yet.
    private mutating func takeCells() {
        for cell in cells.take() { add(cell) }
    }

    /// Adds attempts that agree; their records were counted before.
    private mutating func add(_ cell: AttemptCells.Cell, name: String? = nil) {
        add(
            cell.attempts, cell.uid, Place(domain: Key(cell.domain), key: Key(cell.key)), user: cell.user ?? name,
            program: cell.exe ?? AttemptTally.unknownProgram,
            way: cell.via, outcome: cell.outcome)
    }

    /// Adds attempts that a record is about.
    private mutating func add(_ count: AttemptCount, of record: AuditRecord) {
        add(
            count, record.uid, Place(domain: record.domain, key: record.key), user: record.user,
            program: record.exe ?? AttemptTally.unknownProgram,
            way: record.via?.rawValue ?? "unknown way", outcome: record.outcome?.rawValue ?? "unknown outcome")
    }

    /// Adds attempts that agree in everything that is counted.
    private mutating func add(
        _ count: AttemptCount, _ uid: UInt32?, _ place: Place, user: String?, program: String, way: String,
        outcome: String
    ) {
        all += count
        if let uid, uids.count < AttemptTally.limit { uids.insert(uid) }
        let (name, person) = (AttemptTally.name(user, uid), Key(user ?? ""))
        let isKnown = user != nil || users[Key(name)] != nil || bring(person)
        AttemptTally.add(count, place, isKnown ? name : AttemptTally.others, &users)
        let hasPlace = programs[Key(program)] != nil || bring(person)
        AttemptTally.add(count, place, hasPlace ? program : AttemptTally.others, &programs)
        AttemptTally.add(count, place, way, &ways)
        AttemptTally.add(count, place, outcome, &outcomes)
        if keys[place] != nil || (keys.count < AttemptTally.limit && bring(person)) {
            keys[place, default: AttemptCount()] += count
        }
    }

    /// Whether a user's attempts may bring another name.
    private mutating func bring(_ user: Key) -> Bool {
        guard brought[user, default: 0] < AttemptTally.userLimit else { return false }
        brought[user, default: 0] += 1
        return true
    }

    /// The user that made an attempt, in words.
    package static func user(of record: AuditRecord) -> String { name(record.user, record.uid) }

    /// The words for a user.
    private static func name(_ user: String?, _ uid: UInt32?) -> String {
        user ?? uid.map { "uid \($0)" } ?? "unknown"
    }

    /// The words for all names that have no place.
    private static let others = "others"

    /// The words for a program that a record does not name.
    private static let unknownProgram = "unknown program"

    private static func add(_ count: AttemptCount, _ place: Place, _ name: String, _ items: inout [Key: Item]) {
        var key = Key(name)
        if items.count >= limit, items[key] == nil { key = Key(others) }
        items[key, default: Item()].attempts += count
        if items[key]?.keys.count ?? 0 < limit { items[key]?.keys.insert(place) }
    }

    /// The attempts by user, the most first.
    package var byUser: [Count] { AttemptTally.sorted(users) }
    /// The attempts by program.
    package var byProgram: [Count] { AttemptTally.sorted(programs) }
    /// The attempts by way.
    package var byWay: [Count] { AttemptTally.sorted(ways) }
    /// The attempts by outcome.
    package var byOutcome: [Count] { AttemptTally.sorted(outcomes) }

    /// The attempts by domain and key, the most first.
    package var byKey: [(place: Place, attempts: Int, claimed: Int)] {
        keys.map { ($0.key, $0.value.seen, $0.value.claimed) }.sorted { left, right in
            left.1 == right.1 ? Key(left.0.words) < Key(right.0.words) : left.1 > right.1
        }
    }

    /// The attempts that were seen by the hour of the day; those without a time are in none.
    package var hours: [Int] { times.hours }

    /// The attempts that were seen by day, the earliest first.
    package var byDay: [(day: String, attempts: Int)] {
        times.days.sorted { $0.key < $1.key }.map { (AttemptTally.date(ofDay: $0.key), $0.value) }
    }

    private static func sorted(_ items: [Key: Item]) -> [Count] {
        items.map { name, item in
            Count(
                name: name.string, attempts: item.attempts.seen, claimed: item.attempts.claimed, keys: item.keys.count)
        }
        .sorted { $0.attempts == $1.attempts ? Key($0.name) < Key($1.name) : $0.attempts > $1.attempts }
    }

    /// The date of a day that is counted from 1970-01-01.
    private static func date(ofDay day: Int) -> String {
        // A record's time lies in the years 0 to 9999.
        String(Timestamp(microseconds: Int64(day) &* 86_400_000_000).rfc3339.prefix(10))
    }
}
