package import Platform

/// Joins equal attempts that follow each other within a window of time into one record.
///
/// The first is stored at once. Those that equal it are counted, and stored as one record with `count`, `first` and
/// `last` once the window has ended or at a flush. So the attempts made are the sum of the records' counts, a record
/// without a count standing for one.
package struct AttemptCoalescer: Sendable {
    /// What makes two attempts equal.
    private struct Identity: Hashable {
        /// The attempt without its time and place.
        let record: AuditRecord

        /// Takes user, process, domain, key, value and way of a record; the outcome too, so that no outcome is hidden.
        init(_ attempt: AuditRecord) {
            var record = AuditRecord(kind: attempt.kind, src: attempt.src)
            (record.uid, record.pid, record.start) = (attempt.uid, attempt.pid, attempt.start)
            (record.domain, record.key, record.tried) = (attempt.domain, attempt.key, attempt.tried)
            (record.via, record.outcome) = (attempt.via, attempt.outcome)
            self.record = record
        }
    }

    /// What was counted in a window that is still open.
    private struct Window {
        /// When it ends, on the monotonic clock.
        let end: Int64
        /// The newest of the counted attempts, and how many there are; `nil` as long as there is none.
        var counted: AuditRecord?
    }

    /// What became of an attempt.
    package struct Decision: Hashable, Sendable {
        /// The records to store now, oldest first: those of windows that have ended, and the attempt itself if it is
        /// the first.
        package let records: [AuditRecord]
        /// Whether the attempt was only counted.
        package let isCounted: Bool
    }

    /// The length of a window, in microseconds.
    private let window: Int64
    /// The most windows that are open at a time; the one that ends first gives way.
    private let capacity: Int
    /// The open windows.
    private var windows: [Identity: Window] = [:]

    /// Makes a coalescer without open windows.
    ///
    /// - Parameters:
    ///   - window: the length of a window, in microseconds.
    ///   - capacity: the most windows that are open at a time, at least one.
    package init(window: Int64 = 10_000_000, capacity: Int = 256) {
        self.window = max(window, 0)
        self.capacity = max(capacity, 1)
    }

    /// Takes an attempt.
    ///
    /// - Parameters:
    ///   - record: the attempt.
    ///   - time: the time of day, for `first` and `last`.
    ///   - monotonic: microseconds on a clock that never goes back, for the window.
    /// - Returns: what to store now, and whether the attempt itself was only counted.
    package mutating func take(_ record: AuditRecord, time: Timestamp, monotonic: Int64) -> Decision {
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

    /// Ends the windows whose time is over, and returns what was counted in them.
    package mutating func expire(monotonic: Int64) -> [AuditRecord] {
        if windows.isEmpty { return [] }
        let over = windows.filter { $0.value.end <= monotonic }
        for identity in over.keys { windows[identity] = nil }
        return over.values.sorted { $0.end < $1.end }.compactMap(\.counted)
    }

    /// Ends all windows, and returns what was counted in them.
    package mutating func flush() -> [AuditRecord] {
        expire(monotonic: .max)
    }
}
