package import PropertyList

/// Something wrong with a policy file: what, where, and under which stable code.
package struct Diagnostic: Hashable, Sendable {
    /// The path as people are shown it.
    package let file: String
    /// The place in the file.
    package let position: Position
    /// How bad it is.
    package let severity: Severity
    /// The stable code, the raw value of a ``LintCode``.
    package let code: String
    /// What is wrong and what to do, without place and without a full stop.
    package let message: String

    /// Makes a finding.
    package init(
        file: String, position: Position = .start, severity: Severity = .error, code: LintCode, message: String
    ) {
        self.file = file
        self.position = position
        self.severity = severity
        self.code = code.rawValue
        self.message = message
    }
}

extension Diagnostic: CustomStringConvertible {
    /// `file:line:column: error: message [code]`; in a binary file, `file: byte N` stands for the place.
    package var description: String {
        let place = position.isBinary ? "\(file): \(position)" : "\(file):\(position)"
        return "\(place): \(severity.rawValue): \(message) [\(code)]"
    }
}

extension Diagnostic: Comparable {
    /// Orders findings by file, then by place, then by code and message.
    package static func < (left: Diagnostic, right: Diagnostic) -> Bool {
        if left.file != right.file { return Key(left.file) < Key(right.file) }
        if left.position.offset != right.position.offset { return left.position.offset < right.position.offset }
        if left.code != right.code { return Key(left.code) < Key(right.code) }
        return Key(left.message) < Key(right.message)
    }
}
