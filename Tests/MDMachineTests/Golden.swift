import Foundation
import MDTestSupport
import Testing

/// Kept outputs of reports, in the folder `Golden`.
enum Golden {
    /// Compares with a golden file; if they differ, writes the actual text beside the test's temporary files.
    ///
    /// `MDEFAULTS_GOLDEN=write swift test` writes the golden files again.
    static func expect(_ text: String, equals name: String) throws {
        let golden = TemporaryMachine.repository.appendingPathComponent("Tests/MDMachineTests/Golden/\(name)")
        if ProcessInfo.processInfo.environment["MDEFAULTS_GOLDEN"] == "write" {
            return try text.write(to: golden, atomically: true, encoding: .utf8)
        }
        let expected = try? String(contentsOf: golden, encoding: .utf8)
        let isEqual = text == expected
        if !isEqual {
            try text.write(toFile: NSTemporaryDirectory() + "actual-\(name)", atomically: true, encoding: .utf8)
        }
        #expect(isEqual, "see \(NSTemporaryDirectory())actual-\(name)")
    }

    /// A report with zeros for its own digest and those of its homes, which the path of a copy is part of, and its id.
    static func unsealed(_ text: String) -> String {
        var text = text
        for words in ["sha256 above ", "sha256 of everything before: ", "\"digest\": \""] {
            guard let range = text.range(of: words, options: .backwards) else { continue }
            let end = text.index(range.upperBound, offsetBy: 64, limitedBy: text.endIndex) ?? text.endIndex
            text.replaceSubrange(range.upperBound..<end, with: String(repeating: "0", count: 64))
        }
        return text
    }

    /// A report with zeros for every digest and id, which follow from the paths of temporary folders.
    static func withoutDigests(_ text: String) -> String {
        text.replacing(/[0-9a-f]{64}/) { _ in String(repeating: "0", count: 64) }
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/) { _ in
                "00000000-0000-5000-8000-000000000000"
            }
    }
}
