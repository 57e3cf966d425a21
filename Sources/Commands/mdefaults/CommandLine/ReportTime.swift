import MDPlatform
import MDReport

/// The clock of a report, and the moment that it asks about.
enum ReportTime {
    /// The variable that reproducible builds have for the time.
    private static let variable = "SOURCE_DATE_EPOCH"

    /// The moment in ``variable`` under `--root`, from which all times of the command then count; `nil` for the clock.
    ///
    /// - Throws: a usage failure for a value that is no time.
    static func givenClock(_ context: Context) throws(Failure) -> Timestamp? {
        guard !(try context.isSystem()), let text = Environment.values(of: [variable])[variable] else { return nil }
        let largest = Timestamp.range.upperBound / 1_000_000
        guard let seconds = Int64(text), (0...largest).contains(seconds) else {
            throw .usage("\(variable) needs a number of seconds since 1970, not \(Printable.escape(text)).")
        }
        let time = Timestamp(microseconds: seconds * 1_000_000)
        context.givenClock = time
        return time
    }

    /// The moment of `--at`; `nil` without it.
    ///
    /// - Throws: a usage failure for a moment that is past, because nothing here knows what was then.
    static func asIf(_ context: Context, of verb: any Verb.Type) throws(Failure) -> Timestamp? {
        guard let time = try context.at() else { return nil }
        let now = context.givenClock ?? Clock.now()
        if time.microseconds < now.microseconds - 1_000_000 {
            throw .usage(
                "--at \(time.rfc3339) is past, and files, homes and the log are those of now. What was then say reports"
                    + " that were kept; mdefaults report merge shows them day by day.", of: verb)
        }
        return time
    }
}
