/// What a report comes to.
package enum ComplianceVerdict: String, Sendable {
    /// Policy is in force as written, and nothing speaks against it.
    case compliant
    /// Something that policy says is not in force as written, or it is unknown whether it is.
    case notCompliant = "not compliant"
    /// No key is forced or constrained for anybody, and nothing is wrong.
    case nothing = "nothing to comply with"
}
