import MDAuditLog
import MDAuditRecord
import MDPlatform
import MDTools

/// Counts what was not stored, for each user and reason, in a file that survives the process.
///
/// The file is written by ``save()``, without waiting for the disk: it survives a kill of the process, not a power cut. What
/// was counted since is noted in the ledger of the senders.
struct DropCounters: ~Copyable {
    /// The user and the reason of a count; no user for those that have no counter of their own.
    struct Name: Hashable {
        /// The user.
        let uid: UInt32?
        /// The reason.
        let reason: DropReason
    }

    /// The path of the file.
    static let path = "/var/lib/mdefaultsd/drops"
    /// The most counters.
    private static let capacity = 1_024

    /// The counters that are not zero.
    private var entries: [Name: DropSlot] = [:]
    /// The slots of the file that no counter uses, the next one last.
    private var free = Array((0..<DropCounters.capacity).reversed())
    /// The counters that changed since they were saved.
    private var changed: Set<Name> = []
    /// The file; `nil` if it cannot be used, which only makes the counts weaker.
    private let file: ReservedFile?
    /// The ledger of the senders, whose attempts each count settles.
    private let ledger: SenderLedger?
    /// Whether the previous process that used the file did not end as planned.
    let wasKilled: Bool
    /// When the file was last written, if so.
    let lastSign: Timestamp?

    /// Whether all counts are zero.
    var isEmpty: Bool { entries.isEmpty }

    /// Takes over the counters of the previous process.
    ///
    /// - Parameters:
    ///   - root: the root of the machine.
    ///   - ledger: the ledger of the senders.
    ///   - stored: finds those of some fingerprints whose lines are in the log: records that the process was writing.
    /// - Returns: the counters.
    static func open(
        root: Root, ledger: SenderLedger? = nil, stored: (Set<Int64>) -> Set<Int64>
    ) -> DropCounters {
        try? root.createDirectory("/var/lib", mode: 0o755)
        try? root.createDirectory("/var/lib/mdefaultsd", mode: 0o700)
        let file = try? ReservedFile.open(
            root: root, path: DropCounters.path, mode: 0o600, size: DropSlot.length * (DropCounters.capacity + 1))
        let bytes = (try? file?.read(limit: DropSlot.length * (DropCounters.capacity + 1))) ?? []
        let wasKilled = bytes.starts(with: DropCounters.head(isRunning: true))
        let sign = try? file?.status().modified
        var counters = DropCounters(
            file: file, ledger: ledger, wasKilled: wasKilled,
            lastSign: wasKilled ? sign.map { Timestamp(microseconds: $0 / 1_000) } : nil)
        counters.takeOver(bytes, stored)
        return counters
    }

    /// Takes over the counters of the previous process, and what its ledger has beyond them.
    private mutating func takeOver(_ bytes: [UInt8], _ stored: (Set<Int64>) -> Set<Int64>) {
        let slots = (0..<DropCounters.capacity).compactMap { number -> (name: Name, slot: DropSlot)? in
            let start = (number + 1) * DropSlot.length
            guard start + DropSlot.length <= bytes.count else { return nil }
            return DropSlot.parse(bytes[start..<(start + DropSlot.length)], number: number)
        }
        let stored = stored(Set(slots.map(\.slot.fingerprint).filter { $0 != 0 }).union(ledger?.writing ?? []))
        for (name, slot) in slots {
            if stored.contains(slot.fingerprint) || entries[name] != nil {
                try? file?.write(DropSlot.empty, at: (slot.number + 1) * DropSlot.length)
            } else {
                entries[name] = slot
                free.removeAll { $0 == slot.number }
            }
        }
        guard let ledger else { return }
        let now = Clock.now()
        for note in ledger.recover(stored: stored) { restore(note, at: now) }
        save()
        for loss in ledger.losses { add(loss.attempts, .interrupted, of: loss.uid, at: now, from: loss.connection) }
        save()
    }

    private init(file: consuming ReservedFile?, ledger: SenderLedger?, wasKilled: Bool, lastSign: Timestamp?) {
        self.file = file
        (self.ledger, self.wasKilled, self.lastSign) = (ledger, wasKilled, lastSign)
    }

    /// Takes over a count that was noted, and may not have been saved.
    private mutating func restore(_ note: SenderLedger.Note, at time: Timestamp) {
        guard DropReason.allCases.indices.contains(note.reason), note.count > 0 else { return }
        let name = Name(uid: note.uid, reason: DropReason.allCases[note.reason])
        if entries[name] == nil {
            guard let index = free.firstIndex(of: note.counter) else { return }
            free.remove(at: index)
            entries[name] = DropSlot(number: note.counter, count: 0, first: time, last: time, fingerprint: 0)
        }
        entries[name]?.raise(to: note.count, at: time)
        changed.insert(name)
    }

    /// Marks that a process uses the file, or that it ended as planned; on disk when this returns.
    mutating func mark(isRunning: Bool) {
        try? file?.write(DropCounters.head(isRunning: isRunning), at: 0)
        try? file?.sync()
    }

    /// Counts attempts of a user: those that were seen by the reason, and apart from them those that are only claimed.
    ///
    /// - Parameters:
    ///   - attempts: their number.
    ///   - reason: why they are not stored.
    ///   - uid: the person.
    ///   - time: now.
    ///   - connection: the connection in the ledger whose attempts this settles.
    ///   - settled: how many of its attempts those that were seen settle; the same number by default.
    mutating func add(
        _ attempts: AttemptCount, _ reason: DropReason, of uid: UInt32, at time: Timestamp,
        from connection: Int? = nil, settling settled: Int? = nil
    ) {
        add(attempts.seen, reason, uid, time, connection, settled ?? attempts.seen)
        add(attempts.claimed, reason.isClaim ? reason : .claimed, uid, time, connection, attempts.claimed)
    }

    /// Counts attempts of a user that are known in one way.
    private mutating func add(
        _ count: Int, _ reason: DropReason, _ uid: UInt32, _ time: Timestamp, _ connection: Int?, _ settled: Int
    ) {
        guard count > 0 else { return }
        var name = Name(uid: uid == PersonalShares.anyone ? nil : uid, reason: reason)
        // One place remains for each reason, for the users that come too late.
        if entries[name] == nil, free.count <= DropReason.allCases.count { name = Name(uid: nil, reason: reason) }
        if entries[name] == nil {
            guard let number = free.popLast() else { return }
            entries[name] = DropSlot(number: number, count: 0, first: time, last: time, fingerprint: 0)
        }
        entries[name]?.add(count, at: time)
        changed.insert(name)
        guard let ledger, let slot = entries[name], let place = DropReason.allCases.firstIndex(of: reason) else {
            return
        }
        let note = SenderLedger.Note(counter: slot.number, uid: name.uid, reason: place, count: slot.count)
        if !ledger.note(note, settling: settled, of: connection) { save() }
    }

    /// Writes the counters that changed to the file.
    mutating func save() {
        if changed.isEmpty { return }
        for name in changed {
            guard let slot = entries[name] else { continue }
            try? file?.write(slot.text(of: name), at: (slot.number + 1) * DropSlot.length)
        }
        changed.removeAll(keepingCapacity: true)
        ledger?.forgetNotes()
    }

    /// Makes the records of all counts.
    ///
    /// - Returns: the records; call ``noteRecords(_:)`` before they are written, and ``clear()`` when they are on disk, or
    ///   ``keep()``.
    func records() -> [AuditRecord] {
        names.map { name in
            var record = AuditRecord(kind: .drop, note: "\(name.reason.rawValue): \(name.reason.sentence)")
            if name.reason.isClaim { record.src = .client }
            let slot = entries[name]
            (record.uid, record.count, record.first, record.last) = (name.uid, slot?.count, slot?.first, slot?.last)
            return record
        }
    }

    /// The names of all counts, in the order of their records.
    private var names: [Name] { entries.sorted { $0.value.number < $1.value.number }.map(\.key) }

    /// Notes the lines of the records of all counts, which after a kill say whether those are in the log.
    ///
    /// - Parameter fingerprints: those of the lines.
    mutating func noteRecords(_ fingerprints: ArraySlice<Int64>) {
        for (name, fingerprint) in zip(names, fingerprints) {
            entries[name]?.fingerprint = fingerprint
            changed.insert(name)
        }
        save()
    }

    /// Sets all counters to zero, because their records are on disk.
    mutating func clear() {
        for slot in entries.values {
            try? file?.write(DropSlot.empty, at: (slot.number + 1) * DropSlot.length)
            free.append(slot.number)
        }
        entries = [:]
        changed = []
    }

    /// Keeps all counters, because their records were not stored.
    mutating func keep() {
        for name in entries.keys {
            entries[name]?.fingerprint = 0
            changed.insert(name)
        }
        save()
    }

    /// The first line of the file.
    private static func head(isRunning: Bool) -> [UInt8] {
        DropSlot.padded("mdefaultsd drops 1 \(isRunning ? "running" : "stopped")")
    }
}

/// A counter, and its place in the file: a line of a constant length.
struct DropSlot {
    /// The bytes of a line.
    static let length = 128
    /// The line of a place that no counter uses.
    static let empty = padded("")

    /// The number of the place.
    let number: Int
    /// The number of attempts.
    private(set) var count: Int
    /// When the first was counted.
    let first: Timestamp
    /// When the last was counted.
    private(set) var last: Timestamp
    /// The fingerprint of the line of the record that is being written; 0 if there is none.
    var fingerprint: Int64

    /// Makes a counter.
    init(number: Int, count: Int, first: Timestamp, last: Timestamp, fingerprint: Int64) {
        (self.number, self.count, self.first, self.last) = (number, count, first, last)
        self.fingerprint = fingerprint
    }

    /// Adds attempts; a number that would be too large for the log stays what it is.
    mutating func add(_ more: Int, at time: Timestamp) {
        count = min(count.addingReportingOverflow(more).partialValue, AuditRecord.largestNumber)
        last = time
    }

    /// Raises the number to one that was noted.
    mutating func raise(to noted: Int, at time: Timestamp) {
        guard noted > count else { return }
        (count, last) = (min(noted, AuditRecord.largestNumber), time)
    }

    /// Parses a line; `nil` for any other than ``text(of:)`` makes.
    static func parse(_ line: ArraySlice<UInt8>, number: Int) -> (DropCounters.Name, DropSlot)? {
        let words = line.split { $0 == 0x20 || $0 == 0x0a || $0 == 0 }.map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 6, words[0] == "-" || UInt32(words[0]) != nil, let reason = DropReason(rawValue: words[1])
        else { return nil }
        let numbers = words[2...].compactMap { Int($0) }
        guard numbers.count == 4, (1...AuditRecord.largestNumber).contains(numbers[0]) else { return nil }
        let times = (Timestamp(microseconds: Int64(numbers[1])), Timestamp(microseconds: Int64(numbers[2])))
        return (
            DropCounters.Name(uid: UInt32(words[0]), reason: reason),
            DropSlot(number: number, count: numbers[0], first: times.0, last: times.1, fingerprint: Int64(numbers[3]))
        )
    }

    /// The line of a counter.
    func text(of name: DropCounters.Name) -> [UInt8] {
        DropSlot.padded(
            "\(name.uid.map { "\($0)" } ?? "-") \(name.reason.rawValue) \(count) \(first.microseconds) "
                + "\(last.microseconds) \(fingerprint)")
    }

    /// A line of the constant length.
    static func padded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8.prefix(length - 1))
        return bytes + [UInt8](repeating: 0x20, count: length - 1 - bytes.count) + [0x0a]
    }
}
