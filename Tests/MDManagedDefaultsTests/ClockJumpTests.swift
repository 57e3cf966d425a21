import Foundation
import MDPlatform
import MDTestSupport
import ManagedDefaults
import Testing

/// A clock that somebody sets is noticed at once, both ways; a machine that wakes looks the same to the kernel's timers.
///
/// Sets the clock of the whole machine for a moment, which every other test would notice: it runs only where
/// `MANAGED_DEFAULTS_SET_CLOCK` is 1, by itself.
struct ClockJumpTests {
    /// The wall clock and the clock that is never set, at one moment, in nanoseconds.
    private struct Moment {
        /// The wall clock.
        let wall = Moment.read(CLOCK_REALTIME)
        /// The clock that is never set.
        let steady = Moment.read(CLOCK_MONOTONIC)

        /// What a clock shows.
        static func read(_ clock: clockid_t) -> Int64 {
            var time = timespec()
            clock_gettime(clock, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }

        /// Sets the wall clock so many nanoseconds ahead of the time that it would show if it had not been set since;
        /// whether it is.
        @discardableResult
        func setClock(ahead: Int64) -> Bool {
            let time = wall + Moment.read(CLOCK_MONOTONIC) - steady + ahead
            var value = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
            return clock_settime(CLOCK_REALTIME, &value) == 0
        }
    }

    /// Whether the clock is to be set, and can be: it is set to what it shows.
    private static let isPossible =
        ProcessInfo.processInfo.environment["MANAGED_DEFAULTS_SET_CLOCK"] == "1" && Moment().setClock(ahead: 0)

    @Test(
        .enabled(
            if: isPossible, "sets the machine's clock: MANAGED_DEFAULTS_SET_CLOCK is not 1, or CAP_SYS_TIME is missing")
    )
    func `a clock that jumps over a boundary and back flips the key both times`() async {
        await #expect(processExitsWith: .success) {
            let machine = try TemporaryMachine(policy: DomainTests.free)
            let boundary = Timestamp(microseconds: Clock.now().microseconds + 3_600_000_000)
            try machine.write(
                """
                { "Identifier": "org.example.later", "Target": { "NotBefore": "\(boundary.rfc3339)" },
                  "Forced": { "org.example.Browser": { "Window": true } } }
                """, to: "etc/managed-defaults/policies.d/20-later.json")
            let defaults = try machine.open()
            /// Whether the key was forced, at each change, and when by the clock that is never set.
            let seen = Guarded<[(isForced: Bool, time: Int64)]>([])
            let changed = DispatchSemaphore(value: 0)
            let observation = defaults.observeChanges(forKey: "Window") { change in
                seen.withLock { $0.append((change.isForced, Moment.read(CLOCK_MONOTONIC))) }
                changed.signal()
            }
            // From here on the boundary is two seconds ahead, and the clock jumps over it by three.
            let soon = Timestamp(microseconds: Clock.now().microseconds + 2_000_000)
            try machine.write(
                """
                { "Identifier": "org.example.later", "Target": { "NotBefore": "\(soon.rfc3339)" },
                  "Forced": { "org.example.Browser": { "Window": true } } }
                """, to: "etc/managed-defaults/policies.d/20-later.json")
            try #require(defaults.synchronize() && !defaults.objectIsForced(forKey: "Window"))
            let start = Moment()
            let forth = Moment.read(CLOCK_MONOTONIC)
            try #require(start.setClock(ahead: 3_000_000_000))
            // Never far from what the clock should show.
            let isSeen = changed.wait(timeout: .now() + 1) == .success
            let back = Moment.read(CLOCK_MONOTONIC)
            start.setClock(ahead: 0)
            try #require(isSeen, "the jump was not seen")
            try #require(changed.wait(timeout: .now() + 60) == .success, "the jump back was not seen")
            let changes = seen.withLock { $0 }
            try #require(changes.prefix(2).map(\.isForced) == [true, false])
            let times = [changes[0].time - forth, changes[1].time - back].map { $0 / 1_000 }
            FileHandle.standardError.write(Data("seen after \(times[0]) µs, and back after \(times[1]) µs\n".utf8))
            // And then the boundary comes by itself.
            try #require(changed.wait(timeout: .now() + 60) == .success)
            try #require(seen.withLock { $0.last?.isForced } == true && Clock.now() >= soon)
            withExtendedLifetime(observation) {}
        }
    }
}
