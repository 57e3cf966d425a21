import Foundation
import MDPlatform
import MDTestSupport
import Testing

/// Who sits an exam, what is asked before it starts, and what a start says.
struct ExamStartTests {
    /// A machine with the set `maths`: a file for a part of those who sit it, and a file for all.
    private func machine(in folder: String = "etc/managed-defaults/sets.d") throws -> Lab {
        let lab = try Lab()
        try write(
            lab, "\(folder)/maths/00-aids.json",
            #"{ "Target": { "Groups": ["aids"] }, "Forced": { "a.b": { "aid": 1 } } }"#)
        try write(
            lab, "\(folder)/maths/10-all.json",
            #"{ "Target": { "Groups": ["candidates", "aids"], "Except": { "Users": ["root"] } }, "Forced": { "a.b": { "c": 1 } } }"#
        )
        return lab
    }

    private func write(_ lab: Lab, _ path: String, _ text: String) throws {
        var folder = URL(fileURLWithPath: "\(lab.path)/\(path)").deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(lab.path)/\(path)"))
        chmod("\(lab.path)/\(path)", 0o644)
        while folder.path != lab.path {
            chmod(folder.path, 0o755)
            folder.deleteLastPathComponent()
        }
    }

    private func start(_ lab: Lab, _ words: String...) throws -> MDefaultsProcess.Result {
        try lab.managed(["policy", "exam", "start", "maths", "--for", "1h"] + words)
    }

    private func sits(_ lab: Lab, _ user: String) throws -> Bool {
        try lab.managed("--user", user, "forced", "a.b", "c").code == 0
    }

    @Test func `who sits an exam is said at its start, in the place of the set's own people`() throws {
        let lab = try machine()
        // No user of the lab is in the groups of the set.
        #expect(try start(lab, "--yes").code == 1)
        let some = try start(lab, "--yes", "--users", "bob")
        #expect(some.code == 0, "\(some)")
        #expect(some.output.contains("00-exam-maths-00-aids.json is for group aids only, as the set has it."))
        #expect(try sits(lab, "bob") && !sits(lab, "alice") && !sits(lab, "root"))
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "aid").code == 1)
        // Others would be free.
        let asked = try start(lab, "--users", "alice")
        #expect(
            asked.code == 2 && asked.error.contains("is in force for user bob; then it would be for user alice alone"),
            "\(asked)")
        #expect(try sits(lab, "bob"))
        #expect(try start(lab, "--yes", "--everybody").code == 0)
        #expect(try sits(lab, "bob") && sits(lab, "alice") && !sits(lab, "root"))
        let record = try lab.managed("audit", "list", "--kind", "grant").output
        #expect(record.contains("started the exam maths (2 files) for user bob until "))
        #expect(try start(lab, "--yes", "--users", "bobb").error.contains("bob"))
        #expect(try start(lab, "--yes", "--users", "bob", "--everybody").code == 2)
        #expect(try start(lab, "--yes", "--users", "bob,").code == 2)
        #expect(try start(lab, "--yes", "--group", "nobody-here").code == 1)
    }

    @Test func `sets say whom they are for and what is wrong with them, and exams who sits them`() throws {
        let lab = try machine()
        try write(lab, "etc/managed-defaults/sets.d/zoo.json", #"{ "Description": "zoo", "Forced": 1 }"#)
        try write(lab, "run/systemd/users/1001", "")
        try write(lab, "run/systemd/users/1002", "")
        let sets = try lab.managed("policy", "exam", "sets", "--json").objects
        #expect(sets.compactMap { $0["set"] as? String } == ["maths", "physics", "zoo"])
        #expect(
            sets[0]["problem"] == nil && (sets[2]["problem"] as? String)?.contains("zoo.json:1:") == true, "\(sets)")
        let people = try #require(sets[0]["for"] as? [String: Any])
        #expect(people["groups"] as? [String] == ["aids", "candidates"] && people["everybody"] as? Bool == false)
        #expect(try lab.managed("policy", "exam", "sets").output.contains("\nzoo: "))
        #expect(try start(lab, "--yes", "--users", "alice").code == 0)
        let exam = try #require(try lab.managed("policy", "exam", "list", "--json").objects.first)
        #expect((exam["for"] as? [String: Any])?["users"] as? [String] == ["alice"])
        let sessions = try #require(exam["sessions"] as? [[String: Any]])
        #expect(sessions.map { $0["sits"] as? Bool } == [false, true], "\(sessions)")
    }

    @Test func `a set of which no file is for all cannot be given other people`() throws {
        let lab = try machine()
        try write(
            lab, "etc/managed-defaults/sets.d/maths/10-all.json",
            #"{ "Target": { "Users": ["alice"] }, "Forced": { "a.b": { "c": 1 } } }"#)
        let result = try start(lab, "--yes", "--everybody")
        #expect(result.code == 1 && result.error.contains("no file of the set is for all who sit it"), "\(result)")
    }

    @Test func `a long exam and one over midnight are asked about`() throws {
        let lab = try machine()
        let long = try lab.managed("policy", "exam", "start", "maths", "--for", "7h", "--everybody")
        #expect(long.code == 2 && long.error.contains("The exam would last until "), "\(long)")
        #expect(long.error.contains("--yes says so"))
        #expect(try !sits(lab, "bob"))
        // What is today in one zone is tomorrow in another.
        let now = Clock.now().microseconds / 1_000_000
        let toMidnight = 86_400 - now % 86_400
        if toMidnight < 5 * 3_600 {
            let night = try lab.managed(
                "policy", "exam", "start", "maths", "--for", "\(toMidnight / 60 + 2)m", "--everybody")
            #expect(night.code == 2 && night.error.contains("over midnight"), "\(night)")
        }
    }

    @Test func `ready sets are found, and the administrator's come first`() throws {
        let lab = try machine(in: "usr/share/managed-defaults/sets")
        try write(lab, "usr/share/managed-defaults/sets/maths/README.md", "# Maths")
        let ready = try start(lab, "--yes", "--everybody")
        #expect(ready.code == 0 && !ready.error.contains("README"), "\(ready)")
        try write(lab, "etc/managed-defaults/sets.d/maths.json", #"{ "Forced": { "a.b": { "own": 1 } } }"#)
        #expect(try start(lab, "--yes").code == 0)
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "own").code == 0)
        #expect(try !sits(lab, "bob"))
        #expect(
            try lab.managed("policy", "exam", "start", "x", "--yes", "--for", "1h").error.contains(
                "There are: maths, physics."))
    }

    @Test func `who has a session is named, and an earlier grant that does not count`() throws {
        let lab = try machine()
        try lab.add(policy: "50-a.json", #"{ "Forced": { "a.b": { "c": 5 } } }"#)
        let grant = ["policy", "grant", "--for", "2h", "--user", "bob", "--reason", "demo", "a.b", "c", "-int", "7"]
        #expect(try lab.managed(grant).code == 0)
        let passwd = try String(contentsOfFile: lab.path + "/etc/passwd", encoding: .utf8)
        for name in ["alice", "bob"] {
            let line = try #require(passwd.split(separator: "\n").first { $0.hasPrefix("\(name):") })
            try write(lab, "run/systemd/users/\(line.split(separator: ":")[2])", "")
        }
        let result = try start(lab, "--yes", "--users", "bob")
        #expect(result.output.contains("Logged in, and not sitting it: alice.\n"), "\(result)")
        #expect(result.output.contains("Logged in, and sitting it from now on, also in programs that run: bob.\n"))
        #expect(
            result.error.contains("The grant of a.b c to bob with a value of its own does not count during the exam"))
        let json = try start(lab, "--yes", "--users", "bob", "--json")
        let sessions = try #require(try json.object["sessions"] as? [[String: Any]])
        #expect(
            sessions.count == 2 && sessions.contains { $0["user"] as? String == "bob" && $0["sits"] as? Bool == true })
        let exceptions = try #require(try json.object["exceptions"] as? [[String: Any]])
        #expect(
            exceptions.first?["kind"] as? String == "suspends" && exceptions.first?["users"] as? [String] == ["bob"])
    }

    @Test func `an exam that a boot ends does not take the place of one that outlasts it`() throws {
        let lab = try machine()
        let lasting = "\(lab.path)/var/lib/managed-defaults/temporary"
        #expect(try start(lab, "--yes", "--everybody", "--until-boot").code == 0)
        #expect(!FileManager.default.fileExists(atPath: lasting))
        #expect(try start(lab, "--yes", "--everybody").code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: lasting).count == 2)
        let refused = try start(lab, "--yes", "--everybody", "--until-boot")
        #expect(
            refused.code == 1 && refused.error.contains("is in force beyond the next boot; end it first"), "\(refused)")
    }
}
