/// Rings at a time of the wall clock, and when somebody sets the clock.
///
/// Served by the one thread that serves ``FolderWatch``; costs a descriptor for all alarms of the process, and that only
/// while one is set. After a sleep of the machine it rings at the wake.
package final class WallAlarm: Sendable {
    /// Who is told.
    private let subscription: WatchSubscription
    /// The process's watches.
    private let center: WatchCenter

    /// Makes an alarm that is not set.
    ///
    /// - Parameter rung: is told on the watching thread, where it may set the alarm anew; no lock is held meanwhile.
    package init(_ rung: @escaping @Sendable () -> Void) {
        center = WatchCenter.current()
        subscription = WatchSubscription(root: .system, folders: []) { _ in rung() }
        center.begin(subscription)
    }

    deinit {
        stop()
    }

    /// Has it ring once at a time, instead of any time before; `nil` has it not ring.
    ///
    /// It may ring once too often, and rings as soon as somebody sets the clock: whoever is told looks at the time.
    package func set(_ time: Timestamp?) {
        center.setAlarm(time, of: subscription)
    }

    /// Whether it was set, and not taken back since; one that rang counts as set.
    package var isSet: Bool { center.hasAlarm(subscription) }

    /// Ends it; once this returns it does not ring any more, except where it is called while ringing.
    package func stop() {
        center.end(subscription)
    }

    /// Whether there is somebody who rings: not in a child process that fork(2) made.
    package var isOfThisProcess: Bool { center.isWatching(subscription) }
}
