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
        if watch.withLock({ $0?.isOfThisProcess }) != true { startWatching() }
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
        let watch = FolderWatch(root: root, folders: folders) { [weak self] changes in self?.readChanges(changes) }
        watchedPaths.withLock { $0 = folders }
        // The old one ends outside of the lock.
        let old = self.watch.withLock { current -> FolderWatch? in
            defer { current = watch }
            return current
        }
        old?.stop()
        setPolling(!watch.isOfThisProcess)
    }

    /// Whether readers look again themselves.
    var isUnwatched: Bool { isPolling.load(ordering: .relaxed) }

    /// Makes readers look again themselves if no thread watches, or no watch can report that policy can be read again.
    ///
    /// - Parameter knowledge: what is known of policy.
    func poll(_ knowledge: PolicyKnowledge) {
        setPolling(knowledge.needsAnotherLook || watch.withLock { $0.map { !$0.isOfThisProcess } } ?? false)
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
        guard watch.withLock({ $0?.isOfThisProcess }) == true,
            watchedPaths.withLock({ $0 }) != watchedFolders
        else { return }
        startWatching()
        // What changed between the last reading and the new watch.
        _ = readPolicy()
    }

    /// Reads anew what may have changed.
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
            if change.folder == SharedDefaults.directory {
                isShared = true
            } else if !policyFolders.contains(change.folder), let names = change.names {
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

extension DefaultsStore {
    /// The least time between two readings of policy that time brings about, in microseconds.
    private static let readingPause: Int64 = 10_000

    /// Has policy read anew when the machine gets another time zone: the name of a file is watched as that of a folder.
    private func watchZone() {
        zoneWatch.withLock { watch in
            guard watch?.isOfThisProcess != true else { return }
            watch = FolderWatch(root: root, folders: ["/etc/localtime"]) { [weak self] _ in _ = self?.readPolicy() }
        }
    }

    /// An alarm that has policy read anew.
    private func makeAlarm() -> WallClockAlarm { WallClockAlarm { [weak self] in _ = self?.readPolicy() } }

    /// Has policy read anew when time changes it.
    ///
    /// Before the store watches there is no alarm: the beginning of the watch reads policy. Policy that does not depend
    /// on time never has one.
    ///
    /// - Parameter time: the next moment at which time changes policy; `nil` if there is none.
    func setAlarm(_ time: Timestamp?) {
        guard watch.withLock({ $0?.isOfThisProcess }) == true else { return }
        let now = Clock.now().microseconds
        let time = isPolicyAnnounced.load(ordering: .relaxed) ? nil : time
        alarm.withLock { alarm in
            if time == nil, alarm == nil { return }
            if time != nil { watchZone() }
            if alarm?.isOfThisProcess != true { alarm = makeAlarm() }
            let earliest = now + DefaultsStore.readingPause
            alarm?.set(time.map { Timestamp(microseconds: max($0.microseconds, earliest)) })
        }
    }
}
