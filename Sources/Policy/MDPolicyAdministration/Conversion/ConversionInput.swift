import MDPolicyFormats
import MDPolicyModel
import MDPropertyList

/// A file to convert.
package struct ConversionInput: Sendable {
    /// The path for messages.
    package let path: String
    /// The content.
    package let bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// The parts of the path.
    private var parts: [Substring.UTF8View.SubSequence] { path[...].utf8.split(separator: UInt8(ascii: "/")) }

    var name: String { parts.last.map { String(Substring($0)) } ?? path }

    /// The name without folders and without a known suffix; other dots may belong to a domain.
    var stem: String {
        for suffix in [".plist", ".xml", ".mobileconfig", ".json", ".conf", ".txt"] where has(suffix: suffix) {
            guard name.utf8.count > suffix.utf8.count else { break }
            return String(Substring(name.utf8.dropLast(suffix.utf8.count)))
        }
        return name
    }

    /// Whether the name has a suffix, ignoring case.
    func has(suffix: String) -> Bool { name.lowercased().utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

    /// Whether the path has a folder of a name.
    func has(folder: String) -> Bool { parts.dropLast().contains { $0.elementsEqual(folder.utf8) } }
}

/// A kind of file that can be converted; the raw value is the word of `--from`.
package enum ConversionKind: String, CaseIterable, Sendable {
    /// An Apple profile.
    case profile
    /// A property list of managed preferences, with one domain.
    case propertyList = "plist"
    /// Keys and values without a root, as used by Intune.
    case fragment
    /// A keyfile of dconf.
    case keyfile = "dconf"
    /// A file of locks of dconf.
    case locks = "dconf-locks"
    /// Policies of Chromium and its relatives in JSON.
    case chromium
    /// The `policies.json` of Firefox and its relatives.
    case firefox

    /// Detects the kind of a file from its name and content.
    static func detect(_ input: ConversionInput) -> ConversionKind? {
        let bytes = input.bytes
        if input.has(suffix: ".json") { return json(bytes) }
        if CMSMessage.recognizes(bytes) { return .profile }
        if input.has(folder: "locks") { return .locks }
        let start = bytes.first { $0 != 0 && $0 != 0x20 && !(0x09...0x0d).contains($0) && $0 < 0x80 }
        // Text before a property list does not change the kind.
        let isNamed = input.has(suffix: ".mobileconfig") || input.has(suffix: ".plist")
        switch start {
        case UInt8(ascii: "["), UInt8(ascii: "#"): if !isNamed { return .keyfile }
        case UInt8(ascii: "/"): if !isNamed { return .locks }
        case UInt8(ascii: "{"), UInt8(ascii: "("):
            return foreign(bytes) == nil ? .propertyList : json(bytes)
        default: break
        }
        guard let reading = try? ProfileText.read(bytes, limits: PolicyFile.limits) else {
            // A file that does not parse is reported by the reader for its suffix.
            return input.has(suffix: ".mobileconfig") ? .profile : input.has(suffix: ".plist") ? .propertyList : nil
        }
        let root = reading.document.root.entries ?? []
        let names: Set<Key> = ["PayloadContent", "PayloadIdentifier", "PayloadType"]
        if root.contains(where: { names.contains($0.key) }) { return .profile }
        if root.contains(where: { $0.key.string == ProfileField.applicationData }) { return .propertyList }
        return input.has(suffix: ".mobileconfig") && !reading.isFragment
            ? .profile : reading.isFragment ? .fragment : .propertyList
    }

    /// The kind of a JSON file: Firefox has all policies in one field.
    ///
    /// A profile is not JSON, which the reader of profiles reports.
    private static func json(_ bytes: [UInt8]) -> ConversionKind {
        let root = foreign(bytes)?.root.entries ?? []
        if root.contains(where: { $0.key == "PayloadContent" || $0.key == "PayloadType" }) { return .profile }
        return root.last(where: { $0.key == "policies" })?.value.entries == nil ? .chromium : .firefox
    }

    /// Parses a file as common JSON; `nil` if the file is not JSON.
    private static func foreign(_ bytes: [UInt8]) -> Document? {
        guard let source = try? SourceText(decoding: bytes) else { return nil }
        return try? JSONReader.readForeign(source, limits: PolicyFile.limits)
    }
}
