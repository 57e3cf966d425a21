import Audit
import Compliance
import Engine
import Foundation
import Platform
import Policy
import PropertyList
import Testing

struct EvaluationTests {
    static let policy = """
        {"Identifier": "edu.example.a", "Version": 2, "Forced": {
          "org.example.Browser": {"HomePage": "https://a.example", "Zoom": 2},
          "NSGlobalDomain": {"Language": "de"}}}
        """

    @Test func `policy that is in force as written is compliant`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        let report = try lab.report()
        #expect(report.isCompliant)
        #expect(report.users.map(\.account.name) == ["alice", "bob"])
        #expect(report.summary.keys == 6)
        #expect(report.summary.compliant == 6)
        #expect(report.summary.nonCompliant == 0)
        #expect(report.limits == [])
        #expect(report.log.status == nil)
        #expect(report.users[0].keys[1].entry.origin.position.line == 2)
    }

    @Test func `what not everybody can read and nobody recorded is not in force as written`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        _ = try lab.machine(renewing: true)
        try lab.policy("10-a.json", Self.policy.replacingOccurrences(of: "a.example", with: "b.example"))
        let file = lab.path + "/etc/managed-defaults/policies.d/10-a.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let report = try lab.report()
        #expect(!report.isCompliant)
        let found = report.findings.filter { $0.severity == .error }
        #expect(found.map(\.code) == ["not-readable"] && found.first?.file == file)
        // Everybody can read the copy.
        _ = try lab.machine(renewing: true)
        #expect(try lab.report().isCompliant)
    }

    @Test func `of what a link leads to through a closed folder users have what was recorded`() throws {
        let lab = try LabFolder()
        let (folder, link) = (lab.path + "/srv/closed", lab.path + "/etc/managed-defaults/policies.d/10-a.json")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(Self.policy.utf8).write(to: URL(fileURLWithPath: folder + "/a.json"))
        try lab.policy("20-b.json", #"{"Identifier": "edu.example.b", "Forced": {"b": {"k": 1}}}"#)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/srv/closed/a.json")
        _ = try lab.machine(renewing: true)
        #expect(try lab.report().isCompliant)
        let new = Self.policy.replacingOccurrences(of: "a.example", with: "b.example")
        try Data(new.utf8).write(to: URL(fileURLWithPath: folder + "/a.json"))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.findings.filter { $0.severity == .error }.map(\.file).contains(link))
        let values = report.users.flatMap(\.keys).compactMap(\.entry.value)
        #expect(values.contains(.string("https://a.example")) && !values.contains(.string("https://b.example")))
    }

    /// What keeps users from reading what root reads: the path and the mode of each.
    static let closed: [(String, Int)] = [
        ("/10-a.json", 0o600), ("", 0o700), ("", 0o711), ("/../../managed-defaults", 0o700),
    ]

    @Test(arguments: closed)
    func `of what users cannot read their values and counts are what was recorded`(_ path: String, _ mode: Int) throws {
        let lab = try LabFolder()
        let policies = lab.path + "/etc/managed-defaults/policies.d"
        try lab.policy("10-a.json", Self.policy)
        try lab.policy("20-b.json", #"{"Identifier": "edu.example.b", "Forced": {"b": {"k": 1}}}"#)
        _ = try lab.machine(renewing: true)
        let new = Self.policy.replacingOccurrences(of: "a.example\"", with: "b.example\", \"New\": 1")
        try lab.policy("10-a.json", new)
        if path.isEmpty { try FileManager.default.removeItem(atPath: policies + "/20-b.json") }
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: policies + path)
        let report = try lab.report()
        let keys = report.users.flatMap(\.keys).filter { $0.entry.origin.file.hasSuffix("10-a.json") }
        #expect(keys.count == 6 && keys.allSatisfy { !$0.isCompliant })
        #expect(keys.compactMap(\.entry.value).contains(.string("https://a.example")))
        #expect(!keys.contains { $0.entry.key == Key("New") })
        // Where nobody can list the directory, nobody knows that a file is gone; else it is in force as it stands.
        let others = report.users.flatMap(\.keys).filter { $0.entry.origin.file.hasSuffix("20-b.json") }
        #expect(others.count == 2 && others.allSatisfy { $0.isCompliant == !path.isEmpty })
        #expect(report.summary.keys == 8 && report.summary.nonCompliant == (path.isEmpty ? 8 : 6))
        #expect(report.summary.brokenFiles == (path.isEmpty ? 2 : 1))
        #expect(!report.isCompliant)
        #expect(report.findings.contains { $0.message.contains("takes no part any more") } == path.isEmpty)
        #expect(TextReport.render(report).contains("LAST GOOD COPY: edu.example.a"))
        // What was recorded is what everybody has.
        _ = try lab.machine(renewing: true)
        let mended = try lab.report()
        #expect(mended.isCompliant && mended.summary.nonCompliant == 0)
        #expect(mended.users[0].keys.contains { $0.entry.key == Key("New") && $0.isCompliant })
    }

    @Test func `whoever may read a closed file obeys it, and a new one is nobody else's`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", #"{"Identifier": "edu.example.a", "Forced": {"a": {"k": 1}}}"#)
        _ = try lab.machine(renewing: true)
        try lab.policy("10-a.json", #"{"Identifier": "edu.example.a", "Forced": {"a": {"k": 2}}}"#)
        try lab.policy("20-b.json", #"{"Identifier": "edu.example.b", "Forced": {"b": {"k": 2}}}"#)
        let policies = lab.path + "/etc/managed-defaults/policies.d"
        for name in ["10-a.json", "20-b.json"] {
            try #require(chown("\(policies)/\(name)", getuid(), getgid()) == 0)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: "\(policies)/\(name)")
        }
        // Alice is in the group of the files.
        try lab.write(
            "/etc/passwd",
            "alice:x:1001:\(getgid()):Alice Keller:/home/alice:/bin/sh\nbob:x:1002:1002::/home/bob:/bin/sh\n")
        let report = try lab.report()
        #expect(report.users.map { $0.keys.map(\.entry.value) } == [[.integer(2), .integer(2)], [.integer(1)]])
        #expect(report.users.map { $0.keys.map(\.isCompliant) } == [[true, true], [false]])
        #expect(report.files.map(\.source) == [.lastGood, .none])
        #expect(!report.isCompliant)
    }

    @Test func `records that wait where their user can remove them are named`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        let spool = "/home/alice/.local/state/managed-defaults/spool.jsonl"
        try lab.write(spool, "{}\n")
        #expect(
            try lab.report().limits == [
                "1 record of alice waits in \(lab.path)\(spool), where alice can remove it, and is not counted as an"
                    + " attempt here."
            ])
    }

    @Test func `what a spool leads to, and lines that are no records, do not count as records`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        let spool = "/home/alice/.local/state/managed-defaults/spool.jsonl"
        try lab.write(spool, "alice:x:1:1::/:/bin/sh\n{}\n\nnothing\n")
        #expect(try lab.report().limits.map { $0.prefix(8) } == ["1 record"])
        try FileManager.default.removeItem(atPath: lab.path + spool)
        try FileManager.default.createSymbolicLink(
            atPath: lab.path + spool, withDestinationPath: "../../../../../etc/passwd")
        #expect(
            try lab.report().limits == [
                "Whether records of alice wait in \(lab.path)\(spool) is not known: it cannot be read."
            ])
    }

    /// A preference file of alice's and what the report says of it.
    struct StoredCase: Sendable, CustomTestStringConvertible {
        /// The file under `/home/alice/.config`.
        let file: String
        /// The content.
        let text: String
        /// Keys beneath which another value is stored.
        let hidden: Int
        /// Keys beneath which the forced value is stored.
        let equal: Int
        /// Whether the value counts on this host only.
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
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        try lab.write("/home/alice/.config/\(example.file)", example.text)
        let report = try lab.report()
        #expect(report.isCompliant)
        #expect(report.summary.hidden == example.hidden)
        #expect(report.summary.equal == example.equal)
        #expect(report.summary.nonCompliant == 0)
        let found = report.users[0].keys.flatMap(\.stored)
        #expect(found.allSatisfy { $0.file == "/home/alice/.config/\(example.file)" })
        #expect(found.allSatisfy { $0.isThisHost == example.isThisHost })
        #expect(report.users[1].keys.allSatisfy { $0.stored.isEmpty })
        let text = TextReport.render(report)
        #expect(text.contains("Stored by alice beneath forced keys") == (example.hidden + example.equal > 0))
        #expect(text.contains("(equals the forced value)") == (example.equal > 0))
    }

    @Test func `a broken file with a good copy is not in force as written`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        _ = try lab.machine(renewing: true)
        try lab.policy("10-a.json", String(Self.policy.dropLast(3)))
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.summary.nonCompliant == 6)
        #expect(report.summary.compliant == 0)
        #expect(report.summary.brokenFiles == 1)
        #expect(report.users[0].keys.map(\.entry.value) == [.string("de"), .string("https://a.example"), .integer(2)])
        let text = TextReport.render(report)
        #expect(text.contains("NOT COMPLIANT"))
        #expect(text.contains("last good copy is in force"))
        #expect(text.contains("10-a.json:3:"), "the place of the damage")
    }

    @Test func `a file that never was good forces nothing and is not compliant`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", "{")
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.summary.keys == 0)
        #expect(report.summary.brokenFiles == 1)
        #expect(report.findings.contains { $0.code == "not-in-force" && $0.severity == .error })
        #expect(TextReport.render(report).contains("NOT IN FORCE"))
    }

    @Test func `an error of lint is not compliant`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        try lab.policy("20-b.json", #"{"Identifier": "edu.example.a", "Forced": {"org.example.B": {"K": 1}}}"#)
        let report = try lab.report()
        #expect(!report.isCompliant)
        #expect(report.findings.contains { $0.code == "duplicate-identifier" && $0.severity == .error })
        #expect(report.summary.nonCompliant == 0)
    }

    @Test func `a damaged preference file is shown, and what it holds is said to be unknown`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        try lab.write("/home/bob/.config/org.example.Browser.plist", "{ HomePage = \"x")
        let report = try lab.report()
        #expect(report.isCompliant)
        let finding = try #require(report.findings.first { $0.code == "damaged-preferences" })
        #expect(finding.user == "bob")
        #expect(finding.position?.line == 1)
        #expect(finding.severity == .warning)
        #expect(report.limits.count == 1)
        #expect(report.limits[0].contains("bob"))
    }

    @Test func `a machine without policy says so`() throws {
        let lab = try LabFolder()
        let report = try lab.report()
        #expect(!report.isManaged)
        #expect(report.verdict == .nothing)
        #expect(report.summary.keys == 0)
        #expect(TextReport.render(report).contains("neither /etc/managed-defaults nor /run/managed-defaults exists"))
    }

    @Test func `a list of users that cannot be read whole is said to be incomplete`() throws {
        let lab = try LabFolder()
        try lab.write("/etc/passwd", "alice:x:1001:1001:Alice Keller:/home/alice:/bin/sh\nbob:x:abc\n")
        let report = try lab.report()
        #expect(report.users.count == 1)
        #expect(report.limits.contains { $0.contains("passwd:2") })
    }
}
