import MDPlatform
package import MDPolicyModel
package import MDPropertyList

/// Parses the fields of one policy file and collects every error in it.
package struct PolicyParser {
    /// The most findings of one file; a file with more is not a policy file, and a longer list is of no use.
    package static let findingLimit = 1_000

    /// The path as printed.
    package let shownPath: String
    /// The identifier and the path beneath the root.
    package let source: Origin.Source
    /// The fields that are errors, because they would not be in force.
    package let refused: RefusedFields
    /// Computes places from offsets.
    var cursor: PositionCursor
    /// The findings so far.
    package var diagnostics: [Diagnostic] = []
    /// The number of findings, including those beyond the limit.
    package var findings = 0
    /// The text for which fixes are offered; `nil` if fixes are not wanted.
    package var fixable: FixableText?
    /// The offered fixes.
    package var fixes: [LintFix] = []
    /// Whether any finding is an error.
    var hasErrors = false

    /// The place of the identifier.
    package var identifierPosition = Position.start
    package var version: Integer?
    /// The place of the version.
    package var versionPosition = Position.start
    package var summary = ""
    /// The person or office to ask.
    package var contact = ""
    package var target: Target?
    /// The place of the target.
    package var targetPosition = Position.start
    /// Whether the file is enforced.
    package var enforced = false
    /// The effect of override attempts.
    package var onOverride = OverrideMode.refuse
    /// The field `Temporary`; `nil` for a file that is not temporary policy.
    package var temporary: Temporary?
    /// The entries so far, in file order.
    package var entries: [PolicyEntry] = []
    /// The sealed domains so far.
    package var seals: [Seal] = []
    /// The constraints so far.
    package var constraints: [ConstraintEntry] = []
    /// The number of steps of the patterns so far.
    var patternSteps = 0
    /// The combination operators so far.
    package var combine: [CombineEntry] = []
    /// The waivers so far.
    package var waivers: [Waiver] = []
    /// The calendars so far.
    package var calendars: [NamedCalendar] = []
    /// The time zones so far, each with the offset of its window; `nil` if zones are not wanted.
    package var zones: [(name: Key, offset: Int)]?
    /// The metadata so far.
    package var metadata: [MetadataEntry] = []
    /// The acknowledged findings so far.
    package var acknowledged: [LintAcknowledgement] = []
    /// Whether the file has absent entries; if not, no key can be both forced and absent.
    var hasAbsentEntries = false
    /// The first place of each forced or absent key, in a file with absent entries.
    var firstPlaces: [Key: [Key: (level: Level, position: Position)]] = [:]

    package init(_ document: Document, root: [Node.Entry], path: String, shownPath: String, refused: RefusedFields) {
        // Every origin has the identifier, which may come after the first entry.
        var identifier = ""
        for entry in root where entry.key.string == PolicyField.identifier.rawValue {
            if case .scalar(.string(let text)) = entry.value.content { identifier = text }
        }
        if identifier.isEmpty { identifier = PolicyFileName.stem(of: path) }
        source = Origin.Source(policy: identifier, file: path)
        self.refused = refused
        self.shownPath = shownPath
        cursor = PositionCursor(document)
    }

    /// Adds a finding at an offset.
    package mutating func report(
        _ code: LintCode, at offset: Int, _ message: String, severity: Severity = .error
    ) {
        findings += 1
        if severity == .error { hasErrors = true }
        guard findings <= PolicyParser.findingLimit else { return }
        let position = cursor.position(of: offset)
        diagnostics.append(
            Diagnostic(
                file: shownPath, position: position, severity: severity, code: code,
                message: PolicyParser.bounded(message)))
    }

    /// A message of bounded length: every command prints it, and names in the file may be as long as the file.
    private static func bounded(_ message: String) -> String {
        guard message.utf8.count > messageLimit else { return message }
        let scalars = message.unicodeScalars
        let half = messageLimit / 8
        let (start, end) = (scalars.prefix(half), scalars.suffix(half))
        return "\(String(String.UnicodeScalarView(start)))…\(String(String.UnicodeScalarView(end)))"
    }

    /// The longest message, in bytes.
    private static let messageLimit = 2_000

    /// Parses every field of the root.
    package mutating func parse(root: [Node.Entry], rootOffset: Int) {
        var hasIdentifier = false
        if let (entry, message) = PolicyParser.foreign(root) {
            return report(.unknownField, at: entry.keyOffset, message)
        }
        hasAbsentEntries = root.contains { $0.key.string == PolicyField.absent.rawValue }
        for entry in root {
            guard let field = PolicyField(rawValue: entry.key.string) else {
                reportUnknown(entry, among: root, in: "a policy file", known: PolicyField.names)
                continue
            }
            if refuses(entry) { continue }
            if field == .identifier { hasIdentifier = true }
            parse(field, entry)
        }
        if root.allSatisfy({ PolicyField(rawValue: $0.key.string) == nil }) {
            let advice = "; where this is the content of one domain, mdefaults policy convert takes it"
            let hint = root.isEmpty ? "" : advice
            report(.missingField, at: rootOffset, "there is no field of a policy file here\(hint)")
        }
        if !hasIdentifier { identifierPosition = cursor.position(of: rootOffset) }
        if !hasIdentifier, let entry = root.first(where: { $0.key.string == PolicyField.setOnce.rawValue }) {
            report(
                .missingField, at: entry.keyOffset,
                "the field Identifier is missing; a file with SetOnce has one, because what was set once is remembered by"
                    + " it, and the name of a file may change")
        }
    }

    /// The message about a file in one of Apple's formats that is not a policy file, with the field that identifies it;
    /// `nil` for any other.
    private static func foreign(_ root: [Node.Entry]) -> (entry: Node.Entry, message: String)? {
        guard !root.contains(where: { PolicyField(rawValue: $0.key.string) != nil }) else { return nil }
        if let entry = ProfileParser.field(ProfileField.applicationData, of: root) {
            return (entry, "this is an export of MCX and no policy file; mdefaults policy convert takes it")
        }
        guard let type = ProfileParser.field(ProfileField.type, of: root) else { return nil }
        if ProfileParser.lonePayload(root) != nil {
            return (type, "this is a payload of a profile and no policy file; mdefaults policy convert takes it")
        }
        return (type, "this is a profile and no policy file; the names of profiles end in .mobileconfig")
    }

    /// Parses one field.
    private mutating func parse(_ field: PolicyField, _ entry: Node.Entry) {
        let name = field.rawValue
        switch field {
        case .identifier:
            guard let text = string(entry.value, name) else { return }
            if let error = PolicyName.identifierError(text) {
                let shown = Printable.escape(text)
                report(.invalidIdentifier, at: entry.value.offset, "the Identifier \"\(shown)\" \(error)")
            }
            identifierPosition = cursor.position(of: entry.value.offset)
        case .version:
            guard case .scalar(.integer(let number)) = entry.value.content else {
                reportType(entry.value, name, expected: "an integer")
                if case .scalar(.string(let text)) = entry.value.content, Integer(decimal: text)?.description == text {
                    offerUnquoted(entry.value)
                }
                return
            }
            version = number
            versionPosition = cursor.position(of: entry.value.offset)
        case .description: summary = string(entry.value, name) ?? ""
        case .contact: contact = string(entry.value, name) ?? ""
        case .schema: _ = string(entry.value, name)
        case .target:
            targetPosition = cursor.position(of: entry.keyOffset)
            parseTarget(entry.value)
        case .temporary: parseTemporary(entry.value, at: entry.keyOffset)
        case .enforced: enforced = boolean(entry.value, name) ?? false
        case .forced: parseValues(entry.value, name, level: .forced)
        case .recommended: parseValues(entry.value, name, level: .recommended)
        case .setOnce: parseValues(entry.value, name, level: .setOnce)
        case .absent: parseAbsent(entry.value)
        case .sealed: parseSealed(entry.value)
        case .constraints: parseConstraints(entry.value)
        case .combine: parseCombine(entry.value)
        case .waivers: parseWaivers(entry.value)
        case .calendars: parseCalendars(entry.value)
        case .metadata: parseMetadata(entry.value)
        case .onOverride:
            guard let text = string(entry.value, name) else { return }
            guard let mode = OverrideMode(rawValue: text) else {
                let shown = Printable.escape(text)
                report(
                    .invalidValue, at: entry.value.offset,
                    "OnOverride must be \"refuse\" or \"shadow\", not \"\(shown)\"")
                return offerWord(text, at: entry.value.offset, known: OverrideMode.allCases.map(\.rawValue))
            }
            onOverride = mode
        }
    }

    /// The text of a field that must be a string.
    package mutating func string(_ node: Node, _ name: String) -> String? {
        if case .scalar(.string(let text)) = node.content { return text }
        reportType(node, name, expected: "a string")
        return nil
    }

    /// The value of a field that must be a boolean.
    package mutating func boolean(_ node: Node, _ name: String) -> Bool? {
        if case .scalar(.boolean(let flag)) = node.content { return flag }
        reportType(node, name, expected: "a boolean")
        if case .scalar(.string(let text)) = node.content {
            switch text.lowercased() {
            case "true", "yes": offerUnquoted(node, as: "true")
            case "false", "no": offerUnquoted(node, as: "false")
            default: break
            }
        }
        return nil
    }

    /// The texts of a list of strings, with their offsets.
    package mutating func strings(_ elements: [Node], _ place: String) -> [(text: String, offset: Int)] {
        var result: [(text: String, offset: Int)] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            if let text = string(element, "an item of \(place)") { result.append((text, element.offset)) }
        }
        return result
    }

    /// The origin of a place of this file.
    package func origin(_ position: Position) -> Origin { Origin(source, position: position) }

    /// Reports a value of the wrong type.
    mutating func reportType(_ node: Node, _ name: String, expected: String) {
        report(.wrongType, at: node.offset, "\(name) must be \(expected), not \(node.noun)")
    }

    /// Reports a field that is not put in force; returns whether it is one.
    mutating func refuses(_ entry: Node.Entry) -> Bool {
        let name = entry.key.string
        guard refused.names.contains(name) else { return false }
        report(.notSupported, at: entry.keyOffset, "\(name) is not supported yet")
        return true
    }

    /// Reports a field that does not exist.
    mutating func reportUnknown(
        _ entry: Node.Entry, among fields: [Node.Entry], in place: String, known: [String]
    ) {
        let name = entry.key.string
        let suggestion = Suggestion.nearest(to: name, among: known).map { "; \($0) is probably meant" } ?? ""
        report(
            .unknownField, at: entry.keyOffset, "\(place) has no field \"\(Printable.escape(name))\"\(suggestion)")
        offerName(of: entry, among: fields, known: known)
    }
}

/// The fields at the top of a policy file.
package enum PolicyField: String, CaseIterable {
    /// The policy's name in reverse DNS form; required.
    case identifier = "Identifier"
    /// The version that the administrator assigns.
    case version = "Version"
    /// The purpose of the policy.
    case description = "Description"
    /// The person or office to ask.
    case contact = "Contact"
    /// The users, hosts and times that the file applies to.
    case target = "Target"
    /// Whether no later file can override this one.
    case enforced = "Enforced"
    /// Entries ahead of every user domain.
    case forced = "Forced"
    /// Entries behind every user domain.
    case recommended = "Recommended"
    /// Entries that are written into the user's own domain a single time.
    case setOnce = "SetOnce"
    /// Forced entries without a value.
    case absent = "Absent"
    /// Domains whose every key is forced.
    case sealed = "Sealed"
    /// Constraints on users' values.
    case constraints = "Constraints"
    /// How the forced entries of several files are combined.
    case combine = "Combine"
    /// Exceptions.
    case waivers = "Waivers"
    /// Named windows that schedules refer to.
    case calendars = "Calendars"
    /// Descriptions of keys.
    case metadata = "Metadata"
    /// The effect of writes to forced keys.
    case onOverride = "OnOverride"
    /// The description of temporary policy.
    case temporary = "Temporary"
    /// The JSON Schema that an editor checks the file with; without effect here.
    case schema = "$schema"

    /// The names of all fields, for suggestions.
    package static let names: [String] = allCases.map(\.rawValue)
}

/// Fields of the format that are parsed and refused, so that no part of a policy is silently not in force.
package struct RefusedFields: Sendable {
    package let names: Set<String>

    /// The fields that this version does not put in force.
    package static let current = RefusedFields(names: [])

    package static let none = RefusedFields(names: [])
}

/// Computes places of offsets that mostly ascend, without scanning each line from its start again.
///
/// Without it, a file of one long line with many entries would take time that grows with the square of its size.
package struct PositionCursor {
    private let document: Document
    /// The last computed place.
    private var last = Position.start

    /// Makes a cursor at the start of a document.
    package init(_ document: Document) {
        self.document = document
    }

    /// The place of an offset.
    ///
    /// Complexity: O(lines since the previous offset + distance in the line); O(log lines + line length) if the offset
    /// is before the previous one.
    package mutating func position(of offset: Int) -> Position {
        guard document.format != .binary, offset >= last.offset, offset <= document.source.utf8.count else {
            return document.position(of: offset)
        }
        last = document.source.position(at: offset, behind: last)
        return last
    }
}
