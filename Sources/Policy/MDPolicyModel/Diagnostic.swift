package import MDPropertyList

/// One finding about a policy file: what is wrong, the place, and a stable code.
package struct Diagnostic: Hashable, Sendable {
    /// The path as printed.
    package let file: String
    package let position: Position
    package let severity: Severity
    /// The stable code, the raw value of a ``LintCode``.
    package let code: String
    /// What is wrong and how to correct it, without place and without a full stop.
    package let message: String

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
    /// `file:line:column: error: message [code]`; in a binary file, `file: byte N` is the place.
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

/// The severity of a finding; the raw value is the word that is printed.
package enum Severity: String, Sendable, Hashable, CaseIterable {
    /// The file is not used in its present state.
    case error
    /// The file is used; an administrator should check it.
    case warning
}

extension Diagnostic {
    /// A sentence without its full stop, as the messages of findings are.
    package static func clause(_ sentence: String) -> String {
        sentence.utf8.last == UInt8(ascii: ".") ? String(sentence.dropLast()) : sentence
    }
}
