import Platform
import PropertyList

/// Reads the fields of one policy file and collects every mistake in it.
struct PolicyParser {
    /// The most findings of one file; a file with more is no policy file, and nobody reads a longer list.
    static let findingLimit = 1_000

    /// The path as people are shown it.
    let shownPath: String
    /// The identifier and the path beneath the root.
    let source: Origin.Source
    /// What is read and refused.
    let refused: RefusedFields
    /// Tells places.
    var cursor: PositionCursor
    /// The findings so far.
    var diagnostics: [Diagnostic] = []
    /// How many findings there are, those beyond the limit included.
    var findings = 0
    /// The text in which changes are offered; `nil` where nobody asks for any.
    var fixable: FixableText?
    /// The changes that are offered.
    var fixes: [LintFix] = []
    /// Whether one of them is an error.
    var hasErrors = false

    /// Where the identifier stands.
    var identifierPosition = Position.start
    /// The version, once read.
    var version: Integer?
    /// The description, once read.
    var summary = ""
    /// Whom to ask, once read.
    var contact = ""
    /// The target, once read.
    var target: Target?
    /// Where the target stands.
    var targetPosition = Position.start
    /// Whether the file is enforced, once read.
    var enforced = false
    /// What becomes of override attempts, once read.
    var onOverride = OverrideMode.refuse
    /// What the file says of itself where it is temporary policy, once read.
    var temporary: Temporary?
    /// The entries read so far, in file order.
    var entries: [PolicyEntry] = []
    /// The sealed domains read so far.
    var seals: [Seal] = []
    /// The constraints read so far.
    var constraints: [ConstraintEntry] = []
    /// The steps of the patterns read so far.
    var patternSteps = 0
    /// The operators read so far.
    var combine: [CombineEntry] = []
    /// The waivers read so far.
    var waivers: [Waiver] = []
    /// The calendars read so far.
    var calendars: [NamedCalendar] = []
    /// The time zones read so far, each with the offset of its window; `nil` where nobody asks for them.
    var zones: [(name: Key, offset: Int)]?
    /// The metadata read so far.
    var metadata: [MetadataEntry] = []
    /// Whether the file has absent entries: without any, no key can be forced and absent.
    var hasAbsentEntries = false
    /// Where each forced or absent key was first given, in a file with absent entries.
    var firstPlaces: [Key: [Key: (level: Level, position: Position)]] = [:]

    /// Makes a parser of a document.
    init(_ document: Document, root: [Node.Entry], path: String, shownPath: String, refused: RefusedFields) {
        // Every origin names the identifier, which may stand further down than what has the origin.
        var identifier = ""
        for entry in root where entry.key.string == PolicyField.identifier.rawValue {
            if case .scalar(.string(let text)) = entry.value.content { identifier = text }
        }
        source = Origin.Source(policy: identifier, file: path)
        self.refused = refused
        self.shownPath = shownPath
        cursor = PositionCursor(document)
    }

    /// Adds a finding at an offset.
    mutating func report(
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

    /// A message that a name of the file has not made as long as the file: every command of everybody prints it.
    private static func bounded(_ message: String) -> String {
        guard message.utf8.count > messageLimit else { return message }
        let scalars = message.unicodeScalars
        let half = messageLimit / 8
        let (start, end) = (scalars.prefix(half), scalars.suffix(half))
        return "\(String(String.UnicodeScalarView(start)))…\(String(String.UnicodeScalarView(end)))"
    }

    /// The most bytes of a message.
    private static let messageLimit = 2_000

    /// Reads every field of the root.
    mutating func parse(root: [Node.Entry], rootOffset: Int) {
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
        if !hasIdentifier {
            let isOther = !root.isEmpty && root.allSatisfy { PolicyField(rawValue: $0.key.string) == nil }
            let hint = isOther ? "; where this is the content of one domain, mdefaults policy convert takes it" : ""
            report(
                .missingField, at: rootOffset,
                "the field Identifier is missing; every policy file has one, in reverse DNS form\(hint)")
        }
    }

    /// What a file is that is no policy file but one of Apple's, with the field that shows it; `nil` for any other.
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

    /// Reads one field.
    private mutating func parse(_ field: PolicyField, _ entry: Node.Entry) {
        let name = field.rawValue
        switch field {
        case .identifier:
            guard let text = string(entry.value, name) else { return }
            if let mistake = PolicyName.identifierMistake(text) {
                let shown = Printable.escape(text)
                report(.invalidIdentifier, at: entry.value.offset, "the Identifier \"\(shown)\" \(mistake)")
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
    mutating func string(_ node: Node, _ name: String) -> String? {
        if case .scalar(.string(let text)) = node.content { return text }
        reportType(node, name, expected: "a string")
        return nil
    }

    /// The truth value of a field that must be a boolean.
    mutating func boolean(_ node: Node, _ name: String) -> Bool? {
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
    mutating func strings(_ elements: [Node], _ place: String) -> [(text: String, offset: Int)] {
        var result: [(text: String, offset: Int)] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            if let text = string(element, "an item of \(place)") { result.append((text, element.offset)) }
        }
        return result
    }

    /// A place of this file.
    func origin(_ position: Position) -> Origin { Origin(source, position: position) }

    /// Reports a value of the wrong type.
    mutating func reportType(_ node: Node, _ name: String, expected: String) {
        report(.wrongType, at: node.offset, "\(name) must be \(expected), not \(node.noun)")
    }

    /// Reports a field that is not put in force; whether it is one.
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
