/// The verdict of a report.
package enum ComplianceVerdict: String, Sendable, CaseIterable {
    /// Policy is in force as written, every key is enforced by a program, and no finding is an error.
    case compliant
    /// Policy is in force as written, and of some keys nothing is known to enforce them.
    case notCovered = "not all covered"
    /// No error is known, and something was not looked at: a home, a store, the log, a program that has policy in its files.
    case notLookedAt = "not all looked at"
    /// A part of policy is not in force as written, or it is unknown whether it is.
    case notCompliant = "not compliant"
    /// There is no result: policy was resolved for another moment than the present.
    case asIf = "as if"
    /// No key is forced or constrained for any user, and nothing is wrong.
    case nothing = "nothing to comply with"
}
