import Foundation
import MDPlatform
import MDPropertyList
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// A target's time comes and goes at exactly the moments that its file says.
struct TimeVerdictTests {
    /// Whether this machine has zones.
    static let hasZones = FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Zurich")
    /// What a skipped test says.
    static let missing: Comment = "this machine has no /usr/share/zoneinfo"

    /// A moment.
    static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    /// A window of some days: `window([.monday], "22:00", "06:00")`.
    static func window(_ days: Set<Weekday>, _ from: Int, _ to: Int, _ zone: String? = "Europe/Zurich") -> Window {
        Window(days: days, from: from * 60, to: to * 60, timeZone: zone.map { Key($0) })
    }

    /// The verdict of a schedule.
    static func verdict(
        _ windows: [Window], at time: String, notBefore: String? = nil, notAfter: String? = nil, behind: Bool = false
    ) throws -> TimeVerdict {
        let target = Target(
            include: Target.Clauses(), schedule: windows.isEmpty ? nil : windows.map { .window($0) },
            notBefore: try notBefore.map(self.time), notAfter: try notAfter.map(self.time))
        let zones = ZoneDatabase(root: .system, localZone: "Europe/Zurich")
        let moment = Moment(time: try self.time(time), isClockBehind: behind, zones: zones)
        return target.time(at: moment, calendars: [:])
    }

    /// Every day.
    static let daily = Set(Weekday.allCases)

    /// A moment, whether the window is open then, and when that changes.
    typealias Row = (time: String, isOpen: Bool, next: String?)

    /// Follows a schedule through the moments of a table.
    private static func follow(_ windows: [Window], _ rows: [Row]) throws {
        for row in rows {
            let verdict = try verdict(windows, at: row.time)
            #expect(verdict.isOpen == row.isOpen, "\(row)")
            #expect(verdict.nextChange == (try row.next.map(time)), "\(row)")
            #expect((verdict.reason == nil) == row.isOpen, "\(row)")
        }
    }

    @Test(.enabled(if: hasZones, missing)) func `a night into summer time is an hour shorter`() throws {
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.saturday], 22 * 60, 6 * 60)],
            [
                ("2026-03-28T20:59:59.999999Z", false, "2026-03-28T21:00:00Z"),
                ("2026-03-28T21:00:00Z", true, "2026-03-29T04:00:00Z"),
                ("2026-03-29T00:59:59.5Z", true, "2026-03-29T04:00:00Z"),
                ("2026-03-29T01:00:00Z", true, "2026-03-29T04:00:00Z"),
                ("2026-03-29T04:00:00Z", false, "2026-04-04T20:00:00Z"),
            ])
    }

    @Test(.enabled(if: hasZones, missing)) func `a night out of summer time is an hour longer`() throws {
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.saturday], 22 * 60, 6 * 60)],
            [
                ("2026-10-24T19:59:59Z", false, "2026-10-24T20:00:00Z"),
                ("2026-10-24T20:00:00Z", true, "2026-10-25T05:00:00Z"),
                ("2026-10-25T05:00:00Z", false, "2026-10-31T21:00:00Z"),
            ])
    }

    @Test(.enabled(if: hasZones, missing)) func `a time that is left out never comes`() throws {
        // 02:15 to 02:45 does not exist on 2026-03-29.
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.sunday], 135, 165)],
            [("2026-03-28T12:00:00Z", false, "2026-04-05T00:15:00Z")])
        // Of 01:30 to 02:30, the first half remains; of 02:30 to 03:30, the second.
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.sunday], 90, 150)],
            [("2026-03-29T00:30:00Z", true, "2026-03-29T01:00:00Z")])
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.sunday], 150, 210)],
            [
                ("2026-03-29T00:59:59Z", false, "2026-03-29T01:00:00Z"),
                ("2026-03-29T01:00:00Z", true, "2026-03-29T01:30:00Z"),
            ])
    }

    @Test(.enabled(if: hasZones, missing)) func `a time that is repeated comes twice`() throws {
        // 02:15 to 02:45 comes in summer time and again in winter time.
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.sunday], 135, 165)],
            [
                ("2026-10-25T00:14:00Z", false, "2026-10-25T00:15:00Z"),
                ("2026-10-25T00:15:00Z", true, "2026-10-25T00:45:00Z"),
                ("2026-10-25T00:45:00Z", false, "2026-10-25T01:15:00Z"),
                ("2026-10-25T01:15:00Z", true, "2026-10-25T01:45:00Z"),
                ("2026-10-25T01:45:00Z", false, "2026-11-01T01:15:00Z"),
            ])
        // A window that ends at 02:30 is closed by the clock's way back to 02:00 only if it is open again then.
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.sunday], 150, 210)],
            [
                ("2026-10-25T00:30:00Z", true, "2026-10-25T01:00:00Z"),
                ("2026-10-25T01:00:00Z", false, "2026-10-25T01:30:00Z"),
                ("2026-10-25T01:30:00Z", true, "2026-10-25T02:30:00Z"),
            ])
    }

    @Test(.enabled(if: hasZones, missing)) func `a window over a year's end belongs to its first day`() throws {
        // 2026-12-31 is a Thursday.
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.thursday], 23 * 60, 60)],
            [
                ("2026-12-31T21:59:59Z", false, "2026-12-31T22:00:00Z"),
                ("2026-12-31T23:30:00Z", true, "2027-01-01T00:00:00Z"),
                ("2027-01-01T00:00:00Z", false, "2027-01-07T22:00:00Z"),
            ])
    }

    @Test(.enabled(if: hasZones, missing), .timeLimit(.minutes(15)))
    func `hundreds of windows that never close are searched for a moment and no longer`() throws {
        let zones = [
            "Europe/Zurich", "Europe/London", "America/New_York", "America/Los_Angeles", "Asia/Tokyo", "Asia/Kolkata",
            "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Auckland", "America/Sao_Paulo", "Africa/Cairo",
            "Asia/Tehran",
        ]
        let windows = (0..<480).map { number in
            TimeVerdictTests.window(TimeVerdictTests.daily, number, number + 720, zones[number % zones.count])
        }
        let whole = zones.map { TimeVerdictTests.window(TimeVerdictTests.daily, 0, 1_440, $0) }
        let verdict = try TimeVerdictTests.verdict(windows + whole, at: "2026-11-23T08:00:00Z")
        #expect(verdict.isOpen)
        // A caller asks again at that moment; it is never in the past, which would be an endless loop.
        let start = try TimeVerdictTests.time("2026-11-23T08:00:00Z")
        #expect(verdict.nextChange.map { $0 > start } ?? true)
    }

    @Test(.enabled(if: hasZones, missing)) func `a day that a zone skips never comes`() throws {
        // Samoa went from Thursday, 2011-12-29, to Saturday, 2011-12-31.
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.friday], 0, 1_440, "Pacific/Apia")],
            [
                ("2011-12-30T09:59:00Z", false, "2012-01-05T10:00:00Z"),
                ("2011-12-30T10:00:00Z", false, "2012-01-05T10:00:00Z"),
            ])
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.thursday], 0, 1_440, "Pacific/Apia")],
            [("2011-12-30T09:59:00Z", true, "2011-12-30T10:00:00Z")])
    }

    @Test(.enabled(if: hasZones, missing)) func `half an hour of summer time counts as such`() throws {
        // Lord Howe goes back from 02:00 (+11) to 01:30 (+10:30).
        try TimeVerdictTests.follow(
            [TimeVerdictTests.window([.sunday], 100, 110, "Australia/Lord_Howe")],
            [
                ("2026-04-04T14:39:00Z", false, "2026-04-04T14:40:00Z"),
                ("2026-04-04T14:50:00Z", false, "2026-04-04T15:10:00Z"),
                ("2026-04-04T15:10:00Z", true, "2026-04-04T15:20:00Z"),
            ])
    }

    @Test(.enabled(if: hasZones, missing)) func `windows that meet are one, and those that cover all never close`()
        throws
    {
        try TimeVerdictTests.follow(
            [
                TimeVerdictTests.window([.monday], 9 * 60, 11 * 60), TimeVerdictTests.window([.monday], 660, 720),
            ], [("2026-11-23T08:00:00Z", true, "2026-11-23T11:00:00Z")])
        let always = [TimeVerdictTests.window(TimeVerdictTests.daily, 0, 1_440)]
        try TimeVerdictTests.follow(always, [("2026-11-23T08:00:00Z", true, nil)])
        // The day of one zone and the night of another leave nothing out before one of them changes its clocks.
        let both = [
            TimeVerdictTests.window(TimeVerdictTests.daily, 7 * 60, 19 * 60, "Europe/Zurich"),
            TimeVerdictTests.window(TimeVerdictTests.daily, 18 * 60, 6 * 60, "UTC"),
        ]
        try TimeVerdictTests.follow(both, [("2026-11-23T08:00:00Z", true, "2027-03-28T17:00:00Z")])
        let never = [
            TimeVerdictTests.window(TimeVerdictTests.daily, 0, 12 * 60, "Asia/Tokyo"),
            TimeVerdictTests.window(TimeVerdictTests.daily, 12 * 60, 1_440, "Asia/Tokyo"),
        ]
        try TimeVerdictTests.follow(never, [("2026-11-23T08:00:00Z", true, nil)])
    }

    @Test(.enabled(if: hasZones, missing)) func `NotBefore and NotAfter bound a schedule`() throws {
        let window = [TimeVerdictTests.window([.monday], 9 * 60, 11 * 60)]
        let (before, after) = ("2026-11-23T08:30:00Z", "2026-11-30T09:00:00.5Z")
        /// The verdict at a time.
        func at(_ time: String) throws -> TimeVerdict {
            try TimeVerdictTests.verdict(window, at: time, notBefore: before, notAfter: after)
        }
        let early = try at("2026-11-23T08:10:00Z")
        #expect(!early.isOpen)
        #expect(early.nextChange == (try TimeVerdictTests.time(before)))
        #expect(early.reason == "applies from Mon 2026-11-23 09:30 CET on")
        #expect(try at(before).isOpen)
        #expect(try at(before).nextChange == (try TimeVerdictTests.time("2026-11-23T10:00:00Z")))
        #expect(try at("2026-11-30T08:00:00Z").nextChange == (try TimeVerdictTests.time(after)))
        #expect(try !at(after).isOpen)
        #expect(try at(after).nextChange == nil)
        #expect(try at(after).reason == "applied until Mon 2026-11-30 10:00 CET")
        // What would open only after the end never opens.
        #expect(try at("2026-11-30T10:30:00Z").nextChange == nil)
    }

    @Test(.enabled(if: hasZones, missing)) func `a beginning counts as reached while the clock is behind`() throws {
        let verdict = try TimeVerdictTests.verdict(
            [], at: "2026-11-23T08:00:00Z", notBefore: "2026-12-01T00:00:00Z", notAfter: "2026-12-02T00:00:00Z",
            behind: true)
        #expect(verdict.isOpen)
        #expect(verdict.nextChange == (try TimeVerdictTests.time("2026-12-02T00:00:00Z")))
        let never = try TimeVerdictTests.verdict(
            [], at: "2026-11-23T08:00:00Z", notBefore: "2026-12-01T00:00:00Z", notAfter: "2026-12-01T00:00:00Z")
        #expect(!never.isOpen && never.nextChange == nil)
    }

    @Test(.enabled(if: hasZones, missing)) func `a closed window says when it is open, and what time it is`() throws {
        let windows = [
            TimeVerdictTests.window([.monday, .wednesday], 9 * 60, 11 * 60),
            TimeVerdictTests.window(TimeVerdictTests.daily, 22 * 60, 6 * 60, "Asia/Kathmandu"),
        ]
        let verdict = try TimeVerdictTests.verdict(windows, at: "2026-11-21T08:33:10Z")
        #expect(
            verdict.reason
                == "applies Mon, Wed from 09:00 to 11:00 in Europe/Zurich, every day from 22:00 to 06:00 in "
                + "Asia/Kathmandu; it is now Sat 09:33:10 CET, and it applies next from Sat 2026-11-21 17:15 CET on")
    }

    @Test func `what cannot be told counts as open and is reported`() throws {
        let schedule: [ScheduleItem] = [
            .calendar(Key("exam-week"), position: .start),
            .window(TimeVerdictTests.window([.monday], 0, 1, "No/Where")),
        ]
        let target = Target(include: Target.Clauses(), schedule: schedule)
        let moment = Moment(time: try TimeVerdictTests.time("2026-11-23T12:00:00Z"), zones: ZoneDatabase(root: .system))
        let verdict = target.time(at: moment, calendars: [:])
        #expect(verdict.isOpen && verdict.nextChange == nil)
        #expect(verdict.problems.map(\.code) == [.unknownCalendar, .unknownZone])
        let known = target.time(at: moment, calendars: [Key("exam-week"): []])
        #expect(known.isOpen && known.problems.map(\.code) == [.unknownZone])
        let empty = Target(include: Target.Clauses(), schedule: [.calendar(Key("exam-week"), position: .start)])
        let closed = empty.time(at: moment, calendars: [Key("exam-week"): []])
        #expect(!closed.isOpen && closed.reason == "its schedule has no window" && closed.nextChange == nil)
    }

    @Test func `an unknown zone beside a window that is open for certain leaves nothing in doubt`() throws {
        let open = TimeVerdictTests.window([.monday], 11 * 60, 13 * 60, "UTC")
        let unknown = TimeVerdictTests.window([.monday], 0, 1, "No/Where")
        let during = try TimeVerdictTests.verdict([open, unknown], at: "2026-11-23T12:00:00Z")
        #expect(during.isOpen && during.isCertain && during.nextChange == nil && during.problems.count == 1)
        // What counts as open all the same begins to be in doubt then.
        #expect(try during.nextCertainty == TimeVerdictTests.time("2026-11-23T13:00:00Z"))
        let after = try TimeVerdictTests.verdict([open, unknown], at: "2026-11-23T13:00:00Z")
        #expect(after.isOpen && !after.isCertain)
        #expect(try after.nextCertainty == TimeVerdictTests.time("2026-11-30T11:00:00Z"))
    }
}
