import MDAuditClient
import MDAuditRecord
import MDPlatform

/// Joins equal attempts of all senders within a time window into one record, as each sender does with its own
/// (``AttemptWindows``).
///
/// The first attempt is stored at once. Equal ones are counted, and stored as one record with `count`, `first` and `last`
/// when the window ends or at a flush. So the number of attempts is the sum of the counts of all records; a record without
/// a count is one attempt.
struct AttemptCoalescer {
    /// A window that is still open.
    private struct Window {
        /// The counts of a window.
        enum Counted {
            /// There is none.
            case nothing
            /// The newest of the counted attempts, with their number, and the number of lines that they came in.
            indirect case newest(AuditRecord, lines: Int)
        }

        /// The process that made the attempts.
        let sender: Int
        /// What was counted.
        var counted = Counted.nothing
        /// Whether the count must be stored with the next records.
        var isAwaited = false

        /// Opens the window of an attempt.
        init(_ sender: Int) { self.sender = sender }

        /// Counts an attempt.
        mutating func count(_ record: AuditRecord, at time: Timestamp, isAwaited: Bool) {
            let (before, lines) = (joined?.record, joined?.lines ?? 0)
            var newest = record
            newest.first = before?.first ?? record.first ?? time
            newest.last = time
            newest.count = (before?.count ?? 0).addingReportingOverflow(max(record.count ?? 1, 1)).partialValue
            counted = .newest(newest, lines: lines + 1)
            if isAwaited { self.isAwaited = true }
        }

        /// Takes the count; the window stays open.
        mutating func take() -> JoinedAttempts? {
            defer { (counted, isAwaited) = (.nothing, false) }
            return joined
        }

        /// The count; `nil` if there is none.
        var joined: JoinedAttempts? {
            guard case .newest(let record, let lines) = counted else { return nil }
            return JoinedAttempts(record: record, sender: sender, lines: lines)
        }
    }

    /// The length of a window, in microseconds.
    private let window: Int64
    /// The most windows that are open at a time; if there are more, the one that ends first is closed.
    private let capacity: Int
    /// The open windows.
    private var windows: [AttemptIdentity: Window] = [:]
    /// The same windows in the order of their ends on the monotonic clock, from `head` on.
    private var order: [(identity: AttemptIdentity, end: Int64)] = []
    /// The place of the window that ends first.
    private var head = 0
    /// The windows whose counts are awaited.
    private var awaited: [AttemptIdentity] = []

    /// Makes a coalescer without open windows.
    ///
    /// - Parameters:
    ///   - window: the length of a window, in microseconds.
    ///   - capacity: the most windows that are open at a time, at least one.
    init(window: Int64 = 10_000_000, capacity: Int = 256) {
        self.window = max(window, 0)
        self.capacity = max(capacity, 1)
    }

    /// When the window that ends first does so, on the monotonic clock; `nil` if none is open.
    var nextEnd: Int64? {
        head < order.count ? order[head].end : nil
    }

    /// Adds an attempt.
    ///
    /// Complexity: O(1), beside the windows that have ended.
    ///
    /// - Parameters:
    ///   - record: the attempt; with a count, so many.
    ///   - sender: the process that made it, if one process reports for several; only attempts of one sender are
    ///     joined.
    ///   - time: the time of day, for `first` and `last`.
    ///   - monotonic: microseconds on a clock that never goes back, for the window.
    ///   - isAwaited: whether the count, if it is only counted, is part of the next ``takeAwaited()``.
    /// - Returns: the counts of windows that have ended, oldest first, to be stored before the attempt itself; and whether
    ///   the attempt was only counted: if not, it is to be stored now.
    mutating func add(
        _ record: AuditRecord, of sender: Int = 0, time: Timestamp, monotonic: Int64, isAwaited: Bool = false
    ) -> (ended: [JoinedAttempts], isCounted: Bool) {
        let ended = expire(monotonic: monotonic)
        let identity = AttemptIdentity(record, of: sender)
        if windows[identity]?.count(record, at: time, isAwaited: isAwaited) != nil {
            if isAwaited { awaited.append(identity) }
            return (ended, true)
        }
        windows[identity] = Window(sender)
        return (ended + note(identity, monotonic: monotonic), false)
    }

    /// Opens the window of an attempt that is to be stored now, after ``expire(monotonic:)``.
    ///
    /// - Returns: the count of a window that must give way; `nil` if one is open, so that the attempt is to be counted.
    mutating func addFirst(_ identity: AttemptIdentity, of sender: Int, monotonic: Int64) -> [JoinedAttempts]? {
        if let known = windows.updateValue(Window(sender), forKey: identity) {
            windows[identity] = known
            return nil
        }
        return note(identity, monotonic: monotonic)
    }

    /// Notes the end of a window that was opened, and closes another one if there are too many.
    private mutating func note(_ identity: AttemptIdentity, monotonic: Int64) -> [JoinedAttempts] {
        order.append((identity, monotonic.addingReportingOverflow(window).partialValue))
        guard windows.count > capacity, let first = closeFirst() else { return [] }
        return [first]
    }

    /// Makes the counts of a sender awaited.
    mutating func markAwaited(_ sender: Int) {
        for (identity, open) in windows where open.sender == sender && open.joined != nil {
            windows[identity]?.isAwaited = true
            awaited.append(identity)
        }
    }

    /// Takes the counts that are awaited, which are to be stored now; their windows stay open.
    mutating func takeAwaited() -> [JoinedAttempts] {
        if awaited.isEmpty { return [] }
        var taken: [JoinedAttempts] = []
        for identity in awaited where windows[identity]?.isAwaited == true {
            if let counted = windows[identity]?.take() { taken.append(counted) }
        }
        awaited.removeAll(keepingCapacity: true)
        return taken
    }

    /// Closes the windows that have ended.
    ///
    /// - Returns: the counts of their attempts after the first ones.
    mutating func expire(monotonic: Int64) -> [JoinedAttempts] {
        var counted: [JoinedAttempts] = []
        while let end = nextEnd, end <= monotonic {
            if let joined = closeFirst() { counted.append(joined) }
        }
        return counted
    }

    /// Closes all windows.
    ///
    /// - Returns: the counts of their attempts after the first ones.
    mutating func flush() -> [JoinedAttempts] {
        expire(monotonic: .max)
    }

    /// Closes the window that ends first.
    ///
    /// - Returns: the count of its attempts after the first one.
    private mutating func closeFirst() -> JoinedAttempts? {
        guard head < order.count else { return nil }
        let counted = windows.removeValue(forKey: order[head].identity)?.joined
        head += 1
        if head == order.count || head > capacity {
            order.removeFirst(head)
            head = 0
        }
        return counted
    }
}

/// The count of attempts that equal an earlier one.
struct JoinedAttempts: Hashable {
    /// The newest of them, with `count`, `first` and `last`.
    let record: AuditRecord
    /// The process that made them.
    let sender: Int
    /// The number of lines that they came in.
    let lines: Int

    /// Their number.
    var attempts: AttemptCount { AttemptCount(seen: lines, claimed: max((record.count ?? lines) - lines, 0)) }
}
