import MDPlatform
package import MDPolicyModel
package import MDPropertyList

extension PolicyFile {
    /// The domains that a file names which this engine does not read as a policy file.
    ///
    /// A field that is not known may name domains anywhere: each of its keys and texts that can be the name of a domain
    /// counts as one.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - path: its path; its suffix decides the format.
    /// - Returns: the domains; `nil` if the file does not read at all, or names none.
    package static func namedDomains(bytes: [UInt8], path: String) -> Set<Key>? {
        let kind = PolicyFileName.kind(of: path)
        var names = DomainNames()
        if kind == .profile {
            guard let content = try? ProfileEnvelope.content(of: bytes),
                let document = try? ProfileText.read(content, limits: limits).document
            else { return nil }
            names.addAll(in: document.root)
        } else {
            guard let document = try? Document.read(bytes, as: kind == .json ? .json : nil, limits: limits),
                let root = try? document.rootEntries()
            else { return nil }
            for entry in root { names.add(entry) }
        }
        return names.domains.isEmpty ? nil : names.domains
    }
}

/// Collects the names of domains in a document.
private struct DomainNames {
    /// The domains so far.
    private(set) var domains: Set<Key> = []

    /// Adds the domains that a field of a policy file names.
    mutating func add(_ entry: Node.Entry) {
        switch PolicyField(rawValue: entry.key.string) {
        case .identifier, .version, .description, .contact, .schema, .target, .enforced, .onOverride, .temporary,
            .calendars:
            return
        case .forced, .recommended, .setOnce, .absent, .constraints, .combine, .metadata:
            guard let entries = entry.value.entries else { fallthrough }
            for domain in entries { add(domain.key) }
        case .sealed, .waivers, nil: addAll(in: entry.value)
        }
    }

    /// Adds every key and text.
    mutating func addAll(in node: Node) {
        switch node.content {
        case .scalar(.string(let text)): add(Key(text))
        case .scalar: return
        case .array(let nodes): for node in nodes { addAll(in: node) }
        case .dictionary(let entries):
            for entry in entries {
                add(entry.key)
                addAll(in: entry.value)
            }
        }
    }

    /// Adds a name, if a domain can have it.
    private mutating func add(_ name: Key) {
        var text = name.string
        if text.hasSuffix(".ByHost") { text.removeLast(".ByHost".count) }
        if PolicyName.isOtherGlobalName(Key(text)) || text == "kCFPreferencesAnyApplication" { text = "NSGlobalDomain" }
        if PolicyName.domainError(Key(text)) == nil { domains.insert(Key(text)) }
    }
}
