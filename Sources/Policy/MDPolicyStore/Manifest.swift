import MDPlatform
import MDPolicyFormats
package import MDPolicyModel
package import MDPropertyList

/// The description of one domain's keys, read from a manifest file.
package struct Manifest: Sendable {
    package let domain: Key
    /// A short name of the software; may be empty.
    package let title: String
    /// What the domain is for; may be empty.
    package let description: String
    package let keys: [Key: ManifestKey]
    /// Whether the software reads no other key of the domain.
    package let isWhole: Bool
    /// The path for messages.
    package let shownPath: String

    /// Reads a manifest, a property list with `pfm_` fields.
    ///
    /// Unknown fields are ignored, because the format grows.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - shownPath: the path for messages.
    /// - Returns: the manifest, or `nil` if the file is not one; and the findings.
    package static func parse(bytes: [UInt8], shownPath: String) -> (manifest: Manifest?, diagnostics: [Diagnostic]) {
        do throws(PropertyListError) {
            let reading = try ProfileText.read(bytes, limits: PolicyFile.limits, as: "manifest")
            let root = try reading.document.rootEntries()
            var parser = ManifestParser(reading.document, shownPath: shownPath)
            let manifest = parser.manifest(root, rootOffset: reading.document.root.offset)
            return (manifest, parser.diagnostics)
        } catch {
            let finding = Diagnostic(
                file: shownPath, position: error.position, severity: .warning, code: .manifest,
                message: "the manifest cannot be read: \(Printable.escape(error.message)); values of its domain are not"
                    + " shown")
            return (nil, [finding])
        }
    }

    package init(
        domain: Key, title: String, description: String, keys: [Key: ManifestKey], isWhole: Bool, shownPath: String = ""
    ) {
        self.domain = domain
        self.title = title
        self.description = description
        self.keys = keys
        self.isWhole = isWhole
        self.shownPath = shownPath
    }
}

/// The description of one key in a manifest.
package struct ManifestKey: Sendable {
    /// The name; empty for the elements of an array.
    package let name: Key
    /// The type; `nil` if the manifest names no known one.
    package let type: ManifestType?
    /// A short name; may be empty.
    package let title: String
    /// What the key does; may be empty.
    package let description: String
    /// The least allowed value.
    package let minimum: Value?
    /// The greatest allowed value.
    package let maximum: Value?
    /// The allowed values; `nil` if others are allowed as well.
    package let oneOf: [Value]?
    /// The pattern that a string must match; `nil` if there is none, or none that this engine supports.
    package let pattern: ConstraintPattern?
    /// The source of the pattern as written in the manifest.
    package let format: String
    /// The value that the software uses if no value is set.
    package let defaultValue: Value?
    /// Whether values must not be shown in clear.
    package let isSensitive: Bool
    /// Whether the enclosing dictionary must have the key.
    package let isRequired: Bool
    /// The version of the software that deprecated the key, empty if unknown; `nil` if the key is not deprecated.
    package let deprecation: String?
    /// The keys of a dictionary, or the elements of an array.
    package let subkeys: [ManifestKey]
    /// The place of the description in the manifest.
    package let position: Position

    package init(
        name: Key, type: ManifestType? = nil, title: String = "", description: String = "", minimum: Value? = nil,
        maximum: Value? = nil, oneOf: [Value]? = nil, pattern: ConstraintPattern? = nil, format: String = "",
        defaultValue: Value? = nil,
        isSensitive: Bool = false, isRequired: Bool = false, deprecation: String? = nil, subkeys: [ManifestKey] = [],
        position: Position = .start
    ) {
        self.deprecation = deprecation
        self.name = name
        self.type = type
        self.title = title
        self.description = description
        self.minimum = minimum
        self.maximum = maximum
        self.oneOf = oneOf
        self.pattern = pattern
        self.format = format
        self.defaultValue = defaultValue
        self.isSensitive = isSensitive
        self.isRequired = isRequired
        self.subkeys = subkeys
        self.position = position
    }

    /// Merges two descriptions of one key for different cases: nothing is said of its values.
    func merged(with other: ManifestKey) -> ManifestKey {
        ManifestKey(
            name: name, type: type == other.type ? type : nil, title: title,
            description: description.isEmpty ? other.description : description,
            isSensitive: isSensitive || other.isSensitive, position: position)
    }
}

/// The type of a value in a manifest; the raw value is the word of `pfm_type`.
package enum ManifestType: String, Hashable, Sendable {
    case string
    case url
    case boolean
    case integer
    case real
    case date
    case data
    case array
    case dictionary

    /// The type of a word; `nil` for an unknown word.
    init?(word: String) {
        switch word {
        case "bool": self = .boolean
        case "float", "number": self = .real
        case "int": self = .integer
        default: self.init(rawValue: word)
        }
    }

    /// Whether a word of `pfm_type` allows values of any type; Apple's format has such words beside the types.
    static func isFree(_ word: String) -> Bool { ["", "any", "alias", "union policy"].contains(word) }

    /// The type with its article.
    package var words: String {
        switch self {
        case .integer, .array: "an \(rawValue)"
        case .url: "a URL as a string"
        case .data: "data"
        default: "a \(rawValue)"
        }
    }

    /// Whether a value has the type; a whole number is also a number.
    package func fits(_ value: Value) -> Bool {
        switch (self, value) {
        case (.string, .string), (.url, .string), (.boolean, .boolean), (.integer, .integer), (.real, .real),
            (.real, .integer), (.date, .date), (.data, .data), (.array, .array), (.dictionary, .dictionary):
            true
        default: false
        }
    }
}

extension Manifest {
    /// The field that says whether a manifest has all keys; ours, beside those of ProfileManifests.
    static let wholeField = "md_all_keys"

    /// The manifest as a property list, which ``parse(bytes:shownPath:)`` reads as the same.
    package var propertyList: Value {
        var fields: [Key: Value] = ["pfm_domain": .string(domain.string)]
        fields["pfm_title"] = title.isEmpty ? nil : .string(title)
        fields["pfm_description"] = description.isEmpty ? nil : .string(description)
        fields["pfm_subkeys"] = .array(keys.values.sorted { $0.name < $1.name }.map(\.propertyList))
        if isWhole { fields[Key(Manifest.wholeField)] = .boolean(true) }
        return .dictionary(fields)
    }
}

extension ManifestKey {
    /// The fields that a program can say of its own key.
    fileprivate var propertyList: Value {
        var fields: [Key: Value] = [:]
        fields["pfm_name"] = name.string.isEmpty ? nil : .string(name.string)
        fields["pfm_type"] = type.map { .string($0.rawValue) }
        fields["pfm_title"] = title.isEmpty ? nil : .string(title)
        fields["pfm_description"] = description.isEmpty ? nil : .string(description)
        fields["pfm_range_min"] = minimum
        fields["pfm_range_max"] = maximum
        fields["pfm_range_list"] = oneOf.map { .array($0) }
        fields["pfm_default"] = defaultValue
        if isSensitive { fields["pfm_sensitive"] = .boolean(true) }
        if !subkeys.isEmpty { fields["pfm_subkeys"] = .array(subkeys.map(\.propertyList)) }
        return .dictionary(fields)
    }
}

extension ManifestType {
    /// The type of a value.
    package init(of value: Value) {
        self =
            switch value {
            case .string: .string
            case .boolean: .boolean
            case .integer: .integer
            case .real: .real
            case .date: .date
            case .data: .data
            case .array: .array
            case .dictionary: .dictionary
            }
    }
}
