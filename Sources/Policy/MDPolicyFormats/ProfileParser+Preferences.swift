import MDPlatform
import MDPolicyModel
package import MDPropertyList

extension ProfileParser {
    /// Parses a payload `com.apple.ManagedClient.preferences`: domains, levels, settings.
    mutating func parsePreferences(_ fields: [Node.Entry], of payload: Node) {
        guard let content = ProfileParser.field(ProfileField.content, of: fields) else {
            let other = fields.first {
                $0.value.entries?.contains { $0.key == "Forced" || $0.key == "Set-Once" } == true
            }
            let hint = other.map { "; \"\(Printable.escape($0.key.string))\" belongs into it" } ?? ""
            return report(
                .missingField, at: payload.offset,
                "a payload com.apple.ManagedClient.preferences has a PayloadContent\(hint)")
        }
        guard let domains = content.value.entries else {
            return reportType(content.value, ProfileField.content, expected: "a dictionary of domains")
        }
        for entry in fields
        where entry.key.string != ProfileField.content && !ProfileField.payload.contains(entry.key.string) {
            warn(
                .unknownField, at: entry.keyOffset,
                "\"\(Printable.escape(entry.key.string))\" beside PayloadContent is no setting of a domain; it has no"
                    + " effect")
        }
        parseDomains(domains, at: content.keyOffset)
    }

    /// Parses domains with their levels.
    mutating func parseDomains(_ domains: [Node.Entry], at offset: Int) {
        if domains.isEmpty { warnEmpty("the payload", at: offset) }
        for entry in ProfileParser.last(of: domains) {
            if entry.key.string == ProfileField.content, ProfileParser.areDomains(entry.value.entries ?? []) {
                report(
                    .wrongType, at: entry.keyOffset,
                    "this PayloadContent is one too many: its domains stand directly in the one around it")
                continue
            }
            if entry.key.string == "mcx_targets", entry.value.entries == nil {
                warn(
                    .unknownField, at: entry.keyOffset,
                    "mcx_targets says whom a directory manages, and no domain is called so; a file applies to everybody"
                )
                settle(entry.value)
                continue
            }
            guard let domain = domain(entry.key.string, at: entry.keyOffset) else { continue }
            let shown = Printable.escape(entry.key.string)
            guard let levels = entry.value.entries else {
                reportType(
                    entry.value, "the content of the domain \(shown)",
                    expected: "a dictionary with Forced or Set-Once")
                continue
            }
            if levels.isEmpty { warnEmpty("the domain \(shown)", at: entry.keyOffset) }
            let isAlone = !levels.contains { ProfileParser.isLevel($0.key) }
            for level in ProfileParser.last(of: levels) { parseLevel(level, of: domain, isAlone: isAlone) }
        }
    }

    /// Parses `Forced` or `Set-Once` of a domain.
    ///
    /// - Parameters:
    ///   - entry: the field of the domain.
    ///   - domain: the domain.
    ///   - isAlone: whether the domain has neither of the two, so that a field beside them cannot be meant as one.
    private mutating func parseLevel(_ entry: Node.Entry, of domain: (name: Key, isByHost: Bool), isAlone: Bool) {
        let name = entry.key.string
        let level: Level
        switch name {
        case "Forced": level = .forced
        case "Set-Once": level = .setOnce
        default:
            let nearest = Suggestion.nearest(to: name, among: ["Forced", "Set-Once"])
            let shown = "\"\(Printable.escape(name))\""
            if isAlone {
                let hint = nearest.map { "\($0) is probably meant" } ?? "there are Forced and Set-Once"
                return report(
                    .unknownField, at: entry.keyOffset, "a domain of a profile has no level \(shown); \(hint)")
            }
            settle(entry.value)
            let hint = nearest.map { "; \($0) is probably meant" } ?? ""
            return warn(
                .unknownField, at: entry.keyOffset, "\(shown) beside the levels of a domain has no effect\(hint)")
        }
        guard let items = entry.value.elements else { return reportType(entry.value, name, expected: "an array") }
        if items.isEmpty { warnEmpty(name, at: entry.keyOffset) }
        for item in items { parseItem(item, name, level, of: domain) }
    }

    /// Parses one set of settings.
    private mutating func parseItem(
        _ item: Node, _ name: String, _ level: Level, of domain: (name: Key, isByHost: Bool)
    ) {
        guard let fields = item.entries else { return reportType(item, "an item of \(name)", expected: "a dictionary") }
        var rule = SetOnceRule.eachSession
        var unions: Node?
        var settings: [Node.Entry]?
        for field in ProfileParser.last(of: fields) {
            switch field.key.string {
            case "mcx_preference_settings":
                settings = field.value.entries
                if settings == nil { reportType(field.value, field.key.string, expected: "a dictionary") }
            case ProfileField.stamp: rule = stamp(field)
            case "mcx_union_policy_keys": unions = field.value
            default:
                warn(
                    .unknownField, at: field.keyOffset,
                    "\"\(Printable.escape(field.key.string))\" beside mcx_preference_settings has no effect")
            }
        }
        guard let settings else {
            let isThere = fields.contains { $0.key == "mcx_preference_settings" }
            if !isThere {
                let isShown = findings < PolicyParser.findingLimit
                let hint = isShown ? misspeltHint(for: "mcx_preference_settings", among: fields) : ""
                report(.missingField, at: item.offset, "this item of \(name) has no mcx_preference_settings\(hint)")
            }
            return
        }
        if settings.isEmpty { warnEmpty("this item of \(name)", at: item.offset) }
        let last = ProfileParser.last(of: settings)
        let joined = unions.map { parseUnions($0, last, level, of: domain) } ?? (inputs: [], outputs: [])
        for entry in last where !joined.outputs.contains(entry.key) {
            add(
                Setting(
                    level: level, domain: domain.name, entry: entry, rule: rule, isByHost: domain.isByHost,
                    isUnion: joined.inputs.contains(entry.key)))
        }
    }

    /// The rule of settings with a stamp.
    private mutating func stamp(_ field: Node.Entry) -> SetOnceRule {
        if let text = ProfileParser.stamp(field.value, reading) { return .eachStamp(text) }
        reportType(field.value, field.key.string, expected: "a date")
        return .eachVersion
    }

    /// The text of a stamp; `nil` for a value that is not a stamp.
    package static func stamp(_ node: Node, _ reading: TolerantReading) -> String? {
        switch node.content {
        case .scalar(.date(let seconds)): CalendarDate.iso8601(seconds) ?? "\(seconds)"
        case .scalar(.string(let text)) where !text.isEmpty && reading.unreadable[node.offset] == nil: text
        default: nil
        }
    }

    /// Parses `mcx_union_policy_keys`: keys whose lists are combined with those of other profiles under one name.
    ///
    /// - Returns: the keys of the lists, and those of the results, which are added already.
    private mutating func parseUnions(
        _ node: Node, _ settings: [Node.Entry], _ level: Level, of domain: (name: Key, isByHost: Bool)
    ) -> (inputs: Set<Key>, outputs: Set<Key>) {
        guard level == .forced else {
            warn(.noEffect, at: node.offset, "mcx_union_policy_keys joins forced settings only; here it has no effect")
            return ([], [])
        }
        guard let items = node.elements else {
            reportType(node, "mcx_union_policy_keys", expected: "an array")
            return ([], [])
        }
        var known = [Key: Node.Entry](minimumCapacity: settings.count)
        for entry in settings { known[entry.key] = entry }
        var lists: Set<Key> = []
        var joined: Set<Key> = []
        for item in items {
            guard let fields = item.entries,
                let inputs = ProfileParser.field("mcx_input_key_names", of: fields)?.value.elements,
                case .scalar(.string(let output)) = ProfileParser.field("mcx_output_key_name", of: fields)?.value
                    .content
            else {
                report(
                    .wrongType, at: item.offset,
                    "an item of mcx_union_policy_keys has mcx_input_key_names, an array of strings, and"
                        + " mcx_output_key_name, a string")
                continue
            }
            checkUnion(fields)
            var parts: [Node] = []
            var place: Int?
            var isList = true
            for input in inputs {
                guard case .scalar(.string(let name)) = input.content else {
                    reportType(input, "an item of mcx_input_key_names", expected: "a string")
                    continue
                }
                guard let entry = known[Key(name)] else { continue }
                guard let elements = entry.value.elements else {
                    isList = false
                    warn(
                        .wrongType, at: entry.keyOffset,
                        "\"\(Printable.escape(name))\" is to be joined with lists and is none; it is forced as it is")
                    continue
                }
                place = place ?? entry.keyOffset
                parts += elements
                lists.insert(entry.key)
            }
            // The key itself may hold a list that no input names.
            let own = inputs.contains { $0.value == .string(output) } ? nil : known[Key(output)]
            if let own, let elements = own.value.elements {
                place = place ?? own.keyOffset
                parts += elements
            }
            let shown = Printable.escape(output)
            guard let place else {
                if isList {
                    warn(
                        .noEffect, at: item.offset,
                        "none of the keys to be joined as \"\(shown)\" is there; nothing is joined")
                }
                continue
            }
            guard isList || !parts.isEmpty else { continue }
            if let own, own.value.elements == nil {
                warn(
                    .wrongType, at: own.keyOffset,
                    "\"\(shown)\" is no list, and the list that is joined of others takes its place")
            }
            let value = Node(.array(parts), offset: place)
            let entry = Node.Entry(key: Key(output), keyOffset: place, value: value)
            add(
                Setting(
                    level: .forced, domain: domain.name, entry: entry, isByHost: domain.isByHost, isUnion: true))
            joined.insert(Key(output))
        }
        return (lists, joined)
    }

    /// Reports the parts of an item of `mcx_union_policy_keys` that are not supported.
    private mutating func checkUnion(_ fields: [Node.Entry]) {
        for field in ProfileParser.last(of: fields) {
            switch field.key.string {
            case "mcx_input_key_names", "mcx_output_key_name": continue
            case "mcx_remove_duplicates":
                guard field.value.value == .boolean(false) || field.value.value == .integer(0) else { continue }
                warn(
                    .noEffect, at: field.keyOffset,
                    "mcx_remove_duplicates is false, and yet a list that is joined has each value once")
            default:
                warn(
                    .unknownField, at: field.keyOffset,
                    "\"\(Printable.escape(field.key.string))\" beside mcx_input_key_names has no effect")
            }
        }
    }
}
