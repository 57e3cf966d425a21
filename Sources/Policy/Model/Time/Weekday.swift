/// A day of the week; the raw value counts from Monday, 0, as ISO 8601 orders them.
package enum Weekday: Int, Sendable, Hashable, CaseIterable {
    /// Monday.
    case monday
    /// Tuesday.
    case tuesday
    /// Wednesday.
    case wednesday
    /// Thursday.
    case thursday
    /// Friday.
    case friday
    /// Saturday.
    case saturday
    /// Sunday.
    case sunday

    /// The word of a policy file: `Mon`, `Tue`, `Wed`, `Thu`, `Fri`, `Sat` or `Sun`.
    package var word: String {
        switch self {
        case .monday: "Mon"
        case .tuesday: "Tue"
        case .wednesday: "Wed"
        case .thursday: "Thu"
        case .friday: "Fri"
        case .saturday: "Sat"
        case .sunday: "Sun"
        }
    }
}
