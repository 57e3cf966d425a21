import Foundation
import MDAuditRecord
import MDPlatform
import MDTestSupport
import Testing

/// Pseudonyms from the write of a user to `audit reveal`.
struct PrivacyTests {
    /// A lab whose log has no names, with an attempt of bob.
    private func lab() throws -> Lab {
        let lab = try Lab()
        try #"{"Pseudonyms": true}"#.write(
            toFile: lab.path + "/etc/managed-defaults/audit.json", atomically: false, encoding: .utf8)
        let result = try lab.managed(
            "--user", "bob", "write", "org.example.Browser", "HomePage", "https://games.example")
        #expect(result.code == 3)
        return lab
    }

    @Test func `who holds the key finds out who was meant, and nobody without it`() throws {
        let lab = try lab()
        let records = try lab.managed("audit", "list", "--json").objects
        let pseudonym = try #require(records.last?["user"] as? String)
        #expect(try !String(contentsOfFile: lab.log, encoding: .utf8).contains("bob"))
        #expect(try !String(contentsOfFile: lab.log, encoding: .utf8).contains("games"))
        #expect(try lab.managed("audit", "list", "--user", pseudonym).output.contains(pseudonym))
        for user in ["bob", "1003"] {
            #expect(try lab.managed("audit", "list", "--user", user).output.contains(pseudonym), "\(user)")
            #expect(try lab.managed("audit", "export", "--format", "jsonl", "--user", user).output.contains(pseudonym))
        }
        #expect(try lab.managed("audit", "list", "--user", "alice").output == "")
        let found = try lab.managed("audit", "reveal", pseudonym)
        #expect(found.code == 0 && found.output == "\(pseudonym)  bob (uid 1003)\n")
        let json = try lab.managed("--json", "audit", "reveal", pseudonym, "p-0123456789abcdef")
        #expect(json.code == 1)
        #expect(try json.objects.map { $0["found"] as? Bool } == [true, false])
        #expect(try json.objects.first?["user"] as? String == "bob")
        try FileManager.default.removeItem(atPath: lab.path + PseudonymKey.path)
        #expect(try lab.managed("audit", "list", "--user", "bob").output == "")
        let lost = try lab.managed("audit", "reveal", pseudonym)
        #expect(lost.code == 4 && lost.output == "" && lost.error.contains("without it no pseudonym can be resolved"))
    }

    @Test(arguments: ["", "bob", "p-1", "--uids 5 p-0123456789abcdef", "--uids 9-1 p-0123456789abcdef"])
    func `refuses what is no pseudonym`(_ words: String) throws {
        let result = try lab().managed(["audit", "reveal"] + words.split(separator: " ").map(String.init))
        #expect(result.code == 2 && result.output == "")
    }

    @Test func `doctor says so, and what is wrong`() throws {
        let lab = try lab()
        let good = try lab.managed("--user", "bob", "doctor", "--json").objects.first {
            $0["check"] as? String == "privacy"
        }
        #expect(good?["ok"] as? Bool == true)
        try "nonsense".write(
            toFile: lab.path + "/etc/managed-defaults/audit.json", atomically: false, encoding: .utf8)
        let bad = try lab.managed("--user", "bob", "doctor", "--json").objects.first {
            $0["check"] as? String == "privacy"
        }
        #expect(bad?["ok"] as? Bool == false)
        #expect((bad?["detail"] as? String)?.contains("pseudonyms in place of people") == true)
        try #"{"MaximumDays": 0}"#.write(
            toFile: lab.path + "/etc/managed-defaults/audit.json", atomically: false, encoding: .utf8)
        let days = try lab.managed("--user", "bob", "doctor", "--json").objects.first {
            $0["check"] as? String == "privacy"
        }
        let remedy = #"Set "MaximumDays" to a whole number from 1 to 36500, or remove it from the file."#
        #expect(days?["remedy"] as? String == remedy, "\(days ?? [:])")
        let other = try Lab().managed("--user", "bob", "doctor", "--json").objects
        #expect(!other.isEmpty && !other.contains { $0["check"] as? String == "privacy" })
    }

    @Test func `a report counts what was set once and knows whose it is`() throws {
        let lab = try Lab()
        try #"{"Pseudonyms": true}"#.write(
            toFile: lab.path + "/etc/managed-defaults/audit.json", atomically: false, encoding: .utf8)
        try lab.add(
            policy: "70-once.json", #"{"Identifier":"edu.example.once","SetOnce":{"org.example.Once":{"Size":14}}}"#)
        #expect(try lab.managed("--user", "bob", "write", "org.example.Once", "Other", "1").code == 0)
        #expect(try lab.managed("audit", "list").output.contains("org.example.Once Size"))
        #expect(try !lab.managed("report").output.contains("the log has no record of it"))
    }
}
