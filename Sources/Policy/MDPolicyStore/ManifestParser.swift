import MDPlatform
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// Parses the `pfm_` fields of one manifest.
struct ManifestParser {
    /// The most findings of one manifest.
    private static let findingLimit = 100
    /// The greatest nesting depth of subkeys; the deepest known manifest has eight.
    private static let depthLimit = 64
    /// The fields that every payload has, and the prefix of the fields of an editor: neither describe a domain.
    private static let ignored = (keys: ProfileField.payload, prefix: "PFC_")

    /// Other names of the global domain.
    static let globalNames: Set<Key> = [".GlobalPreferences", "Apple Global Domain"]

    /// The path for messages.
    package let shownPath: String
    /// Converts offsets to positions.
    private var cursor: PositionCursor
    package private(set) var diagnostics: [Diagnostic] = []

    init(_ document: Document, shownPath: String) {
        self.shownPath = shownPath
        cursor = PositionCursor(document)
    }

    /// Parses the whole manifest; returns `nil` if it names no valid domain.
    package mutating func manifest(_ root: [Node.Entry], rootOffset: Int) -> Manifest? {
        guard let domain = text("pfm_domain", of: root) else {
            warn(at: rootOffset, "the manifest has no pfm_domain, so that nobody knows what it describes")
            return nil
        }
        let name = ManifestParser.globalNames.contains(Key(domain)) ? "NSGlobalDomain" : domain
        if let reason = PolicyName.domainError(Key(name)) {
            warn(at: rootOffset, "the domain \"\(Printable.escape(domain))\" \(reason)")
            return nil
        }
        var keys: [Key: ManifestKey] = [:]
        for key in subkeys(of: root, depth: 0) where !key.name.string.isEmpty {
            let text = key.name.string
            if ManifestParser.ignored.keys.contains(text) { continue }
            if text.utf8.starts(with: ManifestParser.ignored.prefix.utf8) { continue }
            keys[key.name] = keys[key.name].map { $0.merged(with: key) } ?? key
        }
        return Manifest(
            domain: Key(name), title: text("pfm_title", of: root) ?? "", description: words(root), keys: keys,
            isWhole: value(Manifest.wholeField, of: root) == .boolean(true), shownPath: shownPath)
    }

    /// Parses `pfm_subkeys`.
    private mutating func subkeys(of fields: [Node.Entry], depth: Int) -> [ManifestKey] {
        guard let entry = ProfileParser.field("pfm_subkeys", of: fields) else { return [] }
        guard depth < ManifestParser.depthLimit else {
            warn(at: entry.keyOffset, "subkeys are nested more than \(ManifestParser.depthLimit) deep")
            return []
        }
        guard let nodes = entry.value.elements else {
            warn(at: entry.value.offset, "pfm_subkeys must be an array, not \(entry.value.noun)")
            return []
        }
        var keys: [ManifestKey] = []
        for node in nodes {
            guard let fields = node.entries else {
                warn(at: node.offset, "an item of pfm_subkeys must be a dictionary, not \(node.noun)")
                continue
            }
            keys.append(key(fields, at: node.offset, depth: depth))
        }
        return keys
    }

    /// Parses one key.
    private mutating func key(_ fields: [Node.Entry], at offset: Int, depth: Int) -> ManifestKey {
        let allowsOthers = value("pfm_range_list_allow_custom_value", of: fields) == .boolean(true)
        let type = type(fields)
        // Values of another type are ignored; the list of an array describes its elements.
        let list = ProfileParser.field("pfm_range_list", of: fields)?.value.elements?.map(\.value).filter { value in
            guard let type, type != .array else { return true }
            return type.fits(value)
        }
        return ManifestKey(
            name: Key(text("pfm_name", of: fields) ?? ""), type: type,
            title: text("pfm_title", of: fields) ?? "", description: words(fields),
            minimum: value("pfm_range_min", of: fields), maximum: value("pfm_range_max", of: fields),
            oneOf: allowsOthers || list?.isEmpty == true ? nil : list, pattern: pattern(fields),
            format: text("pfm_format", of: fields) ?? "",
            defaultValue: value("pfm_default", of: fields),
            isSensitive: value("pfm_sensitive", of: fields) == .boolean(true),
            isRequired: text("pfm_require", of: fields) == "always"
                && ProfileParser.field("pfm_exclude", of: fields) == nil,
            deprecation: deprecation(fields), subkeys: subkeys(of: fields, depth: depth + 1),
            position: cursor.position(of: offset))
    }

    /// The type of `pfm_type`; an unknown type is reported and not checked.
    private mutating func type(_ fields: [Node.Entry]) -> ManifestType? {
        guard let entry = ProfileParser.field("pfm_type", of: fields) else { return nil }
        guard case .scalar(.string(let word)) = entry.value.content else {
            warn(at: entry.value.offset, "pfm_type must be a string, not \(entry.value.noun)")
            return nil
        }
        if let type = ManifestType(word: word) { return type }
        if !ManifestType.isFree(word) {
            warn(
                at: entry.value.offset,
                "there is no pfm_type \(Printable.escape(word)), so the type of the key's values is not checked")
        }
        return nil
    }

    /// The version that deprecated the key.
    ///
    /// Fields of another system, such as `pfm_macos_deprecated`, do not count.
    private func deprecation(_ fields: [Node.Entry]) -> String? {
        for name in ["pfm_app_deprecated", "pfm_deprecated"] {
            switch value(name, of: fields) {
            case .string(let version): return version
            case .boolean(true): return ""
            default: continue
            }
        }
        return nil
    }

    /// The description, or else the vendor's description.
    private func words(_ fields: [Node.Entry]) -> String {
        [text("pfm_description", of: fields), text("pfm_description_reference", of: fields)]
            .compactMap { $0 }.first { !$0.isEmpty } ?? ""
    }

    /// The pattern of `pfm_format`; one that this engine cannot match in linear time is ignored with a warning.
    private mutating func pattern(_ fields: [Node.Entry]) -> ConstraintPattern? {
        guard let entry = ProfileParser.field("pfm_format", of: fields),
            case .scalar(.string(let text)) = entry.value.content, !text.isEmpty
        else { return nil }
        do throws(ConstraintPatternError) {
            // A format may match any part of a value, while a pattern of this engine matches all of it.
            let isWhole = text.utf8.first == UInt8(ascii: "^") && text.utf8.last == UInt8(ascii: "$")
            let isPlain = isWhole && !text.utf8.contains(UInt8(ascii: "|"))
            return try ConstraintPattern(isPlain ? text : "(.|\\n)*(\(text))(.|\\n)*")
        } catch {
            warn(at: entry.value.offset, "this pfm_format is not checked: \(Printable.escape(error.message))")
            return nil
        }
    }

    private func text(_ name: String, of fields: [Node.Entry]) -> String? {
        if case .string(let text) = value(name, of: fields) { text } else { nil }
    }

    private func value(_ name: String, of fields: [Node.Entry]) -> Value? {
        ProfileParser.field(name, of: fields)?.value.value
    }

    private mutating func warn(at offset: Int, _ message: String) {
        guard diagnostics.count < ManifestParser.findingLimit else { return }
        diagnostics.append(
            Diagnostic(
                file: shownPath, position: cursor.position(of: offset), severity: .warning, code: .manifest,
                message: message))
    }
}
