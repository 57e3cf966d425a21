import Foundation
import Testing

/// Sets of policy files that cannot be read.
struct ExamSetTests {
    @Test func `a link of a set that leads to nothing is named, and the set is there`() throws {
        let lab = try Lab()
        let sets = lab.path + "/etc/managed-defaults/sets.d"
        let manager = FileManager.default
        try manager.createDirectory(atPath: sets + "/mix", withIntermediateDirectories: true)
        let policy = Data("{\"Identifier\": \"org.example.a\", \"Forced\": {\"a.b\": {\"c\": 1}}}".utf8)
        try policy.write(to: URL(fileURLWithPath: sets + "/mix/10-a.json"))
        for (path, word) in [("mix/20-b.json", "mix"), ("alone", "alone"), ("single.json", "single")] {
            for target in ["/dev/null", "nowhere", (path as NSString).lastPathComponent, "../.."] {
                let link = "\(sets)/\(path)"
                try manager.createSymbolicLink(atPath: link, withDestinationPath: target)
                defer { try? manager.removeItem(atPath: link) }
                // A folder is a set, whatever is in it.
                if target == "../.." && path != "mix/20-b.json" { continue }
                let result = try lab.managed("policy", "exam", "start", word, "--for", "1h")
                #expect(result.code == 4 && !result.error.contains("There is no set"), "\(path) \(target) \(result)")
                #expect(
                    result.error.contains("sets.d/\(path): it is a link to \(target)"), "\(path) \(target) \(result)")
            }
        }
        #expect(try lab.managed("policy", "exam", "start", "mix", "--for", "1h").code == 0)
    }
}
