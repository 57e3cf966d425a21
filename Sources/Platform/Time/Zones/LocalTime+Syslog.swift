extension LocalTime {
    /// The names of the months as RFC 3164 has them.
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The time as it stands in a line of the system's log (RFC 3164, section 4.1.2): `Nov  3 09:00:07`.
    package var syslog: String {
        let (_, month, day) = Calendar.date(ofDay: day)
        let name = LocalTime.months.indices.contains(month - 1) ? LocalTime.months[month - 1] : LocalTime.months[0]
        let time = [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(name) \(day < 10 ? " " : "")\(day) \(time.joined(separator: ":"))"
    }
}
