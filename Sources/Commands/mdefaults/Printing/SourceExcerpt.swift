import MDPlatform
import MDPolicyAdministration
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// The lines of files that errors of syntax are in, each with a caret below the place.
struct SourceExcerpt {
    /// The content of standard input.
    let input: [UInt8]?
    /// The machine that paths belong to; `nil` for paths as the shell has them.
    let root: Root?
    /// The lines of the file of the last finding, which the next one is mostly about too.
    private var last: (file: String, lines: [ArraySlice<UInt8>])?

    /// The codes of errors that a look at the line explains.
    private static let codes: Set<String> = Set(
        [
            LintCode.syntax, .truncated, .trailingContent, .duplicateKey, .encoding, .number, .date, .data,
            .unsupported, .unknownField, .wrongType, .invalidValue, .unknownVariable,
        ].map(\.rawValue))
    /// The most columns that are shown.
    private static let width = 100

    init(input: [UInt8]?, root: Root?) { (self.input, self.root) = (input, root) }

    /// The line of a finding and a caret; none for other findings, and for a file that cannot be read.
    mutating func lines(of finding: Diagnostic) -> [String] {
        let number = finding.position.line - 1
        guard finding.severity == .error, SourceExcerpt.codes.contains(finding.code), !finding.position.isBinary,
            case let lines = lines(ofFile: finding.file), lines.indices.contains(number)
        else { return [] }
        let line = lines[number].filter { $0 != 0x0d }
        let text = Array(String(decoding: line, as: UTF8.self).unicodeScalars)
        let column = max(finding.position.column - 1, 0)
        guard column <= text.count, !text.isEmpty else { return [] }
        let start = max(0, column - SourceExcerpt.width * 2 / 3)
        let shown = text[start...].prefix(SourceExcerpt.width).map { scalar in
            scalar == "\t" ? " " : Printable.isHidden(scalar) ? "\u{fffd}" : String(scalar)
        }
        return ["    " + shown.joined(), "    " + String(repeating: " ", count: column - start) + "^"]
    }

    /// The lines of a file; none if it cannot be read.
    private mutating func lines(ofFile file: String) -> [ArraySlice<UInt8>] {
        if let last, last.file == file { return last.lines }
        let source = content(file).flatMap { try? SourceText(decoding: $0) }
        let lines = source?.utf8.split(separator: 0x0a, omittingEmptySubsequences: false) ?? []
        last = (file, lines)
        return lines
    }

    /// The bytes of a file.
    private func content(_ file: String) -> [UInt8]? {
        if file == Lint.standardInput { return input }
        // A path of a machine in a folder is shown with the folder.
        let path = (root?.isSystem ?? false) ? file : (try? CallerPath.absolute(file))
        return path.flatMap { try? Root.system.read($0, limit: PolicyFile.limits.bytes).bytes }
    }
}
