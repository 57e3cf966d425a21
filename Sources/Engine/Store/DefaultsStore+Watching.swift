import Platform
import Preferences

extension DefaultsStore {
    /// Whether others can change anything.
    var watchesSomething: Bool { !watchedFolders.isEmpty }

    /// The folders whose changes others make: stored domains, those of all users, policy.
    private var watchedFolders: [String] {
        guard let storage else { return [] }
        // Where policy may be, defaults of all users may be.
        let shared = sharedDefaults != nil && !policy.folders.isEmpty ? [SharedDefaults.directory] : []
        return storage.folders + policy.folders + shared
    }

    /// Begins to take over what others change, and takes over what they changed before.
    func beginWatching() {
        if watch.withLock({ $0?.isOfThisProcess }) != true { startWatching() }
        // What changes from here on is told of; what changed before is read behind it.
        if !policy.folders.isEmpty { _ = readPolicy() }
        for place in state.withLock({ Array($0.contents.keys) }) { _ = refresh(place) }
        _ = refreshShared()
    }

    /// Takes over what others change from now on.
    private func startWatching() {
        let folders = watchedFolders
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
