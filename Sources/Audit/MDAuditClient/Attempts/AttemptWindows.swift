import MDAuditRecord
import MDPlatform
import MDPropertyList

/// Joins equal attempts of one process within 10 s: the first one is stored at once, the others are counted.
///
/// A table of fixed size without any encoding or allocation: an attempt whose place another one has is not joined.
struct AttemptWindows: Sendable {
    /// The window of one attempt.
    private struct Window {
        /// The first attempt; its count, first and last are those of the ones after it.
        var attempt: WaitingAttempt
        /// When the window ends, on the monotonic clock.
        let end: Int64
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
    /// The length of a window, in microseconds.
    static let length: Int64 = 10_000_000

    /// The windows by place.
    private var windows = [Window?](repeating: nil, count: capacity)

    /// Adds an attempt.
    ///
    /// - Parameters:
    ///   - attempt: the attempt.
    ///   - place: ``place(of:)``.
    ///   - monotonic: the time on a clock that never goes back, in microseconds.
    /// - Returns: what becomes of it.
    mutating func add(_ attempt: WaitingAttempt, at place: Int, monotonic: Int64) -> Addition {
        guard let old = windows[place] else {
            windows[place] = Window(attempt: attempt, end: monotonic + AttemptWindows.length)
            return .separate
        }
        if old.end > monotonic {
            if old.attempt.attempt === attempt.attempt, old.attempt.tried.isIdentical(to: attempt.tried) {
                let count = (old.attempt.count ?? 0) + 1
                windows[place]?.attempt.count = count
                if count == 1 { windows[place]?.attempt.first = attempt.time }
                windows[place]?.attempt.last = attempt.time
                windows[place]?.attempt.time = attempt.time
                return .counted
            }
            // The counts of a window that is open are not given up for another one.
            if old.attempt.count != nil { return .separate }
        }
        windows[place] = Window(attempt: attempt, end: monotonic + AttemptWindows.length)
        return old.attempt.count == nil ? .separate : .separateAfter(old.attempt)
    }

    /// The place of an attempt.
    static func place(of attempt: WaitingAttempt) -> Int {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(attempt.attempt))
        attempt.tried.combine(into: &hasher)
        return hasher.finalize() & (capacity - 1)
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
            windows[place] = nil
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
