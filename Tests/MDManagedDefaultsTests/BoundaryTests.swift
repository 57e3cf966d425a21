import Foundation
import MDPlatform
import MDTestSupport
import ManagedDefaults
import Testing

/// Forced keys of a running program flip at the moments that their policy file says, by themselves.
struct BoundaryTests {
    /// A policy file that forces a key between two moments.
    private static func policy(from: Timestamp, to: Timestamp) -> String {
        """
        { "Identifier": "org.example.window", "Target": { "NotBefore": "\(from.rfc3339)", "NotAfter": "\(to.rfc3339)" },
          "Forced": { "org.example.Browser": { "Window": true } } }
        """
    }

    /// The descriptors that are timers which a change of the clock ends: those of alarms, and of nothing else here.
    private static var timers: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap(Int32.init).filter { descriptor in
            let text = try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
            // TFD_TIMER_ABSTIME and TFD_TIMER_CANCEL_ON_SET of linux/timerfd.h.
            return text?.contains("settime flags: 03") == true
        }
    }

    /// Waits until something is so, or a time far above any that it takes is over.
    private static func wait(_ isSo: () -> Bool) -> Bool {
        let end = Clock.monotonicMicroseconds() + 60_000_000
        while !isSo() {
            if Clock.monotonicMicroseconds() > end { return false }
            Clock.pause(microseconds: 2_000)
        }
        return true
    }

    @Test func `an observer learns of a beginning and of an end, and the timer goes with them`() async {
        // In a process of its own, whose descriptors no other test opens.
        await #expect(processExitsWith: .success) {
            let machine = try TemporaryMachine(policy: DomainTests.free)
            let defaults = try machine.open()
            defaults.set(false, forKey: "Window")
            try #require(defaults.synchronize())
            /// When the key became forced and free again.
            let seen = Guarded<[(isForced: Bool, time: Timestamp)]>([])
            let observation = defaults.observeChanges(forKey: "Window") { change in
                seen.withLock { $0.append((change.isForced, Clock.now())) }
            }
            // Policy without time costs no timer, however long it is watched.
            try machine.write(
                "{\"Identifier\": \"org.example.other\", \"Forced\": {\"a.b\": {\"c\": 1}}}",
                to: "etc/managed-defaults/policies.d/15-other.json")
            try #require(BoundaryTests.timers.isEmpty)
            let from = Timestamp(microseconds: Clock.now().microseconds + 2_000_000)
            let later = Timestamp(microseconds: from.microseconds + 3_600_000_000)
            try machine.write(
                BoundaryTests.policy(from: from, to: later), to: "etc/managed-defaults/policies.d/20-window.json")
            try #require(BoundaryTests.wait { seen.withLock { $0.contains { $0.isForced } } })
            // Its end is only known now, however long the beginning took.
            let to = Timestamp(microseconds: Clock.now().microseconds + 1_500_000)
            try machine.write(
                BoundaryTests.policy(from: from, to: to), to: "etc/managed-defaults/policies.d/20-window.json")
            try #require(BoundaryTests.wait { seen.withLock { $0.last.map { !$0.isForced } ?? false } })
            let (begin, end) = seen.withLock { seen in (seen[0], seen[seen.count - 1]) }
            try #require(begin.isForced && begin.time >= from && end.time >= to)
            try #require(
                !defaults.objectIsForced(forKey: "Window") && defaults.object(forKey: "Window") as? Bool == false)
            // Nothing lies ahead, but a clock that is set back may bring it again: the timer stays as long as policy names times.
            try #require(BoundaryTests.wait { BoundaryTests.timers.count == 1 })
            try FileManager.default.removeItem(
                atPath: machine.path + "/etc/managed-defaults/policies.d/20-window.json")
            try #require(BoundaryTests.wait { BoundaryTests.timers.isEmpty })
            withExtendedLifetime(observation) {}
        }
    }

    @Test func `a timer that an application closes is replaced`() async {
        await #expect(processExitsWith: .success) {
            let now = Clock.now().microseconds
            let from = Timestamp(microseconds: now + 3_000_000)
            let machine = try TemporaryMachine(
                policy: BoundaryTests.policy(from: from, to: Timestamp(microseconds: now + 3_600_000_000)))
            let defaults = try machine.open()
            try #require(BoundaryTests.wait { BoundaryTests.timers.count == 1 })
            for descriptor in BoundaryTests.timers { close(descriptor) }
            // A thread that waits on a closed descriptor is not notified; any change makes it look.
            try machine.write(
                "{\"Identifier\": \"org.example.other\"}", to: "etc/managed-defaults/policies.d/15-other.json")
            try #require(BoundaryTests.wait { defaults.objectIsForced(forKey: "Window") })
            try #require(Clock.now() >= from)
        }
    }

    @Test(
        .enabled(
            if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Etc/GMT-12"),
            "this machine has no /usr/share/zoneinfo"))
    func `another time zone of the machine opens a window at once`() throws {
        // Half an hour around the time that it is twelve hours to the east.
        let minute = Int(Clock.now().microseconds / 60_000_000 % 1_440)
        /// A time of day so many minutes from it.
        func text(_ offset: Int) -> String {
            let there = (minute + 720 + 1_440 + offset) % 1_440
            return (there / 60 < 10 ? "0" : "") + "\(there / 60):" + (there % 60 < 10 ? "0" : "") + "\(there % 60)"
        }
        let machine = try TemporaryMachine(
            policy: """
                { "Identifier": "org.example.window",
                  "Target": { "Schedule": [{ "From": "\(text(-30))", "To": "\(text(30))" }] },
                  "Forced": { "org.example.Browser": { "Window": true } } }
                """)
        let defaults = try machine.open()
        try #require(defaults.synchronize() && !defaults.objectIsForced(forKey: "Window"))
        // The link is replaced as timedatectl does it; whether the program watches by then, it sees the change.
        let link = machine.path + "/etc/localtime"
        try FileManager.default.createSymbolicLink(
            atPath: link + ".new", withDestinationPath: "../usr/share/zoneinfo/Etc/GMT-12")
        #expect(rename(link + ".new", link) == 0)
        #expect(BoundaryTests.wait { defaults.objectIsForced(forKey: "Window") })
    }
}
