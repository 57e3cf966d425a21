import MDPlatform
import MDPolicyModel
package import MDPropertyList

extension ProfileParser {
    /// Parses `PayloadContent` of the profile.
    mutating func parsePayloads(_ node: Node) {
        guard let payloads = node.elements else {
            if let domains = node.entries, ProfileParser.areDomains(domains) {
                return report(
                    .wrongType, at: node.offset,
                    "PayloadContent must be an array of payloads; this is what stands in the PayloadContent of a payload"
                        + " com.apple.ManagedClient.preferences")
            }
            return reportType(node, ProfileField.content, expected: "an array of payloads")
        }
        if payloads.isEmpty {
            warn(.noEffect, at: node.offset, "the profile has no payload; nothing is in force because of it")
        }
        for payload in payloads { parsePayload(payload) }
    }

    /// Parses one payload.
    mutating func parsePayload(_ payload: Node) {
        guard let fields = payload.entries else {
            return reportType(payload, "a payload", expected: "a dictionary")
        }
        guard let type = ProfileParser.field(ProfileField.type, of: fields) else {
            let hint = findings < PolicyParser.findingLimit ? misspeltHint(for: ProfileField.type, among: fields) : ""
            return report(.missingField, at: payload.offset, "the payload has no PayloadType\(hint)")
        }
        guard case .scalar(.string(let name)) = type.value.content else {
            return reportType(type.value, ProfileField.type, expected: "a string")
        }
        if let enabled = ProfileParser.field(ProfileField.enabled, of: fields),
            case .scalar(.boolean(false)) = enabled.value.content
        {
            warn(
                .noEffect, at: enabled.keyOffset,
                "PayloadEnabled switches nothing off; take the payload out of the profile to do that")
        }
        if let date = ProfileParser.field(ProfileField.expiration, of: fields) {
            settle(date.value)
            warn(
                .noEffect, at: date.keyOffset,
                "PayloadExpirationDate within a payload ends nothing; at the top of the profile it ends the profile")
        }
        switch PayloadType(name: name) {
        case .managedPreferences: parsePreferences(fields, of: payload)
        case .managedDefaults: parseDefaults(fields, of: payload)
        case .domain: parseDomain(name, fields, type)
        case .system(let title):
            settle(payload)
            warn(
                .notApplicable, at: type.value.offset,
                "the payload \(Printable.escape(name)) (\(title)) does not apply here; nothing of it is in force")
        }
    }

    /// Parses a payload whose type is a domain: all its keys except those of payloads are forced.
    private mutating func parseDomain(_ name: String, _ fields: [Node.Entry], _ type: Node.Entry) {
        guard let domain = domain(name, at: type.value.offset) else { return }
        if let spelling = PayloadType.spelling(of: name) {
            warn(
                .invalidValue, at: type.value.offset,
                "the payload type is written \(spelling); as \"\(Printable.escape(name))\" it is that of a domain, whose"
                    + " settings these are")
        }
        var isEmpty = true
        for entry in ProfileParser.last(of: fields) where !ProfileField.payload.contains(entry.key.string) {
            isEmpty = false
            if entry.key.string.utf8.starts(with: "Payload".utf8) {
                reportPayloadField(entry, of: name)
            } else {
                add(Setting(level: .forced, domain: domain.name, entry: entry, isByHost: domain.isByHost))
            }
        }
        if isEmpty { warnEmpty("the payload \(Printable.escape(name))", at: type.value.offset) }
    }

    /// Warns of a part of a profile without settings.
    mutating func warnEmpty(_ noun: String, at offset: Int) {
        warn(.noEffect, at: offset, "\(noun) has no settings; nothing is in force because of it")
    }

    /// Parses a payload `com.apple.defaults.managed`: items of a domain and its forced settings, or one of them without
    /// a `PayloadContent` around it.
    private mutating func parseDefaults(_ fields: [Node.Entry], of payload: Node) {
        guard let content = ProfileParser.field(ProfileField.content, of: fields) else {
            if ProfileParser.field("DefaultsDomainName", of: fields) != nil { return parseDefaults(item: payload) }
            return report(
                .missingField, at: payload.offset, "a payload com.apple.defaults.managed has a PayloadContent")
        }
        guard let items = content.value.elements else {
            return reportType(content.value, ProfileField.content, expected: "an array")
        }
        if items.isEmpty { warnEmpty("the payload", at: content.keyOffset) }
        for item in items { parseDefaults(item: item) }
    }

    /// Parses a domain and its forced settings.
    private mutating func parseDefaults(item: Node) {
        guard let fields = item.entries,
            case .scalar(.string(let name)) = ProfileParser.field("DefaultsDomainName", of: fields)?.value.content,
            let settings = ProfileParser.field("DefaultsData", of: fields)?.value.entries
        else {
            return report(
                .wrongType, at: item.offset,
                "an item of com.apple.defaults.managed has DefaultsDomainName, a string, and DefaultsData, a dictionary"
            )
        }
        guard let domain = domain(name, at: item.offset) else { return }
        if settings.isEmpty { warnEmpty("the domain \(Printable.escape(name))", at: item.offset) }
        for entry in ProfileParser.last(of: settings) {
            add(Setting(level: .forced, domain: domain.name, entry: entry, isByHost: domain.isByHost))
        }
    }

    /// Reports an unknown field with the prefix of payload fields.
    private mutating func reportPayloadField(_ entry: Node.Entry, of type: String) {
        let shown = Printable.escape(entry.key.string)
        if entry.key.string == ProfileField.content, let spelling = PayloadType.spelling(of: type),
            PayloadType.preferences.contains(spelling)
        {
            report(
                .invalidValue, at: entry.keyOffset,
                "PayloadContent is that of a payload \(spelling), and this is one of the domain"
                    + " \"\(Printable.escape(type))\"")
        } else {
            warn(
                .unknownField, at: entry.keyOffset,
                "\(shown) is no field of every payload, and because it begins with Payload it is no setting either;"
                    + " nothing of it is in force")
        }
    }

    /// The entries of a dictionary; of a duplicate key only the last one.
    package static func last(of entries: [Node.Entry]) -> [Node.Entry] {
        var places = [Key: Int](minimumCapacity: entries.count)
        for (index, entry) in entries.enumerated() { places[entry.key] = index }
        guard places.count < entries.count else { return entries }
        return entries.enumerated().filter { places[$0.element.key] == $0.offset }.map(\.element)
    }

    /// The domain of a name in a profile, and whether it is for this host only; `nil` after a finding.
    package mutating func domain(_ name: String, at offset: Int) -> (name: Key, isByHost: Bool)? {
        let suffix = ".ByHost"
        let isByHost =
            name.utf8.count > suffix.utf8.count && name.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        let base = isByHost ? String(Substring(name.utf8.dropLast(suffix.utf8.count))) : name
        let global: Set<String> = [
            ".GlobalPreferences", "NSGlobalDomain", "Apple Global Domain", "kCFPreferencesAnyApplication",
        ]
        if global.contains(base) { return ("NSGlobalDomain", isByHost) }
        if let error = PolicyName.domainError(Key(base)) {
            report(.invalidDomain, at: offset, "the domain \"\(Printable.escape(name))\" \(error)")
            return nil
        }
        checkName(name, "the domain", at: offset)
        let ending = ".plist"
        if base.utf8.count > ending.utf8.count, base.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) {
            let meant = Printable.escape(String(Substring(base.utf8.dropLast(ending.utf8.count))))
            warn(
                .invalidValue, at: offset,
                "the domain \"\(Printable.escape(base))\" ends as the name of a file does; where \"\(meant)\" is meant,"
                    + " nothing of it is in force")
        }
        return (Key(base), isByHost)
    }
}
