/// From when to when each value was surely there for one process.
struct Presences {
    /// A value, and a time in which it was seen first and last.
    private struct Span {
        /// The value.
        let value: Int64
        /// The end of the first operation that saw it.
        var start: Int64
        /// The begin of the last operation that saw it.
        var end: Int64
    }

    /// The values, by when they were there first.
    private let spans: [Span]
    /// For each place in that order, which two of the values up to it were there longest.
    private let longest: [[Int]]

    /// Looks at what one process did with one key.
    init(_ operations: [Deed]) {
        var byValue: [Int64: Span] = [:]
        for operation in operations where operation.value != 0 {
            var span = byValue[operation.value] ?? Span(value: operation.value, start: .max, end: .min)
            span.start = min(span.start, operation.end)
            span.end = max(span.end, operation.begin)
            byValue[operation.value] = span
        }
        let spans = byValue.values.sorted { $0.start < $1.start }
        var best: [Int] = []
        self.spans = spans
        longest = spans.indices.map { index in
            best = Array((best + [index]).sorted { spans[$0].end > spans[$1].end }.prefix(2))
            return best
        }
    }

    /// A value that was there before an operation and after it, in whose place the operation saw another one.
    func around(_ operation: Deed) -> Int64? {
        var (low, high) = (0, spans.count)
        while low < high {
            let middle = (low + high) / 2
            if spans[middle].start < operation.begin { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return nil }
        return longest[low - 1].map { spans[$0] }.first { $0.value != operation.value && $0.end > operation.end }?.value
    }
}
