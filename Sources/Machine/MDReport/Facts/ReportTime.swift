package import MDPlatform

/// Times in the texts of reports.
package enum ReportTime {
    /// A time without fractions: `2026-11-20 08:00:00 UTC`.
    package static func words(_ time: Timestamp) -> String {
        let text = time.rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8)) UTC"
    }
}
