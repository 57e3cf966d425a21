import Foundation
import MDTestSupport
import Testing

/// The page of JSON shapes: it has what `help VERB --json` prints, of every verb.
///
/// `MDEFAULTS_GOLDEN=write swift test --filter JSONManualTests` writes it again.
struct JSONManualTests {
    private static let path = Lab.repository + "/Sources/Commands/mdefaults/mdefaults.docc/JSONShapes.md"

    @Test func `the page of shapes is that of the verbs`() throws {
        let lab = try Lab()
        var page = """
            # JSON shapes

            What each verb prints with `--json`.

            ## Overview

            Every answer is one document on standard output with its keys in a stable order; `watch` and `audit tail` print one
            a line. Nothing is frozen before version 1.0; from then on fields may be added, and none gets another name. A date
            is `{"$date":"2026-11-20T08:00:00Z"}`, data `{"$data":"base64"}`, a number that is none `{"$real":"nan"}`; a
            dictionary whose only key begins with `$` is `{"$dict":{…}}`. `mdefaults help VERB --json` prints the same.

            """
        var count = 0
        for verb in try RandomArgumentTests.verbs(lab) {
            let result = try lab.managed(["help"] + verb + ["--json"])
            guard result.code == 0 else { continue }
            count += 1
            page += "\n## \(verb.joined(separator: " "))\n\n```\n\(result.output)```\n"
        }
        #expect(count > 20)
        if ProcessInfo.processInfo.environment["MDEFAULTS_GOLDEN"] == "write" {
            try Data(page.utf8).write(to: URL(fileURLWithPath: Self.path))
        }
        #expect(try String(contentsOfFile: Self.path, encoding: .utf8) == page)
    }
}
