package import MDPlatform
package import MDPropertyList

/// The schemas of a machine, as its programs know them: from the compiled files that GLib reads.
///
/// The XML files beside them are sources only: what is not compiled is not there for any program, and the compiled values
/// have the overrides of distributions in them.
package struct InstalledSchemas: Sendable {
    /// The folders in which GLib looks, the first with a schema decides.
    private static let folders = ["/usr/local/share/glib-2.0/schemas", "/usr/share/glib-2.0/schemas"]
    /// The compiled file in each.
    private static let name = "gschemas.compiled"

    private let files: [GVDBFile]
    /// The files that are there and cannot be read, each with why, as a clause.
    package let damage: [(path: String, clause: String)]

    /// Reads the schemas of a machine.
    package init(root: Root) {
        var (files, damage): ([GVDBFile], [(path: String, clause: String)]) = ([], [])
        for folder in InstalledSchemas.folders {
            let path = "\(folder)/\(InstalledSchemas.name)"
            do throws(SystemError) {
                let bytes = try root.read(path, limit: GVDBFile.sizeLimit).bytes
                if let file = GVDBFile(bytes) {
                    files.append(file)
                } else {
                    damage.append((path, "the file is no file of compiled schemas for this machine"))
                }
            } catch {
                if !error.isMissing { damage.append((path, "\(error)")) }
            }
        }
        (self.files, self.damage) = (files, damage)
    }

    /// Whether the machine has none at all.
    package var isEmpty: Bool { files.isEmpty }

    /// Whether a schema is installed.
    package func has(_ id: String) -> Bool { files.contains { $0.root.table(id) != nil } }

    /// Whether the schema of a domain is installed.
    package func has(_ domain: Key) -> Bool { has(SettingsPlace(domain).schema) }

    /// The ids of all schemas.
    package var names: [String] { files.flatMap(\.root.tables) }

    /// The schema of an id; `nil` if it is not installed.
    package func schema(_ id: String) -> SettingsSchema? {
        guard let table = files.lazy.compactMap({ $0.root.table(id) }).first else { return nil }
        var tables = [table]
        while case .text(_, let parent)? = tables.last?.value(".extends"), tables.count < SettingsSchema.depthLimit {
            guard let next = files.lazy.compactMap({ $0.root.table(parent) }).first else { break }
            tables.append(next)
        }
        return SettingsSchema(id: id, tables: tables)
    }
}

/// A schema: the keys that programs may have in a folder of dconf.
package struct SettingsSchema: Sendable {
    /// The most bytes of a key's name, as in GLib.
    private static let nameLimit = 1_024
    /// The most schemas that extend each other.
    static let depthLimit = 16

    package let id: String
    /// The folder of the keys in dconf; `nil` if each use of the schema names its own.
    package let path: String?
    /// The table of the schema, and those of the ones that it extends.
    private let tables: [GVDBFile.Table]

    fileprivate init(id: String, tables: [GVDBFile.Table]) {
        self.id = id
        self.tables = tables
        path =
            tables.lazy.compactMap { table in
                guard case .text(_, let path)? = table.value(".path"), SettingsPlace.isFolder(path) else { return nil }
                return path
            }.first
    }

    /// The names of the keys, in byte order.
    package var keys: [String] {
        let names = tables.flatMap(\.names).filter { !$0.utf8.starts(with: ".".utf8) && !$0.utf8.contains(0x2f) }
        return Set(names.map { Key($0) }).sorted().map(\.string)
    }

    /// A key; `nil` if the schema has no key of this name.
    package func key(_ name: String) -> SettingsKey? {
        guard !name.utf8.starts(with: ".".utf8), !name.utf8.contains(0x2f), name.utf8.count <= SettingsSchema.nameLimit
        else { return nil }
        return tables.lazy.compactMap { $0.value(name) }.first.flatMap(SettingsKey.init)
    }
}

/// A schema and the folder that a domain of a policy means: `schema`, or `schema:|folder|` where the schema has none.
///
/// `gsettings` writes `schema:/folder/`; the name of a domain has no slash, so a bar replaces it.
struct SettingsPlace: Hashable {
    /// The most bytes of a folder.
    private static let sizeLimit = 1_024

    /// The id of the schema.
    let schema: String
    /// The folder that the domain names; `nil` if it names none.
    let folder: String?

    init(_ domain: Key) {
        let parts = domain.string.utf8.split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        schema = String(Substring(parts[0]))
        folder = parts.count > 1 ? String(decoding: parts[1].map { $0 == 0x7c ? 0x2f : $0 }, as: UTF8.self) : nil
    }

    /// Whether a text is a folder of dconf: it begins and ends with a slash, and no two follow each other.
    static func isFolder(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.first == 0x2f, bytes.last == 0x2f, bytes.count <= sizeLimit else { return false }
        return !zip(bytes, bytes.dropFirst()).contains { $0 == 0x2f && $1 == 0x2f } && !bytes.contains { $0 < 0x20 }
    }
}
