import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Goes through the two days on which the clocks change, a year's end and a leap day, with the whole resolver: policy
/// files of a machine, from the sources, from a table, and one key of a table.
struct TimeTravelTests {
    /// The domain.
    private static let domain: Key = "org.example.App"

    /// A file that forces a key of its name in these windows, and between these moments of UTC it is in force.
    private struct Plan {
        /// The name of the file and of the key.
        let name: String
        /// The fields of `Target`.
        let target: String
        /// From when to when, in UTC.
        let times: [(from: String, to: String)]
    }

    /// The files, by hand: Zurich is one hour ahead of UTC in winter, and two in summer.
    private static let plans = [
        // From 22 o'clock to 6: seven hours in spring, nine in autumn.
        Plan(
            name: "Night",
            target: #""Schedule": [{ "Days": ["Sat"], "From": "22:00", "To": "06:00", "TimeZone": ZONE }]"#,
            times: [
                ("2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z"), ("2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z"),
            ]),
        // Left out in spring, twice in autumn.
        Plan(
            name: "Short",
            target: #""Schedule": [{ "Days": ["Sun"], "From": "02:15", "To": "02:45", "TimeZone": ZONE }]"#,
            times: [
                ("2026-10-25T00:15:00Z", "2026-10-25T00:45:00Z"), ("2026-10-25T01:15:00Z", "2026-10-25T01:45:00Z"),
            ]),
        // Cut off at two o'clock in spring; in autumn half of it comes again.
        Plan(
            name: "Across",
            target: #""Schedule": [{ "Days": ["Sun"], "From": "01:30", "To": "02:30", "TimeZone": ZONE }]"#,
            times: [
                ("2026-03-29T00:30:00Z", "2026-03-29T01:00:00Z"), ("2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z"),
                ("2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"),
            ]),
        // The whole Sunday: 23 hours, and 25; through a calendar, in the zone of the machine.
        Plan(
            name: "Sunday", target: #""Schedule": "sunday""#,
            times: [
                ("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"), ("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"),
            ]),
        // The last Thursday of the year, into the Friday of the next one.
        Plan(
            name: "Eve",
            target: #""Schedule": [{ "Days": ["Thu"], "From": "20:00", "To": "04:00", "TimeZone": ZONE }]"#,
            times: [("2026-12-31T19:00:00Z", "2027-01-01T03:00:00Z")]),
        Plan(
            name: "NewYear",
            target: #""NotBefore": "2027-01-01T00:00:00+01:00", "NotAfter": "2027-01-01T12:00:00+01:00""#,
            times: [("2026-12-31T23:00:00Z", "2027-01-01T11:00:00Z")]),
        Plan(
            name: "Leap",
            target: #""Schedule": [{ "Days": ["Tue"], "From": "00:00", "To": "24:00", "TimeZone": ZONE }], "#
                + #""NotBefore": "2028-02-01T00:00:00Z""#,
            times: [("2028-02-28T23:00:00Z", "2028-02-29T23:00:00Z")]),
    ]

    /// The stretches of time that are gone through.
    static let spans = [
        ("2026-03-28T12:00:00Z", "2026-03-30T00:00:00Z"), ("2026-10-24T12:00:00Z", "2026-10-26T00:00:00Z"),
        ("2026-12-31T12:00:00Z", "2027-01-01T18:00:00Z"), ("2028-02-28T12:00:00Z", "2028-03-01T00:00:00Z"),
    ]

    /// Whether the machine has zones.
    static let hasZones = FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Zurich")

    /// A machine in Zurich with the files, and one that frees a key until the end of the year.
    private static func machine() throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        for plan in plans {
            let target = plan.target.replacingOccurrences(of: "ZONE", with: "\"Europe/Zurich\"")
            try machine.write(
                "/etc/managed-defaults/policies.d/50-\(plan.name).json",
                """
                { "Identifier": "org.example.\(plan.name)", "Target": { \(target) },
                  "Forced": { "\(domain)": { "\(plan.name)": true, "Who": "\(plan.name)" } },
                  "Recommended": { "\(domain)": { "Hint": "\(plan.name)" } } }
                """)
        }
        try machine.write(
            "/etc/managed-defaults/policies.d/10-base.json",
            """
            { "Identifier": "org.example.base", "Forced": { "\(domain)": { "Who": "base", "Waived": 1 } },
              "Calendars": { "sunday": [{ "Days": ["Sun"] }] },
              "Waivers": [{ "Users": ["bob"], "Domain": "\(domain)", "Key": "Waived",
                            "Until": "2026-12-31T23:00:00Z", "Reason": "r" }] }
            """)
        try machine.link("/etc/localtime", to: "/usr/share/zoneinfo/Europe/Zurich")
        return machine
    }

    /// A moment.
    private static func time(_ text: String) throws -> Timestamp { try #require(Timestamp(rfc3339: text)) }

    @Test(.enabled(if: hasZones, "this machine has no /usr/share/zoneinfo"), arguments: spans)
    func `every key is forced exactly in its times`(_ from: String, _ to: String) throws {
        let machine = try TimeTravelTests.machine()
        let set = machine.load()
        try #require(set.files.allSatisfy { $0.policy != nil } && set.files.count == 8, "\(set.diagnostics)")
        let bytes = CompiledTable.compile(set, host: "h", tags: [], surroundings: [], sources: [])
        let compiled = try CompiledTable(checking: TablePages(try #require(bytes)), root: nil)
        let table = try #require(compiled)
        let end = try TimeTravelTests.time(to)
        let times = try TimeTravelTests.plans.map { plan in
            (plan.name, try plan.times.map { (try TimeTravelTests.time($0.from), try TimeTravelTests.time($0.to)) })
        }
        let newYear = try TimeTravelTests.time("2026-12-31T23:00:00Z")
        let boundaries = Set(times.flatMap { $0.1.flatMap { [$0.0, $0.1] } } + [newYear])
        var subject = try machine.subject("bob")
        subject.moment.time = try TimeTravelTests.time(from)
        var steps = 0
        while subject.moment.time < end {
            let now = subject.moment.time
            let forced = times.filter { $0.1.contains { $0.0 <= now && now < $0.1 } }.map(\.0)
            let last = forced.max { Key($0) < Key($1) }
            let next = boundaries.filter { $0 > now }.min()
            for found in [set.resolve(for: subject), try table.resolve(for: subject)] {
                for (name, _) in times {
                    let entry = found.forcedEntry(domain: TimeTravelTests.domain, key: Key(name))
                    #expect((entry != nil) == forced.contains(name), "\(name) at \(now)")
                }
                let who = found.forcedEntry(domain: TimeTravelTests.domain, key: "Who")
                #expect(who?.value == .string(last ?? "base"), "\(now)")
                #expect(found.recommended[TimeTravelTests.domain]?["Hint"]?.value == last.map { .string($0) }, "\(now)")
                let waived = found.forcedEntry(domain: TimeTravelTests.domain, key: "Waived")
                #expect((waived == nil) == (now < newYear), "\(now)")
                // Within the stretch, the next change is the next boundary.
                if let next, next <= end { #expect(found.nextChange == next, "\(now)") }
            }
            for (name, _) in times {
                let entry = try table.forcedEntry(domain: TimeTravelTests.domain, key: Key(name), for: subject)
                #expect((entry != nil) == forced.contains(name), "\(name) at \(now)")
            }
            // In steps of ten minutes, and to the last microsecond before each boundary and the boundary itself.
            let step = Timestamp(microseconds: now.microseconds + 600_000_000)
            let stops = [step, next, next.map { Timestamp(microseconds: $0.microseconds - 1) }].compactMap(\.self)
            subject.moment.time = try #require(stops.filter { $0 > now }.min())
            steps += 1
        }
        #expect(steps > 150)
    }
}
