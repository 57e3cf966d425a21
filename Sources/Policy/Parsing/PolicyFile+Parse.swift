package import Platform
import PropertyList

extension PolicyFile {
    /// The bounds of a policy file.
    ///
    /// 16 MiB hold three times the 100,000 keys that the largest measured policy set has; the depth is that of every
    /// property list.
    static let limits = Limits(
        bytes: 16 << 20, depth: Limits.standard.depth, objects: Limits.standard.objects)

    /// Reads a policy file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its path beneath the root, which decides the format by its suffix.
    ///   - shownPath: the path as people are shown it, where that is another one.
    ///   - digest: the digest of the bytes, where the caller has it.
    ///   - refused: fields of the format that are a mistake, because they would not be in force.
    /// - Returns: the file, or `nil` where one of the findings is an error; and every finding, in the order of their
    ///   places. Only a mistake of the encoding itself ends the search for more.
    package static func parse(
        bytes: [UInt8], path: String, shownPath: String? = nil, digest: Digest? = nil,
        refusing refused: RefusedFields = .current
    ) -> (file: PolicyFile?, diagnostics: [Diagnostic]) {
        let shown = shownPath ?? path
        let kind = PolicyFileName.kind(of: path)
        if kind == .profile {
            return ProfileParser.parse(bytes: bytes, path: path, shownPath: shown, digest: digest)
        }
        let document: Document
        let root: [Node.Entry]
        do {
            document = try Document.read(bytes, as: kind == .json ? .json : nil, limits: limits)
            root = try document.rootEntries()
        } catch {
            return (nil, [rootless(bytes, shown) ?? diagnostic(of: error, shown, severity: .error)])
        }
        var parser = PolicyParser(document, root: root, path: path, shownPath: shown, refused: refused)
        parser.parse(root: root, rootOffset: document.root.offset)
        if document.mayRepeatKeys { parser.checkDuplicates(document.root) }
        // Keys that stand twice were just found, whatever the reader says of them.
        let warnings = document.warnings.filter { $0.code != .duplicateKey }
        let all = parser.diagnostics + warnings.map { diagnostic(of: $0, shown, severity: .warning) }
        var diagnostics = all.sorted()
        if parser.findings > PolicyParser.findingLimit {
            diagnostics.append(
                Diagnostic(
                    file: shown, code: .invalidValue,
                    message: "there are \(parser.findings) findings, and this list ends after"
                        + " \(PolicyParser.findingLimit)"))
        }
        if parser.hasErrors { return (nil, diagnostics) }
        return (parser.file(digest: digest ?? SHA256.hash(bytes)), diagnostics)
    }

    /// The time zones that the windows of a file name which has mistakes: none for one that cannot be read, or is a profile.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its path, which decides the format by its suffix.
    /// - Returns: the names that zones can have, each with where its window stands.
    static func zones(bytes: [UInt8], path: String) -> [(name: Key, position: Position)] {
        let kind = PolicyFileName.kind(of: path)
        guard kind != .profile,
            let document = try? Document.read(bytes, as: kind == .json ? .json : nil, limits: limits),
            let root = try? document.rootEntries()
        else { return [] }
        var parser = PolicyParser(document, root: root, path: path, shownPath: path, refused: .current)
        parser.zones = []
        parser.parse(root: root, rootOffset: document.root.offset)
        return (parser.zones ?? []).prefix(PolicyParser.findingLimit).map { zone in
            (zone.name, parser.cursor.position(of: zone.offset))
        }
    }

    /// What is wrong with a file that cannot be read because `<plist>` is missing; `nil` for any other.
    private static func rootless(_ bytes: [UInt8], _ shown: String) -> Diagnostic? {
        let start = bytes.prefix(1 << 12).drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
        guard ["<key>", "<dict>"].contains(where: { start.starts(with: $0.utf8) }) else { return nil }
        return Diagnostic(
            file: shown, position: .start, code: .syntax,
            message: "this is XML without the <plist> that a property list begins with; where it is a fragment of a"
                + " profile or of a domain, mdefaults policy convert takes it")
    }

    /// A mistake of the property list as a finding.
    private static func diagnostic(
        of error: PropertyListError, _ shown: String, severity: Severity
    ) -> Diagnostic {
        Diagnostic(
            file: shown, position: error.position, severity: severity, code: LintCode(error.code),
            message: Printable.escape(error.message))
    }
}

extension PolicyParser {
    /// The policy file that was read.
    fileprivate func file(digest: Digest) -> PolicyFile {
        PolicyFile(
            source, identifierPosition: identifierPosition, version: version, summary: summary, contact: contact,
            target: PolicyFile.target(target, endingWith: temporary), targetPosition: targetPosition,
            enforced: enforced, onOverride: onOverride, temporary: temporary,
            entries: entries, seals: seals, constraints: constraints, combine: combine, waivers: waivers,
            calendars: calendars, metadata: metadata, digest: digest)
    }
}
