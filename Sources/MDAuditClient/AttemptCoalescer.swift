import MDPlatform

/// Joins equal attempts within a time window into one record.
///
/// The first attempt is stored at once. Equal ones are counted, and stored as one record with `count`, `first` and `last`
/// when the window ends or at a flush. So the number of attempts is the sum of the counts of all records; a record without
/// a count is one attempt.
struct AttemptCoalescer: Sendable {
    /// The fields by which attempts are compared.
    private struct Identity: Hashable {
        /// The attempt without its time and place.
        let record: AuditRecord

        /// Selects user, process, domain, key, value, way and outcome of a record.
        init(_ attempt: AuditRecord) {
            var record = AuditRecord(kind: attempt.kind, src: attempt.src)
            (record.uid, record.pid, record.start) = (attempt.uid, attempt.pid, attempt.start)
            (record.domain, record.key, record.tried) = (attempt.domain, attempt.key, attempt.tried)
            (record.via, record.outcome) = (attempt.via, attempt.outcome)
            self.record = record
        }
    }

    /// A window that is still open.
    private struct Window {
        /// When it ends, on the monotonic clock.
        let end: Int64
        /// The newest of the counted attempts, with their number; `nil` if there is none.
        var counted: AuditRecord?
    }

    /// The result of adding an attempt.
    struct Decision: Hashable, Sendable {
        /// The records to store now, oldest first: those of windows that have ended, and the attempt itself if it is
        /// the first.
        let records: [AuditRecord]
        /// Whether the attempt was only counted.
        let isCounted: Bool
    }

    /// The length of a window, in microseconds.
    private let window: Int64
    /// The most windows that are open at a time; if there are more, the one that ends first is closed.
    private let capacity: Int
    /// The open windows.
    private var windows: [Identity: Window] = [:]

    /// Makes a coalescer without open windows.
    ///
    /// - Parameters:
    ///   - window: the length of a window, in microseconds.
    ///   - capacity: the most windows that are open at a time, at least one.
    init(window: Int64 = 10_000_000, capacity: Int = 256) {
        self.window = max(window, 0)
        self.capacity = max(capacity, 1)
    }

    /// Adds an attempt.
    ///
    /// - Parameters:
    ///   - record: the attempt.
    ///   - time: the time of day, for `first` and `last`.
    ///   - monotonic: microseconds on a clock that never goes back, for the window.
    /// - Returns: what to store now, and whether the attempt itself was only counted.
    mutating func add(_ record: AuditRecord, time: Timestamp, monotonic: Int64) -> Decision {
        var ready = expire(monotonic: monotonic)
        let identity = Identity(record)
        if var open = windows[identity] {
            var counted = record
            counted.first = open.counted?.first ?? time
            counted.last = time
            counted.count = (open.counted?.count ?? 0) + 1
            open.counted = counted
            windows[identity] = open
            return Decision(records: ready, isCounted: true)
        }
        if windows.count >= capacity, let oldest = windows.min(by: { $0.value.end < $1.value.end }) {
            windows[oldest.key] = nil
            if let counted = oldest.value.counted { ready.append(counted) }
        }
        windows[identity] = Window(end: monotonic.addingReportingOverflow(window).partialValue, counted: nil)
        return Decision(records: ready + [record], isCounted: false)
    }

    /// Closes the windows that have ended.
    ///
    /// - Returns: the records of the counted attempts.
    mutating func expire(monotonic: Int64) -> [AuditRecord] {
        if windows.isEmpty { return [] }
        let over = windows.filter { $0.value.end <= monotonic }
        for identity in over.keys { windows[identity] = nil }
        return over.values.sorted { $0.end < $1.end }.compactMap(\.counted)
    }

    /// Closes all windows.
    ///
    /// - Returns: the records of the counted attempts.
    mutating func flush() -> [AuditRecord] {
        expire(monotonic: .max)
    }
}
