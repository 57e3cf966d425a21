package import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// Converts an Apple profile to a policy file.
///
/// Forced settings are forced here; those that are set once or in each session become set-once entries; payloads that
/// only macOS carries out are reported in a warning and are no error. Strings are literal: variables belong to policy
/// files, and a profile has none. Of a duplicate key the last value counts, as for Apple's readers.
package struct ProfileParser {
    /// A setting with its source.
    package struct Setting {
        /// How strongly the setting holds.
        package let level: Level
        package let domain: Key
        /// The key and its value in the file.
        package let entry: Node.Entry
        /// How often a set-once setting is written.
        package var rule = SetOnceRule.eachVersion
        /// Whether it was given for this host only, ahead of settings for any host.
        var isByHost = false
        /// Whether lists of several sources are combined.
        package var isUnion = false
    }

    /// The key of an earlier setting.
    private struct Slot: Hashable {
        /// How strongly the setting holds.
        let level: Level
        let domain: Key
        let key: Key
    }

    /// The path as printed.
    package let shownPath: String
    /// The path beneath the root.
    package let path: String
    /// The parsed property list.
    package let reading: TolerantReading
    /// Computes places from offsets.
    private var cursor: PositionCursor
    /// The findings so far.
    package private(set) var diagnostics: [Diagnostic] = []
    /// The number of findings, including those beyond the limit.
    package private(set) var findings = 0
    /// Whether any finding is an error.
    private(set) var hasErrors = false
    /// The settings so far.
    package private(set) var settings: [Setting] = []
    /// The indexes of the settings by key.
    private var slots: [Slot: Int] = [:]
    /// The offsets of unreadable scalars that were reported or are not needed.
    private var settled: Set<Int> = []

    package init(_ reading: TolerantReading, path: String, shownPath: String) {
        self.reading = reading
        self.path = path
        self.shownPath = shownPath
        cursor = PositionCursor(reading.document)
    }

    /// The place of an offset, for a caller that visits the settings in their order.
    ///
    /// The few places of findings are computed by the document, so that the cursor never passes a setting.
    package mutating func position(of offset: Int) -> Position { cursor.position(of: offset) }

    /// Adds an error at an offset.
    package mutating func report(_ code: LintCode, at offset: Int, _ message: String, severity: Severity = .error) {
        findings += 1
        if severity == .error { hasErrors = true }
        guard findings <= PolicyParser.findingLimit else { return }
        diagnostics.append(
            Diagnostic(
                file: shownPath, position: reading.document.position(of: offset), severity: severity, code: code,
                message: message))
    }

    /// Adds a warning at an offset.
    package mutating func warn(_ code: LintCode, at offset: Int, _ message: String) {
        report(code, at: offset, message, severity: .warning)
    }

    /// Reports a value of the wrong type.
    mutating func reportType(_ node: Node, _ name: String, expected: String) {
        if let error = reading.unreadable[node.offset] {
            settled.insert(node.offset)
            let message = Printable.escape(error.message) + ProfileParser.hint(node)
            return report(LintCode(error.code), at: error.position.offset, message)
        }
        report(.wrongType, at: node.offset, "\(name) must be \(expected), not \(node.noun)")
    }

    /// Adds a setting, or replaces an earlier one of the same key.
    package mutating func add(_ setting: Setting) {
        let (key, offset) = (setting.entry.key, setting.entry.keyOffset)
        let shown = Printable.escape(key.string)
        if let error = PolicyName.keyError(key) {
            return report(.invalidKey, at: offset, "the key \"\(shown)\" \(error)")
        }
        checkName(key.string, "the key", at: offset)
        check(setting.entry.value, of: shown)
        let slot = Slot(level: setting.level, domain: setting.domain, key: key)
        guard let index = slots[slot] else {
            slots[slot] = settings.count
            settings.append(setting)
            return
        }
        let earlier = settings[index]
        if setting.isUnion, earlier.isUnion, let first = earlier.entry.value.elements,
            let second = setting.entry.value.elements
        {
            let joined = Node(.array(first + second), offset: earlier.entry.value.offset)
            settings[index] = Setting(
                level: setting.level, domain: setting.domain,
                entry: Node.Entry(key: key, keyOffset: earlier.entry.keyOffset, value: joined), rule: setting.rule,
                isByHost: setting.isByHost, isUnion: true)
            return
        }
        // A setting for one host precedes one for any host.
        let laterWins = setting.isByHost || !earlier.isByHost
        if earlier.entry.value.value != setting.entry.value.value {
            // Beyond the limit of findings, places are not shown.
            let isShown = findings < PolicyParser.findingLimit
            let place = isShown ? reading.document.position(of: earlier.entry.keyOffset) : .start
            let domain = Printable.escape(setting.domain.string)
            let winner = laterWins ? "the later one counts" : "that one, for this host alone, counts"
            warn(
                .conflictingValues, at: offset,
                "the profile gives \"\(shown)\" of \(domain) another value at \(place); \(winner)")
        }
        if laterWins { settings[index] = setting }
    }

    /// Reports unreadable scalars and template placeholders in a value.
    private mutating func check(_ node: Node, of key: String) {
        switch node.content {
        case .scalar(let value):
            if let error = reading.unreadable[node.offset] {
                settled.insert(node.offset)
                return report(
                    LintCode(error.code), at: error.position.offset,
                    "the value of \"\(key)\": \(Printable.escape(error.message))\(ProfileParser.hint(node))")
            }
            guard case .string(let text) = value, let mark = Placeholder.first(in: text) else { return }
            warn(
                .placeholder, at: node.offset,
                "the value of \"\(key)\" holds \(Printable.escape(mark)), which \(Placeholder.words); here it stands as"
                    + " it is")
        case .array(let nodes): for node in nodes { check(node, of: key) }
        case .dictionary(let entries): for entry in entries { check(entry.value, of: key) }
        }
    }

    /// Warns of a template placeholder in a name, which is used unchanged.
    mutating func checkName(_ name: String, _ noun: String, at offset: Int) {
        if let mark = Placeholder.first(in: name) {
            warn(
                .placeholder, at: offset,
                "\(noun) holds \(Printable.escape(mark)), which \(Placeholder.words); here it stands as it is")
        } else if let first = name.utf8.first, let last = name.utf8.last, first == 0x20 || last == 0x20 {
            warn(
                .invalidValue, at: offset,
                "\(noun) begins or ends with a blank, which is part of it: \"\(Printable.escape(name))\"")
        } else if let unseen = Unseen.first(in: name) {
            warn(
                .invalidValue, at: offset,
                "\(noun) holds \(unseen), which looks like a blank or like nothing, and is part of it:"
                    + " \"\(Printable.escape(name))\"")
        }
    }

    /// A hint for an unreadable text that has a template placeholder.
    package static func hint(_ node: Node) -> String {
        guard case .scalar(.string(let text)) = node.content, let mark = Placeholder.first(in: text) else { return "" }
        return "; \(Printable.escape(mark)) \(Placeholder.words)"
    }

    /// Marks the unreadable scalars of a value as not needed.
    mutating func settle(_ node: Node) {
        guard !reading.unreadable.isEmpty else { return }
        switch node.content {
        case .scalar: settled.insert(node.offset)
        case .array(let nodes): for node in nodes { settle(node) }
        case .dictionary(let entries): for entry in entries { settle(entry.value) }
        }
    }

    /// Reports the unreadable scalars that were not reported or settled, at any place.
    mutating func reportUnreadable() {
        for (offset, error) in reading.unreadable.sorted(by: { $0.key < $1.key }) where !settled.contains(offset) {
            report(LintCode(error.code), at: error.position.offset, Printable.escape(error.message))
        }
    }
}

extension ProfileParser {
    /// A hint for a missing field at the top: what was probably meant, and what else reads such a file.
    func missingHint(for name: String, among root: [Node.Entry]) -> String {
        let misspelt = misspeltHint(for: name, among: root)
        if !misspelt.isEmpty { return misspelt }
        if reading.isFragment { return "; this is a fragment, which mdefaults policy convert takes" }
        if ProfileParser.field(ProfileField.applicationData, of: root) != nil {
            return "; this is an export of MCX, which mdefaults policy convert takes"
        }
        let isPlain = !root.isEmpty && !root.contains { $0.key.string.utf8.starts(with: "Payload".utf8) }
        guard isPlain else { return "" }
        return "; if it is the content of one domain, mdefaults policy convert --from plist --domain NAME takes it"
    }

    /// The misspelt field that was probably meant by a missing one.
    func misspeltHint(for name: String, among fields: [Node.Entry]) -> String {
        let other = fields.prefix(PolicyParser.findingLimit).first {
            Suggestion.nearest(to: $0.key.string, among: [name]) != nil
        }
        return other.map { "; \"\(Printable.escape($0.key.string))\" is probably meant to be it" } ?? ""
    }
}

extension ProfileParser {
    /// The type field of a payload without a profile around it; `nil` for anything else.
    package static func lonePayload(_ root: [Node.Entry]) -> Node.Entry? {
        guard let type = field(ProfileField.type, of: root), case .scalar(.string(let name)) = type.value.content,
            name != "Configuration", field(ProfileField.content, of: root)?.value.elements == nil
        else { return nil }
        return type
    }

    /// Whether a type is that of a query to a device, which comes in a file like profiles do.
    package static func isService(_ type: Node.Entry) -> Bool { type.value.value == .string("Profile Service") }

    /// The kind of a property list that is often mistaken for a profile; `nil` for anything else.
    package static func lookalike(_ root: [Node.Entry]) -> String? {
        guard field(ProfileField.content, of: root) == nil else { return nil }
        if root.contains(where: { $0.key.string.utf8.starts(with: "pfm_".utf8) }) {
            return "this is a manifest, which belongs into /etc/managed-defaults/manifests.d, and no profile"
        }
        if let command = field("Command", of: root)?.value.entries, field("RequestType", of: command) != nil {
            return "this is a command of an MDM server; the profile is within its Payload, in Base64"
        }
        let lists: Set<Key> = ["ProfileList", "ProfileItems", "_computerlevel"]
        guard root.contains(where: { lists.contains($0.key) }) else { return nil }
        return "this is a list of profiles that are installed, and no profile; get the profile from where it was made"
    }

    /// Reports a payload at the place of a profile.
    mutating func reportLone(_ type: Node.Entry) {
        guard case .scalar(.string(let name)) = type.value.content else { return }
        let isService = ProfileParser.isService(type)
        report(
            isService ? .notApplicable : .invalidValue, at: type.value.offset,
            isService
                ? "a Profile Service asks a device what it is before it gets a profile; there are no settings in it"
                : "this is a payload \(Printable.escape(name)) without a profile around it; mdefaults policy convert"
                    + " takes it")
    }

    /// Parses a payload without a profile around it.
    package mutating func parseLone(_ payload: Node, digest: Digest) -> PolicyFile? {
        parsePayload(payload)
        return loneFile(at: payload.offset, payload.entries ?? [], digest)
    }

    /// Parses an export of MCX: the domains of a payload without a profile around them.
    package mutating func parseExport(_ domains: Node, digest: Digest) -> PolicyFile? {
        guard let entries = domains.entries else {
            reportType(domains, ProfileField.applicationData, expected: "a dictionary of domains")
            return nil
        }
        parseDomains(entries, at: domains.offset)
        return loneFile(at: domains.offset, [], digest)
    }

    /// Whether every value is a dictionary of forced or set-once settings, so that the keys are domains; there may be
    /// other fields beside them, such as `mcx_targets`.
    package static func areDomains(_ entries: [Node.Entry]) -> Bool {
        !entries.isEmpty
            && entries.allSatisfy { domain in
                let levels = (domain.value.entries ?? []).filter { isLevel($0.key) }
                return !levels.isEmpty
                    && levels.allSatisfy { level in
                        level.value.elements?.allSatisfy {
                            $0.entries?.contains { $0.key == "mcx_preference_settings" } == true
                        } == true
                    }
            }
    }

    /// Whether a field of a domain is one of its levels.
    static func isLevel(_ name: Key) -> Bool { name == "Forced" || name == "Set-Once" }

    /// Makes the file of content without a profile around it, and therefore without a name; `nil` if it has errors.
    private mutating func loneFile(at offset: Int, _ fields: [Node.Entry], _ digest: Digest) -> PolicyFile? {
        reportUnreadable()
        let name = (name: "", position: reading.document.position(of: offset))
        return hasErrors ? nil : file(name, nil, nil, 0, fields, digest)
    }
}
