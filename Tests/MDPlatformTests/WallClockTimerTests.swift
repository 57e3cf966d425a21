import Glibc
import Testing

@testable import MDPlatform
@testable import MDTools

/// The timer exists while there are alarms, and reports that the clock was set.
struct WallClockTimerTests {
    /// An owner of an alarm.
    private final class Owner: Sendable {
        /// What it is known by.
        var id: ObjectIdentifier { ObjectIdentifier(self) }
    }

    /// A time so many seconds from now.
    private static func soon(_ seconds: Int64) -> Timestamp {
        Timestamp(microseconds: Clock.now().microseconds + seconds * 1_000_000)
    }

    @Test func `costs a descriptor only while there is an alarm`() {
        var timer = WallClockTimer()
        let owner = Owner()
        timer.arm()
        #expect(timer.raw == -1)
        timer.set(WallClockTimerTests.soon(3_600), for: owner.id)
        timer.arm()
        #expect(timer.raw >= 3)
        #expect(fcntl(timer.raw, F_GETFD) & FD_CLOEXEC != 0)
        timer.set(nil, for: owner.id)
        timer.arm()
        #expect(timer.raw == -1)
    }

    @Test func `a new timer has everybody look at the time once`() {
        var timer = WallClockTimer()
        let owner = Owner()
        timer.set(WallClockTimerTests.soon(3_600), for: owner.id)
        timer.arm()
        #expect(timer.isUnsure)
        #expect(timer.ring(nil) == [owner.id])
        timer.set(WallClockTimerTests.soon(3_600), for: owner.id)
        timer.arm()
        #expect(!timer.isUnsure && timer.ring(nil).isEmpty)
        timer.close()
    }

    @Test func `an alarm rings when it is due, once, and not before`() {
        var timer = WallClockTimer()
        let (early, late) = (Owner(), Owner())
        let (first, second) = (WallClockTimerTests.soon(1_000), WallClockTimerTests.soon(2_000))
        timer.set(first, for: early.id)
        timer.set(second, for: late.id)
        timer.arm()
        _ = timer.ring(nil)
        timer.set(first, for: early.id)
        timer.set(second, for: late.id)
        #expect(timer.ring(.over, now: Timestamp(microseconds: first.microseconds - 1)).isEmpty)
        #expect(timer.ring(.over, now: first) == [early.id])
        #expect(timer.ring(.over, now: first).isEmpty)
        #expect(timer.raw >= 0)
        timer.close()
    }

    @Test(arguments: [ECANCELED, EBADF]) func `everybody rings when the clock was set or the timer lost`(_ code: Int32)
    {
        var timer = WallClockTimer()
        let (early, late) = (Owner(), Owner())
        timer.set(WallClockTimerTests.soon(1_000), for: early.id)
        timer.set(WallClockTimerTests.soon(2_000), for: late.id)
        timer.arm()
        _ = timer.ring(nil)
        timer.set(WallClockTimerTests.soon(1_000), for: early.id)
        timer.set(WallClockTimerTests.soon(2_000), for: late.id)
        let raw = timer.raw
        #expect(timer.ring(WallClockTimer.Event(code: code)) == [early.id, late.id])
        // A lost number may belong to another file by now, and must not be closed.
        #expect(timer.raw == (code == EBADF ? -1 : raw))
        #expect(fcntl(raw, F_GETFD) >= 0)
        close(raw)
    }

    @Test func `a timer is over at its time and not before`() throws {
        let now = Clock.now().microseconds
        var timer = WallClockTimer()
        let owner = Owner()
        timer.set(WallClockTimerTests.soon(3_600), for: owner.id)
        timer.arm()
        #expect(WallClockTimer.Event(code: 0) == .over && WallClockTimer.Event(code: EAGAIN) == nil)
        timer.set(Timestamp(microseconds: now - 1), for: owner.id)
        timer.arm()
        var request = pollfd(fd: timer.raw, events: Int16(POLLIN), revents: 0)
        #expect(poll(&request, 1, Int32(TestLimit.seconds * 1_000)) == 1)
        timer.close()
    }

    @Test func `an alarm that is set rings on the watching thread`() throws {
        let rings = Monitor([Timestamp]())
        let alarm = WallClockAlarm.begin { rings.withLock { $0.append(Clock.now()) } }
        // The first ring is that of the new timer, or the time's own.
        let due = Timestamp(microseconds: Clock.now().microseconds + 20_000)
        alarm.set(due)
        rings.wait { !$0.isEmpty }
        while rings.withLock({ ($0.last ?? due) < due }) {
            let before = rings.withLock { $0.count }
            alarm.set(due)
            rings.wait { $0.count > before }
        }
        #expect(rings.withLock { $0.last ?? due } >= due)
        alarm.stop()
        #expect(!alarm.isOfThisProcess)
    }
}
