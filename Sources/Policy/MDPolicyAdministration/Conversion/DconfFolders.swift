package import MDPropertyList

/// A schema of GSettings, as far as a conversion needs it.
package struct DconfSchema: Sendable {
    let id: String
    /// The folder of its keys in dconf; `nil` if each use of the schema names one.
    let folder: String?
    let keys: Set<Key>

    package init(id: String, folder: String?, keys: Set<Key>) {
        (self.id, self.folder, self.keys) = (id, folder, keys)
    }
}

/// Finds the schema of a folder of dconf: among the installed ones, then in a table of Debian's desktops.
struct DconfFolders {
    /// What is known of a folder.
    struct Answer: Hashable {
        /// The domain of its keys; `nil` if no program reads them.
        let domain: Key?
        /// Why the domain is none, a guess or useless, as a clause; `nil` if nothing is against it.
        let doubt: String?

        init(_ domain: String?, _ doubt: String? = nil) {
            self.domain = domain.map { Key($0) }
            self.doubt = doubt
        }
    }

    /// The installed schemas by id, and those with a folder by that.
    private let installed: [Key: DconfSchema]
    private let folders: [Key: [DconfSchema]]
    /// The table: ids by folder, folders by id, and ids by the names of a folder with `*`.
    private var known: [Key: [String]] = [:]
    private var places: [Key: String] = [:]
    private var patterns: [(names: [String], id: String)] = []

    init(installed schemas: [DconfSchema]) {
        installed = Dictionary(schemas.map { (Key($0.id), $0) }) { first, _ in first }
        folders = Dictionary(grouping: schemas.filter { $0.folder != nil }) { Key($0.folder ?? "") }
        for line in DconfFolders.table.utf8.split(separator: 0x0a) {
            let words = line.split(separator: 0x20).map { String(Substring($0)) }
            for end in words.dropFirst(2) {
                if end == ":" {
                    patterns.append((DconfFolders.names(words[1]), words[0]))
                    continue
                }
                let id = end == "." ? words[0] : "\(words[0]).\(end)"
                let folder =
                    words[1] == "="
                    ? DconfFolders.folder(id) : end == "." ? words[1] : words[1] + DconfFolders.path(end)
                known[Key(folder), default: []].append(id)
                places[Key(id)] = folder
            }
        }
    }

    /// The schema that a key of a folder belongs to.
    ///
    /// - Parameters:
    ///   - folder: the folder with its slashes.
    ///   - key: the key's name.
    /// - Returns: the domain, and what is against it.
    func schema(of folder: String, key: Key) -> Answer {
        let here = folders[Key(folder)] ?? []
        if let schema = here.first(where: { $0.keys.contains(key) }) ?? here.first { return checked(schema, key) }
        if let ids = known[Key(folder)], let id = ids.first {
            if ids.count == 1 { return placed(id, in: folder, key) }
            return Answer(id, "\(ids.joined(separator: " or ")) has this key: only the installed schemas say which")
        }
        let names = DconfFolders.names(folder)
        let pattern = patterns.first { pattern in
            pattern.names.count == names.count && zip(pattern.names, names).allSatisfy { $0 == "*" || $0 == $1 }
        }
        if let id = pattern?.id ?? relocatable(names, key) {
            let domain = DconfFolders.domain(id, folder)
            return installed[Key(id)].map { checked($0, key, as: domain) } ?? Answer(domain)
        }
        let id = names.joined(separator: ".")
        if let place = place(of: id), Key(place) != Key(folder) { return placed(id, in: folder, key) }
        if !DconfFolders.isName(id) { return Answer(nil, "no schema can have keys in \(folder)") }
        return Answer(id, "no schema that is known here has keys in \(folder), so the domain \(id) is a guess")
    }

    /// The schema with an id, as files of overrides name it.
    func schema(id: String, key: Key) -> Answer {
        if let schema = installed[Key(id)] {
            if schema.folder != nil { return checked(schema, key) }
            return Answer(nil, "the schema \(id) has no folder of its own, and a default for all is no domain's")
        }
        return Answer(id, places[Key(id)] == nil ? "no schema of the name \(id) is known here" : nil)
    }

    /// The folder of a schema, as far as it is known.
    private func place(of id: String) -> String? { installed[Key(id)]?.folder ?? places[Key(id)] }

    /// A schema of the table for a folder; of an installed one it is known whether it has its keys there.
    private func placed(_ id: String, in folder: String, _ key: Key) -> Answer {
        if let place = place(of: id), Key(place) != Key(folder) {
            return Answer(nil, "the keys of the schema \(id) lie in \(place), so no program reads those in \(folder)")
        }
        return Answer(id)
    }

    private func checked(_ schema: DconfSchema, _ key: Key, as domain: String? = nil) -> Answer {
        Answer(
            domain ?? schema.id, schema.keys.contains(key) ? nil : "the schema \(schema.id) has no key \(key.string)")
    }

    /// The installed schema without a folder that has the key and whose id is most like a folder.
    private func relocatable(_ names: [String], _ key: Key) -> String? {
        let wanted = Array(names.joined(separator: ".").utf8)
        var (best, isSingle, length) = ("", false, 0)
        for schema in installed.values where schema.folder == nil && schema.keys.contains(key) {
            let common = zip(schema.id.utf8, wanted).prefix { $0 | 0x20 == $1 | 0x20 }
            // Less than two names, as in org.gnome, is like many folders.
            guard common.filter({ $0.0 == UInt8(ascii: ".") }).count >= 2, common.count >= length else { continue }
            (best, isSingle, length) = (schema.id, common.count > length, common.count)
        }
        return isSingle ? best : nil
    }

    /// The domain of a schema in a folder that is not its own.
    static func domain(_ id: String, _ folder: String) -> String {
        "\(id):" + String(decoding: folder.utf8.map { $0 == 0x2f ? 0x7c : $0 }, as: UTF8.self)
    }

    /// Whether a text can be the id of a schema.
    static func isName(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "."))
            && text.utf8.allSatisfy { byte in
                (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte) || "._-".utf8.contains(byte)
            }
    }

    private static func names(_ folder: String) -> [String] {
        folder.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    private static func path(_ id: String) -> String {
        String(decoding: id.utf8.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: "/") : $0 }, as: UTF8.self) + "/"
    }

    private static func folder(_ id: String) -> String { "/" + path(id) }
}
