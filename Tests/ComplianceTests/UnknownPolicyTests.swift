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
    func `nothing is compliant, counted or complete while policy is unknown`(_ isListed: Bool) throws {
        let lab = try LabFolder()
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
        #expect(summary.keys == (isListed ? 4 : 0) && summary.unknown == summary.keys)
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
    }

    @Test func `what was recorded of a directory that cannot be listed is known, and not compliant`() throws {
        let lab = try LabFolder()
        try lab.policy("10-a.json", Self.policy)
        try lab.apply()
        try obstruct(lab)
        let report = try lab.report()
        #expect(!report.isCompliant && report.policyDigest != nil)
        #expect(!report.findings.contains { $0.code == "policy-not-known" })
        let summary = report.summary
        #expect(summary.keys == 4 && summary.nonCompliant == 4 && summary.unknown == 0)
        #expect(report.users.map(\.isPolicyKnown) == [true, true])
        let said = report.findings.map(\.message).joined()
        #expect(said.contains("nothing in it is used, and what was recorded of it stays in force"))
    }
}
