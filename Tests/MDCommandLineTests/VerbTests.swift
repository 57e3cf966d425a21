import Foundation
import MDTestSupport
import Testing

/// Every verb refuses the global options that it does not accept.
struct GlobalOptionTests {
    /// The options, each with a value that is right in itself.
    private static let options: [(name: String, words: [String])] = [
        ("root", ["--root", "lab"]), ("user", ["--user", "alice"]), ("host", ["--host", "room2-pc01"]),
        ("facts", ["--facts", "facts.json"]), ("at", ["--at", "2036-11-24T10:00:00Z"]), ("json", ["--json"]),
        ("currentHost", ["-currentHost"]),
    ]

    /// Every verb with as many words as it needs, and the options that it takes.
    static let verbs: [(words: [String], takes: String)] = [
        (["read"], "root user host at json currentHost"),
        (["read-type", "org.example.Browser", "HomePage"], "root user host at json currentHost"),
        (["write", "a.b", "c", "1"], "root user json currentHost"),
        (["delete", "a.b", "c"], "root user currentHost"),
        (["rename", "a.b", "c", "d"], "root user currentHost"),
        (["domains"], "root user host at json currentHost"),
        (["find", "HomePage"], "root user host at json currentHost"),
        // Without the word too many it would follow without end.
        (["watch", "a.b", "c", "d"], "root user json"),
        (["import", "a.b", "-"], "root user json currentHost"),
        (["export", "a.b", "-"], "root user host at json currentHost"),
        (["forced"], "root user host facts at json"),
        (["explain", "a.b", "c"], "root user host facts at json"),
        (["policy", "lint"], "root host at json"),
        (["policy", "list"], "root user host facts at json"),
        (["policy", "show"], "root user host facts at json"),
        (["policy", "convert", "nothing.plist"], "root"),
        (["policy", "diff", "lab", "lab"], "root user host facts at json"),
        (["policy", "install", "nothing.json"], "root json"),
        (["policy", "new", "x.txt"], "root"),
        // With a right name it would open an editor.
        (["policy", "edit", "../x"], "root"),
        (["policy", "schema"], "root"),
        (["policy", "digest"], "root user host facts at json"),
        (["policy", "apply"], "root json"),
        (["policy", "history"], "root json"),
        (["policy", "rollback", "99"], "root json"),
        (["policy", "forget"], "root json"),
        (["policy", "facts"], "root user json"),
        (["policy", "grant", "revoke", "a.b", "c"], "root user json"),
        (["policy", "exam", "stop"], "root json"),
        (["policy", "delegates"], "root json"),
        (["audit", "list"], "root user host json"),
        // Without the wrong word it would follow the log without end.
        (["audit", "tail", "--lines", "x"], "root user host json"),
        (["audit", "count"], "root json"),
        (["audit", "export", "--format", "csv"], "root user host"),
        (["audit", "scan"], "root user json"),
        (["audit", "reveal", "p-0123456789abcdef"], "root json"),
        (["audit", "verify"], "root json"),
        (["audit", "checkpoint"], "root json"),
        (["audit", "prove", "1"], "root json"),
        (["audit", "consistency", "1"], "root json"),
        (["programs", "list"], "root json"),
        (["programs", "status"], "root user host facts at json"),
        (["programs", "show", "chromium"], "root user host facts at json"),
        (["programs", "check"], "root user json"),
        (["programs", "enable"], "root"),
        (["programs", "disable"], "root"),
        (["programs", "prepare"], "root user"),
        (["report", "merge", "nothing.json"], "root json"),
        (["report"], "root at json"),
        (["fleet", "demo"], "root"),
        (["fleet", "init"], "root json"),
        (["fleet", "enroll"], "root json"),
        (["fleet", "revoke"], "root json"),
        (["fleet", "status"], "root json"),
        (["fleet", "page"], "root"),
        (["doctor"], "root user json"),
        (["fleet", "publish", "policies"], "root json"),
        (["fleet", "run"], "root"),
        (["fleet", "collect"], "root json"),
        (["fleet", "accept", "pc01", "--reason", "new"], "root"),
        (["prepare-image"], "root json"),
        (["demo"], "root"),
        // About no machine at all.
        (["help"], "root user host facts at json currentHost"),
        (["completions", "bash"], "root user host facts at currentHost"),
        (["version"], "root user host facts at json currentHost"),
    ]

    @Test(arguments: verbs) func `no option is ignored`(_ verb: (words: [String], takes: String)) throws {
        let lab = try Lab()
        let takes = verb.takes.split(separator: " ")
        for option in GlobalOptionTests.options {
            // Whatever is tried is tried on the lab, where the verb has one.
            let root = takes.contains("root") && option.name != "root" ? ["--root", "lab"] : []
            let result = try MDefaultsProcess(folder: lab.folder).run(root + option.words + verb.words)
            let word = option.words[0]
            let isRefused = result.code == 2 && result.error.hasPrefix("mdefaults: \(word) ")
            #expect(isRefused == !takes.contains { $0 == option.name }, "\(word): \(result.error)")
        }
    }

    @Test func `the table has every verb`() throws {
        let listed = try RandomArgumentTests.verbs(Lab())
        #expect(
            GlobalOptionTests.verbs.map {
                let groups = ["policy", "audit", "programs", "fleet"]
                let hasTwo = groups.contains($0.words[0]) || $0.words.dropFirst().first == "merge"
                return Array($0.words.prefix(hasTwo ? 2 : 1))
            } == listed)
    }
}

/// Verbs that answer questions write nothing: no policy record, copy, compiled table, audit log or file of a user.
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
        ("policy new", ["policy", "new"]), ("policy schema", ["policy", "schema"]),
        ("policy digest", ["policy", "digest"]), ("policy apply", ["policy", "apply", "--dry-run"]),
        ("policy history", ["policy", "history"]), ("policy facts", ["policy", "facts"]),
        ("policy exam", ["policy", "exam", "list"]),
        ("policy exam", ["policy", "exam", "sets"]), ("policy delegates", ["policy", "delegates"]),
        ("audit list", ["audit", "list"]), ("audit count", ["audit", "count"]),
        ("audit export", ["audit", "export", "--format", "csv"]), ("audit verify", ["audit", "verify"]),
        ("audit reveal", ["audit", "reveal", "p-0123456789abcdef"]),
        ("audit checkpoint", ["audit", "checkpoint"]), ("audit prove", ["audit", "prove", "1"]),
        ("audit consistency", ["audit", "consistency", "1"]),
        ("programs list", ["programs", "list"]), ("programs status", ["programs", "status"]),
        ("programs show", ["programs", "show", "chromium"]), ("programs check", ["programs", "check"]),
        ("report", ["report"]), ("report merge", ["report", "merge", "nothing.json"]), ("doctor", ["doctor"]),
        ("fleet status", ["fleet", "status"]), ("help", ["help"]), ("completions", ["completions", "bash"]),
        ("completions", ["completions", "--words", "forced", ""]), ("version", ["version"]),
    ]
    /// Verbs that write, and only that.
    private static let writers: Set = [
        "write", "delete", "rename", "import", "policy install", "policy edit", "policy rollback", "policy forget",
        "policy grant", "demo", "prepare-image", "fleet demo", "fleet page", "fleet publish", "fleet run",
        "fleet init", "fleet enroll", "fleet revoke", "fleet collect", "fleet accept",
        "audit scan", "programs enable", "programs disable", "programs prepare",
    ]
    /// Verbs that have no end.
    private static let endless: Set = ["audit tail", "watch"]
    /// Verbs that have no JSON.
    private static let plain: Set = [
        "help", "completions", "version", "export", "policy convert", "policy new", "policy schema", "audit export",
    ]

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
        #expect(Set(verbs) == Self.writers.union(Self.endless).union(Self.questions.map(\.verb)))
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

/// The manual page of the command line against its help.
struct ManualTests {
    @Test func `every verb that help lists is in the manual`() throws {
        let page = try String(
            contentsOfFile: Lab.repository + "/Sources/Commands/mdefaults/mdefaults.docc/mdefaults-1.md",
            encoding: .utf8)
        let help = try MDefaultsProcess(folder: Scratch.folder).run(["help"]).output
        // The list is between the first and the second empty line; a name ends where two blanks follow.
        let list = help.components(separatedBy: "\n\n").dropFirst().first ?? ""
        let verbs = list.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("  "), !line.hasPrefix("   ") else { return nil }
            return line.dropFirst(2).components(separatedBy: "  ").first
        }
        #expect(verbs.count > 20)
        for verb in verbs where verb != "help" && verb != "version" {
            #expect(page.contains("`\(verb)") || page.contains(" `\(verb)`"), "the manual lacks \(verb)")
        }
    }

    /// Verbs whose options stand in the manual, all of them.
    @Test(arguments: ["policy apply", "policy install", "policy grant", "policy exam"])
    func `every option of a verb is in its rows of the manual`(_ verb: String) throws {
        let page = try String(
            contentsOfFile: Lab.repository + "/Sources/Commands/mdefaults/mdefaults.docc/mdefaults-1.md",
            encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `\(verb)") }.joined(separator: "\n")
        let help = try MDefaultsProcess(folder: Scratch.folder).run(
            ["help"] + verb.split(separator: " ").map(String.init))
        let usage = help.output.components(separatedBy: "\n\n").first ?? ""
        let options = Set(usage.matches(of: /--[a-z-]+/).map { String($0.output) }).subtracting(["--json"])
        #expect(!options.isEmpty)
        for option in options { #expect(rows.contains(option), "the manual lacks \(option) of \(verb)") }
    }
}
