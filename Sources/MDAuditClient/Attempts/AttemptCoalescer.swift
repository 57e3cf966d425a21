package import MDPlatform
import MDPropertyList

/// Joins equal attempts within a time window into one record.
///
/// The first attempt is stored at once. Equal ones are counted, and stored as one record with `count`, `first` and `last`
/// when the window ends or at a flush. So the number of attempts is the sum of the counts of all records; a record without
/// a count is one attempt.
package struct AttemptCoalescer: Sendable {
    /// The fields by which attempts are compared, as bytes: user, process, domain, key, value, way and outcome.
    ///
    /// Made once for an attempt, so that looking it up encodes nothing.
    private struct Identity: Hashable {
        /// The fields, each ended by a byte that no UTF-8 has.
        private let bytes: [UInt8]

        /// Selects the fields of a record.
        init(_ attempt: AuditRecord) {
            var bytes: [UInt8] = []
            bytes.reserveCapacity(256)
            /// Adds a field.
            func add(_ text: String?) {
                if let text { bytes += text.utf8 }
                bytes.append(text == nil ? 0xfe : 0xff)
            }
            /// Adds a number.
            func add(_ number: UInt64?) {
                for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: (number ?? 0) >> UInt64(8 * place))) }
                bytes.append(number == nil ? 0xfe : 0xff)
            }
            add(attempt.kind.rawValue)
            add(attempt.src?.rawValue)
            add(attempt.via?.rawValue)
            add(attempt.outcome?.rawValue)
            add(attempt.uid.map(UInt64.init))
            add(attempt.pid.map { UInt64(bitPattern: Int64($0)) })
            add(attempt.start)
            add(attempt.domain?.string)
            add(attempt.key?.string)
            if let tried = attempt.tried { bytes += tried.json }
            bytes.append(attempt.tried == nil ? 0xfe : 0xff)
            self.bytes = bytes
        }

        /// Feeds all bytes at once.
        func hash(into hasher: inout Hasher) {
            // The pointer is used inside the closure only, for the bytes of the array.
            unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        }
    }

    /// A window that is still open.
    private struct Window {
        /// The process, and its user.
        let uid: UInt32?, pid: Int32?, start: UInt64?
        /// The newest of the counted attempts, with their number; `nil` if there is none.
        var counted: AuditRecord?
        /// Whether the count must be stored with the next records.
        var isAwaited = false

        /// Opens the window of an attempt.
        init(_ attempt: AuditRecord) { (uid, pid, start) = (attempt.uid, attempt.pid, attempt.start) }

        /// Counts an attempt.
        mutating func count(_ record: AuditRecord, at time: Timestamp, isAwaited: Bool) {
            var newest = record
            newest.first = counted?.first ?? record.first ?? time
            newest.last = time
            newest.count = (counted?.count ?? 0).addingReportingOverflow(max(record.count ?? 1, 1)).partialValue
            counted = newest
            if isAwaited { self.isAwaited = true }
        }

        /// Takes the count; the window stays open.
        mutating func take() -> AuditRecord? {
            defer { (counted, isAwaited) = (nil, false) }
            return counted
        }
    }

    /// The result of adding an attempt.
    package struct Decision: Hashable, Sendable {
        /// The records to store now, oldest first: those of windows that have ended, and the attempt itself if it is
        /// the first.
        package let records: [AuditRecord]
        /// Whether the attempt was only counted.
        package let isCounted: Bool

        /// Makes a result.
        package init(records: [AuditRecord], isCounted: Bool) {
            (self.records, self.isCounted) = (records, isCounted)
        }
    }

    /// The length of a window, in microseconds.
    private let window: Int64
    /// The most windows that are open at a time; if there are more, the one that ends first is closed.
    private let capacity: Int
    /// The open windows.
    private var windows: [Identity: Window] = [:]
    /// The same windows in the order of their ends on the monotonic clock, from `head` on.
    private var order: [(identity: Identity, end: Int64)] = []
    /// The place of the window that ends first.
    private var head = 0
    /// The windows whose counts are awaited.
    private var awaited: [Identity] = []

    /// Makes a coalescer without open windows.
    ///
    /// - Parameters:
    ///   - window: the length of a window, in microseconds.
    ///   - capacity: the most windows that are open at a time, at least one.
    package init(window: Int64 = 10_000_000, capacity: Int = 256) {
        self.window = max(window, 0)
        self.capacity = max(capacity, 1)
    }

    /// Whether no window is open.
    package var isEmpty: Bool { windows.isEmpty }

    /// When the window that ends first does so, on the monotonic clock; `nil` if none is open.
    package var nextEnd: Int64? {
        head < order.count ? order[head].end : nil
    }

    /// Adds an attempt.
    ///
    /// Complexity: O(1), beside the windows that have ended.
    ///
    /// - Parameters:
    ///   - record: the attempt; with a count, so many.
    ///   - time: the time of day, for `first` and `last`.
    ///   - monotonic: microseconds on a clock that never goes back, for the window.
    ///   - isAwaited: whether the count, if it is only counted, is part of the next ``takeAwaited()``.
    /// - Returns: what to store now, and whether the attempt itself was only counted.
    package mutating func add(
        _ record: AuditRecord, time: Timestamp, monotonic: Int64, isAwaited: Bool = false
    ) -> Decision {
        var ready = expire(monotonic: monotonic)
        let identity = Identity(record)
        if windows[identity]?.count(record, at: time, isAwaited: isAwaited) != nil {
            if isAwaited { awaited.append(identity) }
            return Decision(records: ready, isCounted: true)
        }
        if windows.count >= capacity, let counted = closeFirst() { ready.append(counted) }
        windows[identity] = Window(record)
        order.append((identity, monotonic.addingReportingOverflow(window).partialValue))
        ready.append(record)
        return Decision(records: ready, isCounted: false)
    }

    /// Makes the counts of a process awaited.
    package mutating func markAwaited(uid: UInt32?, pid: Int32?, start: UInt64?) {
        for (identity, open) in windows
        where open.counted != nil && open.uid == uid && open.pid == pid && open.start == start {
            windows[identity]?.isAwaited = true
            awaited.append(identity)
        }
    }

    /// Takes the counts that are awaited, which are to be stored now; their windows stay open.
    package mutating func takeAwaited() -> [AuditRecord] {
        var taken: [AuditRecord] = []
        for identity in awaited where windows[identity]?.isAwaited == true {
            if let counted = windows[identity]?.take() { taken.append(counted) }
        }
        awaited.removeAll(keepingCapacity: true)
        return taken
    }

    /// Closes the windows that have ended.
    ///
    /// - Returns: the records of the counted attempts.
    package mutating func expire(monotonic: Int64) -> [AuditRecord] {
        var counted: [AuditRecord] = []
        while let end = nextEnd, end <= monotonic {
            if let record = closeFirst() { counted.append(record) }
        }
        return counted
    }

    /// Closes all windows.
    ///
    /// - Returns: the records of the counted attempts.
    package mutating func flush() -> [AuditRecord] {
        expire(monotonic: .max)
    }

    /// Closes the window that ends first.
    ///
    /// - Returns: the record of its counted attempts.
    private mutating func closeFirst() -> AuditRecord? {
        guard head < order.count else { return nil }
        let counted = windows.removeValue(forKey: order[head].identity)?.counted
        head += 1
        if head == order.count || head > capacity {
            order.removeFirst(head)
            head = 0
        }
        return counted
    }
}
