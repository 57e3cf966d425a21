import Foundation
import Testing

@testable import MDPlatform

/// Times are read strictly and written with six decimals.
struct TimestampTests {
    /// A text, and the text that it is formatted as; `nil` if it is refused.
    static let table: [(text: String, again: String?)] = [
        ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"),
        ("2026-11-20T08:00:00Z", "2026-11-20T08:00:00.000000Z"),
        ("2026-11-20t08:00:00z", "2026-11-20T08:00:00.000000Z"),
        ("2026-11-20T08:00:00.5Z", "2026-11-20T08:00:00.500000Z"),
        ("2026-11-20T08:00:00.123456789Z", "2026-11-20T08:00:00.123456Z"),
        ("2026-11-20T08:00:00+01:00", "2026-11-20T07:00:00.000000Z"),
        ("2026-11-20T00:30:00-23:59", "2026-11-21T00:29:00.000000Z"),
        ("2026-11-20T00:30:00-00:00", "2026-11-20T00:30:00.000000Z"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000000Z"),
        ("2000-02-29T23:59:59.999999Z", "2000-02-29T23:59:59.999999Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z"),
        ("2016-12-31T18:59:60-05:00", "2017-01-01T00:00:00.000000Z"),
        ("9999-12-31T23:59:59-00:01", nil),
        ("0000-01-01T00:00:00+00:01", nil),
        ("2016-12-31T23:58:60Z", nil),
        ("2023-02-29T00:00:00Z", nil),
        ("1900-02-29T00:00:00Z", nil),
        ("2026-04-31T00:00:00Z", nil),
        ("2026-13-01T00:00:00Z", nil),
        ("2026-00-01T00:00:00Z", nil),
        ("2026-01-00T00:00:00Z", nil),
        ("2026-01-01T24:00:00Z", nil),
        ("2026-01-01T00:60:00Z", nil),
        ("2026-01-01T00:00:61Z", nil),
        ("2026-01-01T00:00:00", nil),
        ("2026-01-01 00:00:00Z", nil),
        ("2026-01-01T00:00:00.Z", nil),
        ("2026-01-01T00:00:00,5Z", nil),
        ("2026-01-01T00:00:00+24:00", nil),
        ("2026-01-01T00:00:00+01:60", nil),
        ("2026-01-01T00:00:00+0100", nil),
        ("2026-01-01T00:00:00Z ", nil),
        (" 2026-01-01T00:00:00Z", nil),
        ("2026-1-01T00:00:00Z", nil),
        ("+2026-01-01T00:00:00Z", nil),
        ("2026-01-01", nil),
        ("２026-01-01T00:00:00Z", nil),
        ("", nil),
    ]

    @Test(arguments: table) func `each text is read or refused`(text: String, again: String?) {
        #expect(Timestamp(rfc3339: text)?.description == again)
    }

    @Test func `every day of ten thousand years is the day that Foundation says`() throws {
        let formatter = ISO8601DateFormatter()
        for year in stride(from: 1600, through: 9999, by: 37) {
            for (month, day) in [(1, 1), (2, 28), (3, 1), (7, 31), (12, 31)] {
                let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)T12:34:56Z"
                let date = try #require(formatter.date(from: text))
                let time = try #require(Timestamp(rfc3339: text))
                #expect(time.microseconds == Int64(date.timeIntervalSince1970) * 1_000_000)
                #expect(time.rfc3339 == text.dropLast() + ".000000Z")
            }
        }
    }

    @Test func `times beyond what can be written are clamped and never trap`() {
        #expect(Timestamp(microseconds: .max).rfc3339 == "9999-12-31T23:59:59.999999Z")
        #expect(Timestamp(microseconds: .min).rfc3339 == "0000-01-01T00:00:00.000000Z")
    }

    @Test func `the clock is now and the monotonic one goes forward`() throws {
        let now = Clock.now()
        #expect(abs(Double(now.microseconds) / 1e6 - Date().timeIntervalSince1970) < 5)
        let first = Clock.monotonicMicroseconds()
        #expect(Clock.monotonicMicroseconds() >= first)
    }
}
