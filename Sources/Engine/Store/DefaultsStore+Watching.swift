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
        let folders = storage.folders + policy.folders + shared
        return folders + state.withLock { $0.links }.filter { !folders.contains($0) }
    }

    /// Begins to take over what others change, and takes over what they changed before.
    func beginWatching() {
        if watch.withLock({ $0?.isOfThisProcess }) != true { startWatching() }
        // What changes from here on is told of; what changed before is read behind it.
        if !policy.folders.isEmpty { _ = readPolicy() }
        followLinks()
        for place in state.withLock({ Array($0.contents.keys) }) { _ = refresh(place) }
        _ = refreshShared()
    }

    /// Takes over what others change from now on.
    private func startWatching() {
        let folders = watchedFolders
        guard !folders.isEmpty else { return }
        let watch = FolderWatch(root: root, folders: folders) { [weak self] changes in self?.take(changes) }
        watchedPaths.withLock { $0 = folders }
        // The old one ends when nobody has it any more, outside of the lock.
        let old = self.watch.withLock { current -> FolderWatch? in
            defer { current = watch }
            return current
        }
        old?.stop()
    }

    /// Watches what policy files lead to that are links, where that is something else than before.
    func followLinks() {
        guard watch.withLock({ $0?.isOfThisProcess }) == true,
            watchedPaths.withLock({ $0 }) != watchedFolders
        else { return }
        startWatching()
        // What changed between the last look and the new watch.
        _ = readPolicy()
    }

    /// Reads anew what may have changed.
    private func take(_ changes: [FolderChange]) {
        let policyFolders = Set(policy.folders + state.withLock { $0.links })
        var places = Set<StoredPlace>()
        var (isPolicy, isShared) = (false, false)
        for change in changes {
            if policyFolders.contains(change.folder) { isPolicy = true }
            if change.folder == SharedDefaults.directory {
                isShared = true
            } else if !policy.folders.contains(change.folder), let names = change.names {
                places.formUnion(names.compactMap { storage?.place(ofName: $0, inFolder: change.folder) })
            } else if !policyFolders.contains(change.folder) {
                places.formUnion(state.withLock { $0.contents.keys })
            }
        }
        if isPolicy {
            _ = readPolicy()
            followLinks()
        }
        for place in places { _ = refresh(place) }
        if isShared { _ = refreshShared() }
    }
}
