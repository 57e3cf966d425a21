import MDCare
import MDPolicyModel
package import MDPropertyList

/// One result of a report: a problem or a remark, with its place and severity.
package struct Finding: Hashable, Sendable {
    package let severity: FindingSeverity
    /// A stable code: one of lint, or one of reports, for example `damaged-preferences`.
    package let code: String
    /// The display path of the file, not escaped; `nil` if the finding is not about a file.
    package let file: String?
    /// The place in the file; `nil` if the finding is about the whole file.
    package let position: Position?
    /// The user whose file it is; `nil` if it belongs to the machine.
    package let user: String?
    /// What is wrong and its consequence, without a full stop.
    package let message: String

    /// Makes a finding.
    package init(
        _ severity: FindingSeverity, code: String, file: String? = nil, position: Position? = nil,
        user: String? = nil, message: String
    ) {
        self.severity = severity
        self.code = code
        self.file = file
        self.position = position
        self.user = user
        self.message = message
    }

    /// Converts a finding of lint.
    init(_ diagnostic: Diagnostic) {
        self.init(
            diagnostic.severity == .error ? .error : .warning, code: diagnostic.code, file: diagnostic.file,
            position: diagnostic.position, message: diagnostic.message)
    }
}

/// The severity of a finding; the raw value is part of the JSON report.
package enum FindingSeverity: String, Sendable, CaseIterable {
    /// Policy is not in force as written, or the audit log does not verify: the report is not compliant.
    case error
    /// An administrator should check it; policy is in force nevertheless.
    case warning
    /// A remark on something that is probably intended.
    case note
}
