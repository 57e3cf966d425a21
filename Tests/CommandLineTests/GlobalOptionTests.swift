import Testing

/// Every verb says which of the options before it mean something, and refuses the others.
struct GlobalOptionTests {
    /// The options, each with a value that is right in itself.
    private static let options: [(name: String, words: [String])] = [
        ("root", ["--root", "lab"]), ("user", ["--user", "alice"]), ("host", ["--host", "room2-pc01"]),
        ("facts", ["--facts", "facts.json"]), ("at", ["--at", "2026-11-23T10:00:00Z"]), ("json", ["--json"]),
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
        (["import", "a.b", "-"], "root user json currentHost"),
        (["export", "a.b", "-"], "root user host at json currentHost"),
        (["forced"], "root user host facts at json"),
        (["explain", "a.b", "c"], "root user host facts at json"),
        (["policy", "lint"], "root host at json"),
        (["policy", "list"], "root user host facts at json"),
        (["policy", "show"], "root user host facts at json"),
        (["policy", "convert", "nothing.plist"], "root"),
        (["policy", "diff", "lab", "lab"], "root user host facts at json"),
        (["policy", "digest"], "root user host facts at json"),
        (["policy", "apply"], "root json"),
        (["policy", "history"], "root json"),
        (["policy", "rollback", "99"], "root json"),
        (["policy", "forget"], "root json"),
        (["policy", "facts"], "root user json"),
        (["policy", "grant", "revoke", "a.b", "c"], "root user json"),
        (["policy", "exam", "stop"], "root json"),
        (["audit", "list"], "root user host json"),
        (["audit", "verify"], "root json"),
        (["report"], "root json"),
        (["doctor"], "root user json"),
        // About no machine at all.
        (["help"], "root user host facts at currentHost"),
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
        let listed = try RandomWordsTests.verbs(Lab())
        #expect(
            GlobalOptionTests.verbs.map {
                Array($0.words.prefix($0.words[0] == "policy" || $0.words[0] == "audit" ? 2 : 1))
            } == listed)
    }
}
