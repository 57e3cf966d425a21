package import MDPlatform
import MDPolicyCore
package import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList

/// A policy file with automatic fixes, which are not written yet.
package struct FixedFile: Sendable {
    /// The path of the file beneath its root.
    package let path: String
    /// The path for messages.
    package let shownPath: String
    /// The fixed content.
    package let bytes: [UInt8]
    /// The status of the file when it was read.
    package let status: FileStatus
    /// The fixes made.
    package let fixes: [LintFix]
}

extension Lint {
    /// Finds automatic fixes for named files and the files of named folders.
    ///
    /// Unreadable files and files that are not policy files are skipped.
    package static func fixes(files paths: [String]) -> [FixedFile] {
        let input = LintInput(paths)
        return input.sets.flatMap { set in
            set.checked.compactMap { path in
                fixed(LintInput.path(path), in: .system, shownPath: path, isNamed: set.isNamed)
            }
        }
    }

    /// Finds automatic fixes for the policy files beneath a root; links are skipped.
    package static func fixes(root: Root) -> [FixedFile] {
        PolicyDirectory.allCases.flatMap { place in
            let names = ((try? root.names(in: place.directory)) ?? []).map { Key($0) }.sorted().map(\.string)
            return names.compactMap { name -> FixedFile? in
                let path = place.path(name)
                guard PolicyFileName.reasonToIgnore(name) == nil,
                    (try? root.status(path, followingLinks: false))?.kind == .regular
                else { return nil }
                return fixed(path, in: root, shownPath: root.display(path), isNamed: true)
            }
        }
    }

    /// Finds the fixes of one file; `nil` if there are none.
    private static func fixed(_ path: String, in root: Root, shownPath: String, isNamed: Bool) -> FixedFile? {
        guard let file = try? root.read(path, limit: PolicyFile.limits.bytes),
            isNamed || OtherPurpose(file.bytes, path: path) == nil
        else { return nil }
        let (bytes, fixes) = PolicyFile.fixed(file.bytes, path: path)
        if fixes.isEmpty { return nil }
        return FixedFile(path: path, shownPath: shownPath, bytes: bytes, status: file.status, fixes: fixes)
    }
}

extension PolicyFile {
    /// The most rounds of fixes: one may uncover an error that the next one fixes.
    private static let roundLimit = 8
    /// The byte order mark of UTF-8.
    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Fixes errors that have only one possible correction, and leaves all other bytes unchanged.
    ///
    /// Profiles, binary files and UTF-16 are skipped. A round of fixes counts only if it, or a later one, reduces the
    /// number of findings.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: the path, whose suffix decides the format.
    /// - Returns: the fixed content and the fixes; no fixes if there is nothing to fix.
    package static func fixed(_ bytes: [UInt8], path: String) -> (bytes: [UInt8], fixes: [LintFix]) {
        let kind = PolicyFileName.kind(of: path)
        guard kind == .json || kind == .propertyList, !bytes.starts(with: [0xff, 0xfe]),
            !bytes.starts(with: [0xfe, 0xff])
        else { return (bytes, []) }
        var (bytes, fixes) = withoutPadding(bytes, kind)
        guard var state = round(bytes, path: path, kind) else { return (bytes, fixes) }
        var best = (bytes: bytes, fixes: fixes, findings: state.findings)
        for _ in 0..<roundLimit where !state.fixes.isEmpty {
            bytes = applied(state.fixes, to: bytes)
            fixes += state.fixes
            // A file that no longer parses was not fixed.
            guard let next = round(bytes, path: path, kind) else { break }
            if next.findings < best.findings { best = (bytes, fixes, next.findings) }
            state = next
        }
        return (best.bytes, best.fixes)
    }

    /// The file without the NUL bytes at its end, if it is a valid property list without them.
    private static func withoutPadding(
        _ bytes: [UInt8], _ kind: PolicyFileName.Kind?
    ) -> (bytes: [UInt8], fixes: [LintFix]) {
        guard bytes.last == 0 else { return (bytes, []) }
        let text = Array(bytes.prefix((bytes.lastIndex { $0 != 0 } ?? -1) + 1))
        guard let document = try? Document.read(text, as: kind == .json ? .json : nil, limits: limits),
            document.format != .binary
        else { return (bytes, []) }
        let count = bytes.count - text.count
        let words = "removed \(count) NUL \(count == 1 ? "byte" : "bytes") from the end"
        let fix = LintFix(
            position: document.source.position(at: document.source.utf8.count), code: .trailingContent, words: words,
            range: text.count..<bytes.count, replacement: [])
        return (text, [fix])
    }

    /// The findings about a file, and the fixes that its text allows, in order and without overlaps.
    private static func round(
        _ bytes: [UInt8], path: String, _ kind: PolicyFileName.Kind?
    ) -> (findings: Int, fixes: [LintFix])? {
        guard let document = try? Document.read(bytes, as: kind == .json ? .json : nil, limits: limits),
            let root = document.root.entries
        else { return nil }
        var parser = PolicyParser(document, root: root, path: path, shownPath: path, refused: .none)
        parser.fixable = FixableText(document)
        parser.parse(root: root, rootOffset: document.root.offset)
        parser.checkDuplicates(document.root)
        var fixes: [LintFix] = []
        for fix in parser.fixes.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where fix.range.lowerBound >= fixes.last?.range.upperBound ?? 0 {
            fixes.append(fix)
        }
        return (parser.findings, fixes)
    }

    /// Applies fixes, which are in order, to a file.
    private static func applied(_ fixes: [LintFix], to bytes: [UInt8]) -> [UInt8] {
        let start = bytes.starts(with: mark) ? mark.count : 0
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        for fix in fixes {
            result += bytes[index..<start + fix.range.lowerBound]
            result += fix.replacement
            index = start + fix.range.upperBound
        }
        return result + bytes[index...]
    }
}
