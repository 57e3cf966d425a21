/// A moment: microseconds since 1970-01-01 00:00:00 UTC, leap seconds not counted.
package struct Timestamp: Hashable, Sendable {
    /// Microseconds since 1970 UTC; negative before.
    package let microseconds: Int64

    /// Makes a moment of microseconds since 1970 UTC.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }
}

extension Timestamp: Comparable {
    /// Whether `left` is earlier than `right`.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }
}
