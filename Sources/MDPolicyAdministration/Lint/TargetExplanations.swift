import MDPolicyModel

extension LintCode {
    /// The explanation of a code about targets on this machine; `nil` for codes of other topics.
    var targetExplanation: LintExplanation? {
        switch self {
        case .unknownUser:
            LintExplanation(
                "A user that this machine does not know.",
                example: "\"Users\": [\"alcie\"]",
                advice: "Correct the name, if it is meant for this machine.")
        case .unknownGroup:
            LintExplanation(
                "A group that this machine does not know.",
                example: "\"Groups\": [\"student\"]",
                advice: "Correct the name, if it is meant for this machine.")
        case .noMatchingHost:
            LintExplanation(
                "A target, or a waiver, none of whose host patterns matches this machine.",
                example: "\"Hosts\": [\"room2-*\"] on room1-pc03",
                advice: "Nothing, if the file is for other machines.")
        case .noMatchingTag:
            LintExplanation(
                "A target, or a waiver, none of whose tags this machine has.",
                example: "\"Tags\": [\"lab\"] on a machine of the library",
                advice: "Nothing, if the file is for other machines; else add the word to "
                    + "/etc/managed-defaults/tags.")
        case .matchesNobody:
            LintExplanation(
                "A target, or a waiver, that matches nobody on this machine: unknown names, users outside of its groups, "
                    + "groups without anybody, or exceptions that take everybody out or name the machine. Users who are "
                    + "named are asked for one by one. Whether a group has anybody is told by etc/passwd and etc/group "
                    + "beneath --root, and else by getent; nothing is said where a directory service takes part that "
                    + "does not list everybody (anything in nsswitch.conf but files, systemd and copies of files), or "
                    + "where pam_group gives groups at login.",
                example: "\"Groups\": [\"students\"], \"Except\": { \"Groups\": [\"students\"] }",
                advice: "Mend the clauses.")
        default: nil
        }
    }
}

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
