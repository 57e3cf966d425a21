import Foundation
import MDAuditClient
import MDAuditLog
import MDAuditRecord
import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import MDPropertyList
import MDReport
import MDTestSupport
import Testing

struct EvaluationTests {
    static let policy = """
        {"Identifier": "edu.example.a", "Version": 2, "Forced": {
          "org.example.Browser": {"HomePage": "https://a.example", "Zoom": 2},
          "NSGlobalDomain": {"Language": "de"}}}
        """

    @Test func `policy that is in force as written is compliant`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        let report = try lab.report()
        #expect(report.isCompliant)
        #expect(report.users.map(\.account.name) == ["alice", "bob"])
        #expect(report.summary.requirements.words == "6 of 6 (100.0 %)")
        #expect(report.limits == [])
        #expect(report.log.status == nil)
        #expect(report.users[0].keys[1].entry.origin.position.line == 2)
    }

    @Test func `what is not recorded yet is in force as written, and said`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        try lab.apply()
        #expect(try lab.report().findings.map(\.code) == [])
        try lab.policy("10-a.json", Self.policy.replacingOccurrences(of: "a.example\"", with: "b.example\""))
        let report = try lab.report()
        #expect(report.isCompliant)
        #expect(report.findings.map(\.code) == ["not-recorded"])
        #expect(report.users[0].keys.compactMap(\.entry.value).contains(.string("https://b.example")))
        try lab.apply()
        #expect(try lab.report().findings.map(\.code) == [])
    }

    @Test func `a file that was removed is in force and not compliant until that is recorded`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        try lab.policy("20-b.json", #"{"Identifier": "edu.example.b", "Forced": {"b": {"k": 1}}}"#)
        try lab.apply()
        try FileManager.default.removeItem(atPath: lab.path + "/etc/managed-defaults/policies.d/20-b.json")
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(
            report.summary.requirements.required == 8 && report.summary.reasons[.broken] == 2
                && report.summary.brokenFiles == 1)
        let found = report.findings.filter { $0.severity == .error }
        #expect(found.map(\.code) == ["last-good"] && found[0].file?.hasSuffix("20-b.json") == true)
        #expect(found[0].message.contains("this file is not there; what was recorded of it is in force until"))
        try lab.apply()
        let after = try lab.report()
        #expect(after.isCompliant && after.summary.requirements.required == 6)
    }

    @Test func `records that wait where their user can remove them are named`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        let spool = "/home/alice/.local/state/managed-defaults/spool.jsonl"
        try lab.write(spool, "{}\n")
        let report = try lab.report()
        // A user can make one at any time, and nothing was left out.
        #expect(report.limits == [] && report.isCompliant)
        let finding = try #require(report.findings.first { $0.code == "records-wait" })
        #expect(finding.severity == .warning && finding.file == lab.path + spool && finding.user == "alice")
        #expect(
            finding.message.hasPrefix("1 record waits outside of the log, where alice can remove it; it is unproven"))
        #expect(report.summary.unproven == 1 && report.summary.attempts == 0)
    }

    @Test func `what a spool leads to, and lines that are no records, do not count as records`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        let spool = "/home/alice/.local/state/managed-defaults/spool.jsonl"
        try lab.write(spool, "alice:x:1:1::/:/bin/sh\n{}\n\nnothing\n")
        #expect(try lab.report().summary.unproven == 1)
        try FileManager.default.removeItem(atPath: lab.path + spool)
        try FileManager.default.createSymbolicLink(
            atPath: lab.path + spool, withDestinationPath: "../../../../../etc/passwd")
        #expect(
            try lab.report().limits == [
                "Whether records of alice wait in \(lab.path)\(spool) is not known: it cannot be read."
            ])
    }

    /// A preference file of alice, and the numbers of the report about it.
    struct StoredCase: Sendable, CustomTestStringConvertible {
        /// The file under `/home/alice/.config`.
        let file: String
        /// The content.
        let text: String
        /// The number of keys that hide another value.
        let hidden: Int
        /// The number of keys for which the forced value is stored.
        let equal: Int
        /// Whether the value applies to this host only.
        var isThisHost = false

        var testDescription: String { "\(file) \(text)" }
    }

    static let stored: [StoredCase] = [
        StoredCase(
            file: "org.example.Browser.plist", text: #"{ HomePage = "https://b.example"; }"#, hidden: 1, equal: 0),
        StoredCase(
            file: "org.example.Browser.plist", text: #"{ HomePage = "https://a.example"; }"#, hidden: 0, equal: 1),
        StoredCase(file: "org.example.Browser.plist", text: #"{ Zoom = "2"; Other = 1; }"#, hidden: 1, equal: 0),
        StoredCase(
            file: "org.example.Browser.plist",
            text: "<plist><dict><key>Zoom</key><real>2</real><key>HomePage</key><string>x</string></dict></plist>",
            hidden: 1, equal: 1),
        StoredCase(file: ".GlobalPreferences.plist", text: #"{ HomePage = a; Language = fr; }"#, hidden: 1, equal: 0),
        StoredCase(file: "org.example.Editor.plist", text: #"{ Language = fr; }"#, hidden: 1, equal: 0),
        StoredCase(file: "org.example.Editor.plist", text: #"{ HomePage = x; }"#, hidden: 0, equal: 0),
        StoredCase(
            file: "ByHost/org.example.Browser.0123456789abcdef0123456789abcdef.plist", text: #"{ HomePage = x; }"#,
            hidden: 1, equal: 0, isThisHost: true),
        StoredCase(
            file: "ByHost/org.example.Editor.0123456789abcdef0123456789abcdef.plist", text: #"{ Language = x; }"#,
            hidden: 1, equal: 0, isThisHost: true),
        StoredCase(
            file: "ByHost/org.example.Browser.ffff.plist", text: #"{ HomePage = x; }"#, hidden: 0, equal: 0),
    ]

    @Test(arguments: stored) func `values beneath forced keys are shown and do not count`(_ example: StoredCase) throws
    {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        try lab.write("/home/alice/.config/\(example.file)", example.text)
        let report = try lab.report()
        #expect(report.isCompliant)
        #expect(report.summary.hidden == example.hidden)
        #expect(report.summary.equal == example.equal)
        #expect(report.summary.reasons[.broken] == 0)
        let found = report.users[0].keys.flatMap(\.stored)
        #expect(found.allSatisfy { $0.file == "/home/alice/.config/\(example.file)" })
        #expect(found.allSatisfy { $0.isThisHost == example.isThisHost })
        #expect(report.users[1].keys.allSatisfy { $0.stored.isEmpty })
        let text = TextReport.render(report)
        #expect(text.contains("Stored by alice beneath forced keys") == (example.hidden + example.equal > 0))
        #expect(text.contains("(equals the forced value)") == (example.equal > 0))
    }

    @Test func `a broken file with a good copy is not in force as written`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        try lab.apply()
        try lab.policy("10-a.json", String(Self.policy.dropLast(3)))
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.summary.reasons[.broken] == 6 && report.summary.requirements.met == 0)
        #expect(report.summary.brokenFiles == 1)
        #expect(report.users[0].keys.map(\.entry.value) == [.string("de"), .string("https://a.example"), .integer(2)])
        let text = TextReport.render(report)
        #expect(text.contains("NOT COMPLIANT"))
        #expect(text.contains("last good copy is in force"))
        #expect(text.contains("10-a.json:3:"), "the place of the damage")
    }

    @Test func `a file that never was good forces nothing and is not compliant`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", "{")
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.summary.requirements.required == 0)
        #expect(report.summary.brokenFiles == 1)
        #expect(report.findings.contains { $0.code == "not-in-force" && $0.severity == .error })
        #expect(TextReport.render(report).contains("NOT IN FORCE"))
    }

    @Test func `an error of lint is not compliant`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        try lab.policy("20-b.json", #"{"Identifier": "edu.example.a", "Forced": {"org.example.B": {"K": 1}}}"#)
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.findings.contains { $0.code == "duplicate-identifier" && $0.severity == .error })
        #expect(report.summary.reasons[.broken] == 0)
    }

    @Test func `a damaged preference file is shown, and what it holds is said to be unknown`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        try lab.write("/home/bob/.config/org.example.Browser.plist", "{ HomePage = \"x")
        let report = try lab.report()
        #expect(report.verdict == .notLookedAt)
        let finding = try #require(report.findings.first { $0.code == "damaged-preferences" })
        #expect(finding.user == "bob")
        #expect(finding.position?.line == 1)
        #expect(finding.severity == .warning)
        #expect(report.limits.count == 1)
        #expect(report.limits[0].contains("bob"))
    }

    @Test func `a machine without policy says so`() throws {
        let lab = try TemporaryMachine()
        let report = try lab.report()
        #expect(!report.isManaged)
        #expect(report.verdict == .nothing)
        #expect(report.summary.requirements.required == 0)
        #expect(TextReport.render(report).contains("none: /etc, /run and /var/lib have no managed-defaults"))
    }

    @Test func `a list of users that cannot be read whole is said to be incomplete`() throws {
        let lab = try TemporaryMachine()
        try lab.write("/etc/passwd", "alice:x:1001:1001:Alice Keller:/home/alice:/bin/sh\nbob:x:abc\n")
        let report = try lab.report()
        #expect(report.users.count == 1)
        #expect(report.limits.contains { $0.contains("passwd:2") })
    }
}
