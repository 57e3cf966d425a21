import Foundation
import MDAuditLog
import MDAuditRecord
import MDCare
import MDPlatform
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

/// Tests what counts as a requirement, and what as observed.
struct CountingTests {
    /// A machine on which one constraint holds for alice and bob, and no program has opened anything.
    private func constrained() throws -> TemporaryMachine {
        let lab = try TemporaryMachine()
        try lab.remove("/run/mdefaultsd/opened")
        try lab.policy(
            "10-a.json", #"{ "Identifier": "a.b", "Constraints": { "org.example.A": { "Volume": { "Maximum": 5 } } } }"#
        )
        return lab
    }

    private static let stored = "<plist><dict><key>Volume</key><integer>99</integer></dict></plist>"

    @Test func `a constraint is a requirement, and a stored value outside is not met unless a program asks`() throws {
        let lab = try constrained()
        #expect(try lab.report().users.map { $0.requirements.map(\.reason) } == [[.notCovered], [.notCovered]])
        try lab.write("/home/alice/.config/org.example.A.plist", Self.stored)
        let outside = try lab.report()
        #expect(outside.verdict == .notCovered && outside.summary.requirements.words == "0 of 2 (0.0 %)")
        #expect(outside.users.map { $0.requirements.map(\.reason) } == [[.outside], [.notCovered]])
        try lab.opened(["org.example.A"], by: [1001, 1002])
        let asked = try lab.report()
        #expect(asked.isCompliant && asked.summary.requirements.words == "2 of 2 (100.0 %)")
        #expect(asked.rules.map(\.requirements.required) == [2])
        let words = try #require(asked.users.first?.requirements.first?.words)
        #expect(
            words
                == "must be at most 5; a program opened the domain: /usr/bin/browser; stored 99, programs that ask get 5"
        )
        for text in [TextReport.render(asked), String(decoding: JSONReport.render(asked), as: UTF8.self)] {
            #expect(
                text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("programs that ask get 5"))
        }
        #expect(String(decoding: HTMLReport.render(asked), as: UTF8.self).contains("programs that ask get 5"))
    }

    @Test func `a constraint on a key that is forced is none, and one of the global domain is held where it is stored`()
        throws
    {
        let lab = try constrained()
        try lab.policy("20-b.json", #"{ "Identifier": "a.c", "Forced": { "org.example.A": { "Volume": 3 } } }"#)
        #expect(try lab.report().summary.requirements.required == 2)
        try lab.policy("20-b.json", #"{ "Identifier": "a.c" }"#)
        try lab.policy(
            "10-a.json",
            #"{ "Identifier": "a.b", "Constraints": { "NSGlobalDomain": { "Volume": { "Maximum": 5 } } } }"#)
        try lab.write("/home/alice/.config/org.example.B.plist", Self.stored)
        try lab.opened(["org.example.A"], by: [1001, 1002])
        #expect(try lab.report().users.flatMap { $0.requirements.map(\.reason) } == [.outside, .observed])
        try lab.opened(["org.example.A", "org.example.B"], by: [1001, 1002])
        #expect(try lab.report().isCompliant)
    }

    @Test func `keys that a seal hides do not count, because their users choose them`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", #"{ "Identifier": "a.b", "Sealed": ["org.example.A"] }"#)
        try lab.write("/home/alice/.config/org.example.A.plist", "{ A = 1; B = 2; C = 3; }")
        let report = try lab.report()
        #expect(report.summary.requirements.words == "2 of 2 (100.0 %)" && report.summary.hidden == 3)
        #expect(report.users[0].keys.count == 4 && report.rules.count == 1)
    }

    @Test(arguments: [
        ("/usr/bin/browser", true), ("/usr/bin/missing", false), ("/home/alice/tool", false), (nil, false),
        ("/usr/bin/python3.11", false), ("/usr/bin/sh", false), ("/usr/bin/shotwell", true),
        ("/usr/bin/mdefaults", false),
        ("usr/bin/browser", false), ("/lib/ld-linux.so.2", false), ("/srv/shared/app", false),
    ]) func `only what belongs to root and does not run what its caller wrote counts as observed`(
        _ program: String?, _ isCounted: Bool
    ) throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", #"{ "Identifier": "a.b", "Forced": { "org.example.A": { "K": 1 } } }"#)
        for name in ["python3.11", "sh", "shotwell", "mdefaults"] { try lab.write("/usr/bin/\(name)", "") }
        for path in ["/lib/ld-linux.so.2", "/srv/shared/app", "/home/alice/tool"] { try lab.write(path, "") }
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: lab.path + "/srv/shared")
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: lab.path + "/home/alice/tool")
        try lab.opened(["org.example.A"], by: [1001, 1002], program: program)
        let report = try lab.report()
        #expect(report.verdict == (isCounted ? .compliant : .notCovered))
        let found = report.findings.filter { $0.code == "other-program" }
        #expect(found.map(\.severity) == (isCounted || program == nil ? [] : [.note]))
        #expect(found.allSatisfy { $0.message.contains("org.example.A by \(program ?? "")") })
    }

    @Test func `a policy may name the programs that should ask for a key, and then only these count`() throws {
        let lab = try TemporaryMachine()
        try lab.policy(
            "10-a.json",
            #"""
            { "Identifier": "a.b", "Forced": { "org.example.A": { "K": 1, "L": 2 } },
              "Metadata": { "org.example.A": { "K": { "Programs": ["/opt/kiosk-*/kiosk"] } } } }
            """#)
        #expect(try lab.report().users[0].requirements.map(\.reason) == [.notCovered, .observed])
        try lab.opened(["org.example.A"], by: [1001, 1002], program: "/opt/kiosk-3/kiosk")
        #expect(try lab.report().users[0].requirements.map(\.reason) == [.observed, .notCovered])
        #expect(try lab.report().findings.map(\.code) == ["not-recorded"])
    }

    @Test func `a key that no manifest of its domain knows is said, and not met`() throws {
        let lab = try TemporaryMachine()
        try lab.policy(
            "10-a.json", #"{ "Identifier": "a.b", "Forced": { "org.example.A": { "HomePag": 1, "Zoom": 2 } } }"#)
        try lab.write(
            "/etc/managed-defaults/manifests.d/a.plist",
            """
            <plist><dict><key>pfm_domain</key><string>org.example.A</string><key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>Zoom</string><key>pfm_type</key><string>integer</string></dict>
            </array></dict></plist>
            """)
        let report = try lab.report()
        #expect(report.verdict == .notLookedAt)
        #expect(report.users[0].requirements.map(\.reason) == [.notDescribed, .observed])
        #expect(report.users[0].requirements[0].words.hasSuffix("and no manifest of the domain knows the key"))
        let found = report.findings.filter { $0.code == "not-described" }
        #expect(found.count == 1 && found[0].message.contains("no manifest of org.example.A knows HomePag:"))
    }

    @Test func `a waived key counts once, stays in its user's list, and is in the merged report`() throws {
        let lab = try TemporaryMachine()
        let waiver = #""Domain": "org.example.A", "Key": "K", "Reason": "thesis", "ApprovedBy": "IT-211""#
        try lab.policy(
            "10-a.json",
            #"""
            { "Identifier": "a.b", "Forced": { "org.example.A": { "K": 1, "L": 2 } },
              "Metadata": { "org.example.A": { "K": { "Controls": ["CIS 1"] } } },
              "Waivers": [ { "Users": ["alice"], \#(waiver), "Until": "2099-01-01T00:00:00Z" },
                { "Users": ["alice"], \#(waiver), "Until": "2098-01-01T00:00:00Z" },
                { "Users": ["bob"], \#(waiver), "Until": "2020-01-01T00:00:00Z" } ] }
            """#)
        let report = try lab.report()
        #expect(
            report.isCompliant
                && report.summary.requirements.allWords
                    == "3 of 4 (75.0 %), with waivers 4 of 4 (100.0 %)"
        )
        let waived = try #require(report.users[0].requirements.last)
        #expect(waived.words.contains("waived until 2099-01-01T00:00:00.000000Z: thesis, approved by IT-211"))
        #expect(report.controls.map(\.requirements.waived) == [1])
        #expect(String(decoding: HTMLReport.render(report), as: UTF8.self).contains("waived: waived until 2099-01-01"))
        var merged = MergedReport(MergedReport.Request(time: TemporaryMachine.time, version: "0.1.0"))
        merged.add(try MachineReport(reading: JSONReport.render(report)), file: "a.json")
        merged.finish()
        #expect(merged.waivers.map(\.waiver.user) == ["bob", "alice", "alice"] && merged.expiredWaivers == 1)
        #expect(merged.isWhole && merged.requirements.words == "3 of 4 (75.0 %)")
        #expect(MergedText.render(merged).contains("Waivers: 3, 1 of them expired"))
        for bytes in [MergedJSON.render(merged), MergedHTML.render(merged)] {
            #expect(String(decoding: bytes, as: UTF8.self).contains("thesis"))
        }
    }

    @Test func `the counts of records are what senders say, and no headline`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", EvaluationTests.policy)
        var records: [AuditRecord] = []
        for (source, count) in [(RecordSource.client, 100_000_000), (.scan, 2), (.spool, 7), (.claim, nil)] {
            var record = AuditRecord(kind: .override, src: source)
            (record.user, record.count, record.time) = ("eve", count, TemporaryMachine.time)
            (record.domain, record.key, record.via) = ("org.example.A", "K", .set)
            records.append(record)
        }
        try AuditLog(root: lab.root).append(records)
        let report = try lab.report()
        #expect(report.summary.attempts == 4 && report.summary.claimed == 100_000_006)
        #expect(report.tally.byUser.map(\.attempts) == [4] && report.tally.byUser.map(\.claimed) == [100_000_006])
        #expect(report.tally.byDay.map(\.attempts) == [4] && report.tally.hours.reduce(0, +) == 4)
        let text = TextReport.render(report)
        #expect(text.contains("Override attempts: 4 on record\n"))
        #expect(text.contains("100000006 more only by the word of senders"))
    }
}
