import Glibc
import MDCPlatform

/// The work of the watching thread.
extension WatchCenter {
    /// The descriptors that the thread polls, and how long.
    private struct Wait {
        /// The inotify instance; -1 for none.
        var kernel: Int32
        /// The descriptor that wakes the thread; -1 for none.
        var wake: Int32
        /// The list of mounts; -1 for none.
        var mounts: Int32
        /// The timer of alarms; -1 for none.
        var timer: Int32
        /// Whether folders have to be compared, or the clock has to be checked, after a second.
        var isPolling: Bool
        /// Whether there is something to handle at once.
        var isUrgent: Bool
    }

    /// The result of a wait.
    private struct Arrival {
        /// The events of inotify.
        var events: [InotifyEvent] = []
        /// Whether the way to every folder has to be walked again, because mounts changed.
        var isEverything = false
        /// Whether a second is over, so that polled folders have to be compared.
        var isTick = false
        /// The event of the alarms' timer.
        var timer: WallClockTimer.Event?
        /// Whether other code closed the inotify instance.
        var isKernelLost = false
        /// Whether other code closed the descriptor that wakes the thread.
        var isWakeLost = false
        /// Whether other code closed the list of mounts.
        var areMountsLost = false
    }

    /// What changed in a folder.
    private struct Finding {
        /// The names that may have changed.
        var names: Set<[UInt8]> = []
        /// Whether anything may have changed.
        var isAnything = false

        /// Anything may have changed.
        static var anything: Finding { Finding(isAnything: true) }
    }

    /// The time between two comparisons, in microseconds.
    private static let second: Int64 = 1_000_000

    /// Waits for changes and notifies the subscriptions, until there are none.
    func run() {
        var tick = Clock.monotonicMicroseconds() + WatchCenter.second
        while let wait = next() {
            var arrival = WatchCenter.arrival(wait, until: tick)
            if Clock.monotonicMicroseconds() >= tick {
                arrival.isTick = true
                tick = Clock.monotonicMicroseconds() + WatchCenter.second
            }
            notify(handle(arrival))
        }
    }

    /// Prepares the next wait; `nil` if there is no subscription, and everything is closed.
    private func next() -> Wait? {
        state.withLock { state in
            if state.subscriptions.isEmpty {
                WatchCenter.close(&state)
                state.thread = nil
                return nil
            }
            // Without a descriptor to wake it, the thread polls whether it is needed.
            state.timer.arm()
            let isPolling =
                state.wake < 0 || state.timer.isPolling || state.folders.values.contains { $0.isPolled }
            return Wait(
                kernel: state.kernel?.raw ?? -1, wake: state.wake, mounts: state.mounts, timer: state.timer.raw,
                isPolling: isPolling, isUrgent: state.timer.isUnsure)
        }
    }

    /// Waits, and reads the events.
    private static func arrival(_ wait: Wait, until tick: Int64) -> Arrival {
        // poll(2) passes over negative descriptors.
        var requests = [
            pollfd(fd: wait.kernel, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wait.wake, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wait.mounts, events: Int16(POLLPRI), revents: 0),
            pollfd(fd: wait.timer, events: Int16(POLLIN), revents: 0),
        ]
        let rest = max(tick - Clock.monotonicMicroseconds() + 999, 0) / 1_000
        // The array outlives the call, which writes into its elements only.
        let answer = unsafe poll(&requests, 4, wait.isUrgent ? 0 : wait.isPolling ? Int32(clamping: rest) : -1)
        var arrival = Arrival()
        // A process that may have fewer descriptors than are polled gets no events, and compares once a second.
        if answer < 0, errno == EINVAL {
            Clock.pause(microseconds: max(tick - Clock.monotonicMicroseconds(), 0))
            arrival.isEverything = true
            return arrival
        }
        // An application that closes every descriptor it does not know of closes these as well.
        arrival.isWakeLost = requests[1].revents & Int16(POLLNVAL) != 0
        arrival.areMountsLost = requests[2].revents & Int16(POLLNVAL) != 0
        if requests[1].revents != 0, !arrival.isWakeLost { cplatform_eventfd_reset(wait.wake) }
        arrival.isEverything = requests[2].revents != 0
        if requests[3].revents & Int16(POLLNVAL) != 0 {
            arrival.timer = .lost
        } else if requests[3].revents != 0 {
            arrival.timer = WallClockTimer.Event(code: cplatform_timer_read(wait.timer))
        }
        if requests[0].revents != 0 {
            do {
                arrival.events = try InotifyWatches.read(wait.kernel)
            } catch {
                arrival.isKernelLost = true
            }
        }
        return arrival
    }

    /// Finds out what changed, and watches the new state.
    ///
    /// - Returns: the changes of each subscription.
    private func handle(_ arrival: Arrival) -> [(WatchSubscription, [FolderChange])] {
        state.withLock { state in
            var findings: [Int: Finding] = [:]
            var outdated: Set<Int> = []
            WatchCenter.replaceLost(arrival, &state)
            for event in arrival.events { WatchCenter.sort(event, &state, &findings, &outdated) }
            if arrival.isEverything || arrival.isKernelLost {
                outdated.formUnion(state.folders.keys)
                for number in state.folders.keys { findings[number] = .anything }
            }
            if arrival.isTick { outdated.formUnion(state.folders.filter { $0.value.isPolled }.keys) }
            for number in outdated {
                if state.folders[number]?.refresh(number, state.kernel) == true { findings[number] = .anything }
            }
            let rung = state.timer.ring(arrival.timer).compactMap { state.subscriptions[$0] }
            return WatchCenter.changes(findings, state) + rung.map { ($0, []) }
        }
    }

    /// Opens again what other code closed, and what could not be opened before.
    private static func replaceLost(_ arrival: Arrival, _ state: inout State) {
        if arrival.isKernelLost {
            state.kernel?.abandon()
            state.kernel = nil
        }
        if state.kernel == nil, arrival.isTick || arrival.isKernelLost { state.kernel = InotifyWatches() }
        // There may be room now for the descriptor that could not be opened before.
        let isRoomier = arrival.isTick && state.wake < 0
        if isRoomier || arrival.isWakeLost { state.wake = cplatform_eventfd() }
        if isRoomier && state.mounts < 0 || arrival.areMountsLost { state.mounts = openMounts() }
    }

    /// Notes the folders that an event concerns, and those that have to be walked to again.
    private static func sort(
        _ event: InotifyEvent, _ state: inout State, _ findings: inout [Int: Finding], _ outdated: inout Set<Int>
    ) {
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
            outdated.formUnion(state.folders.keys)
            for number in state.folders.keys { findings[number] = .anything }
            return
        }
        let users = state.kernel?.users(of: event.watch) ?? [:]
        if event.mask & UInt32(IN_IGNORED) != 0 { state.kernel?.forget(event.watch) }
        for (number, interest) in users {
            // The way to the folder changed. A callback may have read between two changes, so that the current state
            // does not show what it has read: it is notified even if the state is the same as before.
            if event.name.isEmpty || interest.names.contains(event.name) {
                if !event.isContentOnly { outdated.insert(number) }
                findings[number] = .anything
            }
            if event.name.isEmpty { continue }
            guard interest.wantsContent, let folder = state.folders[number], isWorthReporting(event, folder) else {
                continue
            }
            findings[number, default: Finding()].names.insert(event.name)
        }
    }

    /// Whether an event can mean other content: a new empty file means none before it is written and closed.
    ///
    /// A new file that is not empty was linked, or is already being written.
    private static func isWorthReporting(_ event: InotifyEvent, _ folder: WatchedFolder) -> Bool {
        guard event.mask & UInt32(IN_CREATE) != 0 else { return true }
        let path = "\(folder.path)/\(String(decoding: event.name, as: UTF8.self))"
        guard let status = try? folder.subscription.root.status(path, followingLinks: false) else { return true }
        return status.kind != .regular || status.size > 0 || status.links > 1
    }

    /// Puts findings in order: for each subscription its folders as they were given.
    private static func changes(
        _ findings: [Int: Finding], _ state: State
    ) -> [(WatchSubscription, [FolderChange])] {
        var order: [ObjectIdentifier] = []
        var changes: [ObjectIdentifier: [FolderChange]] = [:]
        // Numbers grow with the order of subscriptions, and of the folders in them.
        for number in findings.keys.sorted() {
            guard let folder = state.folders[number], let finding = findings[number] else { continue }
            let id = folder.subscription.id
            if changes[id] == nil { order.append(id) }
            changes[id, default: []].append(FolderChange(folder: folder.path, names: names(finding)))
        }
        return order.compactMap { id in state.subscriptions[id].map { ($0, changes[id] ?? []) } }
    }

    /// The names of a finding, in byte order.
    private static func names(_ finding: Finding) -> [String]? {
        finding.isAnything
            ? nil
            : finding.names.sorted { $0.lexicographicallyPrecedes($1) }
                .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls all subscriptions that have not ended meanwhile, without holding the lock.
    private func notify(_ changes: [(WatchSubscription, [FolderChange])]) {
        for (subscription, folders) in changes {
            let id = subscription.id
            let isWanted = state.withLock { state in
                state.notified = state.subscriptions[id] == nil ? nil : id
                return state.notified != nil
            }
            guard isWanted else { continue }
            subscription.changed(folders)
            state.withLock { $0.notified = nil }
        }
    }
}
