import Foundation
import Testing

/// Sets of policy files that cannot be read, or cannot be put where they belong.
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

    @Test func `an exam does not replace a file of something else`() throws {
        let lab = try Lab()
        let folder = lab.path + "/etc/managed-defaults/sets.d"
        for (path, key) in [("a/b-c.json", "one"), ("a-b/c.json", "two")] {
            let file = "\(folder)/\(path)"
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            let text = "{\"Identifier\": \"org.example.\(key)\", \"Forced\": {\"a.b\": {\"\(key)\": 1}}}"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }
        #expect(try lab.managed("policy", "exam", "start", "a", "--for", "1h").code == 0)
        let other = try lab.managed("policy", "exam", "start", "a-b", "--for", "1h")
        #expect(other.code == 1 && other.error.contains("00-exam-a-b-c.json is there already"), "\(other.error)")
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "one").code == 0)
        #expect(try lab.managed("policy", "exam", "start", "a", "--for", "2h").code == 0)
        try FileManager.default.moveItem(atPath: folder + "/a/b-c.json", toPath: folder + "/a/b.plist")
        try FileManager.default.copyItem(atPath: folder + "/a-b/c.json", toPath: folder + "/a/b.plist.json")
        try Data("{ Identifier = \"org.example.p\"; Forced = { \"a.b\" = { d = x; }; }; }".utf8).write(
            to: URL(fileURLWithPath: folder + "/a/b.plist"))
        let twice = try lab.managed("policy", "exam", "start", "a", "--for", "1h")
        #expect(twice.code == 1 && twice.error.contains("becomes 00-exam-a-b.plist.json"), "\(twice.error)")
    }
}
