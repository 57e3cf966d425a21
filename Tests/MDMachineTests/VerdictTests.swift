import Foundation
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

/// Tests the verdict of a report.
struct VerdictTests {
    /// A profile with a payload for each type, and settings of a domain.
    private static func profile(_ types: [String]) -> String {
        let payloads = types.enumerated().map { index, type in
            "<dict><key>PayloadType</key><string>\(type)</string><key>PayloadIdentifier</key><string>a.\(index)</string>"
                + "<key>EnableFirewall</key><true/></dict>\n"
        }
        return """
            <?xml version="1.0"?><plist version="1.0"><dict><key>PayloadType</key><string>Configuration</string>
            <key>PayloadIdentifier</key><string>edu.example.profile</string><key>PayloadVersion</key><integer>1</integer>
            <key>PayloadContent</key><array>
            \(payloads.joined())</array></dict></plist>
            """
    }

    /// The words of a report, with one blank between them.
    private static func words(_ report: ComplianceReport) -> String {
        TextReport.render(report).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test func `payloads that nothing here carries out are named and count`() throws {
        let lab = try TemporaryMachine()
        try lab.policy(
            "10-a.mobileconfig", Self.profile(["com.apple.security.firewall", "com.apple.MCX.FileVault2"]))
        let report = try lab.report()
        #expect(report.verdict == .notCompliant && !report.isCompliant)
        #expect(report.summary.payloads == 2)
        let found = report.findings.filter { $0.severity == .error }
        #expect(found.map(\.code) == ["not-applicable", "not-applicable"])
        #expect(found.map { $0.position?.line } == [4, 5])
        #expect(found.first?.message.contains("com.apple.security.firewall (firewall)") == true)
        let text = Self.words(report)
        #expect(
            text.contains(
                "Result NOT COMPLIANT. Nothing here carries out 2 payloads of profiles. See the 2 errors below."))
        #expect(text.contains("payloads 2 that nothing here carries out"))
        // Beside keys that are in force they count as well.
        try lab.policy("10-a.mobileconfig", Self.profile(["com.apple.security.firewall", "org.example.Browser"]))
        let mixed = try lab.report()
        #expect(mixed.summary.requirements.words == "2 of 2 (100.0 %)")
        #expect(mixed.verdict == .notCompliant && mixed.summary.payloads == 1)
    }

    @Test(arguments: [
        ("", ComplianceVerdict.nothing),
        (#""Recommended": { "org.example.A": { "K": 1 } }"#, .nothing),
        (#""Target": { "Users": ["nobody.here"] }, "Forced": { "org.example.A": { "K": 1 } }"#, .nothing),
        (#""Constraints": { "org.example.A": { "K": { "Maximum": 1 } } }"#, .compliant),
        (#""Sealed": ["org.example.A"]"#, .compliant),
        (#""Forced": { "org.example.A": { "K": 1 } }"#, .compliant),
        (#""Forced": { "org.example.A": { "K": } }"#, .notCompliant),
    ]) func `where nothing is forced there is nothing to comply with`(_ field: String, _ verdict: ComplianceVerdict)
        throws
    {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", "{ \"Identifier\": \"edu.example.a\"\(field.isEmpty ? "" : ", ")\(field) }")
        let report = try lab.report()
        #expect(report.verdict == verdict, "\(report.findings)")
        #expect(report.isCompliant == (verdict == .compliant))
        #expect(Self.words(report).contains("NOTHING TO COMPLY WITH.") == (verdict == .nothing))
        let json = try JSONSerialization.jsonObject(with: Data(JSONReport.render(report))) as? [String: Any]
        #expect(json?["result"] as? String == verdict.rawValue)
    }

    @Test func `a machine without policy has nothing to comply with`() throws {
        let report = try TemporaryMachine().report()
        #expect(report.verdict == .nothing && !report.isManaged)
        #expect(Self.words(report).contains("Result NOTHING TO COMPLY WITH."))
    }

    @Test func `attempts that were dropped are counted, by log and spool`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", EvaluationTests.policy)
        let spool = "/home/alice/.local/state/managed-defaults/spool-dropped.jsonl"
        try lab.write(spool, TemporaryMachine.dropped(41))
        #expect(try lab.report().summary.claimedDropped == 41)
        let root = try Root(directory: lab.path)
        var record = AuditRecord(kind: .drop, note: "dropped")
        record.count = 5
        // What a client says it lost would be a claim.
        try AuditLog(root: root).append([record])
        let report = try lab.report()
        #expect(report.summary.dropped == 5 && report.summary.claimedDropped == 41 && report.log.dropped == 5)
        let text = Self.words(report)
        #expect(
            text.contains("5 more were counted and not stored 41 more were not stored, only by the word of senders"))
        #expect(text.contains("of alice: 41 attempts were counted and not kept, because the spool is full."))
        #expect(report.findings.filter { $0.code == "attempts-dropped" }.count == 2)
        // What a user writes there is a claim, however large, and nothing else.
        try lab.write(spool, TemporaryMachine.dropped(1 << 50))
        let claimed = try lab.report().summary
        #expect(claimed.dropped == 5 && claimed.claimedDropped == 1 << 40)
        try lab.write(spool, "{}")
        #expect(try lab.report().summary.dropped == 5)
    }

    @Test(
        arguments: [
            ("passwd: files systemd\n", nil), ("", nil), (nil, nil),
            (
                "passwd: files sss ldap\n",
                "further users of sss, ldap, who have left no trace on this machine, are not covered"
            ),
        ] as [(String?, String?)])
    func `that a directory may know further users is said, and no gap`(_ text: String?, _ note: String?) throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", EvaluationTests.policy)
        if let text { try lab.write("/etc/nsswitch.conf", text) }
        let report = try lab.report()
        #expect(report.findings.filter { $0.code == "directory" }.map(\.message) == (note.map { [$0] } ?? []))
        #expect(report.limits == [] && Self.words(report).contains("Complete yes:"))
    }

    @Test func `homes that are not there are no gap`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", EvaluationTests.policy)
        try lab.write("/srv/file", "")
        try lab.write(
            "/etc/passwd",
            "a:x:1001:1001::/nonexistent:/bin/sh\nb:x:1002:1002::/srv/file:/bin/sh\nc:x:1003:1003::/dev/null:/bin/sh\n")
        try lab.opened(["org.example.Browser"], by: [1001, 1002, 1003])
        let report = try lab.report()
        #expect(report.limits == [] && report.users.count == 3 && report.isCompliant)
    }
}

/// Tests reports while policy is unknown.
struct UnknownPolicyTests {
    /// A policy with two keys.
    private static let policy = #"{"Identifier": "edu.example.a", "Forced": {"d": {"k": 1, "l": 2}}}"#

    /// Puts a link that leads to itself in the place of the directory of policy.
    private func obstruct(_ lab: TemporaryMachine) throws {
        let folder = lab.path + "/etc/managed-defaults/policies"
        try FileManager.default.moveItem(atPath: folder + ".d", toPath: folder + ".old")
        try FileManager.default.createSymbolicLink(atPath: folder + ".d", withDestinationPath: "policies.d")
    }

    @Test(arguments: [true, false])
    func `nothing is compliant, counted or complete while policy is unknown`(_ isListed: Bool) throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        if isListed {
            // Sources are enough only while every one of them is good.
            try lab.write("/var/lib/managed-defaults/policy.record", "no record")
            #expect(try lab.report().policyDigest != nil)
            try lab.policy("20-b.json", "{")
        } else {
            #expect(try lab.report().policyDigest != nil)
            try obstruct(lab)
        }
        let report = try lab.report()
        #expect(!report.isCompliant && report.policyDigest == nil)
        #expect(report.limits.first?.hasPrefix("It cannot be told what is forced, because policy could not be") == true)
        #expect(report.findings.contains { $0.code == "policy-not-known" && $0.severity == .error })
        let summary = report.summary
        #expect(
            summary.requirements.required == (isListed ? 4 : 0)
                && summary.reasons[.notKnown] == summary.requirements.required)
        #expect(report.users.allSatisfy { !$0.knowledge.isDecisive && $0.keys.allSatisfy { !$0.isInForce } })
        let text = TextReport.render(report)
        #expect(text.contains("Result    NOT COMPLIANT. It cannot be told what is forced. See the"))
        #expect(text.contains("Digest    not known\n") && text.contains("Complete  no:\n"))
        #expect(text.contains("There may be more: not all") && !text.contains("Nothing is forced."))
        let json = try JSONSerialization.jsonObject(with: Data(JSONReport.render(report))) as? [String: Any]
        #expect(json?["policyDigest"] == nil && json?["complete"] as? Bool == false)
        #expect(json?["inForceAsWritten"] as? Bool == false)
        #expect((json?["keys"] as? [[String: Any]])?.allSatisfy { $0["state"] as? String == "unknown" } == true)
        #expect((json?["requirements"] as? [String: Int])?["unknown"] == summary.requirements.required)
    }

    @Test func `what was recorded of a directory that cannot be listed is known, and not compliant`() throws {
        let lab = try TemporaryMachine()
        try lab.policy("10-a.json", Self.policy)
        try lab.apply()
        try obstruct(lab)
        let report = try lab.report()
        #expect(!report.isCompliant && report.policyDigest != nil)
        #expect(!report.findings.contains { $0.code == "policy-not-known" })
        let summary = report.summary
        #expect(summary.requirements.required == 4 && summary.reasons[.broken] == 4)
        #expect(report.users.map(\.knowledge.isDecisive) == [true, true])
        let said = report.findings.map(\.message).joined()
        #expect(said.contains("nothing in it is used, and what was recorded of it stays in force"))
    }
}
