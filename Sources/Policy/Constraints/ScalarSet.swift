/// A set of Unicode scalars, as a class of a regular expression names it.
struct ScalarSet: Hashable, Sendable {
    /// Every scalar: surrogates are none.
    private static let all: [ClosedRange<UInt32>] = [0...0xd7ff, 0xe000...0x10ffff]
    /// `\d`: the ASCII digits.
    static let digits = ScalarSet([0x30...0x39])
    /// `\w`: ASCII letters, digits and the underscore.
    static let wordCharacters = ScalarSet([0x30...0x39, 0x41...0x5a, 0x5f...0x5f, 0x61...0x7a])
    /// `\s`: blank, tab, line feed, vertical tab, form feed and carriage return.
    static let blanks = ScalarSet([0x09...0x0d, 0x20...0x20])

    /// The scalars, in ascending stretches that neither overlap nor touch.
    private let ranges: [ClosedRange<UInt32>]

    /// Makes a set of stretches in any order.
    init(_ stretches: [ClosedRange<UInt32>]) {
        var merged: [ClosedRange<UInt32>] = []
        for range in stretches.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, UInt64(range.lowerBound) <= UInt64(last.upperBound) + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        ranges = merged
    }

    /// The stretches of the set.
    var stretches: [ClosedRange<UInt32>] { ranges }

    /// Whether the set holds nothing.
    var isEmpty: Bool { ranges.isEmpty }

    /// Every scalar that is not in the set.
    var inverted: ScalarSet {
        var result: [ClosedRange<UInt32>] = []
        for whole in ScalarSet.all {
            var next = whole.lowerBound
            for range in ranges where range.overlaps(whole) {
                if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
                next = max(next, range.upperBound + 1)
            }
            if next <= whole.upperBound { result.append(next...whole.upperBound) }
        }
        return ScalarSet(result)
    }

    /// Whether a scalar is in the set.
    ///
    /// Complexity: O(log stretches).
    func contains(_ scalar: UInt32) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < scalar { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count && ranges[low].lowerBound <= scalar
    }
}
