import PropertyList

/// A file that loads, as lint looks at it.
struct LintFile {
    /// What it holds.
    let policy: PolicyFile
    /// The path as people are shown it.
    let shownPath: String

    /// A place in the file as people are shown it.
    func place(_ position: Position) -> String {
        position.isBinary ? "\(shownPath): \(position)" : "\(shownPath):\(position)"
    }

    /// A warning at a place of the file.
    func warning(_ code: LintCode, at position: Position, _ message: String) -> Diagnostic {
        Diagnostic(file: shownPath, position: position, severity: .warning, code: code, message: message)
    }
}
