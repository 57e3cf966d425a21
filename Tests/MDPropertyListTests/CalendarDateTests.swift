import Foundation
import Testing

@testable import MDPropertyList

/// Civil dates and seconds since 2001.
struct CalendarDateTests {
    @Test(
        arguments: [
            ("2001-01-01T00:00:00Z", 0), ("2026-11-20T08:00:00Z", 816_854_400),
            ("1970-01-01T00:00:00Z", -978_307_200), ("2000-02-29T23:59:59Z", -26_438_401),
            ("0001-01-01T00:00:00Z", -63_113_904_000), ("9999-12-31T23:59:59Z", 252_423_993_599),
        ] as [(String, Double)])
    func `a date reads as its seconds and is written back`(_ text: String, _ seconds: Double) {
        #expect(CalendarDate.parse(iso8601: text.utf8) == seconds)
        #expect(CalendarDate.iso8601(seconds) == text)
    }

    @Test func `days of the whole calendar survive both directions and agree with Foundation`() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        var previous = -Double.infinity
        for day in stride(from: -730_485, to: 2_921_574, by: 11) {
            let seconds = Double(day * 86_400 + abs(day) % 86_400)
            guard let parts = CalendarDate.components(seconds) else {
                Issue.record("no date for \(seconds)")
                return
            }
            let back = CalendarDate.seconds(
                year: parts.year, month: parts.month, day: parts.day, hour: parts.hour, minute: parts.minute,
                second: parts.second)
            if back != seconds { Issue.record("\(parts) gives \(String(describing: back)), not \(seconds)") }
            if seconds <= previous { Issue.record("\(seconds) is out of order") }
            previous = seconds
            // Foundation changes to the Julian calendar before 1582.
            if day % 997 == 0 && parts.year > 1582 {
                let date = Date(timeIntervalSinceReferenceDate: seconds)
                let expected = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
                #expect(expected.year == parts.year && expected.month == parts.month && expected.day == parts.day)
                #expect(
                    expected.hour == parts.hour && expected.minute == parts.minute && expected.second == parts.second)
            }
        }
    }

    @Test(arguments: [
        "", "2026", "2026-11-20", "2026-11-20T08:00:00", "2026-11-20T08:00:00z", "2026-11-20 08:00:00Z",
        "2026-11-20T08:00:00Z ", " 2026-11-20T08:00:00Z", "2026-11-20T08:00:00.5Z", "10000-11-20T08:00:00Z",
        "2026-00-20T08:00:00Z", "2026-13-20T08:00:00Z", "2026-11-00T08:00:00Z", "2026-11-31T08:00:00Z",
        "2025-02-29T08:00:00Z", "1900-02-29T08:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T08:60:00Z",
        "2026-11-20T08:00:60Z", "-026-11-20T08:00:00Z", "+026-11-20T08:00:00Z", "12026-11-20T08:00:00Z",
    ])
    func `what is no date is refused`(_ text: String) {
        #expect(CalendarDate.parse(iso8601: text.utf8) == nil)
    }

    @Test func `a fraction of a second is dropped towards the past`() {
        #expect(CalendarDate.iso8601(0.999) == "2001-01-01T00:00:00Z")
        #expect(CalendarDate.iso8601(-0.001) == "2000-12-31T23:59:59Z")
    }

    @Test func `the distant past of Foundation is in year 0`() {
        #expect(CalendarDate.iso8601(-63_114_076_800) == "0000-12-30T00:00:00Z")
        #expect(CalendarDate.parse(iso8601: "0000-12-30T00:00:00Z".utf8) == -63_114_076_800)
        #expect(CalendarDate.iso8601(-63_145_526_400) == "0000-01-01T00:00:00Z")
        #expect(CalendarDate.parse(iso8601: "0000-02-29T00:00:00Z".utf8) == -63_145_526_400 + 59 * 86_400.0)
    }

    @Test(arguments: [.nan, .infinity, -.infinity, -63_145_526_400.5, 252_423_993_600, 1e300] as [Double])
    func `what no calendar page holds has no text`(_ seconds: Double) {
        #expect(CalendarDate.iso8601(seconds) == nil)
        #expect(CalendarDate.openStep(seconds) == nil)
    }

    @Test(
        arguments: [
            ("2026-11-20 08:00:00 +0000", 816_854_400), ("2026-11-20 09:30:00 +0130", 816_854_400),
            ("2026-11-19 23:00:00 -0900", 816_854_400), ("2026-11-20 08:00:00", nil),
            ("2026-11-20 08:00:00 +00:00", nil), ("2026-11-20 08:00:00 0000", nil), ("2026-11-20 08:00:00 +2400", nil),
        ] as [(String, Double?)])
    func `GNUstep's dates carry a zone`(_ text: String, _ seconds: Double?) {
        #expect(CalendarDate.parse(openStep: text.utf8) == seconds)
    }
}
