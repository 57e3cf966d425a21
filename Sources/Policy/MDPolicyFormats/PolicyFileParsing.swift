package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

extension PolicyFile {
    /// The limits of a policy file.
    ///
    /// 16 MiB hold three times the 100,000 keys of the largest policy that was measured; the depth is that of every
    /// property list.
    package static let limits = Limits(
        bytes: 16 << 20, depth: Limits.standard.depth, objects: Limits.standard.objects)

    /// Parses a policy file.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: the path beneath the root; its suffix decides the format.
    ///   - kind: the format, if the path has no suffix that decides it.
    ///   - shownPath: the path as printed, if it is another one.
    ///   - digest: the digest of the bytes, if the caller has it.
    ///   - refused: the fields of the format that are errors, because they would not be in force.
    /// - Returns: the file, or `nil` if one of the findings is an error; and every finding, in the order of their
    ///   places. Only an error of the encoding itself ends the search for more.
    package static func parse(
        bytes: [UInt8], path: String, as kind: PolicyFileName.Kind? = nil, shownPath: String? = nil,
        digest: Digest? = nil, refusing refused: RefusedFields = .current
    ) -> (file: PolicyFile?, diagnostics: [Diagnostic]) {
        let shown = shownPath ?? path
        let kind = kind ?? PolicyFileName.kind(of: path)
        if kind == .profile {
            return ProfileParser.parse(bytes: bytes, path: path, shownPath: shown, digest: digest)
        }
        let document: Document
        let root: [Node.Entry]
        do {
            document = try Document.read(bytes, as: kind == .json ? .json : nil, limits: limits)
            root = try document.rootEntries()
        } catch {
            return (
                nil, [rootless(bytes, shown) ?? yaml(bytes, shown) ?? diagnostic(of: error, shown, severity: .error)]
            )
        }
        var parser = PolicyParser(document, root: root, path: path, shownPath: shown, refused: refused)
        parser.parse(root: root, rootOffset: document.root.offset)
        if document.mayRepeatKeys { parser.checkDuplicates(document.root) }
        // Duplicate keys are reported already, whatever the warnings of the reader.
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

    /// The format of a file whose name does not tell it, by its content.
    package static func kind(ofContent bytes: [UInt8]) -> PolicyFileName.Kind {
        let start = bytes.prefix(1 << 12).drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
        let isText = start.first == UInt8(ascii: "{") || start.first == UInt8(ascii: "/")
        if isText {
            // OpenStep text with its braces begins as JSON does.
            let isOpenStep =
                (try? Document.read(bytes, as: .json, limits: limits)) == nil
                && (try? Document.read(bytes, limits: limits)) != nil
            return isOpenStep ? .propertyList : .json
        }
        // A signed profile is a message in DER.
        if bytes.first == 0x30 { return .profile }
        guard let root = try? Document.read(bytes, limits: limits).rootEntries() else { return .propertyList }
        let isProfile =
            ProfileParser.field(ProfileField.content, of: root) != nil
            || ProfileParser.field(ProfileField.type, of: root) != nil
        return isProfile && !root.contains { PolicyField(rawValue: $0.key.string) != nil } ? .profile : .propertyList
    }

    /// The time zones of the windows of a file with errors; empty for a file that cannot be read, or is a profile.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its path; its suffix decides the format.
    /// - Returns: the valid names of zones, each with the place of its window.
    package static func zones(bytes: [UInt8], path: String) -> [(name: Key, position: Position)] {
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

    /// The finding for a file that cannot be read because `<plist>` is missing; `nil` for any other.
    private static func rootless(_ bytes: [UInt8], _ shown: String) -> Diagnostic? {
        let start = bytes.prefix(1 << 12).drop { $0 == 0x20 || (0x09...0x0d).contains($0) }
        guard ["<key>", "<dict>"].contains(where: { start.starts(with: $0.utf8) }) else { return nil }
        return Diagnostic(
            file: shown, position: .start, code: .syntax,
            message: "this is XML without the <plist> that a property list begins with; where it is a fragment of a"
                + " profile or of a domain, mdefaults policy convert takes it")
    }

    /// The finding for YAML; `nil` for any other file.
    ///
    /// YAML begins with `---`, `%YAML`, or a word, a colon and a blank or the end of the line, behind comments.
    private static func yaml(_ bytes: [UInt8], _ shown: String) -> Diagnostic? {
        let lines = bytes.prefix(1 << 12).split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first(where: { $0.first != UInt8(ascii: "#") && !$0.allSatisfy { $0 <= 0x20 } }) else {
            return nil
        }
        let word = first.prefix {
            ByteSet.lowercase($0) != $0 || (0x61...0x7a).contains($0) || $0 == UInt8(ascii: "\"")
        }
        let rest = first.dropFirst(word.count)
        let isKey =
            !word.isEmpty && rest.first == UInt8(ascii: ":") && rest.dropFirst().first.map { $0 <= 0x20 } ?? true
        guard first.starts(with: "---".utf8) || first.starts(with: "%YAML".utf8) || isKey else { return nil }
        return Diagnostic(
            file: shown, position: .start, code: .syntax,
            message: "this is YAML; a policy file is JSON, a property list or an Apple profile")
    }

    /// Makes a finding of an error of the property list.
    private static func diagnostic(
        of error: PropertyListError, _ shown: String, severity: Severity
    ) -> Diagnostic {
        Diagnostic(
            file: shown, position: error.position, severity: severity, code: LintCode(error.code),
            message: Printable.escape(error.message))
    }
}

extension PolicyParser {
    /// Makes the policy file of what was parsed.
    fileprivate func file(digest: Digest) -> PolicyFile {
        PolicyFile(
            source, identifierPosition: identifierPosition, version: version, versionPosition: versionPosition,
            summary: summary, contact: contact, target: PolicyFile.target(target, endingWith: temporary),
            targetPosition: targetPosition,
            enforced: enforced, onOverride: onOverride, temporary: temporary,
            entries: entries, seals: seals, constraints: constraints, combine: combine, waivers: waivers,
            calendars: calendars, metadata: metadata, acknowledged: acknowledged, digest: digest)
    }
}

/// The purpose of a property list or JSON file that is not a policy file.
package enum OtherPurpose {
    /// A schema of JSON Schema.
    case schema
    /// A dictionary without any field of a policy file, or not a dictionary.
    case other

    /// Determines the purpose of a file; `nil` if it is, or may be meant to be, a policy file.
    ///
    /// A file that does not parse counts as a policy file, and so does a profile. A schema may hold anything, including
    /// fields with the names of a policy file's, but no `Identifier`.
    package init?(_ bytes: [UInt8], path: String) {
        let kind = PolicyFileName.kind(of: path)
        guard kind != .profile, let document = OtherPurpose.document(bytes, kind) else { return nil }
        guard let root = document.root.entries else {
            self = .other
            return
        }
        let fields = root.compactMap { PolicyField(rawValue: $0.key.string) }
        if !fields.contains(.identifier), root.contains(where: OtherPurpose.namesMetaSchema) {
            self = .schema
        } else if fields.allSatisfy({ $0 == .schema }) {
            self = .other
        } else {
            return nil
        }
    }

    /// The message about a file with this purpose.
    package var message: String {
        switch self {
        case .schema: "this file is a JSON schema and not a policy file, so it was not checked"
        case .other: "this file has no field of a policy file, so it was not checked"
        }
    }

    /// Whether a file with any other name parses, and has a field of a policy file.
    package static func isPolicyLike(_ bytes: [UInt8]) -> Bool {
        document(bytes, nil) != nil && OtherPurpose(bytes, path: "") == nil
    }

    /// Parses a file to a dictionary; `nil` if it does not parse.
    private static func document(_ bytes: [UInt8], _ kind: PolicyFileName.Kind?) -> Document? {
        if kind != .propertyList, let source = try? SourceText(decoding: bytes),
            let document = try? JSONReader.readForeign(source, limits: PolicyFile.limits)
        {
            return document
        }
        return kind == .json ? nil : try? Document.read(bytes, limits: PolicyFile.limits)
    }

    /// Whether a field marks its file as a schema: `"$schema": "https://json-schema.org/…"`.
    private static func namesMetaSchema(_ entry: Node.Entry) -> Bool {
        guard entry.key.string == PolicyField.schema.rawValue, case .scalar(.string(let text)) = entry.value.content
        else { return false }
        return ["http://json-schema.org/", "https://json-schema.org/"].contains { text.utf8.starts(with: $0.utf8) }
    }
}
