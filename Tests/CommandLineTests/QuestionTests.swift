import Foundation
import Testing

/// Verbs that answer questions write nothing: neither record, copies and table, nor the audit log, nor a user's files.
struct QuestionTests {
    /// A question for each verb that asks, by the verb's name; alice asks.
    private static let questions: [(verb: String, words: [String])] = [
        ("read", ["read"]), ("read", ["read", "org.example.Once", "Size"]),
        ("read-type", ["read-type", "org.example.Browser", "HomePage"]), ("domains", ["domains"]),
        ("find", ["find", "Home"]), ("export", ["export", "org.example.Browser", "-"]), ("forced", ["forced"]),
        ("forced", ["forced", "org.example.Browser", "HomePage"]),
        ("explain", ["explain", "org.example.Browser", "HomePage"]), ("policy lint", ["policy", "lint"]),
        ("policy list", ["policy", "list"]), ("policy show", ["policy", "show"]),
        ("policy convert", ["policy", "convert", "lab/etc/managed-defaults/policies.d/10-site.json"]),
        ("policy diff", ["policy", "diff", "lab", "lab/etc/managed-defaults/policies.d/10-site.json"]),
        ("policy digest", ["policy", "digest"]), ("policy apply", ["policy", "apply", "--dry-run"]),
        ("policy history", ["policy", "history"]), ("policy facts", ["policy", "facts"]),
        ("policy exam", ["policy", "exam", "list"]), ("audit list", ["audit", "list"]),
        ("audit verify", ["audit", "verify"]), ("report", ["report"]), ("doctor", ["doctor"]), ("help", ["help"]),
        ("version", ["version"]),
    ]
    /// Verbs that write, and only that.
    private static let writers: Set = [
        "write", "delete", "rename", "import", "policy rollback", "policy forget", "policy grant",
    ]
    /// Verbs that have no JSON.
    private static let plain: Set = ["help", "version", "export", "policy convert"]

    /// What every file, folder and link of a machine is, by its path.
    private static func tree(_ lab: Lab) throws -> [String: String] {
        var result: [String: String] = [:]
        let names = FileManager.default.enumerator(atPath: lab.path)?.compactMap { $0 as? String } ?? []
        for name in names {
            var status = stat()
            guard lstat("\(lab.path)/\(name)", &status) == 0 else { continue }
            let time = "\(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
            result[name] = "\(status.st_ino) \(status.st_mode) \(status.st_size) \(time)"
        }
        return result
    }

    @Test func `every verb either asks or writes`() throws {
        let help = try MDefaultsProcess(folder: "/").run(["help"]).output
        let verbs = help.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .prefix { !$0.hasPrefix("  -") }
            .compactMap { $0.dropFirst(2).split(separator: "  ").first.map(String.init) }
        #expect(verbs.count >= 29)
        #expect(Set(verbs) == Self.writers.union(Self.questions.map(\.verb)))
    }

    @Test(arguments: [false, true]) func `no question changes anything`(_ isRecorded: Bool) throws {
        let lab = try Lab()
        try lab.add(
            policy: "70-once.json", #"{"Identifier":"edu.example.once","SetOnce":{"org.example.Once":{"Size":14}}}"#)
        if isRecorded {
            #expect(try lab.managed("policy", "apply").code == 0)
            try lab.recordAttempts()
            // Each of these would be recorded, if a question recorded.
            try lab.add(policy: "20-classroom.json", "broken")
            try FileManager.default.removeItem(atPath: lab.policies + "/10-site.json")
        }
        try lab.add(
            policy: "80-waiver.json",
            """
            {"Identifier":"edu.example.waiver","Forced":{"a.b":{"c":1}},"Waivers":[{"Users":["alice"],"Domain":"a.b",
              "Key":"c","Reason":"thesis","Until":"2099-01-01T00:00:00Z"}]}
            """)
        let before = try Self.tree(lab)
        #expect(before.count > 30)
        for question in Self.questions {
            for options in [[], ["--json"]] where options.isEmpty || !Self.plain.contains(question.verb) {
                let words = Lab.option(ofUser: "alice", for: question.words) + options + question.words
                let result = try lab.managed(words)
                #expect(result.code >= 0 && result.code != 2, "\(words) \(result)")
                let after = try Self.tree(lab)
                let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
                #expect(changed == [], "\(words)")
            }
        }
    }
}
