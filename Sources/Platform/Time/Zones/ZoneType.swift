/// A kind of local time that a zone has at times.
struct ZoneType: Hashable, Sendable {
    /// How many seconds the wall clock is ahead of UTC.
    let offset: Int
    /// What people call it: `CET`.
    let abbreviation: String
}
