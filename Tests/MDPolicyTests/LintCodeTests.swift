import Foundation
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyFormats
import MDPolicyModel
import Testing

/// The documentation of the codes of lint.
///
/// `MDEFAULTS_GOLDEN=write` writes the page of the DocC catalog again.
struct LintCodeTests {
    /// The page of the DocC catalog.
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Sources/Commands/mdefaults/mdefaults.docc/LintCodes.md").standardizedFileURL

    /// The page as it should be.
    private static var text: String {
        var lines = [
            "# Codes of policy lint", "",
            "Every finding of `mdefaults policy lint` ends in a code in brackets. Codes are stable: one is never renamed,"
                + " and never means something else.", "",
            "An **error** means that the file is not used as it stands, or that what it says cannot hold; a **warning**, that"
                + " it is used and somebody should look at it. `mdefaults policy lint --fix` mends what has one answer;"
                + " `--format sarif` carries these texts to code scanning services.",
        ]
        for topic in LintTopic.allCases {
            lines += ["", "## \(topic.rawValue)", "", topic.summary]
            for code in LintCode.allCases where code.explained.topic == topic {
                let explanation = code.explained.explanation
                lines += [
                    "", "### \(code.rawValue)", "", explanation.summary, "", "Example: `\(explanation.example)`", "",
                    "What to do: \(explanation.advice)",
                ]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    @Test func `every code is explained, once`() {
        for code in LintCode.allCases {
            let explanation = code.explained.explanation
            #expect(!explanation.example.isEmpty, "\(code.rawValue) has no explanation in Policy/Lint/Explanations")
            #expect(explanation.summary.hasSuffix("."), "\(code.rawValue)")
            #expect(!explanation.summary.contains("`"), "\(code.rawValue)")
            #expect(!explanation.example.contains("`"), "\(code.rawValue)")
            #expect(!explanation.advice.isEmpty, "\(code.rawValue)")
        }
    }

    @Test func `the documentation has every code, and no other`() throws {
        if ProcessInfo.processInfo.environment["MDEFAULTS_GOLDEN"] == "write" {
            try Self.text.write(to: Self.page, atomically: true, encoding: .utf8)
            Issue.record("The page was written anew.")
            return
        }
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let headings = page.split(separator: "\n").filter { $0.hasPrefix("### ") }.map { String($0.dropFirst(4)) }
        #expect(Set(headings) == Set(LintCode.allCases.map(\.rawValue)))
        #expect(headings.count == LintCode.allCases.count)
        #expect(page == Self.text, "MDEFAULTS_GOLDEN=write writes the page anew")
    }
}
