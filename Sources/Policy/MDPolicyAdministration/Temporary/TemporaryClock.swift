import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList

/// When exams and grants were last seen, by the wall clock and by the one that counts from the boot.
///
/// What has ended by the wall clock is kept until the machine has run for a day since, so that a clock which was set ahead
/// and back ends nothing.
struct TemporaryClock: Equatable {
    private static let header = "managed-defaults temporary clock 1"
    /// The most bytes that are read.
    private static let size = 4 << 20
    /// How long the machine runs before what has ended goes, in microseconds.
    static let keptFor: Int64 = 86_400_000_000
    /// By how much the clocks may differ without a jump, in microseconds.
    private static let tolerance: Int64 = 60_000_000

    /// A moment by both clocks.
    struct Reading: Equatable {
        var time: Timestamp
        /// Since the boot, in microseconds.
        var uptime: Int64
        /// The boot; `nil` if it is unknown.
        var boot: String?

        /// The moment at which this is called.
        static func now(_ root: Root) -> Reading {
            Reading(
                time: Clock.now(), uptime: Clock.monotonicMicroseconds(), boot: Machine.bootID(root: root))
        }

        /// How long the machine ran between an earlier reading and this one, in microseconds; `nil` if it booted between
        /// them.
        func elapsed(since earlier: Reading) -> Int64? {
            boot == earlier.boot && uptime >= earlier.uptime ? uptime - earlier.uptime : nil
        }
    }

    /// The last reading.
    var reading: Reading
    /// For how long the machine has run since it saw that a file had ended, in microseconds, by name.
    var ended: [Key: Int64] = [:]

    init(_ reading: Reading) {
        self.reading = reading
    }

    /// Reads what is stored; `nil` if there is nothing that can be used, so that times begin again.
    init?(root: Root) {
        guard let bytes = try? root.readTrusted(StorePath.temporaryClock, limit: TemporaryClock.size).bytes else {
            return nil
        }
        var (found, ended): (Reading?, [Key: Int64]) = (nil, [:])
        do throws(StoredFileError) {
            try ChecksummedLines.read(bytes, headers: [TemporaryClock.header]) { line in
                let fields = line.fields
                if fields.first == "seen", fields.count == 4, let time = Int64(fields[1]), let uptime = Int64(fields[2])
                {
                    found = Reading(
                        time: Timestamp(microseconds: time), uptime: uptime,
                        boot: fields[3] == "-" ? nil : ChecksummedLines.unescape(fields[3]))
                } else if fields.first == "ended", fields.count == 3, let time = Int64(fields[1]),
                    let name = ChecksummedLines.unescape(fields[2])
                {
                    ended[Key(name)] = time
                }
                return true
            }
        } catch {
            return nil
        }
        guard let found else { return nil }
        (reading, self.ended) = (found, ended)
    }

    /// The file.
    var encoded: [UInt8] {
        var lines = ChecksummedLines(header: TemporaryClock.header)
        let boot = reading.boot.map(ChecksummedLines.escape) ?? "-"
        lines.add("seen", "\(reading.time.microseconds)", "\(reading.uptime)", boot)
        for (name, time) in ended.sorted(by: { $0.key < $1.key }) {
            lines.add("ended", "\(time)", ChecksummedLines.escape(name.string))
        }
        return lines.sealed
    }

    /// What a new reading says of a file.
    enum Event: Equatable {
        /// The clock jumped over its end.
        case setAhead(by: Int64)
        /// It ended while the machine did not run, or the clock was set ahead meanwhile.
        case missed(lastSeen: Timestamp)
        /// The clock was set back before its end.
        case setBack
    }

    /// Takes a new reading.
    ///
    /// - Parameters:
    ///   - now: the reading.
    ///   - ends: the end of each file; `nil` for one without.
    /// - Returns: what it says of files, and the names of those that have been over for long enough.
    mutating func take(
        _ now: Reading, ends: [Key: Timestamp?]
    ) -> (events: [Key: Event], expired: Set<Key>) {
        let (before, elapsed) = (reading, now.elapsed(since: reading))
        var (events, expired): ([Key: Event], Set<Key>) = ([:], [])
        var times: [Key: Int64] = [:]
        for case (let name, let end?) in ends {
            let (wasOver, isOver) = (end <= before.time, end <= now.time)
            if !wasOver, isOver {
                if let elapsed {
                    let jump = now.time.microseconds - before.time.microseconds - elapsed
                    let isReached = before.time.microseconds + elapsed >= end.microseconds - TemporaryClock.tolerance
                    if jump > TemporaryClock.tolerance, !isReached { events[name] = .setAhead(by: jump) }
                } else {
                    events[name] = .missed(lastSeen: before.time)
                }
            }
            if !isOver, ended[name] != nil { events[name] = .setBack }
            guard isOver else { continue }
            let run = wasOver ? elapsed ?? now.uptime : 0
            let time = (ended[name] ?? 0) + max(run, 0)
            times[name] = time
            if time >= TemporaryClock.keptFor { expired.insert(name) }
        }
        (reading, ended) = (now, times)
        return (events, expired)
    }
}
