import Glibc
import MDCPlatform

// Its headers define timespec too; which module counts as its owner depends on what was compiled before.

/// The clocks of the machine.
package enum Clock {
    /// The time of day.
    package static func now() -> Timestamp {
        Timestamp(microseconds: microseconds(of: CLOCK_REALTIME))
    }

    /// Microseconds since the machine started, never going back; for durations only.
    package static func monotonicMicroseconds() -> Int64 {
        microseconds(of: CLOCK_MONOTONIC)
    }

    /// The time of day in nanoseconds since 1970, as exact as the machine's clock is.
    package static func nanoseconds() -> Int64 {
        var time = timespec()
        // The structure outlives the call, which fills it whole.
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Lets the thread rest; may return early when a signal arrives.
    package static func pause(microseconds: Int64) {
        var time = timespec(
            tv_sec: Int(max(microseconds, 0) / 1_000_000), tv_nsec: Int(max(microseconds, 0) % 1_000_000) * 1_000)
        // The structure outlives the call, which does not report the remaining time.
        _ = unsafe nanosleep(&time, nil)
    }

    /// Reads a clock that every Linux has, so that reading cannot fail.
    private static func microseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        // The structure outlives the call, which fills it whole.
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }
}
