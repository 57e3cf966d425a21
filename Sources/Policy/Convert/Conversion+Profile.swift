import Platform
import PropertyList

extension Conversion {
    /// Adds what a profile forces and sets once.
    mutating func addProfile(_ input: ConversionInput) throws(ConversionError) {
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
            lose(isName ? message : finding.message, at: place(input, finding.position))
        }
        if CMSMessage.recognizes(input.bytes) {
            lose("the signature is that of the profile, and not carried over", at: input.path)
        }
        loseFields(of: input)
        identifier = identifier ?? file.identifier
        version = version ?? file.version
        if summary.isEmpty { summary = file.summary }
        if contact.isEmpty { contact = file.contact }
        if let end = file.target?.notAfter { notAfter = notAfter.map { min($0, end) } ?? end }
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
                lose(
                    "the stamp \(Printable.escape(stamp)) of \"\(Printable.escape(entry.key.string))\" is left out;"
                        + " another Version sets it again",
                    at: place)
            case .eachVersion: break
            }
            add(
                Entry(
                    level: entry.level, domain: entry.domain, key: entry.key, value: value, place: place,
                    isUnion: entry.level == .forced && unions.contains([entry.domain, entry.key])))
        }
    }

    /// Says which fields of a profile mean something to a Mac and nothing here.
    private mutating func loseFields(of input: ConversionInput) {
        let content = CMSMessage.content(of: input.bytes) ?? input.bytes
        guard let document = try? ProfileText.read(content, limits: PolicyFile.limits).document,
            let root = document.root.entries
        else { return }
        let fields = [
            "PayloadRemovalDisallowed", "HasRemovalPasscode", "ConsentText", "TargetDeviceType", "PayloadScope",
        ]
        for entry in root where fields.contains(entry.key.string) {
            let value = entry.value.value
            if value == .boolean(false) || value == .string("System") { continue }
            lose("\(entry.key) has no effect here", at: place(input, document.position(of: entry.keyOffset)))
        }
    }

    /// A place in a file for people.
    func place(_ input: ConversionInput, _ position: Position) -> String {
        let path = Printable.escape(input.path)
        return position.isBinary ? "\(path): \(position)" : "\(path):\(position)"
    }
}
