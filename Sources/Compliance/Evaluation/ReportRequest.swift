package import Platform

/// What a report is asked for.
package struct ReportRequest: Sendable {
    /// A title, or `nil`.
    package var title: String?
    /// The earliest attempt, itself included; `nil` for all.
    package var since: Timestamp?
    /// The latest attempt, itself included; `nil` for all.
    package var until: Timestamp?
    /// When the report is made.
    package var time: Timestamp
    /// The version of the program that makes it.
    package var version: String

    /// Makes a request.
    package init(
        title: String? = nil, since: Timestamp? = nil, until: Timestamp? = nil, time: Timestamp, version: String
    ) {
        (self.title, self.since, self.until) = (title, since, until)
        (self.time, self.version) = (time, version)
    }
}
