import MDAuditRecord
import MDPlatform
import MDPropertyList

/// Joins equal attempts of one process within 10 s: the first one is stored at once, the others are counted.
///
/// So the number of attempts is the sum of the counts of all records; a record without a count is one attempt.
///
/// A table of fixed size without any encoding or allocation. Each attempt has four places; where others have all of them,
/// it is not joined.
struct AttemptWindows: Sendable {
    /// The window of one attempt.
    private struct Window {
        /// The first attempt, then the newest; its count, first and last are those of the ones after the first.
        var attempt: WaitingAttempt
        /// When the window ends, on the monotonic clock.
        let end: Int64

        /// Opens the window of an attempt.
        init(_ attempt: WaitingAttempt, monotonic: Int64) {
            self.attempt = attempt
            (self.attempt.count, self.attempt.first, self.attempt.last) = (nil, nil, nil)
            end = monotonic + AttemptWindows.length
        }

        /// Whether an attempt equals the one of the window.
        func isOf(_ other: WaitingAttempt) -> Bool {
            guard attempt.attempt.identity == other.attempt.identity else { return false }
            switch (attempt.tried, other.tried) {
            case (let one?, let other?): return one.isIdentical(to: other)
            case (nil, nil): return true
            default: return false
            }
        }

        /// Counts an attempt.
        mutating func count(_ other: WaitingAttempt) {
            attempt.first = attempt.first ?? other.first ?? other.time
            attempt.count = (attempt.count ?? 0).addingReportingOverflow(other.weight).partialValue
            (attempt.last, attempt.time) = (other.time, other.time)
            if attempt.attempt !== other.attempt { attempt.attempt = other.attempt }
        }
    }

    /// What becomes of an attempt.
    enum Addition {
        /// It is stored now.
        case separate
        /// It is stored now, and so is the count of a window that had ended.
        case separateAfter(WaitingAttempt)
        /// It was counted.
        case counted
    }

    /// The number of places; a power of two.
    static let capacity = 256
    /// The number of places that an attempt may have; a power of two.
    private static let choices = 4
    /// The length of a window, in microseconds.
    static let length: Int64 = 10_000_000

    /// What decides about most attempts without a look at a window.
    private struct Tag {
        /// The hash of the window's attempt.
        var hash = 0
        /// When the window ends; the beginning of all time if there is none.
        var end = Int64.min
        /// Whether it has counted an attempt.
        var isCounting = false
    }

    /// The windows by place.
    private var windows = [Window?](repeating: nil, count: capacity)
    /// Their tags.
    private var tags = [Tag](repeating: Tag(), count: capacity)

    /// Adds an attempt.
    ///
    /// - Parameters:
    ///   - attempt: the attempt; with a count, so many.
    ///   - hash: ``hash(of:)``.
    ///   - monotonic: the time on a clock that never goes back, in microseconds.
    /// - Returns: what becomes of it.
    mutating func add(_ attempt: WaitingAttempt, hash: Int, monotonic: Int64) -> Addition {
        // The place of a window that may give way to this one, the best of them.
        var (free, spare): (Int?, Int?) = (nil, nil)
        for offset in 0..<AttemptWindows.choices {
            let place = (hash ^ offset) & (AttemptWindows.capacity - 1)
            let tag = tags[place]
            guard tag.end > monotonic else {
                free = free ?? place
                continue
            }
            if tag.hash == hash, windows[place]?.isOf(attempt) == true {
                windows[place]?.count(attempt)
                tags[place].isCounting = true
                return .counted
            }
            // The counts of a window that is open are not given up for another one.
            if spare == nil, !tag.isCounting { spare = place }
        }
        guard let place = free ?? spare else { return .separate }
        let counts = tags[place].isCounting ? windows[place]?.attempt : nil
        let window = Window(attempt, monotonic: monotonic)
        tags[place] = Tag(hash: hash, end: window.end)
        windows[place] = window
        return counts.map { .separateAfter($0) } ?? .separate
    }

    /// The hash of an attempt, whose last bits are its first place.
    static func hash(of attempt: WaitingAttempt) -> Int {
        var hasher = Hasher()
        hasher.combine(attempt.attempt.identity)
        attempt.tried?.combine(into: &hasher)
        return hasher.finalize()
    }

    /// Closes the windows that have ended by a time; all by default.
    ///
    /// - Returns: the counts of the attempts after the first ones, and whether other counts remain.
    mutating func close(monotonic: Int64 = .max) -> (counts: [WaitingAttempt], isCounting: Bool) {
        var counts: [WaitingAttempt] = []
        var isCounting = false
        for (place, window) in windows.enumerated() {
            guard let window else { continue }
            if window.end > monotonic {
                isCounting = isCounting || window.attempt.count != nil
                continue
            }
            if window.attempt.count != nil { counts.append(window.attempt) }
            (windows[place], tags[place]) = (nil, Tag())
        }
        return (counts, isCounting)
    }
}

extension ValueSummary {
    /// Whether both are the same value, or the same digest; nothing is encoded.
    func isIdentical(to other: ValueSummary) -> Bool {
        switch (self, other) {
        case (.full(let one), .full(let other)):
            switch (one, other) {
            case (.string(let one), .string(let other)): Key(one) == Key(other)
            case (.boolean(let one), .boolean(let other)): one == other
            case (.integer(let one), .integer(let other)): one == other
            case (.real(let one), .real(let other)), (.date(let one), .date(let other)):
                one.bitPattern == other.bitPattern
            case (.data(let one), .data(let other)): one == other
            default: false
            }
        case (.digest(let type, let size, let digest), .digest(let otherType, let otherSize, let other)):
            type == otherType && size == otherSize && digest == other
        case (.sensitive(let one), .sensitive(let other)): one == other
        case (.secret(let type, let size, let value), .secret(let otherType, let otherSize, let other)):
            type == otherType && size == otherSize && value == other
        default: false
        }
    }

    /// Feeds the value, which is a scalar, or the digest; nothing is encoded.
    func combine(into hasher: inout Hasher) {
        switch self {
        case .full(.string(let text)): hasher.combine(Key(text))
        case .full(.boolean(let value)): hasher.combine(value)
        case .full(.integer(let value)): hasher.combine(value)
        case .full(.real(let value)), .full(.date(let value)): hasher.combine(value.bitPattern)
        case .full(.data(let bytes)): hasher.combine(bytes)
        case .full(.array), .full(.dictionary): break
        case .digest(_, let size, let digest):
            hasher.combine(size)
            hasher.combine(digest)
        case .sensitive(let hmac): hasher.combine(hmac)
        case .secret(_, let size, _): hasher.combine(size)
        }
    }
}
