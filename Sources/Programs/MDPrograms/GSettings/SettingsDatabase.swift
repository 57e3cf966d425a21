import MDPropertyList

/// A database of dconf: values and locks by the paths of keys.
struct SettingsDatabase {
    var values: [Key: GVariant] = [:]
    /// The keys that users cannot change.
    ///
    /// One without a value has the value that it has without dconf.
    var locks: Set<Key> = []

    /// Where databases lie.
    static let folder = "/etc/dconf/db"
    /// The database of everybody; those of users have their uid behind it.
    ///
    /// A name is part of an object's path on D-Bus, in which a hyphen cannot stand.
    static let name = "managed_defaults"

    var isEmpty: Bool { values.isEmpty && locks.isEmpty }

    init(values: [Key: GVariant] = [:], locks: Set<Key> = []) {
        (self.values, self.locks) = (values, locks)
    }

    /// A database as it lies in a file, without what is damaged; `nil` if the file is not a database.
    init?(_ bytes: [UInt8]) {
        guard let table = GVDBFile(bytes)?.root else { return nil }
        for name in table.names {
            if let value = table.value(name) { values[Key(name)] = value }
        }
        locks = Set((table.table(GVDBWriter.locks)?.names ?? []).map { Key($0) })
    }

    /// The file that programs read.
    var bytes: [UInt8] { GVDBWriter.database(values: values, locks: locks) }

    /// The same for people, as a keyfile in which a locked key is marked.
    var text: String {
        var (lines, folder): ([String], Substring?) = ([], nil)
        for path in Set(values.keys).union(locks).sorted() {
            let parts = path.string.split(separator: "/", omittingEmptySubsequences: true)
            let above = path.string.dropFirst().dropLast((parts.last?.count ?? 0) + 1)
            if folder != above {
                if folder != nil { lines.append("") }
                lines.append("[\(above)]")
                folder = above
            }
            let name = String(parts.last ?? "")
            let mark = locks.contains(path) ? "  # locked" : ""
            lines.append(values[path].map { "\(name)=\($0.text)\(mark)" } ?? "# \(name) is locked at its default")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
