package import MDAuditRecord
import MDPlatform

/// Counts attempts that agree in user, program, way, key and outcome.
///
/// Lines are compared by their bytes, without a text of each.
///
/// The names are made once for each such combination, when ``take()`` hands out what was counted.
package struct AttemptCells: Sendable {
    /// Attempts that agree.
    package struct Cell: Hashable, Sendable {
        /// The user's id.
        package let uid: UInt32
        /// The user's name and the path of the program, which not every record has.
        package let user, exe: String?
        /// What else they agree in.
        package let via, domain, key, outcome: String
        /// The records.
        package internal(set) var records = 0
        /// The attempts, by how they are known.
        package internal(set) var attempts = AttemptCount()
    }

    /// What finds a cell.
    private struct Place: Sendable {
        /// The hash of the bytes that its attempts agree in.
        let hash: UInt64
        /// Where those bytes are among all cells'.
        let bytes: Range<Int>
    }

    /// The most cells, beyond which what was counted has to be taken.
    static let most = 16_384

    /// The number of bytes from the comma before the way up to its first letter.
    private static let wayLength = RecordMember.via.bytes.count + 1

    /// The cells, in the order in which they came.
    private var cells: [Cell] = []
    /// What finds each of them.
    private var places: [Place] = []
    /// The bytes that attempts of each cell agree in, one after the other.
    private var bytes: [UInt8] = []
    /// The numbers of the cells, each at the first free place from its hash on; -1 is free.
    private var slots = [Int32](repeating: -1, count: 2 * most)
    /// The start of all hashes, different in each process, because users choose the hashed texts.
    private let seed = UInt64.random(in: .min ... .max)

    /// Begins without an attempt.
    package init() {}

    /// Whether there is no room for another cell.
    package var isFull: Bool { cells.count == AttemptCells.most }

    /// Counts an attempt, if it names what it is about and there is room.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - line: what it is a part of.
    /// - Returns: whether it was counted.
    package mutating func add(_ attempt: StoredAttempt, in line: [UInt8]) -> Bool {
        guard let uid = attempt.uid, let via = attempt.via, let domain = attempt.domain, let key = attempt.key,
            let outcome = attempt.outcome, key.upperBound > via.lowerBound
        else { return false }
        // The fields are in their order. From the program to the key the line has nothing else, but for the unit where
        // there is one; without a program the name of the field in this place differs.
        let what = (attempt.exe?.lowerBound ?? via.lowerBound - AttemptCells.wayLength)..<key.upperBound
        // A missing name differs from an empty one by its quotes.
        let user = attempt.user.map { $0.lowerBound - 1..<$0.upperBound + 1 } ?? key.upperBound..<key.upperBound
        var hash = seed ^ UInt64(uid)
        AttemptCells.combine(line, user, &hash)
        AttemptCells.combine(line, what, &hash)
        AttemptCells.combine(line, outcome, &hash)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let number = Int(slots[slot])
            if places[number].hash == hash, cells[number].uid == uid,
                isEqual(places[number].bytes, line, user, what, outcome)
            {
                cells[number].records += 1
                cells[number].attempts += attempt.attempts
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
                uid: uid, user: attempt.user.map(text), exe: attempt.exe.map(text), via: text(via),
                domain: text(domain), key: text(key), outcome: text(outcome), records: 1,
                attempts: attempt.attempts))
        places.append(Place(hash: hash, bytes: start..<bytes.count))
        return true
    }

    /// Returns what was counted, and empties the cells.
    package mutating func take() -> [Cell] {
        if cells.isEmpty { return [] }
        defer {
            (cells, places) = ([], [])
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
