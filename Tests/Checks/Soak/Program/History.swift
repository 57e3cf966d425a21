/// What all threads of all processes did, and whether defaults that work could have answered so.
///
/// Within a process a write takes effect, for every thread, at one moment between its begin and its end. For another process
/// it takes effect at one moment until the time of arrival after its end. Every value is written once, so that each reading
/// says which write it saw.
struct History {
    /// What was done, in any order.
    var operations: [Deed]
    /// How long a write takes at most to reach another process, in microseconds.
    var arrival: Int64

    /// What cannot be, a sentence each; empty where everything can.
    var violations: [String] {
        Dictionary(grouping: operations, by: \.key).sorted { $0.key < $1.key }.flatMap { check($0.value) }
    }

    /// Checks the operations of one key.
    ///
    /// Complexity: O(n log n).
    private func check(_ operations: [Deed]) -> [String] {
        let writes = operations.filter { $0.kind == .write }
        let byValue = Dictionary(grouping: writes, by: \.value)
        var result: [String] = []
        let local = Dictionary(grouping: writes, by: \.process).mapValues(Overwriting.init)
        let all = Overwriting(writes)
        for read in operations where read.kind == .read {
            // What a reading may have seen: a write that began before it ended, or the beginning, when there was nothing.
            var candidates = (byValue[read.value] ?? []).filter { $0.begin <= read.end }
            if read.value == 0 {
                candidates.append(
                    Deed(.write, process: -1, key: read.key, value: 0, begin: .min / 4, end: .min / 4))
            }
            let isPossible = candidates.contains { write in
                // Another write of the reader's process that began after this one ended, and ended before the reading.
                if write.process == read.process || write.process == -1,
                    local[read.process]?.hasWrite(after: write.end, before: read.begin) == true
                {
                    return false
                }
                // Any write that must have come after this one on disk, and must have arrived.
                return !all.hasWrite(after: write.end + arrival, before: read.begin - arrival)
            }
            if !isPossible { result.append("Key \(read.key): impossible reading: \(read.line)") }
        }
        return result + returning(operations)
    }

    /// Values that a process saw, saw replaced, and saw again; each is written once, so it cannot come back.
    private func returning(_ operations: [Deed]) -> [String] {
        Dictionary(grouping: operations, by: \.process).flatMap { (process, own) -> [String] in
            let presences = Presences(own)
            return own.compactMap { operation in
                guard operation.value != 0, let other = presences.around(operation) else { return nil }
                return "Process \(process) saw \(other) again after: \(operation.line)"
            }
        }
    }
}

/// Finds whether some write lies wholly within a time.
struct Overwriting {
    /// When the writes began, sorted.
    private let begins: [Int64]
    /// The earliest end among the writes from each place on.
    private let earliestEnds: [Int64]

    /// Sorts writes.
    init(_ writes: [Deed]) {
        let sorted = writes.sorted { $0.begin < $1.begin }
        begins = sorted.map(\.begin)
        var ends = sorted.map(\.end)
        for index in ends.indices.dropLast().reversed() { ends[index] = min(ends[index], ends[index + 1]) }
        earliestEnds = ends
    }

    /// Whether a write began after one time and ended before another.
    func hasWrite(after begin: Int64, before end: Int64) -> Bool {
        var (low, high) = (0, begins.count)
        while low < high {
            let middle = (low + high) / 2
            if begins[middle] > begin { high = middle } else { low = middle + 1 }
        }
        return low < begins.count && earliestEnds[low] < end
    }
}
