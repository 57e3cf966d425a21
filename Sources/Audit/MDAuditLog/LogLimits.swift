package import MDAuditRecord
package import MDPlatform

/// How long records of a log are retained, and in which pieces.
package struct LogLimits: Hashable, Sendable {
    /// The number of records of a segment, a power of two; a log that has segments stays with theirs.
    package var segment = 65_536
    /// The most bytes of a log.
    package var bytes = 2 << 30
    /// The most of the file system, as its part.
    package var share = 20
    /// The age below which no segment is deleted, in microseconds.
    package var youngest: Int64 = 30 * LogLimits.day
    /// The age from which a segment is deleted, in microseconds; `nil` if age alone deletes none.
    package var oldest: Int64?

    /// The microseconds of a day.
    private static let day: Int64 = 86_400_000_000

    /// Makes the usual limits.
    package init() {}

    /// The limits that the administrator of a machine chose, or the usual ones.
    package init(of root: Root) {
        self.init(AuditSettings(of: root))
    }

    /// The limits of a file of settings; what has to be deleted at some age may be deleted then.
    package init(_ settings: AuditSettings) {
        if let megabytes = settings.maximumMegabytes { bytes = megabytes << 20 }
        if let days = settings.minimumDays { youngest = Int64(days) * LogLimits.day }
        guard let days = settings.maximumDays else { return }
        oldest = Int64(days) * LogLimits.day
        youngest = min(youngest, Int64(days) * LogLimits.day)
    }

    /// The age below which no segment is deleted, in whole days.
    var leastDays: Int { Int(max(youngest, 0) / LogLimits.day) }

    /// A number of days as an age, in microseconds.
    package static func age(ofDays days: Int) -> Int64 {
        Int64(days).multipliedReportingOverflow(by: day).partialValue
    }

    /// The most bytes of a log in the directory of logs of a root.
    func mostBytes(_ root: Root) -> Int {
        guard let size = try? root.fileSystemSize(LogFiles.directory), size > 0 else { return bytes }
        return min(bytes, size / max(share, 1))
    }

    /// Whether a segment may be deleted now to save space, and whether its age demands it.
    func judge(_ segment: LogSegment, now: Timestamp) -> (mayGo: Bool, mustGo: Bool) {
        guard let end = segment.end else { return (false, false) }
        let (age, overflow) = now.microseconds.subtractingReportingOverflow(end.microseconds)
        guard !overflow, age >= youngest else { return (false, false) }
        return (true, oldest.map { age >= $0 } ?? false)
    }
}
