/// A time zone: when its clocks show what.
package struct Zone: Sendable {
    /// Its IANA name, where it is known.
    package let name: String?
    /// The seconds since 1970 UTC at which its time changes, ascending.
    let transitions: [Int64]
    /// The type of time from each of them on, an index into `types`; as many as there are transitions.
    let following: [UInt8]
    /// The kinds of time that it has, never none; the first one holds before the first transition.
    let types: [ZoneType]
    /// What holds from the last transition on; `nil` where the last type stays.
    let rule: ZoneRule?

    /// Makes a zone.
    init(name: String?, transitions: [Int64], following: [UInt8], types: [ZoneType], rule: ZoneRule?) {
        self.name = name
        self.transitions = transitions
        self.following = following
        self.types = types
        self.rule = rule
    }

    /// Universal time.
    package static let utc = Zone(
        name: "UTC", transitions: [], following: [], types: [ZoneType(offset: 0, abbreviation: "UTC")], rule: nil)

    /// The same zone under another name.
    func named(_ name: String?) -> Zone {
        Zone(name: name, transitions: transitions, following: following, types: types, rule: rule)
    }

    /// What the clock on the wall shows at a moment.
    ///
    /// Complexity: O(log n) of the number of transitions.
    package func local(at time: Timestamp) -> LocalTime {
        let second = Zone.second(of: time)
        let type = type(at: second)
        return LocalTime(second: second, offset: type.offset, abbreviation: type.abbreviation)
    }

    /// The first moment after another one at which the wall clock jumps; `nil` where it never does again.
    package func nextTransition(after time: Timestamp) -> Timestamp? {
        let second = Zone.second(of: time)
        let offset = type(at: second).offset
        for index in transitions[firstIndex(after: second)...].indices {
            let transition = transitions[index]
            if type(at: transition).offset != offset { return Zone.timestamp(ofSecond: transition) }
        }
        guard let rule else { return nil }
        let start = max(second, transitions.last ?? second)
        return rule.nextTransition(after: start).flatMap(Zone.timestamp(ofSecond:))
    }

    /// The type of time at a second since 1970.
    private func type(at second: Int64) -> ZoneType {
        let index = firstIndex(after: second)
        if index == transitions.count, let rule { return rule.type(at: second) }
        return index == 0 ? types[0] : types[Int(following[index - 1])]
    }

    /// The index of the first transition after a second.
    private func firstIndex(after second: Int64) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= second { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The second in which a moment lies.
    private static func second(of time: Timestamp) -> Int64 {
        Calendar.divide(time.microseconds, 1_000_000).0
    }

    /// The moment at which a second begins; `nil` where a timestamp cannot tell it.
    private static func timestamp(ofSecond second: Int64) -> Timestamp? {
        let (microseconds, overflow) = second.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? nil : Timestamp(microseconds: microseconds)
    }
}
