import MDAuditClient
import MDAuditRecord
import MDPlatform
import MDTools

/// How many attempts the service took from each connection, and how many of those it has settled.
///
/// Settled are those that are stored, or counted as not stored. What is returned to its sender was not taken.
///
/// The numbers are in memory that files keep when the process is killed at any instruction. What it had taken and not
/// settled then is lost, and the next process counts it. A step that changes several numbers is noted first with the
/// numbers that it leads to, so that doing it a second time changes nothing.
final class SenderLedger {
    /// The path of the numbers that only this service needs.
    static let path = "/run/mdefaultsd/settled"
    /// The most records of a batch that are noted.
    static let batchCapacity = 4_096
    /// The most counts that are noted until the counters are saved.
    static let noteCapacity = 128
    /// How many connections of a person stay known after the service closed them.
    private static let keptOfPerson = 32
    /// The most connections.
    private static let capacity = TakenAttempts.capacity

    /// Places of the numbers in the file.
    private enum Place {
        /// The version of this layout and the boot.
        static let (version, boot) = (0, 1)
        /// The number of places of connections that were ever used.
        static let used = 2
        /// How many records of the batch are noted.
        static let batchCount = 3
        /// How many counts are noted.
        static let notes = 4
        /// The connections: the user and 1, the number of attempts that are settled, and how many of those that are not
        /// settled may be only what the sender says.
        static let connections = 8
        static let width = 3
        /// The batch: of each record the fingerprint of its line, the connection, and what is settled of that once the line
        /// is in the log.
        static let batch = connections + width * SenderLedger.capacity
        static let batchWidth = 3
        /// The counts: see ``Note``.
        static let counts = batch + batchWidth * SenderLedger.batchCapacity
        static let countWidth = 6
        static let end = counts + countWidth * SenderLedger.noteCapacity
    }

    /// A count that the counters have in memory, and perhaps not yet in their file.
    struct Note {
        /// The place of the counter in its file.
        let counter: Int
        /// Its user; `nil` for the users without one of their own.
        let uid: UInt32?
        /// Its reason, by the place among all.
        let reason: Int
        /// What it counts now.
        let count: Int
    }

    /// A record of a batch, with the attempts that it settles.
    struct Share {
        /// The connection that they came over; `nil` for none.
        let connection: Int?
        /// Their number.
        var attempts = AttemptCount()
    }

    /// What a connection's place is used for.
    private enum Use {
        /// Nothing.
        case free
        /// An open connection.
        case open
        /// One that the client closed; some of its attempts are not settled.
        case ending
        /// One that the service closed: the client looks it up.
        case kept
    }

    /// The version of the layout.
    private static let layout: Int64 = 0x4d44_4c45_0003
    /// What clients read.
    private let taken: MappedWords
    /// What only this service reads.
    private let words: MappedWords
    /// What the places are used for.
    private var uses: [Use]
    /// How often each place was used: a number of a connection is valid only as long as its place is.
    private var turns = [Int](repeating: 0, count: SenderLedger.capacity)
    /// Places that nothing uses, the next one last.
    private var free: [Int] = []
    /// Places of connections that the service closed, the oldest first.
    private var kept: [Int] = []
    /// Why a kill would lose the numbers; `nil` in the usual case.
    var problem: SystemError? { taken.problem ?? words.problem }

    /// Opens the numbers, and takes over those of a process that was killed.
    static func open(root: Root) -> SenderLedger {
        let taken = MappedWords.open(
            root: root, path: TakenAttempts.path, mode: 0o644, count: TakenAttempts.width * SenderLedger.capacity)
        let words = MappedWords.open(root: root, path: SenderLedger.path, mode: 0o600, count: Place.end)
        let boot = Int64(truncatingIfNeeded: SenderLedger.fingerprint(of: Machine.bootID() ?? ""))
        if words[Place.version] != SenderLedger.layout || words[Place.boot] != boot {
            words[Place.version] = 0
            words.clear()
            taken.clear()
            words[Place.boot] = boot
            words[Place.version] = SenderLedger.layout
        }
        return SenderLedger(taken: taken, words: words)
    }

    private init(taken: consuming MappedWords, words: consuming MappedWords) {
        self.taken = taken
        self.words = words
        uses = [Use](repeating: .free, count: SenderLedger.capacity)
        let used = Int(clamping: min(max(self.words[Place.used], 0), Int64(SenderLedger.capacity)))
        for place in 0..<used where user(of: place) != nil {
            uses[place] = .kept
            kept.append(place)
        }
        free = (0..<SenderLedger.capacity).reversed().filter { uses[$0] == .free }
    }

    /// A number that differs for different texts.
    private static func fingerprint(of text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}

/// Connections.
extension SenderLedger {
    /// Begins the numbers of a connection.
    ///
    /// - Returns: its number; `nil` if there is no place: then a kill leaves open what became of its attempts.
    func open(person: UInt32) -> Int? {
        if free.isEmpty, let oldest = oldestOfMost { release(oldest) }
        guard let place = free.popLast() else { return nil }
        turns[place] += 1
        // A kill may have left a part of an earlier connection's entry here.
        clearTaken(place)
        words[settledPlace(place)] = 0
        words[claimedPlace(place)] = 0
        words[userPlace(place)] = Int64(person) + 1
        if Int64(place) >= words[Place.used] { words[Place.used] = Int64(place) + 1 }
        uses[place] = .open
        return number(of: place)
    }

    /// The oldest place without open attempts that is kept of the person with most such places.
    private var oldestOfMost: Int? {
        let settled = kept.filter(isSettled)
        let counts = Dictionary(settled.map { (user(of: $0), 1) }, uniquingKeysWith: +)
        guard let most = counts.max(by: { $0.value < $1.value })?.key else { return nil }
        return settled.first { user(of: $0) == most }
    }

    /// The number of the connection that a place is used for.
    private func number(of place: Int) -> Int { turns[place] * SenderLedger.capacity + place }

    /// The place of a connection; `nil` for one whose place was given up.
    private func place(_ connection: Int?) -> Int? {
        guard let connection, connection >= 0 else { return nil }
        let place = connection % SenderLedger.capacity
        return uses[place] != .free && number(of: place) == connection ? place : nil
    }

    /// Notes the name by which the client finds the number of attempts that were taken.
    func name(_ connection: Int?, _ name: Int) {
        guard let place = place(connection) else { return }
        let mark = TakenAttempts.mark(of: name)
        taken[place * TakenAttempts.width + 1] = mark.1
        taken[place * TakenAttempts.width] = mark.0
    }

    /// Takes attempts over: from now on they are settled by this service or the next one.
    func take(_ count: AttemptCount, from connection: Int?) {
        guard count.total > 0, let place = place(connection) else { return }
        if isSettled(place), words[claimedPlace(place)] != 0 { words[claimedPlace(place)] = 0 }
        // Before the sum: what may be a claim must not look like what was seen.
        if count.claimed > 0 { words[claimedPlace(place)] = words[claimedPlace(place)] &+ Int64(count.claimed) }
        taken[takenPlace(place)] = taken[takenPlace(place)] &+ Int64(count.total)
    }

    /// Gives attempts back to their sender, as if they had not been taken.
    func giveBack(_ count: Int, to connection: Int?) {
        guard count > 0, let place = place(connection) else { return }
        taken[takenPlace(place)] = taken[takenPlace(place)] &- Int64(count)
        if uses[place] == .ending { releaseIfSettled(place) }
    }

    /// Ends the numbers of a connection.
    ///
    /// - Parameters:
    ///   - connection: its number.
    ///   - isKept: whether the client may look them up, because the service closed the connection.
    func close(_ connection: Int?, isKept: Bool) {
        guard let place = place(connection), uses[place] == .open else { return }
        if isKept {
            let user = user(of: place)
            let same = kept.filter { self.user(of: $0) == user }
            // What is not settled is lost with its place; it will be after the next batch.
            let surplus = same.prefix(max(same.count + 1 - SenderLedger.keptOfPerson, 0))
            for old in surplus where isSettled(old) { release(old) }
            uses[place] = .kept
            kept.append(place)
        } else {
            uses[place] = .ending
            releaseIfSettled(place)
        }
    }

    /// The user of a connection; `nil` for a place that nothing uses.
    private func user(of place: Int) -> UInt32? { UInt32(exactly: words[userPlace(place)] - 1) }

    /// Sets what is settled of a connection.
    private func settle(_ place: Int, _ number: Int64) {
        words[settledPlace(place)] = number
        if uses[place] == .ending { releaseIfSettled(place) }
    }

    /// Whether nothing of a place's connection is open.
    private func isSettled(_ place: Int) -> Bool { words[settledPlace(place)] >= taken[takenPlace(place)] }

    /// Gives a place up once nothing of its connection is open.
    private func releaseIfSettled(_ place: Int) {
        if isSettled(place) { release(place) }
    }

    /// Gives a place up.
    private func release(_ place: Int) {
        words[userPlace(place)] = 0
        clearTaken(place)
        if uses[place] == .kept { kept.removeAll { $0 == place } }
        uses[place] = .free
        free.append(place)
    }

    /// Makes what clients read of a place zeros.
    private func clearTaken(_ place: Int) {
        for word in 0..<TakenAttempts.width where taken[place * TakenAttempts.width + word] != 0 {
            taken[place * TakenAttempts.width + word] = 0
        }
    }

    private func userPlace(_ place: Int) -> Int { Place.connections + Place.width * place }
    private func settledPlace(_ place: Int) -> Int { Place.connections + Place.width * place + 1 }
    private func claimedPlace(_ place: Int) -> Int { Place.connections + Place.width * place + 2 }
    private func takenPlace(_ place: Int) -> Int { place * TakenAttempts.width + TakenAttempts.number }
}

/// Batches of records.
extension SenderLedger {
    /// Notes what records settle, before they are written.
    ///
    /// - Parameters:
    ///   - shares: of each record, in order.
    ///   - fingerprints: those of their lines, in the same order.
    func begin(_ shares: [Share], _ fingerprints: ArraySlice<Int64>) {
        words[Place.batchCount] = 0
        var sums: [Int: Int64] = [:]
        var count: Int64 = 0
        for (share, fingerprint) in zip(shares.prefix(SenderLedger.batchCapacity), fingerprints) {
            let start = Place.batch + Place.batchWidth * Int(count)
            count += 1
            words[start] = fingerprint
            guard share.attempts.total > 0, let place = place(share.connection) else {
                words[start + 1] = 0
                continue
            }
            let settled = (sums[place] ?? words[settledPlace(place)]) &+ Int64(share.attempts.total)
            sums[place] = settled
            words[start + 1] = Int64(place) + 1
            words[start + 2] = settled
        }
        words[Place.batchCount] = count
    }

    /// Settles what the first records of the batch settle, because they are on disk.
    func finish(_ stored: Int) {
        for index in 0..<min(stored, Int(clamping: words[Place.batchCount])) {
            let start = Place.batch + Place.batchWidth * index
            if let place = noted(words[start + 1]), uses[place] != .free { settle(place, words[start + 2]) }
        }
        words[Place.batchCount] = 0
    }
}

/// Counts of what was not stored.
extension SenderLedger {
    /// Notes a count and settles the attempts that were added to it.
    ///
    /// - Returns: whether there is room for more; if not, the counters are to be saved and ``forgetNotes()`` called.
    func note(_ note: Note, settling attempts: Int, of connection: Int?) -> Bool {
        let place = place(connection)
        let index = Int(clamping: words[Place.notes])
        guard index < SenderLedger.noteCapacity else { return false }
        let start = Place.counts + Place.countWidth * index
        words[start] = Int64(note.counter)
        words[start + 1] = note.uid.map { Int64($0) + 1 } ?? 0
        words[start + 2] = Int64(note.reason)
        words[start + 3] = Int64(note.count)
        let settled = place.map { words[settledPlace($0)] &+ Int64(attempts) }
        words[start + 4] = place.map { Int64($0) + 1 } ?? 0
        words[start + 5] = settled ?? 0
        // From here on the count counts, whenever the process is killed.
        words[Place.notes] = Int64(index + 1)
        if let place, let settled { settle(place, settled) }
        return index + 1 < SenderLedger.noteCapacity
    }

    /// Forgets the noted counts, because the file of the counters has them.
    func forgetNotes() {
        if words[Place.notes] != 0 { words[Place.notes] = 0 }
    }
}

/// After a kill.
extension SenderLedger {
    /// The places of the records that the process before this one was writing.
    private var batch: [Int] {
        (0..<Int(clamping: min(max(words[Place.batchCount], 0), Int64(SenderLedger.batchCapacity)))).map {
            Place.batch + Place.batchWidth * $0
        }
    }

    /// The fingerprints of the lines of those records.
    var writing: Set<Int64> { Set(batch.map { words[$0] }) }

    /// Completes the steps that the process before this one had begun.
    ///
    /// - Parameter stored: the fingerprints of the lines that the log has, of those of ``writing``.
    /// - Returns: the counts that the file of the counters may lack.
    func recover(stored: Set<Int64>) -> [Note] {
        for start in batch where stored.contains(words[start]) {
            if let place = noted(words[start + 1]) { raise(place, words[start + 2]) }
        }
        words[Place.batchCount] = 0
        return (0..<Int(clamping: min(max(words[Place.notes], 0), Int64(SenderLedger.noteCapacity)))).map { index in
            let start = Place.counts + Place.countWidth * index
            if let place = noted(words[start + 4]) { raise(place, words[start + 5]) }
            return Note(
                counter: Int(clamping: words[start]), uid: UInt32(exactly: words[start + 1] - 1),
                reason: Int(clamping: words[start + 2]), count: Int(clamping: words[start + 3]))
        }
    }

    /// What the process before this one took and did not settle: of each connection the user and the number.
    var losses: [(connection: Int, uid: UInt32, attempts: AttemptCount)] {
        kept.compactMap { place in
            let open = taken[takenPlace(place)] &- words[settledPlace(place)]
            guard open > 0, let user = user(of: place) else { return nil }
            let claimed = min(max(words[claimedPlace(place)], 0), open)
            return (
                number(of: place), user,
                AttemptCount(seen: Int(clamping: open - claimed), claimed: Int(clamping: claimed))
            )
        }
    }

    /// The place of a connection by a noted number.
    private func noted(_ number: Int64) -> Int? {
        number > 0 && number <= Int64(SenderLedger.capacity) ? Int(number) - 1 : nil
    }

    /// Raises what is settled of a connection to a number.
    private func raise(_ place: Int, _ number: Int64) {
        if user(of: place) != nil, words[settledPlace(place)] < number { words[settledPlace(place)] = number }
    }
}
