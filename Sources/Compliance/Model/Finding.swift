import Policy
package import PropertyList

/// Something that a report's reader must know of: what, where, and how much it weighs.
package struct Finding: Hashable, Sendable {
    /// How much it weighs.
    package let severity: FindingSeverity
    /// A stable code: one of those of lint, or one of this report, as `damaged-preferences` is.
    package let code: String
    /// The file as people are shown it, not escaped; `nil` where it is about no file.
    package let file: String?
    /// The place in the file; `nil` where it is about the whole file.
    package let position: Position?
    /// The user whose file it is; `nil` for the machine's.
    package let user: String?
    /// What is wrong and what follows from it, without a full stop.
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

    /// Takes over a finding of the policy's check.
    init(_ diagnostic: Diagnostic) {
        self.init(
            diagnostic.severity == .error ? .error : .warning, code: diagnostic.code, file: diagnostic.file,
            position: diagnostic.position, message: diagnostic.message)
    }
}
