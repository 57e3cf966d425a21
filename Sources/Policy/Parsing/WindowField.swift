/// The fields of a window of a schedule or calendar.
enum WindowField: String, CaseIterable {
    /// The days on which it begins.
    case days = "Days"
    /// When it opens.
    case from = "From"
    /// When it closes.
    case to = "To"
    /// Whose clock counts.
    case timeZone = "TimeZone"

    /// Every name of a field, for suggestions.
    static let names: [String] = allCases.map(\.rawValue)
}
