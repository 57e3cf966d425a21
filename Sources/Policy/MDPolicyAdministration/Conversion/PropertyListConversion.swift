import MDPlatform
import MDPolicyFormats
import MDPolicyModel
import MDPolicyStore
import MDPropertyList
import MDTools

extension Conversion {
    /// Adds the content of a property list: managed preferences, a fragment, or another known form.
    mutating func addPropertyList(_ input: ConversionInput) throws(ConversionError) {
        let reading: TolerantReading
        do throws(PropertyListError) {
            if input.bytes.first(where: { $0 != 0x20 && !(0x09...0x0d).contains($0) }) == UInt8(ascii: "{") {
                reading = TolerantReading(document: try Document.read(input.bytes, limits: PolicyFile.limits))
            } else {
                reading = try ProfileText.read(
                    input.bytes, limits: PolicyFile.limits, as: "file of managed preferences")
            }
            _ = try reading.document.rootEntries()
        } catch {
            throw ConversionError(Printable.escape(error.message), path: input.path, position: error.position)
        }
        let document = reading.document
        if options.kind == nil, let other = ProfileParser.lookalike(document.root.entries ?? []) {
            throw ConversionError(other, path: input.path)
        }
        try requireForeign(document.root.entries ?? [], of: input)
        // A fragment is defined by having no root.
        let start = document.position(of: document.root.offset).offset
        for warning in document.warnings where warning.code != .syntax || warning.position.offset != start {
            reportLoss(Printable.escape(warning.message), at: place(input, warning.position))
        }
        if document.hasMoreWarnings { reportMoreFindings(input) }
        var root = ProfileParser.last(of: document.root.entries ?? [])
        if let export = ProfileParser.field(ProfileField.applicationData, of: root) {
            return try addExport(reading, export.value, of: input)
        }
        if ProfileParser.areDomains(root) { return try addDomains(reading, document.root, of: input) }
        if options.domain == nil, input.stem == "complete" {
            return addComplete(root, of: input, reading)
        }
        let domain = try domain(of: input)
        if options.domain == nil {
            let shown = Printable.escape(domain.string)
            let message = "the domain \(shown) is the name of the file; --domain says it if that is another"
            let isNamed = domain == "NSGlobalDomain" || domain.string.utf8.contains(UInt8(ascii: "."))
            if isNamed { note(message, at: input.path) } else { reportLoss(message, at: input.path) }
        }
        if options.domain == nil, Conversion.withoutHost(input.stem) != nil {
            reportLoss("the file is that of one host, as its name says; here it is for each host", at: input.path)
        }
        var level = Level.forced
        if let settings = Conversion.settings(root) {
            let stamp = ProfileParser.field(ProfileField.stamp, of: root).flatMap {
                ProfileParser.stamp($0.value, reading)
            }
            for entry in root
            where entry.key.string != ProfileField.settings && (stamp == nil || entry.key.string != ProfileField.stamp)
            {
                let place = place(input, document.position(of: entry.keyOffset))
                reportLoss("\"\(Printable.escape(entry.key.string))\" beside the settings is left out", at: place)
            }
            root = ProfileParser.last(of: settings)
            if let stamp {
                // Only set-once settings have a stamp.
                level = .setOnce
                for entry in root where !ProfileField.payload.contains(entry.key.string) {
                    let place = place(input, document.position(of: entry.keyOffset))
                    stamps.append(Stamp(text: stamp, key: entry.key, place: place, policy: nil))
                }
            } else {
                reportLoss(
                    "the settings are forced, although they do not say whether a profile had them under Forced",
                    at: input.path)
            }
        }
        if root.isEmpty { reportLoss("there is no key in it", at: input.path) }
        for entry in root {
            if ProfileField.payload.contains(entry.key.string) {
                let place = place(input, document.position(of: entry.keyOffset))
                reportLoss("\(entry.key) is a field of the payload that this came from, and is left out", at: place)
            } else {
                addValue(entry, level, domain, of: input, reading)
            }
        }
    }

    /// The settings of a dictionary that was copied out of a profile from `Forced` or `Set-Once`; `nil` for any other.
    private static func settings(_ root: [Node.Entry]) -> [Node.Entry]? {
        guard root.allSatisfy({ $0.key.string.utf8.starts(with: "mcx_".utf8) }) else { return nil }
        return ProfileParser.field(ProfileField.settings, of: root)?.value.entries
    }

    /// Adds the content of `complete.plist`, which lists all managed keys of a Mac with value and source.
    private mutating func addComplete(_ domains: [Node.Entry], of input: ConversionInput, _ reading: TolerantReading) {
        for entry in domains {
            let domain = Key(Conversion.domainName(entry.key.string))
            guard let keys = entry.value.entries else {
                let place = place(input, reading.document.position(of: entry.keyOffset))
                reportLoss("\"\(Printable.escape(domain.string))\" is no domain with keys and is left out", at: place)
                continue
            }
            for key in ProfileParser.last(of: keys) {
                let place = place(input, reading.document.position(of: key.keyOffset))
                let shown = Printable.escape(key.key.string)
                let fields = key.value.entries ?? []
                guard let value = ProfileParser.field("value", of: fields) else {
                    reportLoss(
                        "\"\(shown)\" of \(Printable.escape(domain.string)) has no value and is left out", at: place)
                    continue
                }
                let state = ProfileParser.field("mcxdomain", of: fields)?.value.value
                let isForced = state == nil || state == .string("always")
                if state == .string("often") {
                    reportLoss("\"\(shown)\" is set in each session; SetOnce does so once for each Version", at: place)
                }
                let setting = Node.Entry(key: key.key, keyOffset: key.keyOffset, value: value.value)
                addValue(setting, isForced ? .forced : .setOnce, domain, of: input, reading)
            }
        }
    }

    /// Adds a key, or reports why it is left out.
    private mutating func addValue(
        _ entry: Node.Entry, _ level: Level, _ domain: Key, of input: ConversionInput, _ reading: TolerantReading
    ) {
        let place = place(input, reading.document.position(of: entry.keyOffset))
        let key = Printable.escape(entry.key.string)
        if let error = Conversion.readError(in: entry.value, reading.unreadable) {
            return reportLoss("\"\(key)\" is left out: \(Printable.escape(error.message))", at: place)
        }
        reportPlaceholder(in: entry, at: place)
        add(Entry(level: level, domain: domain, key: entry.key, value: entry.value.value, place: place))
    }

    /// Reports a placeholder that a template left in a value.
    ///
    /// Variables that programs replace, such as `${home}`, are no placeholders if the format has them.
    mutating func reportPlaceholder(in entry: Node.Entry, at place: String, hasVariables: Bool = false) {
        guard let mark = Conversion.placeholder(in: entry.value) else { return }
        let name = mark.utf8.dropFirst(2)
        let isVariable = mark.utf8.starts(with: "${".utf8) && name.first.map { $0 & 0x20 != 0 } == true
        guard !(hasVariables && isVariable) else { return }
        let key = Printable.escape(entry.key.string)
        reportLoss(
            "the value of \"\(key)\" holds \(Printable.escape(mark)), which \(Placeholder.words); here it stands as it is",
            at: place)
    }

    /// The name of a domain without the part for one host, in the spelling of this library.
    private static func domainName(_ name: String) -> String {
        let suffix = ".ByHost"
        let isByHost = name.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        let base = isByHost ? String(Substring(name.utf8.dropLast(suffix.utf8.count))) : name
        return base == "NSGlobalDomain" || PolicyName.isOtherGlobalName(Key(base)) ? "NSGlobalDomain" : base
    }

    /// The error of the first unreadable part of a value.
    private static func readError(in node: Node, _ unreadable: [Int: PropertyListError]) -> PropertyListError? {
        guard !unreadable.isEmpty else { return nil }
        switch node.content {
        case .scalar: return unreadable[node.offset]
        case .array(let nodes):
            for node in nodes { if let found = readError(in: node, unreadable) { return found } }
            return nil
        case .dictionary(let entries):
            for entry in entries { if let found = readError(in: entry.value, unreadable) { return found } }
            return nil
        }
    }

    /// The first placeholder that a template left in a value.
    private static func placeholder(in node: Node) -> String? {
        switch node.content {
        case .scalar(.string(let text)): return Placeholder.first(in: text)
        case .scalar: return nil
        case .array(let nodes):
            for node in nodes { if let found = placeholder(in: node) { return found } }
            return nil
        case .dictionary(let entries):
            for entry in entries { if let found = placeholder(in: entry.value) { return found } }
            return nil
        }
    }

    /// The domain of a file: the requested one, else its name.
    private func domain(of input: ConversionInput) throws(ConversionError) -> Key {
        if let domain = options.domain { return domain }
        let isSuffix = [".plist", ".xml", ".mobileconfig"].contains { input.has(suffix: $0) }
        let name = isSuffix ? input.stem : input.name
        let stem = Conversion.withoutHost(name) ?? name
        let domain = Conversion.domainName(stem)
        if domain == "NSGlobalDomain" { return "NSGlobalDomain" }
        guard input.has(suffix: ".plist") || domain.utf8.contains(UInt8(ascii: ".")),
            PolicyName.domainError(Key(domain)) == nil
        else {
            throw ConversionError(
                "the name of the file is not that of a domain; --domain says which it is", path: input.path,
                isUsage: true)
        }
        return Key(domain)
    }

    /// The domain in the name of a file for one host, which ends in the UUID or, formerly, the network address of the
    /// host; `nil` for any other name.
    private static func withoutHost(_ name: String) -> String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        let parts = name[dot...].utf8.dropFirst().split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ $0.allSatisfy { Hexadecimal.digit($0) != nil } }),
            parts.map(\.count) == [8, 4, 4, 4, 12] || parts.map(\.count) == [12]
        else { return nil }
        return String(name[..<dot])
    }
}
