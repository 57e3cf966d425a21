package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

extension ProfileParser {
    /// The last entry of a name; of a duplicate key, the last one counts.
    package static func field(_ name: String, of entries: [Node.Entry]) -> Node.Entry? {
        let key = Key(name)
        return entries.last { $0.key == key }
    }

    /// Parses everything, and makes a policy file if there are no errors.
    package mutating func parse(digest: Digest) throws(PropertyListError) -> PolicyFile? {
        let root = try reading.document.rootEntries()
        let rootOffset = reading.document.root.offset
        for error in reading.referenceErrors {
            report(LintCode(error.code), at: error.position.offset, Printable.escape(error.message))
        }
        if let type = ProfileParser.lonePayload(root) {
            reportLone(type)
            return nil
        }
        if ProfileParser.areDomains(root) {
            report(
                .missingField, at: rootOffset,
                "these are domains without a profile around them, as a payload com.apple.ManagedClient.preferences holds"
                    + " them; mdefaults policy convert takes them")
            return nil
        }
        if let lookalike = ProfileParser.lookalike(root) {
            report(.missingField, at: rootOffset, lookalike)
            return nil
        }
        checkRoot(root)
        let identifier = identifier(root, rootOffset)
        let version = version(root)
        let (target, targetOffset) = target(root)
        if let content = ProfileParser.field(ProfileField.content, of: root) {
            parsePayloads(content.value)
            if let encrypted = ProfileParser.field(ProfileField.encryptedContent, of: root) {
                warn(
                    .notApplicable, at: encrypted.keyOffset,
                    "what is encrypted beside the payloads cannot be read here, and is not in force")
            }
        } else if let encrypted = ProfileParser.field(ProfileField.encryptedContent, of: root) {
            report(
                .notApplicable, at: encrypted.keyOffset,
                "the payloads are encrypted for one machine and cannot be read here; put the profile here as it was"
                    + " before")
        } else {
            let hint = missingHint(for: ProfileField.content, among: root)
            report(.missingField, at: rootOffset, "the profile has no PayloadContent\(hint)")
        }
        reportUnreadable()
        guard !hasErrors, let identifier else { return nil }
        return file(identifier, version, target, targetOffset, root, digest)
    }

    /// Makes the policy file of the parsed parts.
    package mutating func file(
        _ identifier: (name: String, position: Position), _ version: Integer?, _ target: Target?, _ targetOffset: Int,
        _ root: [Node.Entry], _ digest: Digest
    ) -> PolicyFile {
        let source = Origin.Source(policy: identifier.name, file: path)
        var entries: [PolicyEntry] = []
        var combine: [CombineEntry] = []
        for setting in settings {
            let origin = Origin(source, position: position(of: setting.entry.keyOffset))
            entries.append(
                PolicyEntry(
                    level: setting.level, domain: setting.domain, key: setting.entry.key, value: setting.entry.value,
                    rule: setting.rule, origin: origin))
            guard setting.isUnion else { continue }
            combine.append(
                CombineEntry(domain: setting.domain, key: setting.entry.key, combine: .union, origin: origin))
        }
        let summary = text(ProfileField.description, of: root) ?? text(ProfileField.displayName, of: root) ?? ""
        return PolicyFile(
            identifier: identifier.name, identifierPosition: identifier.position, version: version,
            versionPosition: reading.document.position(
                of: ProfileParser.field(ProfileField.version, of: root)?.value.offset ?? 0),
            summary: summary, contact: text(ProfileField.organization, of: root) ?? "", target: target,
            targetPosition: reading.document.position(of: targetOffset), entries: entries, combine: combine, path: path,
            digest: digest)
    }

    /// The text of a descriptive field; `nil` if it is missing, empty or not a text.
    private func text(_ name: String, of root: [Node.Entry]) -> String? {
        guard case .scalar(.string(let text)) = ProfileParser.field(name, of: root)?.value.content, !text.isEmpty else {
            return nil
        }
        return text
    }

    /// Reports unknown fields at the top of a profile.
    private mutating func checkRoot(_ root: [Node.Entry]) {
        for entry in root where !ProfileField.root.contains(entry.key.string) {
            let name = entry.key.string
            // Beyond the limit of findings, suggestions are not shown.
            let known = findings < PolicyParser.findingLimit ? ProfileField.root.sorted() : []
            let suggestion = Suggestion.nearest(to: name, among: known).map { "; \($0) is probably meant" }
            warn(
                .unknownField, at: entry.keyOffset,
                "a profile has no field \"\(Printable.escape(name))\"\(suggestion ?? ", and it has no effect")")
        }
        if let enabled = ProfileParser.field(ProfileField.enabled, of: root),
            case .scalar(.boolean(false)) = enabled.value.content
        {
            warn(.noEffect, at: enabled.keyOffset, "PayloadEnabled switches no profile off; remove the file to do that")
        }
        if let type = ProfileParser.field(ProfileField.type, of: root) {
            if case .scalar(.string(let name)) = type.value.content {
                if name != "Configuration" {
                    let shown = Printable.escape(name)
                    // An old tool wrote the type of the payloads at the top as well.
                    let isArray = ProfileParser.field(ProfileField.content, of: root)?.value.elements != nil
                    let isPayload = name.utf8.contains(UInt8(ascii: ".")) && isArray
                    report(
                        .invalidValue, at: type.value.offset,
                        "the PayloadType of a profile is Configuration, not \"\(shown)\"; a payload stands within the"
                            + " PayloadContent of a profile\(isPayload ? ", and these are read as such" : "")",
                        severity: isPayload ? .warning : .error)
                }
            } else {
                reportType(type.value, ProfileField.type, expected: "a string")
            }
        } else {
            warn(.missingField, at: reading.document.root.offset, "the profile has no PayloadType; it is Configuration")
        }
        checkScope(root)
    }

    /// Reports a scope other than that of the whole machine.
    ///
    /// On a Mac, a profile of scope User applies to the user who installs it. A file in `/etc` has no installing user,
    /// so it applies to every user: to too many rather than to too few.
    private mutating func checkScope(_ root: [Node.Entry]) {
        guard let scope = ProfileParser.field(ProfileField.scope, of: root) else { return }
        switch scope.value.content {
        case .scalar(.string("System")): return
        case .scalar(.string("User")):
            warn(
                .noEffect, at: scope.value.offset,
                "PayloadScope User means the user who installs the profile, and files have none; the profile applies to"
                    + " every user, root included, as one of scope System does. mdefaults policy convert makes a file"
                    + " whose Target can name users")
        default:
            warn(
                .invalidValue, at: scope.value.offset,
                "the PayloadScope is System or User; the profile applies to everybody in either case")
        }
    }

    /// The name of the profile and its place.
    private mutating func identifier(
        _ root: [Node.Entry], _ rootOffset: Int
    ) -> (name: String, position: Position)? {
        guard let entry = ProfileParser.field(ProfileField.identifier, of: root) else {
            let hint = missingHint(for: ProfileField.identifier, among: root)
            report(.missingField, at: rootOffset, "the profile has no PayloadIdentifier\(hint)")
            return nil
        }
        guard case .scalar(.string(let name)) = entry.value.content else {
            reportType(entry.value, ProfileField.identifier, expected: "a string")
            return nil
        }
        let shown = Printable.escape(name)
        if name.isEmpty || name.utf8.count > 255 || PolicyName.hasControl(name) {
            let error =
                name.isEmpty
                ? "is empty" : name.utf8.count > 255 ? "is longer than 255 bytes" : "contains a control character"
            report(.invalidIdentifier, at: entry.value.offset, "the PayloadIdentifier \"\(shown)\" \(error)")
        } else if let mark = Placeholder.first(in: name) {
            warn(
                .placeholder, at: entry.value.offset,
                "the PayloadIdentifier holds \(Printable.escape(mark)), which \(Placeholder.words); it is used as it is"
            )
        }
        return (name, reading.document.position(of: entry.value.offset))
    }

    /// The version, if it is a number.
    private mutating func version(_ root: [Node.Entry]) -> Integer? {
        guard let entry = ProfileParser.field(ProfileField.version, of: root) else { return nil }
        switch entry.value.content {
        case .scalar(.integer(let number)): return number
        case .scalar(.real(let number)) where Int64(exactly: number) != nil: return Integer(Int64(number))
        default: break
        }
        settle(entry.value)
        warn(.wrongType, at: entry.value.offset, "PayloadVersion is an integer; the profile counts as without one")
        return nil
    }

    /// The end of the profile as a target, and the offset of its field; without an end, the profile always applies to
    /// everyone.
    private mutating func target(_ root: [Node.Entry]) -> (target: Target?, offset: Int) {
        var end: Timestamp?
        var offset = 0
        for name in [ProfileField.expiration, ProfileField.removalDate] {
            guard let entry = ProfileParser.field(name, of: root) else { continue }
            guard let time = time(entry.value, of: name) else {
                reportType(entry.value, name, expected: "a date")
                continue
            }
            guard end.map({ time < $0 }) ?? true else { continue }
            (end, offset) = (time, entry.keyOffset)
        }
        if let duration = ProfileParser.field(ProfileField.duration, of: root) {
            warn(
                .noEffect, at: duration.keyOffset,
                "DurationUntilRemoval counts from an installation, which files do not have; the profile stays in force,"
                    + " and RemovalDate would end it")
        }
        return (end.map { Target(include: Target.Clauses(), notAfter: $0) }, offset)
    }

    /// The time of a field, as a date or, with a warning, as a text; `nil` if it has none.
    private mutating func time(_ node: Node, of name: String) -> Timestamp? {
        switch node.content {
        case .scalar(.date(let seconds)): return Timestamp(since2001: seconds)
        case .scalar(.string(let text)) where reading.unreadable[node.offset] == nil:
            guard let time = Timestamp(rfc3339: text) else { return nil }
            warn(.wrongType, at: node.offset, "\(name) is a date, not a string; it is read as one")
            return time
        default: return nil
        }
    }
}

extension Timestamp {
    /// The time of a property list's date; `nil` if it is out of range.
    package init?(since2001 seconds: Double) {
        let microseconds = (seconds + 978_307_200) * 1_000_000
        guard microseconds.magnitude < 9e18 else { return nil }
        self.init(microseconds: Int64(microseconds.rounded(.down)))
    }
}

extension ProfileParser {
    /// Parses a profile, which may be signed.
    ///
    /// - Returns: the file, or `nil` if one of the findings is an error; and every finding, in the order of their
    ///   places. Places are those in the property list, also in a signed profile.
    package static func parse(
        bytes: [UInt8], path: String, shownPath: String, digest: Digest?
    ) -> (file: PolicyFile?, diagnostics: [Diagnostic]) {
        let limits = PolicyFile.limits
        guard bytes.count <= limits.bytes else {
            let message = "the file has \(bytes.count) bytes; at most \(limits.bytes) are read"
            return (nil, [Diagnostic(file: shownPath, code: .tooLarge, message: message)])
        }
        let content: [UInt8]
        do throws(CMSError) {
            content = try ProfileEnvelope.content(of: bytes)
        } catch {
            let finding = Diagnostic(
                file: shownPath, position: Position(byte: error.offset), code: .signedMessage,
                message: error.isEncrypted
                    ? "the profile is encrypted and cannot be read here; get it as it was before it was encrypted"
                    : "the signed profile cannot be opened: \(error.message)\(ProfileEnvelope.damage(to: bytes))")
            return (nil, [finding])
        }
        do throws(PropertyListError) {
            let reading = try ProfileText.readOn(content, limits: limits)
            var parser = ProfileParser(reading, path: path, shownPath: shownPath)
            let file = try parser.parse(digest: digest ?? SHA256.hash(bytes))
            let warnings = reading.document.warnings.map { warning in
                Diagnostic(
                    file: shownPath, position: warning.position, severity: .warning, code: LintCode(warning.code),
                    message: Printable.escape(warning.message))
            }
            var diagnostics = (parser.diagnostics + warnings).sorted()
            if reading.document.hasMoreWarnings {
                diagnostics.append(
                    Diagnostic(
                        file: shownPath, severity: .warning, code: .syntax,
                        message: "there may be more warnings about how the file is written than are listed here"))
            }
            if parser.findings > PolicyParser.findingLimit {
                diagnostics.append(
                    Diagnostic(
                        file: shownPath, severity: parser.hasErrors ? .error : .warning, code: .invalidValue,
                        message: "there are \(parser.findings) findings, and this list ends after"
                            + " \(PolicyParser.findingLimit)"))
            }
            return (file, diagnostics)
        } catch {
            let finding = Diagnostic(
                file: shownPath, position: error.position, code: LintCode(error.code),
                message: Printable.escape(error.message) + hint(error, content))
            return (nil, [finding])
        }
    }

    /// A hint for an error at the place of a template's placeholder.
    private static func hint(_ error: PropertyListError, _ bytes: [UInt8]) -> String {
        guard !error.position.isBinary, let source = try? SourceText(decoding: bytes) else { return "" }
        let rest = source.utf8.dropFirst(error.position.offset).prefix(200).prefix { $0 != 0x0a && $0 != 0x0d }
        guard let mark = Placeholder.first(in: String(decoding: rest, as: UTF8.self)) else { return "" }
        return "; \(Printable.escape(mark)) \(Placeholder.words)"
    }
}
