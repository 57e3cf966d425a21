import Glibc
import MDCPlatform

/// Calls a function at a time of the wall clock, and when the clock is set.
///
/// Served by the thread of ``FolderWatch``; all alarms of the process share one descriptor, which is open only while an
/// alarm is set. After a sleep of the machine the function is called at the wake.
package final class WallClockAlarm: Sendable {
    /// The function, as the watch center knows it.
    private let subscription: WatchSubscription
    /// The process's watches.
    private let center: WatchCenter

    private init(_ subscription: WatchSubscription, of center: WatchCenter) {
        (self.subscription, self.center) = (subscription, center)
    }

    /// Starts an alarm that is not set.
    ///
    /// - Parameter rung: called on the watching thread without any lock held; it may set the alarm again.
    /// - Returns: the alarm, which ends with this object.
    package static func begin(_ rung: @escaping @Sendable () -> Void) -> WallClockAlarm {
        let subscription = WatchSubscription(root: .system, folders: []) { _ in rung() }
        let center = WatchCenter.current()
        center.begin(subscription)
        return WallClockAlarm(subscription, of: center)
    }

    deinit {
        stop()
    }

    /// Sets the time of the next call, in place of any time before; `nil` for no call.
    ///
    /// The function may be called too early, and is called when the clock is set: it must check the time.
    package func set(_ time: Timestamp?) {
        center.setAlarm(time, of: subscription)
    }

    /// Ends the alarm; after this returns the function is not called any more, except if it calls this itself.
    package func stop() {
        center.end(subscription)
    }

    /// Whether the alarm is served: not in a child process that fork(2) made.
    package var isOfThisProcess: Bool { center.isWatching(subscription) }
}

/// The alarms of a process, and the one kernel timer that serves them.
///
/// The timer runs on the wall clock, also while the machine sleeps, and ends early when the clock is set. It exists
/// only while there is an alarm. Used under the center's lock; only the watching thread opens, sets and closes it.
struct WallClockTimer {
    /// An event of the timer.
    enum Event {
        /// It is over.
        case over
        /// The clock was set, so that all earlier calculations are invalid.
        case clockSet
        /// Other code closed it.
        case lost

        /// Interprets the result of reading the timer, 0 or an error code; `nil` if nothing happened.
        init?(code: Int32) {
            switch code {
            case 0: self = .over
            case ECANCELED: self = .clockSet
            case EAGAIN: return nil
            default: self = .lost
            }
        }
    }

    /// When each alarm is due, by its subscription; `nil` for one that rang and may be set again, for which the timer
    /// stays open.
    private(set) var alarms: [ObjectIdentifier: Timestamp?] = [:]
    /// The timer; -1 if there is none.
    private(set) var raw: Int32 = -1
    /// The time that the timer is set to; `nil` if it has to be set.
    private var armed: Timestamp?
    /// How far the wall clock is ahead of the monotonic clock, if a timer is needed and missing.
    private var ahead: Int64?
    /// Whether the clock may have been set unnoticed.
    private(set) var isUnsure = false

    /// The largest difference of two such readings, in microseconds, that does not count as a set clock.
    private static let slack: Int64 = 500_000

    /// Whether there are alarms and no timer, so that the clock has to be checked once a second.
    var isPolling: Bool { raw < 0 && !alarms.isEmpty }

    /// Sets an alarm, or removes it with `nil`.
    mutating func set(_ time: Timestamp?, for id: ObjectIdentifier) {
        alarms[id] = time.map { .some($0) }
    }

    /// Opens, sets or closes the timer, as the alarms need it.
    mutating func arm() {
        if alarms.isEmpty { return close() }
        if raw < 0 {
            raw = cplatform_timer()
            guard raw >= 0 else {
                if ahead == nil { (ahead, isUnsure) = (WallClockTimer.lead(), true) }
                return
            }
            // Changes of the clock since the alarms were set may have been missed.
            (armed, ahead, isUnsure) = (nil, nil, true)
        }
        guard let earliest = alarms.values.compactMap({ $0 }).min(), armed != earliest else { return }
        switch cplatform_timer_set(raw, earliest.microseconds) {
        case 0: armed = earliest
        case ECANCELED: (armed, isUnsure) = (earliest, true)
        default:
            // The number belongs to another file now.
            abandon()
            isUnsure = true
        }
    }

    /// Closes the timer.
    mutating func close() {
        if raw >= 0 { _ = Glibc.close(raw) }
        abandon()
    }

    /// Forgets the timer, which other code closed.
    private mutating func abandon() {
        (raw, armed, ahead) = (-1, nil, nil)
    }

    /// Marks the due alarms as rung and returns them.
    ///
    /// - Parameters:
    ///   - event: the event of the timer; `nil` for none.
    ///   - now: the time.
    /// - Returns: the subscriptions: all if the clock was set or may have been, else those that are due.
    mutating func ring(_ event: Event?, now: Timestamp = Clock.now()) -> Set<ObjectIdentifier> {
        if event != nil { armed = nil }
        if case .lost? = event { abandon() }
        var isEverything = isUnsure || event.map { $0 != .over } ?? false
        isUnsure = false
        if isPolling, let ahead, (WallClockTimer.lead() - ahead).magnitude > WallClockTimer.slack.magnitude {
            isEverything = true
            self.ahead = WallClockTimer.lead()
        }
        let ringing = alarms.filter { _, time in isEverything || time.map { $0 <= now } ?? false }
        for id in ringing.keys { alarms[id] = .some(nil) }
        return Set(ringing.keys)
    }

    /// How far the wall clock is ahead of the monotonic clock, in microseconds.
    private static func lead() -> Int64 {
        Clock.now().microseconds - Clock.monotonicMicroseconds()
    }
}
