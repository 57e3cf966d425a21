import Compliance
import Engine
import Foundation
import Platform
import Testing

/// What a report says while it cannot be told what is forced.
struct UnknownPolicyTests {
    /// A policy with two keys.
    private static let policy = #"{"Identifier": "edu.example.a", "Forced": {"d": {"k": 1, "l": 2}}}"#

    /// Puts a link that leads to itself in the place of the directory of policy.
    private func obstruct(_ lab: LabFolder) throws {
        let folder = lab.path + "/etc/managed-defaults/policies"
        try FileManager.default.moveItem(atPath: folder + ".d", toPath: folder + ".old")
        try FileManager.default.createSymbolicLink(atPath: folder + ".d", withDestinationPath: "policies.d")
    }

    @Test(arguments: [true, false])
    func `nothing is compliant, counted or complete that nobody knows`(_ isRecorded: Bool) throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        if isRecorded { _ = try lab.machine(renewing: true) }
        #expect(try lab.report().policyDigest != nil)
        try obstruct(lab)
        let report = try lab.report()
        #expect(!report.isCompliant && report.policyDigest == nil)
        #expect(report.limits.first?.hasPrefix("It cannot be told what is forced, because policy could not be") == true)
        #expect(report.findings.contains { $0.code == "policy-not-known" && $0.severity == .error })
        let summary = report.summary
        #expect(summary.keys == (isRecorded ? 4 : 0) && summary.unknown == summary.keys)
        #expect(summary.compliant == 0 && summary.nonCompliant == 0)
        #expect(report.users.allSatisfy { !$0.isPolicyKnown && $0.keys.allSatisfy { !$0.isCompliant } })
        let text = TextReport.render(report)
        #expect(text.contains("Result    NOT COMPLIANT. It cannot be told what is forced. See the"))
        #expect(text.contains("Digest    not known\n") && text.contains("Complete  no:\n"))
        #expect(text.contains("; there may be more\n") && !text.contains("Nothing is forced."))
        let json = try JSONSerialization.jsonObject(with: Data(JSONReport.render(report))) as? [String: Any]
        #expect(json?["policyDigest"] == nil && json?["complete"] as? Bool == false)
        #expect(json?["inForceAsWritten"] as? Bool == false)
        #expect((json?["keys"] as? [[String: Any]])?.allSatisfy { $0["compliant"] == nil } == true)
        #expect((json?["summary"] as? [String: Int])?["unknown"] == summary.keys)
        // What stays is said only where there is something.
        let said = report.findings.map(\.message).joined()
        #expect(said.contains("the last good copies of its files stay in force, and nobody") == isRecorded)
        #expect(said.contains("no good copy of any of its files is in force, and nobody knows") == !isRecorded)
    }

    @Test func `of whom programs cannot read a file nobody knows what is forced`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        _ = try lab.machine(renewing: true)
        try lab.policy("20-b.json", #"{"Identifier": "edu.example.b", "Forced": {"d": {"m": 3}}}"#)
        let file = lab.path + "/etc/managed-defaults/policies.d/20-b.json"
        try #require(chown(file, getuid(), getgid()) == 0 && chmod(file, 0o640) == 0)
        // Alice is in the group of the file.
        try lab.write("/etc/passwd", "alice:x:1001:\(getgid())::/home/alice:\nbob:x:1002:1002::/home/bob:\n")
        let report = try lab.report()
        #expect(report.users.map(\.isPolicyKnown) == [true, false])
        #expect(report.users.map { $0.keys.map(\.isCompliant) } == [[true, true, true], [false, false]])
        #expect(report.summary.unknown == 2 && report.summary.nonCompliant == 0 && report.summary.compliant == 3)
        #expect(report.policyDigest == nil && !report.isCompliant)
        #expect(report.limits.count == 1 && report.limits[0].hasPrefix("What is forced on bob cannot be told: "))
        // What was recorded is what everybody has.
        _ = try lab.machine(renewing: true)
        let mended = try lab.report()
        #expect(mended.isCompliant && mended.limits == [] && mended.summary.unknown == 0)
    }
}
