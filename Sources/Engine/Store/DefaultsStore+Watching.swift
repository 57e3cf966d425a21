import Platform
import Policy
import Preferences
import Synchronization

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
        if !policy.folders.isEmpty || isUnwatched { _ = readPolicy() }
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
        setUnwatched(!watch.isOfThisProcess)
    }

    /// Whether others' changes are looked for when somebody reads, because no thread watches or policy could not be read.
    var isUnwatched: Bool { lastLook.load(ordering: .relaxed) != 0 }

    /// Has readers look again if policy could not be read: nothing tells when it can be.
    ///
    /// - Parameter isKnown: whether it could be read.
    func lookAgain(isKnown: Bool) {
        setUnwatched(!isKnown || watch.withLock { $0.map { !$0.isOfThisProcess } } ?? false)
    }

    /// Notes whether readers have to look; they then come to ``lookWhileUnwatched()`` each time.
    private func setUnwatched(_ isUnwatched: Bool) {
        let now = isUnwatched ? max(Clock.monotonicMicroseconds(), 1) : 0
        guard lastLook.exchange(now, ordering: .relaxed) == 0, isUnwatched else { return }
        state.withLock { state in
            for view in state.views.values { view.cell?.invalidate() }
        }
    }

    /// Takes over what others changed, if no thread does or policy could not be read, and a second is over since the last
    /// look.
    ///
    /// A process that may not have one thread more, as one whose user set its limit, gets no older policy than others.
    func lookWhileUnwatched() {
        let last = lastLook.load(ordering: .relaxed)
        if last == 0 || isInUpdate { return }
        let now = Clock.monotonicMicroseconds()
        guard now - last >= DefaultsStore.lookPause else { return }
        // One thread looks; the others go on with what is known.
        guard lastLook.compareExchange(expected: last, desired: max(now, 1), ordering: .relaxed).exchanged else {
            return
        }
        beginWatching()
    }

    /// The time between two looks of readers, in microseconds.
    private static let lookPause: Int64 = 1_000_000

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
            if policyFolders.contains(change.folder), PolicyStore.isOfPolicy(change) { isPolicy = true }
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
