import Glibc
import MDCPlatform
import Synchronization

/// All watches of a process, and the one thread that serves them.
///
/// A center is never freed. A child that fork(2) made creates its own center and never uses that of its parent. The
/// lock of that one may be held by a thread that does not exist in the child, and its inotify instance is in use by the
/// parent.
final class WatchCenter: Sendable {
    /// The watches and the resources of the thread.
    struct State {
        /// The subscriptions, by identity.
        var subscriptions: [ObjectIdentifier: WatchSubscription] = [:]
        /// Their folders, by a number that is not used again.
        var folders: [Int: WatchedFolder] = [:]
        /// The number of the next folder.
        var nextFolder = 0
        /// The inotify watches; `nil` if there is no instance.
        var kernel: InotifyWatches?
        /// The descriptor that wakes the thread; -1 if there is none.
        var wake: Int32 = -1
        /// The list of mounts, whose changes poll(2) reports; -1 if there is none.
        var mounts: Int32 = -1
        /// The alarms, and what rings them.
        var timer = WallClockTimer()
        /// The thread; `nil` if there is none.
        var thread: pthread_t?
        /// The subscription that is being notified.
        var notified: ObjectIdentifier?
    }

    /// The watches and the resources of the thread.
    let state = Monitor(State())
    /// The process.
    private let process = CurrentProcess.pid

    /// The address of the newest center; 0 before the first.
    private static let newest = Atomic<UInt>(0)

    /// The center of this process.
    static func current() -> WatchCenter {
        while true {
            let address = newest.load(ordering: .acquiring)
            if let center = center(at: address), center.isOfThisProcess { return center }
            let made = unsafe Unmanaged.passRetained(WatchCenter())
            let bits = unsafe UInt(bitPattern: made.toOpaque())
            if newest.compareExchange(expected: address, desired: bits, ordering: .acquiringAndReleasing).exchanged {
                return unsafe made.takeUnretainedValue()
            }
            // Another thread was first; no other reference to this one exists.
            unsafe made.release()
        }
    }

    /// The center at an address; `nil` for 0.
    private static func center(at address: UInt) -> WatchCenter? {
        // A center is never freed, so that its address stays valid.
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return nil }
        return unsafe Unmanaged<WatchCenter>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Whether this process made the center.
    private var isOfThisProcess: Bool { process == CurrentProcess.pid }

    /// Begins to watch a subscription's folders.
    func begin(_ subscription: WatchSubscription) {
        state.withLock { state in
            guard start(&state) else { return }
            state.subscriptions[subscription.id] = subscription
            for index in subscription.folders.indices {
                var folder = WatchedFolder(subscription, index: index)
                _ = folder.refresh(state.nextFolder, state.kernel)
                state.folders[state.nextFolder] = folder
                state.nextFolder += 1
            }
            // The thread may be waiting for something that was not there, or for longer than a second.
            WatchCenter.wake(state)
        }
    }

    /// Ends a subscription, and waits for a call that is under way, except on the watching thread.
    func end(_ subscription: WatchSubscription) {
        guard isOfThisProcess else { return }
        let id = subscription.id
        let mustWait = state.withLock { state in
            guard state.subscriptions.removeValue(forKey: id) != nil else {
                return state.notified == id && !WatchCenter.isOnThread(state)
            }
            for (number, folder) in state.folders where folder.subscription.id == id {
                state.kernel?.use([:], for: number)
                state.folders[number] = nil
            }
            state.timer.set(nil, for: id)
            if state.subscriptions.isEmpty || subscription.folders.isEmpty { WatchCenter.wake(state) }
            return state.notified == id && !WatchCenter.isOnThread(state)
        }
        if mustWait { state.wait { $0.notified != id } }
    }

    /// Sets the alarm of a subscription, or removes it with `nil`.
    func setAlarm(_ time: Timestamp?, of subscription: WatchSubscription) {
        guard isOfThisProcess else { return }
        state.withLock { state in
            guard state.subscriptions[subscription.id] != nil else { return }
            state.timer.set(time, for: subscription.id)
            // The thread sets the timer: no other thread may close what it waits for.
            WatchCenter.wake(state)
        }
    }

    /// Whether some folder of a subscription is compared once a second.
    func isPolling(_ subscription: WatchSubscription) -> Bool {
        guard isOfThisProcess else { return false }
        return state.withLock { state in
            state.folders.values.contains { $0.subscription.id == subscription.id && $0.isPolled }
        }
    }

    /// Whether a subscription is served in this process.
    func isWatching(_ subscription: WatchSubscription) -> Bool {
        guard isOfThisProcess else { return false }
        return state.withLock { $0.subscriptions[subscription.id] != nil }
    }

    /// Whether the calling thread is the watching one.
    private static func isOnThread(_ state: State) -> Bool {
        state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }

    /// Wakes the thread to check the state again.
    private static func wake(_ state: State) {
        if state.wake >= 0 { cplatform_eventfd_add(state.wake) }
    }

    /// Opens what the thread needs and starts it, unless it is there; whether it is.
    private func start(_ state: inout State) -> Bool {
        if state.kernel == nil { state.kernel = InotifyWatches() }
        if state.thread != nil { return true }
        state.wake = cplatform_eventfd()
        state.mounts = WatchCenter.openMounts()
        state.thread = BackgroundThread.start("defaults-watch") { self.run() }
        if state.thread == nil { WatchCenter.close(&state) }
        return state.thread != nil
    }

    /// Opens the list of mounts; -1 if that is not possible.
    static func openMounts() -> Int32 {
        guard let mounts = try? Root.system.open("/proc/self/mountinfo", .read) else { return -1 }
        return mounts.release()
    }

    /// Gives up all descriptors.
    static func close(_ state: inout State) {
        state.kernel = nil
        state.timer.close()
        if state.wake >= 0 { _ = Glibc.close(state.wake) }
        if state.mounts >= 0 { _ = Glibc.close(state.mounts) }
        (state.wake, state.mounts) = (-1, -1)
    }
}
