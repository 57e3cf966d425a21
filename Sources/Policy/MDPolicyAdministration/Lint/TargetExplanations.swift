import MDPolicyModel

extension LintCode {
    /// The explanation of a code about targets on this machine; `nil` for codes of other topics.
    var targetExplanation: LintExplanation? {
        switch self {
        case .unknownUser:
            LintExplanation(
                "A user that this machine does not know: no account file and no service of nsswitch.conf has the name, or none "
                    + "has it and one does not answer, as the message says. In account files a name counts as it is spelt.",
                example: "\"Users\": [\"alcie\"]",
                advice: "Correct the name, if it is meant for this machine.")
        case .unknownGroup:
            LintExplanation(
                "A group that this machine does not know; see unknown-user.",
                example: "\"Groups\": [\"student\"]",
                advice: "Correct the name, if it is meant for this machine.")
        case .otherSpelling:
            LintExplanation(
                "A user or group that a directory service has in another spelling, as sssd does without regard to case. The "
                    + "name counts all the same: what decides is the id that the service answers.",
                example: "\"Groups\": [\"Domain Users\"], which sssd calls domain users",
                advice: "Nothing; or write the name as the service does.")
        case .noMatchingHost:
            LintExplanation(
                "A target, or a waiver, none of whose host patterns matches this machine. Of a target it is said only where "
                    + "no file names this machine's place: else it is one of a set for several places.",
                example: "\"Hosts\": [\"room2-*\"] on room1-pc03",
                advice: "Nothing, if the file is for other machines.")
        case .noMatchingTag:
            LintExplanation(
                "A target, or a waiver, none of whose tags this machine has; of a target as with no-matching-host.",
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
