import MDPlatform
import MDTools

/// Limits how much each login may have stored in a day, also across a restart of the service.
///
/// The file is written by ``save()``, without waiting for the disk: it survives a kill of the process, not a power cut.
struct DailyVolume: ~Copyable {
    /// The path of the file.
    static let path = "/var/lib/mdefaultsd/volume"
    /// The length of a day, in microseconds.
    private static let day: Int64 = 86_400_000_000
    /// The most logins with a number of their own; the others share one.
    private static let capacity = 4_096
    /// The login that the others share, which is no user's.
    private static let shared = UInt32.max
    /// The bytes of a line of the file.
    private static let length = 48

    /// What a login had stored.
    private struct Entry {
        /// The place in the file.
        let number: Int
        /// The bytes.
        var bytes: Int
    }

    /// The most bytes of a login in a day.
    private let limit: Int
    /// The day, in days since 1970 UTC.
    private var today: Int64 = 0
    /// What each login had stored on that day.
    private var entries: [UInt32: Entry] = [:]
    /// The logins whose numbers changed since they were saved.
    private var changed: Set<UInt32> = []
    /// The file; `nil` if it cannot be used: then the numbers end with the process.
    private let file: ReservedFile?

    /// Takes over the numbers of the previous process, if they are of this day.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a login in a day.
    ///   - root: the root of the machine; `nil` for numbers in memory only.
    ///   - time: now.
    /// - Returns: the numbers.
    static func open(limit: Int, root: Root?, at time: Timestamp = Clock.now()) -> DailyVolume {
        let size = DailyVolume.length * (DailyVolume.capacity + 1)
        let file = root.flatMap { try? ReservedFile.open(root: $0, path: DailyVolume.path, mode: 0o600, size: size) }
        return DailyVolume(limit, file, size: size, at: time)
    }

    private init(_ limit: Int, _ file: consuming ReservedFile?, size: Int, at time: Timestamp) {
        self.limit = limit
        today = time.microseconds / DailyVolume.day
        self.file = file
        let bytes = (try? self.file?.read(limit: size)) ?? []
        for number in 0...DailyVolume.capacity {
            let start = number * DailyVolume.length
            guard start + DailyVolume.length <= bytes.count else { break }
            let words = bytes[start..<(start + DailyVolume.length)].split { $0 <= 0x20 }
            let numbers = words.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
            guard words.count == 3, numbers.count == 3, numbers[1] == today, let login = UInt32(exactly: numbers[0]),
                (1...(1 << 50)).contains(numbers[2]), entries[login] == nil, number == entries.count
            else { break }
            entries[login] = Entry(number: number, bytes: Int(numbers[2]))
        }
    }

    /// Whether a login has reached the limit.
    mutating func isUsedUp(by login: UInt32, at time: Timestamp) -> Bool {
        let day = time.microseconds / DailyVolume.day
        if day != today {
            today = day
            entries = [:]
            changed = []
        }
        return entries[key(login)].map { $0.bytes >= limit } ?? false
    }

    /// Adds the bytes of a record.
    mutating func add(_ count: Int, of login: UInt32) {
        let key = key(login)
        var entry = entries[key] ?? Entry(number: entries.count, bytes: 0)
        entry.bytes += count
        entries[key] = entry
        changed.insert(key)
    }

    /// Writes the numbers that changed to the file.
    mutating func save() {
        if changed.isEmpty { return }
        for login in changed {
            guard let entry = entries[login] else { continue }
            let text = Array("\(login) \(today) \(entry.bytes)".utf8)
            let line = text + [UInt8](repeating: 0x20, count: DailyVolume.length - 1 - text.count) + [0x0a]
            try? file?.write(line, at: entry.number * DailyVolume.length)
        }
        changed.removeAll(keepingCapacity: true)
    }

    /// The key of a login's number.
    private func key(_ login: UInt32) -> UInt32 {
        entries[login] != nil || entries.count < DailyVolume.capacity ? login : DailyVolume.shared
    }
}
