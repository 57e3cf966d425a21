import Platform
import Preferences

extension DefaultsStore {
    /// Begins to take over what others change: stored domains, those of all users, policy.
    func startWatching() {
        guard let storage else { return }
        var folders = storage.folders + policy.folders
        // Where policy may be, defaults of all users may be.
        if sharedDefaults != nil, !policy.folders.isEmpty { folders.append(SharedDefaults.directory) }
        guard !folders.isEmpty else { return }
        let watch = FolderWatch(root: root, folders: folders) { [weak self] changes in self?.take(changes) }
        self.watch.withLock { $0 = watch }
    }

    /// Reads anew what may have changed.
    private func take(_ changes: [FolderChange]) {
        let policyFolders = Set(policy.folders)
        var places = Set<StoredPlace>()
        var (isPolicy, isShared) = (false, false)
        for change in changes {
            if policyFolders.contains(change.folder) {
                isPolicy = true
            } else if change.folder == SharedDefaults.directory {
                isShared = true
            } else if let names = change.names {
                places.formUnion(names.compactMap { storage?.place(ofName: $0, inFolder: change.folder) })
            } else {
                places.formUnion(state.withLock { $0.contents.keys })
            }
        }
        if isPolicy { _ = readPolicy() }
        for place in places { _ = refresh(place) }
        if isShared { _ = refreshShared() }
    }
}
