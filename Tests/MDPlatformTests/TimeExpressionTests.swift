import Testing

@testable import MDPlatform
@testable import MDTools

/// Times as people say them mean the nearest moment on the wall clock, and what is not a time is refused.
struct TimeExpressionTests {
    /// Central European time by its rule.
    private static func zone() throws -> Zone {
        let rule = try #require(ZoneRule("CET-1CEST,M3.5.0,M10.5.0/3".utf8))
        return Zone(name: nil, transitions: [], following: [], types: [rule.standard], rule: rule)
    }

    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    /// A text and what it means on Tuesday 2026-11-24 at 10:00:30 CET, looking back and looking ahead.
    static let nearest: [(text: String, back: String, ahead: String)] = [
        ("now", "2026-11-24T09:00:30Z", "2026-11-24T09:00:30Z"),
        ("45m", "2026-11-24T08:15:30Z", "2026-11-24T09:45:30Z"),
        ("7d", "2026-11-17T09:00:30Z", "2026-12-01T09:00:30Z"),
        ("1w2d3h4m5s", "2026-11-15T05:56:25Z", "2026-12-03T12:04:35Z"),
        ("09:30", "2026-11-24T08:30:00Z", "2026-11-25T08:30:00Z"),
        ("9:30", "2026-11-24T08:30:00Z", "2026-11-25T08:30:00Z"),
        ("10:00:30", "2026-11-24T09:00:30Z", "2026-11-25T09:00:30Z"),
        ("10:00:31", "2026-11-23T09:00:31Z", "2026-11-24T09:00:31Z"),
        ("00:00", "2026-11-23T23:00:00Z", "2026-11-24T23:00:00Z"),
        ("Mon 11:00", "2026-11-23T10:00:00Z", "2026-11-30T10:00:00Z"),
        ("tuesday 11:00", "2026-11-17T10:00:00Z", "2026-11-24T10:00:00Z"),
        ("Tue 9:00", "2026-11-24T08:00:00Z", "2026-12-01T08:00:00Z"),
        ("SUN", "2026-11-21T23:00:00Z", "2026-11-28T23:00:00Z"),
        ("tomorrow 8:00", "2026-11-25T07:00:00Z", "2026-11-25T07:00:00Z"),
        ("yesterday", "2026-11-22T23:00:00Z", "2026-11-22T23:00:00Z"),
        ("today 23:59", "2026-11-24T22:59:00Z", "2026-11-24T22:59:00Z"),
        ("2026-07-01", "2026-06-30T22:00:00Z", "2026-06-30T22:00:00Z"),
        ("2026-07-01 08:30", "2026-07-01T06:30:00Z", "2026-07-01T06:30:00Z"),
        ("2026-07-01T08:30:00+05:00", "2026-07-01T03:30:00Z", "2026-07-01T03:30:00Z"),
    ]

    @Test(arguments: nearest) func `a time is the nearest in its direction`(
        _ row: (text: String, back: String, ahead: String)
    ) throws {
        let expression = try #require(TimeExpression(row.text))
        let (now, zone) = (try Self.time("2026-11-24T09:00:30Z"), try Self.zone())
        #expect(expression.resolve(at: now, in: zone, .back) == (try Self.time(row.back)))
        #expect(expression.resolve(at: now, in: zone, .ahead) == (try Self.time(row.ahead)))
    }

    /// A day without an hour, and the end of it, looking back on the same Tuesday.
    static let ends: [(text: String, end: String)] = [
        ("yesterday", "2026-11-23T22:59:59.999999Z"), ("2026-11-20", "2026-11-20T22:59:59.999999Z"),
        ("Mon", "2026-11-23T22:59:59.999999Z"), ("Tue", "2026-11-24T09:00:30Z"), ("Wed", "2026-11-18T22:59:59.999999Z"),
        ("2026-11-20 08:00", "2026-11-20T07:00:00Z"), ("2026-10-25", "2026-10-25T22:59:59.999999Z"),
    ]

    @Test(arguments: ends) func `the end of a day is its last moment`(_ row: (text: String, end: String)) throws {
        let expression = try #require(TimeExpression(row.text))
        let now = try Self.time("2026-11-24T09:00:30Z")
        #expect(expression.resolve(at: now, in: try Self.zone(), .back, edge: .end) == (try Self.time(row.end)))
    }

    @Test func `an hour that the clock skips is as much later, one that comes twice is the first`() throws {
        let zone = try Self.zone()
        let now = try Self.time("2026-03-01T00:00:00Z")
        func ahead(_ text: String) throws -> Timestamp? {
            try #require(TimeExpression(text)).resolve(at: now, in: zone, .ahead)
        }
        #expect(try ahead("2026-03-29 02:30") == Self.time("2026-03-29T01:30:00Z"))
        #expect(try ahead("2026-03-29 01:59:59") == Self.time("2026-03-29T00:59:59Z"))
        #expect(try ahead("2026-03-29 03:00") == Self.time("2026-03-29T01:00:00Z"))
        #expect(try ahead("2026-10-25 02:30") == Self.time("2026-10-25T00:30:00Z"))
        #expect(try ahead("2026-10-25 03:00") == Self.time("2026-10-25T02:00:00Z"))
    }

    @Test(arguments: [
        "", " ", "soon", "24:00", "12:60", "12:0", "123:00", "12:00:60", "12", "Mon  11:00", " Mon", "Mon ", "Mo",
        "mond",
        "Monday 25:00", "2026-02-30", "2026-11-20 8", "2026-1-2", "45", "m", "5x", "1m1h", "1h1h", "1000000000s", "-1d",
        "1.5h", "11:00 Mon", "tomorrow 8:00 CET", "2026-11-20T08:00:00", "９:30", "12:00\0",
        String(repeating: "1d", count: 99),
    ]) func `what is no time is refused`(_ text: String) { #expect(TimeExpression(text) == nil) }

    @Test func `no text and no moment traps, and each answer lies in its direction`() throws {
        var random = SystemRandomNumberGenerator()
        let words = [
            "mon", "sun", "today", "tomorrow", "9999-12-31", "0000-01-01", "2026-11-24", "23:59", "0:00", "12:00:00",
            "999999999w", "1d", "now", " ", "7", "9999-12-31T23:59:59Z", "é",
        ]
        let zone = try Self.zone()
        let nows = [Int64.min, Int64.max, 0, 1_795_000_000_000_000].map(Timestamp.init(microseconds:))
        var answers = 0
        for _ in 0..<3_000 {
            let count = Int.random(in: 1...3, using: &random)
            let text = (0..<count).compactMap { _ in words.randomElement(using: &random) }
                .joined(separator: Bool.random(using: &random) ? " " : "")
            guard let expression = TimeExpression(text) else { continue }
            let now = nows[Int.random(in: 2...3, using: &random)]
            for direction in [TimeExpression.Direction.back, .ahead] {
                guard let answer = expression.resolve(at: now, in: zone, direction) else { continue }
                answers += 1
                #expect((Timestamp(rfc3339: "\(answer)") == answer), "\(text)")
            }
            for far in nows.prefix(2) { _ = expression.resolve(at: far, in: zone, .ahead, edge: .end) }
        }
        #expect(answers > 100)
    }

    @Test(arguments: [
        ("09:00", true), ("15:00", false), ("Mon 09:00", true), ("Mon 15:00", false), ("Mon", true),
        ("Tue 09:00", false),
        ("today 09:00", false), ("2026-11-23", false), ("3h", false), ("2026-11-23T09:00:00Z", false),
    ]) func `an hour that today has behind it is on another day`(_ text: String, _ isOver: Bool) throws {
        let now = try #require(Timestamp(rfc3339: "2026-11-23T14:00:00Z"))
        let expression = try #require(TimeExpression(text))
        #expect(expression.isOverToday(at: now, in: .utc) == isOver)
    }
}
