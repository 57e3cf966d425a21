import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

extension Conversion {
    /// Adds the forced and set-once entries of a profile.
    mutating func addProfile(_ input: ConversionInput) throws(ConversionError) {
        let content = (try? ProfileEnvelope.content(of: input.bytes)) ?? input.bytes
        let reading = try? ProfileText.read(content, limits: PolicyFile.limits)
        if let reading, let root = reading.document.root.entries {
            if let type = ProfileParser.lonePayload(root), !ProfileParser.isService(type) {
                return try addPayload(reading, of: input)
            }
            if ProfileParser.areDomains(root) { return try addDomains(reading, reading.document.root, of: input) }
        }
        let parsed = ProfileParser.parse(bytes: input.bytes, path: input.path, shownPath: input.path, digest: nil)
        guard let file = parsed.file else {
            let error = parsed.diagnostics.first { $0.severity == .error }
            throw ConversionError(
                error?.message ?? "the profile cannot be read", path: input.path,
                position: error?.position ?? .start)
        }
        for finding in parsed.diagnostics {
            // Findings about the scope are reported below.
            if finding.message.utf8.starts(with: ProfileField.scope.utf8) { continue }
            reportLoss(finding.message, at: place(input, finding.position))
        }
        if CMSMessage.recognizes(input.bytes) {
            reportLoss("the signature is that of the profile, and not carried over", at: input.path)
        }
        if let reading { reportIgnoredFields(of: input, reading.document) }
        identifier = identifier ?? file.identifier
        version = version ?? file.version
        if summary.isEmpty { summary = file.summary }
        if contact.isEmpty { contact = file.contact }
        notAfter = file.target?.notAfter
        addEntries(of: file, from: input, policy: file.identifier)
    }

    /// Adds the forced and set-once entries of an MCX export.
    mutating func addExport(_ reading: TolerantReading, _ domains: Node, of input: ConversionInput)
        throws(ConversionError)
    {
        try addDomains(reading, domains, of: input)
        for entry in reading.document.root.entries ?? [] where entry.key.string != ProfileField.applicationData {
            let place = place(input, reading.document.position(of: entry.keyOffset))
            reportLoss("\"\(Printable.escape(entry.key.string))\" beside the domains is left out", at: place)
        }
    }

    /// Adds domains with their forced and set-once entries.
    mutating func addDomains(_ reading: TolerantReading, _ domains: Node, of input: ConversionInput)
        throws(ConversionError)
    {
        var parser = ProfileParser(reading, path: input.path, shownPath: input.path)
        let file = parser.parseExport(domains, digest: SHA256.hash(input.bytes))
        try addLone(file, parser.diagnostics, of: input)
    }

    /// Adds the forced and set-once entries of a payload without a profile.
    private mutating func addPayload(_ reading: TolerantReading, of input: ConversionInput) throws(ConversionError) {
        let root = reading.document.root
        var parser = ProfileParser(reading, path: input.path, shownPath: input.path)
        let file = parser.parseLone(root, digest: SHA256.hash(input.bytes))
        try addLone(file, parser.diagnostics, of: input)
        if let field = ProfileParser.field(ProfileField.identifier, of: root.entries ?? []),
            case .scalar(.string(let name)) = field.value.content, identifier == nil
        {
            identifier = name
            if PolicyName.identifierError(name) != nil {
                let place = place(input, reading.document.position(of: field.value.offset))
                reportLoss("the PayloadIdentifier cannot be an Identifier, and is changed", at: place)
            }
        }
        if summary.isEmpty { summary = file?.summary ?? "" }
        if contact.isEmpty { contact = file?.contact ?? "" }
    }

    /// Adds the entries and findings of content without a profile.
    private mutating func addLone(
        _ file: PolicyFile?, _ findings: [Diagnostic], of input: ConversionInput
    ) throws(ConversionError) {
        guard let file else {
            let error = findings.first { $0.severity == .error }
            throw ConversionError(
                error?.message ?? "the file cannot be read", path: input.path, position: error?.position ?? .start)
        }
        for finding in findings { reportLoss(finding.message, at: place(input, finding.position)) }
        addEntries(of: file, from: input)
    }

    /// Adds the entries of a profile.
    ///
    /// - Parameters:
    ///   - file: the parsed profile.
    ///   - input: the source file.
    ///   - policy: the identifier; `nil` if there is no profile.
    private mutating func addEntries(of file: PolicyFile, from input: ConversionInput, policy: String? = nil) {
        let unions = Set(file.combine.map { [$0.domain, $0.key] })
        for entry in file.entries {
            let place = place(input, entry.origin.position)
            guard let value = entry.value?.value else { continue }
            switch entry.rule {
            case _ where entry.level != .setOnce: break
            case .eachSession:
                reportLoss(
                    "a profile sets \"\(Printable.escape(entry.key.string))\" in each session; SetOnce does so once for"
                        + " each Version",
                    at: place)
            case .eachStamp(let stamp):
                stamps.append(Stamp(text: stamp, key: entry.key, place: place, policy: policy))
            case .eachVersion: break
            }
            add(
                Entry(
                    level: entry.level, domain: entry.domain, key: entry.key, value: value, place: place,
                    isUnion: entry.level == .forced && unions.contains([entry.domain, entry.key])))
        }
    }

    /// Derives the version of the policy from the newest stamp, so that a newer stamp sets the keys again, as in a
    /// profile.
    mutating func settleStamps() {
        let newest = stamps.compactMap { stamp in stamp.version.map { (stamp, $0) } }.max { $0.1 < $1.1 }
        if let (stamp, number) = newest {
            if let version, Integer(1) < version {
                reportLoss(
                    "PayloadVersion \(version) is left out, because the stamp of what is set once became the Version",
                    at: stamp.place)
            }
            version = Integer(number)
        }
        let outcome = "the value is set once more, over what users have chosen since"
        for stamp in stamps where stamp.version == nil || stamp.version != newest?.1 {
            let shown = "the stamp \(Printable.escape(stamp.text)) of \"\(Printable.escape(stamp.key.string))\""
            let reason = newest == nil ? "" : ", because the newest stamp became the Version"
            reportLoss("\(shown) is left out\(reason); \(outcome)", at: stamp.place)
        }
        // An invalid identifier is reported later.
        guard let identifier = try? chosenIdentifier() else { return }
        let current = stamps.filter { $0.version != nil && $0.version == newest?.1 }
        for stamp in current where stamp.policy == nil {
            reportLoss(
                "\"\(Printable.escape(stamp.key.string))\" was set once elsewhere, and no user here has a mark of it; \(outcome)",
                at: stamp.place)
        }
        for stamp in current where stamp.policy.map({ Key($0) != Key(identifier) }) ?? false {
            reportLoss(
                "\"\(Printable.escape(stamp.key.string))\" was set once by \(Printable.escape(stamp.policy ?? "")), and"
                    + " the Identifier is another one; \(outcome)",
                at: stamp.place)
        }
    }

    /// Reports the fields of a profile that have an effect on a Mac and none here.
    private mutating func reportIgnoredFields(of input: ConversionInput, _ document: Document) {
        let fields = [
            "PayloadRemovalDisallowed", "HasRemovalPasscode", "ConsentText", "TargetDeviceType", "PayloadScope",
        ]
        for entry in document.root.entries ?? [] where fields.contains(entry.key.string) {
            let value = entry.value.value
            if value == .boolean(false) || value == .string("System") { continue }
            let message =
                entry.key.string == ProfileField.scope
                ? "PayloadScope: the policy applies to every user, root included; Target can name users"
                : "\(entry.key) has no effect here"
            reportLoss(message, at: place(input, document.position(of: entry.keyOffset)))
        }
    }

    /// A place in a file for messages.
    func place(_ input: ConversionInput, _ position: Position) -> String {
        let path = Printable.escape(input.path)
        return position.isBinary ? "\(path): \(position)" : "\(path):\(position)"
    }
}
