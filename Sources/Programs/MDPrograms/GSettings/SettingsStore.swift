import MDPlatform
import MDPropertyList

/// What users have stored in dconf.
extension GSettings {
    /// The user's database, in the home.
    private static let database = ".config/dconf/user"

    package func stored(for policy: ProgramPolicy, in store: inout UserStore) -> [StoredSetting] {
        guard policy.entries.contains(where: \.level.isLocking),
            let file = store.file(GSettings.database, limit: GVDBFile.sizeLimit)
        else { return [] }
        guard let database = GVDBFile(file.bytes) else {
            store.note(file.path, "the database of dconf is damaged, or of another byte order")
            return []
        }
        var builder = SettingsBuilder(schemas: schemas ?? InstalledSchemas(root: .system), program: self)
        return builder.stored(policy, in: database.root, file.path) { key in
            store.note(file.path, "the value of \(key) cannot be read")
        }
    }
}
