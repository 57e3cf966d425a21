/// What one `FolderWatch` asked for.
final class WatchSubscription: Sendable {
    /// The root of the folders' paths.
    let root: Root
    /// The folders, as they were given.
    let folders: [String]
    /// Whom changes are told.
    let changed: @Sendable ([FolderChange]) -> Void

    /// Asks for folders.
    init(root: Root, folders: [String], _ changed: @escaping @Sendable ([FolderChange]) -> Void) {
        self.root = root
        self.folders = folders
        self.changed = changed
    }

    /// What it is known by.
    var id: ObjectIdentifier { ObjectIdentifier(self) }
}
