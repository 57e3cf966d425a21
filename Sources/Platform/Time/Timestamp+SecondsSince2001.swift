extension Timestamp {
    /// The seconds from 1970 to 2001, from where property lists count.
    private static let secondsTo2001: Double = 978_307_200

    /// Makes a moment of seconds since 2001-01-01 UTC, as a date of a property list has them, rounded to microseconds;
    /// `nil` outside of the years 0000 to 9999.
    package init?(secondsSince2001 seconds: Double) {
        let microseconds = ((seconds + Timestamp.secondsTo2001) * 1_000_000).rounded()
        guard let exact = Int64(exactly: microseconds), Timestamp.range.contains(exact) else { return nil }
        self.init(microseconds: exact)
    }
}
