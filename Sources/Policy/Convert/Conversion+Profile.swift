import Platform
import PropertyList

extension Conversion {
    /// Adds what a profile forces and sets once.
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
            let mistake = parsed.diagnostics.first { $0.severity == .error }
            throw ConversionError(
                mistake?.message ?? "the profile cannot be read", path: input.path,
                position: mistake?.position ?? .start)
        }
        for finding in parsed.diagnostics {
            let isName = finding.code == LintCode.invalidIdentifier.rawValue
            let message = "the PayloadIdentifier is not in reverse DNS form, and is changed to be so"
            // Of the scope, more is said below.
            if finding.message.utf8.starts(with: ProfileField.scope.utf8) { continue }
            lose(isName ? message : finding.message, at: place(input, finding.position))
        }
        if CMSMessage.recognizes(input.bytes) {
            lose("the signature is that of the profile, and not carried over", at: input.path)
        }
        if let reading { loseFields(of: input, reading.document) }
        identifier = identifier ?? file.identifier
        version = version ?? file.version
        if summary.isEmpty { summary = file.summary }
        if contact.isEmpty { contact = file.contact }
        notAfter = file.target?.notAfter
        addEntries(of: file, from: input, policy: file.identifier)
    }

    /// Adds what an export of MCX forces and sets once.
    mutating func addExport(_ reading: TolerantReading, _ domains: Node, of input: ConversionInput)
        throws(ConversionError)
    {
        try addDomains(reading, domains, of: input)
        for entry in reading.document.root.entries ?? [] where entry.key.string != ProfileField.applicationData {
            let place = place(input, reading.document.position(of: entry.keyOffset))
            lose("\"\(Printable.escape(entry.key.string))\" beside the domains is left out", at: place)
        }
    }

    /// Adds domains with what is forced and set once in each.
    mutating func addDomains(_ reading: TolerantReading, _ domains: Node, of input: ConversionInput)
        throws(ConversionError)
    {
        var parser = ProfileParser(reading, path: input.path, shownPath: input.path)
        let file = parser.parseExport(domains, digest: SHA256.hash(input.bytes))
        try addLone(file, parser.diagnostics, of: input)
    }

    /// Adds what a payload forces and sets once that no profile is around.
    private mutating func addPayload(_ reading: TolerantReading, of input: ConversionInput) throws(ConversionError) {
        let root = reading.document.root
        var parser = ProfileParser(reading, path: input.path, shownPath: input.path)
        let file = parser.parseLone(root, digest: SHA256.hash(input.bytes))
        try addLone(file, parser.diagnostics, of: input)
        if let field = ProfileParser.field(ProfileField.identifier, of: root.entries ?? []),
            case .scalar(.string(let name)) = field.value.content, identifier == nil
        {
            identifier = name
            if PolicyName.identifierMistake(name) != nil {
                let place = place(input, reading.document.position(of: field.value.offset))
                lose("the PayloadIdentifier is not in reverse DNS form, and is changed to be so", at: place)
            }
        }
        if summary.isEmpty { summary = file?.summary ?? "" }
        if contact.isEmpty { contact = file?.contact ?? "" }
    }

    /// Adds what was read without a profile around it, with what was found in it.
    private mutating func addLone(
        _ file: PolicyFile?, _ findings: [Diagnostic], of input: ConversionInput
    ) throws(ConversionError) {
        guard let file else {
            let mistake = findings.first { $0.severity == .error }
            throw ConversionError(
                mistake?.message ?? "the file cannot be read", path: input.path, position: mistake?.position ?? .start)
        }
        for finding in findings { lose(finding.message, at: place(input, finding.position)) }
        addEntries(of: file, from: input)
    }

    /// Adds the entries of a profile.
    ///
    /// - Parameters:
    ///   - file: what was read of it.
    ///   - input: the file that it came from.
    ///   - policy: its identifier; `nil` where no profile is around them.
    private mutating func addEntries(of file: PolicyFile, from input: ConversionInput, policy: String? = nil) {
        let unions = Set(file.combine.map { [$0.domain, $0.key] })
        for entry in file.entries {
            let place = place(input, entry.origin.position)
            guard let value = entry.value?.value else { continue }
            switch entry.rule {
            case _ where entry.level != .setOnce: break
            case .eachSession:
                lose(
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

    /// Makes the version of the policy of the newest stamp, so that a newer one sets the keys again, as in a profile.
    mutating func settleStamps() {
        let newest = stamps.compactMap { stamp in stamp.version.map { (stamp, $0) } }.max { $0.1 < $1.1 }
        if let (stamp, number) = newest {
            if let version, Integer(1) < version {
                lose(
                    "PayloadVersion \(version) is left out, because the stamp of what is set once became the Version",
                    at: stamp.place)
            }
            version = Integer(number)
        }
        let outcome = "the value is set once more, over what users have chosen since"
        for stamp in stamps where stamp.version == nil || stamp.version != newest?.1 {
            let shown = "the stamp \(Printable.escape(stamp.text)) of \"\(Printable.escape(stamp.key.string))\""
            let reason = newest == nil ? "" : ", because the newest stamp became the Version"
            lose("\(shown) is left out\(reason); \(outcome)", at: stamp.place)
        }
        // An identifier that is not valid is an error of the caller.
        guard let identifier = try? chosenIdentifier() else { return }
        let kept = stamps.filter { $0.version != nil && $0.version == newest?.1 }
        for stamp in kept where stamp.policy.map({ Key($0) != Key(identifier) }) ?? false {
            lose(
                "\"\(Printable.escape(stamp.key.string))\" was set once by \(Printable.escape(stamp.policy ?? "")), and"
                    + " the Identifier is another one; \(outcome)",
                at: stamp.place)
        }
    }

    /// Says which fields of a profile mean something to a Mac and nothing here.
    private mutating func loseFields(of input: ConversionInput, _ document: Document) {
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
            lose(message, at: place(input, document.position(of: entry.keyOffset)))
        }
    }

    /// A place in a file for people.
    func place(_ input: ConversionInput, _ position: Position) -> String {
        let path = Printable.escape(input.path)
        return position.isBinary ? "\(path): \(position)" : "\(path):\(position)"
    }
}
