import MDPolicyModel

extension LintCode {
    /// The explanation of a code about times and waivers; `nil` for codes of other topics.
    var timeExplanation: LintExplanation? {
        switch self {
        case .expired:
            LintExplanation(
                "A target whose NotAfter has passed.",
                example: "\"NotAfter\": \"2020-01-01T00:00:00Z\"",
                advice: "Remove the file, or move NotAfter.")
        case .neverStarts:
            LintExplanation(
                "A target that never applies: it ends before it begins, or no window of its schedule opens.",
                example: "\"NotBefore\": \"2027-01-01T00:00:00Z\", \"NotAfter\": \"2026-01-01T00:00:00Z\"",
                advice: "Mend the times or the days.")
        case .unknownZone:
            LintExplanation(
                "A time zone that cannot be read; its window counts as open.",
                example: "\"TimeZone\": \"Europe/Zuerich\"",
                advice: "Use a name of the IANA database, or install it (package tzdata).")
        case .unknownCalendar:
            LintExplanation(
                "A schedule names a calendar that no file in force has; it counts as open.",
                example: "\"Schedule\": \"exam-weak\"",
                advice: "Correct the name, or install the file with the calendar.")
        case .duplicateCalendar:
            LintExplanation(
                "Two files have a calendar of one name; one of them counts for all schedules.",
                example: "\"Calendars\": { \"exam-week\": [] } in two files",
                advice: "Rename or remove one.")
        case .unusedCalendar:
            LintExplanation(
                "A calendar that no Schedule of any file names.",
                example: "\"Calendars\": { \"exam-weak\": [] } where schedules name \"exam-week\"",
                advice: "Correct the name, or remove the calendar.")
        case .waiverWithoutReason:
            LintExplanation(
                "A waiver without Reason.",
                example: "{ \"Domain\": \"a.b\", \"Key\": \"K\" }",
                advice: "Say why, for whoever reads the report.")
        case .waiverWithoutEnd:
            LintExplanation(
                "A waiver without Until, which never ends.",
                example: "{ \"Domain\": \"a.b\", \"Key\": \"K\", \"Reason\": \"thesis\" }",
                advice: "Give it an end; it can be moved later.")
        case .expiredWaiver:
            LintExplanation(
                "A waiver whose Until has passed; it lifts nothing any more.",
                example: "\"Until\": \"2020-01-01T00:00:00Z\"",
                advice: "Remove it, or move Until.")
        default: nil
        }
    }
}
