import CPlatform
import Glibc

/// The alarms of a process, and the one timer of the kernel that serves them.
///
/// The timer counts on the wall clock, also while the machine sleeps, and ends early when somebody sets the clock. There is
/// one only while there is an alarm. Used under the center's lock; the watching thread alone opens, sets and closes it.
struct WallTimer {
    /// What became of the timer.
    enum Event {
        /// It is over.
        case over
        /// Somebody set the clock, so that nothing that was reckoned with the time before holds.
        case clockSet
        /// Somebody closed it.
        case lost

        /// What reading the timer answered: 0 or an error code; `nil` where nothing happened.
        init?(code: Int32) {
            switch code {
            case 0: self = .over
            case ECANCELED: self = .clockSet
            case EAGAIN: return nil
            default: self = .lost
            }
        }
    }

    /// When each alarm is due, by who set it; `nil` for one that rang and may be set anew, for which the timer is kept.
    private(set) var alarms: [ObjectIdentifier: Timestamp?] = [:]
    /// The timer; -1 where there is none.
    private(set) var raw: Int32 = -1
    /// What the timer is set to; `nil` where it has to be set.
    private var armed: Timestamp?
    /// How far the wall clock is ahead of the clock that nobody sets, where there should be a timer and is none.
    private var ahead: Int64?
    /// Whether the clock may have been set unnoticed.
    private(set) var isUnsure = false

    /// How far two readings of the clocks may lie apart, in microseconds, where nobody set the clock.
    private static let slack: Int64 = 500_000

    /// Whether there are alarms and no timer, so that the clock has to be looked at once a second.
    var isPolling: Bool { raw < 0 && !alarms.isEmpty }

    /// Sets an alarm, or takes it back with `nil`.
    mutating func set(_ time: Timestamp?, for id: ObjectIdentifier) {
        alarms[id] = time.map { .some($0) }
    }

    /// Opens, sets or closes the timer, as the alarms need it.
    mutating func arm() {
        if alarms.isEmpty { return close() }
        if raw < 0 {
            raw = cplatform_timer()
            guard raw >= 0 else {
                if ahead == nil { (ahead, isUnsure) = (WallTimer.lead(), true) }
                return
            }
            // What happened to the clock since the alarms were reckoned went unnoticed.
            (armed, ahead, isUnsure) = (nil, nil, true)
        }
        guard let earliest = alarms.values.compactMap({ $0 }).min(), armed != earliest else { return }
        switch cplatform_timer_set(raw, earliest.microseconds) {
        case 0: armed = earliest
        case ECANCELED: (armed, isUnsure) = (earliest, true)
        default:
            // Whatever has the number now is not the timer.
            abandon()
            isUnsure = true
        }
    }

    /// Closes the timer.
    mutating func close() {
        if raw >= 0 { _ = Glibc.close(raw) }
        abandon()
    }

    /// Forgets the timer, which somebody else closed.
    private mutating func abandon() {
        (raw, armed, ahead) = (-1, nil, nil)
    }

    /// Takes out the alarms that ring.
    ///
    /// - Parameters:
    ///   - event: what became of the timer; `nil` for nothing.
    ///   - now: the time.
    /// - Returns: who set them: all where the clock was set or may have been, else those that are due.
    mutating func ring(_ event: Event?, now: Timestamp = Clock.now()) -> Set<ObjectIdentifier> {
        if event != nil { armed = nil }
        if case .lost? = event { abandon() }
        var isEverything = isUnsure || event.map { $0 != .over } ?? false
        isUnsure = false
        if isPolling, let ahead, (WallTimer.lead() - ahead).magnitude > WallTimer.slack.magnitude {
            isEverything = true
            self.ahead = WallTimer.lead()
        }
        let ringing = alarms.filter { _, time in isEverything || time.map { $0 <= now } ?? false }
        for id in ringing.keys { alarms[id] = .some(nil) }
        return Set(ringing.keys)
    }

    /// How far the wall clock is ahead of the clock that nobody sets, in microseconds.
    private static func lead() -> Int64 {
        Clock.now().microseconds - Clock.monotonicMicroseconds()
    }
}
