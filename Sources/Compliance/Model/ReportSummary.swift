/// The numbers of a report.
package struct ReportSummary: Hashable, Sendable {
    /// The hosts that the report covers.
    package var hosts = 1
    /// The users that it covers.
    package var users = 0
    /// The forced keys that are known, counted for each user.
    package var keys = 0
    /// The keys that are forced as the policy files say now.
    package var compliant = 0
    /// The keys that an earlier version of their file forces, because the file cannot be used, or not be read by the user.
    package var nonCompliant = 0
    /// The keys whose value nobody can tell, or of users of whom nobody can tell what is forced.
    package var unknown = 0
    /// The keys that waivers in force lift, counted for each user.
    package var waived = 0
    /// The keys beneath which a user has stored another value, which has no effect.
    package var hidden = 0
    /// The keys beneath which a user has stored the forced value.
    package var equal = 0
    /// The stored values that constraints do not allow.
    package var outside = 0
    /// The override attempts on record, repeated ones counted.
    package var attempts = 0
    /// The attempts that were counted and not stored, as the log and users' spools say.
    package var dropped = 0
    /// The payloads of profiles that nothing here carries out.
    package var notCovered = 0
    /// The policy files of which nothing, or only a last good copy, is in force.
    package var brokenFiles = 0
}
