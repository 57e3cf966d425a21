import MDPlatform
import MDPolicyCore
import MDPolicyStore
import MDPreferences
import Synchronization

extension DefaultsStore {
    /// Whether others can change anything.
    var watchesSomething: Bool { !watchedFolders.isEmpty }

    /// The folders whose changes others make: stored domains, those of all users, policy.
    private var watchedFolders: [String] {
        guard let storage else { return [] }
        // If there may be policy, there may be defaults of all users.
        let shared = sharedDefaults != nil && !policy.folders.isEmpty ? [SharedDefaults.directory] : []
        let announcement = policy.announcement.map { [$0] } ?? []
        if isPolicyAnnounced.load(ordering: .relaxed) { return storage.folders + shared + announcement }
        let folders = storage.folders + shared + announcement
        return folders + policy.folders.filter { !folders.contains($0) }
    }

    /// Begins to watch the files of others, and reads what changed before.
    func beginWatching() {
        if watch.status != .reporting { startWatching() }
        // The watch reports what changes from here on; what changed before is read now.
        if !policy.folders.isEmpty || isUnwatched { _ = readPolicy() }
        followLinks()
        for place in state.withLock({ Array($0.contents.keys) }) { _ = refresh(place) }
        _ = refreshShared()
    }

    /// Watches the files of others from now on.
    private func startWatching() {
        let isAnnounced = policy.isAnnounced
        isPolicyAnnounced.store(isAnnounced, ordering: .relaxed)
        watchFolders()
        // The service may have ended before its file was watched.
        guard isAnnounced, !policy.isAnnounced else { return }
        isPolicyAnnounced.store(false, ordering: .relaxed)
        watchFolders()
    }

    /// Watches the files of others, with or without those of policy.
    private func watchFolders() {
        let folders = watchedFolders
        guard !folders.isEmpty else { return }
        watch.begin(folders) { [weak self] changes in self?.readChanges(changes) }
        setPolling(watch.status == .lost)
    }

    /// Whether readers look again themselves.
    var isUnwatched: Bool { isPolling.load(ordering: .relaxed) }

    /// Makes readers look again themselves if no thread watches, or no watch can report that policy can be read again.
    ///
    /// - Parameter knowledge: what is known of policy.
    func poll(_ knowledge: PolicyKnowledge) {
        setPolling(knowledge.needsAnotherLook || watch.status == .lost)
    }

    /// Notes whether readers look again themselves; then each read calls ``refreshIfUnwatched()``.
    private func setPolling(_ isPolling: Bool) {
        if isPolling { lastPoll.store(Clock.monotonicMicroseconds(), ordering: .relaxed) }
        guard !self.isPolling.exchange(isPolling, ordering: .relaxed), isPolling else { return }
        state.withLock { state in
            for view in state.views.values { view.cell?.invalidate() }
        }
    }

    /// Reads what others changed, if no thread watches or policy could not be read, and the last
    /// poll was a second ago.
    ///
    /// So a process at its limit of threads gets policy as new as that of others.
    func refreshIfUnwatched() {
        if !isUnwatched || isInUpdate { return }
        let last = lastPoll.load(ordering: .relaxed)
        let now = Clock.monotonicMicroseconds()
        guard now - last >= DefaultsStore.pollInterval else { return }
        // One thread polls; the others go on with what is in memory.
        guard lastPoll.compareExchange(expected: last, desired: now, ordering: .relaxed).exchanged else {
            return
        }
        beginWatching()
    }

    /// The time between two polls, in microseconds.
    private static let pollInterval: Int64 = 1_000_000

    /// Watches the targets of policy files that are links, if they changed.
    func followLinks() {
        guard watch.status == .reporting, !watch.covers(watchedFolders) else { return }
        startWatching()
        // What changed between the last reading and the new watch.
        _ = readPolicy()
    }

    /// Reads again what may have changed.
    private func readChanges(_ changes: [FolderChange]) {
        let policyFolders = Set(policy.folders)
        var places = Set<StoredPlace>()
        var (isPolicy, isShared) = (false, false)
        if let announcement = policy.announcement, changes.contains(where: { $0.folder == announcement }) {
            isPolicy = true
            if policy.isAnnounced != isPolicyAnnounced.load(ordering: .relaxed) { startWatching() }
        }
        for change in changes where change.folder != policy.announcement {
            if policyFolders.contains(change.folder), PolicyStore.mayChangePolicy(change) { isPolicy = true }
            if change.folder == SharedDefaults.directory { isShared = true }
            guard let storage, storage.folders.contains(change.folder) else { continue }
            if let names = change.names {
                places.formUnion(names.compactMap { storage.place(ofName: $0, inFolder: change.folder) })
            } else {
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

extension DefaultsStore {
    /// Reads policy again when time changes it.
    ///
    /// Before the store watches there is no alarm: the beginning of the watch reads policy.
    ///
    /// - Parameter time: the next moment at which time changes policy; `nil` if there is none.
    func setAlarm(_ time: Timestamp?) {
        guard watch.status == .reporting else { return }
        watch.setAlarm(isPolicyAnnounced.load(ordering: .relaxed) ? nil : time) { [weak self] in
            _ = self?.readPolicy()
        }
    }
}
