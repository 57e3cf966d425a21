import PropertyList

/// What can be made into a policy file; the raw value is the word of `--from`.
package enum ConversionKind: String, CaseIterable, Sendable {
    /// An Apple profile.
    case profile
    /// A property list of managed preferences, one domain a file.
    case propertyList = "plist"
    /// Keys and values without a root, as Intune takes them.
    case fragment
    /// A keyfile of dconf.
    case keyfile = "dconf"
    /// The locks of dconf.
    case locks = "dconf-locks"
    /// Policies of Chromium and its relatives in JSON.
    case chromium
    /// The `policies.json` of Firefox and its relatives.
    case firefox

    /// The kind of a file, told by its name and its content.
    static func detect(_ input: ConversionInput) -> ConversionKind? {
        let bytes = input.bytes
        if input.has(suffix: ".json") { return json(bytes) }
        if CMSMessage.recognizes(bytes) { return .profile }
        if input.has(folder: "locks") { return .locks }
        let start = bytes.first { $0 != 0 && $0 != 0x20 && !(0x09...0x0d).contains($0) && $0 < 0x80 }
        // Text that stands before a property list makes it nothing else.
        let isNamed = input.has(suffix: ".mobileconfig") || input.has(suffix: ".plist")
        switch start {
        case UInt8(ascii: "["), UInt8(ascii: "#"): if !isNamed { return .keyfile }
        case UInt8(ascii: "/"): if !isNamed { return .locks }
        case UInt8(ascii: "{"), UInt8(ascii: "("):
            return foreign(bytes) == nil ? .propertyList : json(bytes)
        default: break
        }
        guard let reading = try? ProfileText.read(bytes, limits: PolicyFile.limits) else {
            // What does not parse is told by whoever reads it for its suffix.
            return input.has(suffix: ".mobileconfig") ? .profile : input.has(suffix: ".plist") ? .propertyList : nil
        }
        let root = reading.document.root.entries ?? []
        let names: Set<Key> = ["PayloadContent", "PayloadIdentifier", "PayloadType"]
        if root.contains(where: { names.contains($0.key) }) { return .profile }
        if root.contains(where: { $0.key.string == ProfileField.applicationData }) { return .propertyList }
        return input.has(suffix: ".mobileconfig") && !reading.isFragment
            ? .profile : reading.isFragment ? .fragment : .propertyList
    }

    /// Whose policies a file in JSON holds: Firefox has them all within one field, and a profile is none in JSON, which
    /// whoever reads profiles says.
    private static func json(_ bytes: [UInt8]) -> ConversionKind {
        let root = foreign(bytes)?.root.entries ?? []
        if root.contains(where: { $0.key == "PayloadContent" || $0.key == "PayloadType" }) { return .profile }
        return root.last(where: { $0.key == "policies" })?.value.entries == nil ? .chromium : .firefox
    }

    /// A file in JSON as others write it; `nil` where it is none.
    private static func foreign(_ bytes: [UInt8]) -> Document? {
        guard let source = try? SourceText(decoding: bytes) else { return nil }
        return try? JSONReader.readForeign(source, limits: PolicyFile.limits)
    }
}
