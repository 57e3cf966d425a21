import Platform
import PropertyList

extension PolicyFile {
    /// The most rounds of changes: one may bring to light what the next one mends.
    private static let roundLimit = 8
    /// The byte order mark of UTF-8.
    private static let mark: [UInt8] = [0xef, 0xbb, 0xbf]

    /// Mends what has one answer, and leaves every other byte of the file as it is.
    ///
    /// Profiles, binary files and UTF-16 are left alone. A round of changes counts only where it, or one after it, leaves
    /// fewer findings than there were.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its path, which decides the format by its suffix.
    /// - Returns: the file as it should be, and what was done; no changes where there is nothing to mend.
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
            // What no longer parses was no mending.
            guard let next = round(bytes, path: path, kind) else { break }
            if next.findings < best.findings { best = (bytes, fixes, next.findings) }
            state = next
        }
        return (best.bytes, best.fixes)
    }

    /// The file without the NUL bytes at its end, where it is a property list without them.
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

    /// What is wrong with a file, and the changes that its text allows, in order and without an overlap.
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

    /// A file with changes made, which stand in order.
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
