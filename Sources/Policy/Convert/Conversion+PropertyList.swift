import Platform
import PropertyList

extension Conversion {
    /// Adds the keys of one domain: managed preferences, or a fragment.
    mutating func addPropertyList(_ input: ConversionInput) throws(ConversionError) {
        let document: Document
        var unreadable: [Int: PropertyListError] = [:]
        do throws(PropertyListError) {
            if input.bytes.first(where: { $0 != 0x20 && !(0x09...0x0d).contains($0) }) == UInt8(ascii: "{") {
                document = try Document.read(input.bytes, limits: PolicyFile.limits)
            } else {
                let reading = try ProfileText.read(input.bytes, limits: PolicyFile.limits)
                (document, unreadable) = (reading.document, reading.unreadable)
            }
            _ = try document.rootEntries()
        } catch {
            throw ConversionError(Printable.escape(error.message), path: input.path, position: error.position)
        }
        let domain = try domain(of: input)
        // That a fragment has no root is what makes it one.
        let start = document.position(of: document.root.offset).offset
        for warning in document.warnings where warning.code != .syntax || warning.position.offset != start {
            lose(Printable.escape(warning.message), at: place(input, warning.position))
        }
        for entry in ProfileParser.last(of: document.root.entries ?? []) {
            let place = place(input, document.position(of: entry.keyOffset))
            if let mistake = Conversion.mistake(in: entry.value, unreadable) {
                let key = Printable.escape(entry.key.string)
                lose("\"\(key)\" is left out: \(Printable.escape(mistake.message))", at: place)
                continue
            }
            if let mark = Conversion.placeholder(in: entry.value) {
                lose(
                    "the value of \"\(Printable.escape(entry.key.string))\" holds \(Printable.escape(mark)), which a"
                        + " management server would fill in; here it stands as it is",
                    at: place)
            }
            add(Entry(level: .forced, domain: domain, key: entry.key, value: entry.value.value, place: place))
        }
    }

    /// The first part of a value that could not be read.
    private static func mistake(in node: Node, _ unreadable: [Int: PropertyListError]) -> PropertyListError? {
        guard !unreadable.isEmpty else { return nil }
        switch node.content {
        case .scalar: return unreadable[node.offset]
        case .array(let nodes):
            for node in nodes { if let found = mistake(in: node, unreadable) { return found } }
            return nil
        case .dictionary(let entries):
            for entry in entries { if let found = mistake(in: entry.value, unreadable) { return found } }
            return nil
        }
    }

    /// The first mark that a template left in a value.
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

    /// The domain of a file: the one asked for, else its name.
    private func domain(of input: ConversionInput) throws(ConversionError) -> Key {
        if let domain = options.domain { return domain }
        let stem = input.has(suffix: ".plist") || input.has(suffix: ".xml") ? input.stem : input.name
        let suffix = ".ByHost"
        let isByHost = stem.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        let name = isByHost ? String(Substring(stem.utf8.dropLast(suffix.utf8.count))) : stem
        if name == ".GlobalPreferences" || name == "NSGlobalDomain" { return "NSGlobalDomain" }
        guard input.has(suffix: ".plist") || name.utf8.contains(UInt8(ascii: ".")),
            PolicyName.domainMistake(Key(name)) == nil
        else {
            throw ConversionError(
                "the name of the file is not that of a domain; --domain says which it is", path: input.path,
                isUsage: true)
        }
        return Key(name)
    }
}
