import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The line of a file that an error of syntax is in, with a caret below the place.
enum SourceExcerpt {
    /// The codes of errors that a look at the line explains.
    private static let codes: Set<String> = Set(
        [
            LintCode.syntax, .truncated, .trailingContent, .duplicateKey, .encoding, .number, .date, .data,
            .unsupported, .unknownField, .wrongType, .invalidValue, .unknownVariable,
        ].map(\.rawValue))
    /// The most columns that are shown.
    private static let width = 100

    /// The line of a finding and a caret; none for other findings, and for a file that cannot be read.
    ///
    /// - Parameters:
    ///   - finding: the finding.
    ///   - input: the content of standard input.
    ///   - root: the machine that the path belongs to; `nil` for a path as the shell has it.
    /// - Returns: two lines or none.
    static func lines(of finding: Diagnostic, input: [UInt8]? = nil, root: Root? = nil) -> [String] {
        guard finding.severity == .error, codes.contains(finding.code), !finding.position.isBinary,
            finding.position.line > 0, let bytes = content(finding.file, input, root),
            let source = try? SourceText(decoding: bytes)
        else { return [] }
        let lines = source.utf8.split(
            separator: 0x0a, maxSplits: finding.position.line, omittingEmptySubsequences: false)
        guard finding.position.line <= lines.count else { return [] }
        let line = lines[finding.position.line - 1].filter { $0 != 0x0d }
        let text = Array(String(decoding: line, as: UTF8.self).unicodeScalars)
        let column = max(finding.position.column - 1, 0)
        guard column <= text.count, !text.isEmpty else { return [] }
        let start = max(0, column - width * 2 / 3)
        let shown = text[start...].prefix(width).map { scalar in
            scalar == "\t" ? " " : Printable.isHidden(scalar) ? "\u{fffd}" : String(scalar)
        }
        return ["    " + shown.joined(), "    " + String(repeating: " ", count: column - start) + "^"]
    }

    /// The bytes of the file.
    private static func content(_ file: String, _ input: [UInt8]?, _ root: Root?) -> [UInt8]? {
        if file == Lint.standardInput { return input }
        // A path of a machine in a folder is shown with the folder.
        let path = (root?.isSystem ?? false) ? file : (try? CallerPath.absolute(file))
        return path.flatMap { try? Root.system.read($0, limit: PolicyFile.limits.bytes).bytes }
    }
}
