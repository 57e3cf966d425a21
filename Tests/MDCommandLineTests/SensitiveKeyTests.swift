import Foundation
import MDTestSupport
import Testing

/// A forced and typed secret occurs in no output, log or record.
struct SensitiveKeyTests {
    /// The beginning of every secret value.
    private static let secret = "S3CR3T"

    /// A lab with sensitive keys of every kind: by the metadata of policy, and by a manifest alone.
    private func lab() throws -> Lab {
        let lab = try Lab()
        try lab.add(
            policy: "60-secret.json",
            """
            { "Identifier": "org.example.secret",
              "Metadata": { "a.b": { "Forced": { "Sensitive": true }, "Pin": { "Sensitive": true },
                "Rec": { "Sensitive": true }, "Once": { "Sensitive": true }, "List": { "Sensitive": true } } },
              "Constraints": { "a.b": { "Pin": { "OneOf": ["S3CR3T-one", "S3CR3T-two"] } } },
              "Recommended": { "a.b": { "Rec": "S3CR3T-rec" } },
              "SetOnce": { "a.b": { "Once": "S3CR3T-once" } },
              "Combine": { "a.b": { "List": "union" } },
              "Forced": { "a.b": { "Forced": "S3CR3T-loser", "List": ["S3CR3T-a"] }, "m.n": { "Token": "S3CR3T-t" } } }
            """)
        try lab.add(
            policy: "70-secret.json",
            """
            { "Identifier": "org.example.secret2",
              "Forced": { "a.b": { "Forced": "S3CR3T-winner", "List": ["S3CR3T-b"] } } }
            """)
        let manifests = lab.path + "/etc/managed-defaults/manifests.d"
        try FileManager.default.createDirectory(atPath: manifests, withIntermediateDirectories: true)
        chmod(manifests, 0o755)
        let manifest = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>pfm_domain</key><string>m.n</string><key>pfm_subkeys</key><array><dict>
            <key>pfm_name</key><string>Token</string><key>pfm_type</key><string>string</string>
            <key>pfm_sensitive</key><true/></dict></array></dict></plist>
            """
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: manifests + "/m.n.plist"))
        chmod(manifests + "/m.n.plist", 0o644)
        return lab
    }

    /// Command lines, in their order; `--user alice` and `--root lab` stand before each.
    private static let commands: [[String]] =
        [
            ["write", "a.b", "Forced", "S3CR3T-typed"], ["write", "m.n", "Token", "S3CR3T-typed"],
            ["write", "a.b", "Pin", "S3CR3T-typed"], ["write", "a.b", "Pin", "S3CR3T-one"],
            ["write", "a.b", "Rec", "-int", "S3CR3T-typed"], ["write", "a.b", "Rec", "S3CR3T-typed", "S3CR3T-more"],
            ["write", "a.b", "Rec", "{ S3CR3T = ", "S3CR3T"], ["write", "a.b", "Rec", "{ S3CR3T = "],
            ["write", "a.b", "{ Forced = S3CR3T-x; Pin = S3CR3T-y; }"], ["write", "a.b", "{ Pin = S3CR3T-y"],
            ["write", "a.b", "Rec", "-dict", "S3CR3T-k"], ["write", "m.n", "Token", "-bool", "S3CR3T"],
            ["--json", "write", "a.b", "Rec", "S3CR3T"], ["rename", "a.b", "Pin", "Forced"],
        ]
        + [
            ["forced"], ["forced", "a.b", "Forced"], ["forced", "m.n", "Token"], ["explain", "a.b", "Forced"],
            ["explain", "a.b", "Pin"], ["explain", "a.b", "List"], ["explain", "m.n", "Token"],
            ["explain", "a.b", "Once"],
            ["policy", "show"], ["policy", "list"], ["policy", "digest"],
            ["policy", "diff", "lab/etc/managed-defaults/policies.d/60-secret.json", "lab"], ["doctor"],
        ].flatMap { [$0, ["--json"] + $0] }

    /// Command lines without a user before them.
    private static let others: [[String]] =
        [
            ["policy", "lint"], ["policy", "apply"], ["policy", "history"], ["report"], ["audit", "list"],
            ["audit", "verify"], ["audit", "scan"], ["--json", "audit", "scan"],
            ["audit", "export", "--format", "jsonl"], ["audit", "export", "--format", "csv"],
            ["audit", "export", "--format", "ocsf"], ["audit", "export", "--format", "ecs"],
            ["audit", "export", "--format", "rfc5424"],
        ]
        .flatMap { [$0, ["--json"] + $0] }
        + [
            ["policy", "lint", "--format", "sarif"],
            ["policy", "grant", "--user", "alice", "--for", "5m", "--reason", "x", "a.b", "Forced", "S3CR3T-granted"],
            ["policy", "grant", "--user", "alice", "--for", "5m", "--reason", "x", "a.b", "Forced", "-int", "S3CR3T"],
            ["policy", "grant", "--user", "alice", "--for", "5m", "--reason", "x", "m.n", "Token", "S3CR3T-granted"],
            [
                "--json", "policy", "grant", "--user", "alice", "--for", "5m", "--reason", "x", "a.b", "Forced",
                "S3CR3T-g",
            ],
            ["--json", "audit", "list"], ["report"], ["policy", "rollback", "--yes"],
        ]

    @Test func `the secret is in no output, no log and no record`() throws {
        let lab = try lab()
        for words in [["policy", "apply"]] + SensitiveKeyTests.others
            + SensitiveKeyTests.commands.map({ ["--user", "alice"] + $0 })
            + SensitiveKeyTests.others
        {
            let result = try lab.managed(words)
            #expect(!result.output.contains(SensitiveKeyTests.secret), "\(words): \(result.output)")
            #expect(!result.error.contains(SensitiveKeyTests.secret), "\(words): \(result.error)")
            #expect(!words.contains("write") || result.code != 0 || words.contains("S3CR3T-one"), "\(words)")
        }
        let records = try lab.managed("--json", "audit", "list", "--kind", "override").objects
        #expect(Set(records.compactMap { $0["key"] as? String }).isSuperset(of: ["Forced", "Token", "Pin"]))
        // Policy itself can be read by everybody: what may hold it are its files, their copies and the table.
        let allowed = [
            "/etc/managed-defaults/policies.d/", "/run/managed-defaults/policies.d/", "/var/lib/managed-defaults/good/",
            "/var/lib/managed-defaults/temporary/", "/var/lib/managed-defaults/generations/objects/",
            "/var/lib/managed-defaults/policy.table", "/home/alice/",
        ]
        for name in FileManager.default.enumerator(atPath: lab.path)?.compactMap({ $0 as? String }) ?? [] {
            guard let data = FileManager.default.contents(atPath: "\(lab.path)/\(name)") else { continue }
            let isThere = data.range(of: Data(SensitiveKeyTests.secret.utf8)) != nil
            #expect(!isThere || allowed.contains { "/\(name)".hasPrefix($0) }, "\(name)")
        }
    }

    /// Command lines that show records.
    private static let readers: [[String]] =
        [["audit", "list"], ["--json", "audit", "list"], ["audit", "list", "--limit", "5"]]
        + ["jsonl", "csv", "ocsf", "ecs", "rfc5424"].map { ["audit", "export", "--format", $0] }
        + ["text", "json", "csv", "html", "junit", "xccdf", "oscal", "ocsf", "prometheus"].map {
            ["report", "--format", $0]
        }

    @Test func `a key that becomes sensitive hides what was recorded before, and the log stays as it is`() throws {
        let lab = try Lab()
        /// Adds a policy file whose keys are sensitive or not.
        func add(_ metadata: String) throws {
            try lab.add(
                policy: "60-secret.json",
                """
                { "Identifier": "org.example.secret", \(metadata)
                  "Constraints": { "a.b": { "Pin": { "OneOf": ["S3CR3T-one", "S3CR3T-two"] } } },
                  "Forced": { "a.b": { "Forced": "S3CR3T-forced", "Other": "plain-forced" } } }
                """)
        }
        try add("")
        let long = "S3CR3T" + String(repeating: "x", count: 64)
        for words in [
            ["Forced", "S3CR3T-typed"], ["Forced", long], ["Pin", "S3CR3T-typed"], ["Other", "plain-typed"],
            ["{ Forced = S3CR3T-x; }"], ["Forced", "x"],
        ] {
            #expect(try lab.managed(["--user", "alice", "write", "a.b"] + words).code != 0, "\(words)")
        }
        let log = try String(contentsOfFile: lab.log, encoding: .utf8)
        #expect(log.contains("S3CR3T-typed") && log.contains("allowed: ") && log.contains("S3CR3T-two"), "\(log)")
        #expect(try lab.managed("audit", "list").output.contains("S3CR3T-typed"))
        try add(#""Metadata": { "a.b": { "Forced": { "Sensitive": true }, "Pin": { "Sensitive": true } } },"#)
        for words in SensitiveKeyTests.readers {
            let result = try lab.managed(words)
            #expect(!result.output.contains(SensitiveKeyTests.secret), "\(words): \(result.output)")
            #expect(!result.error.contains(SensitiveKeyTests.secret), "\(words): \(result.error)")
        }
        #expect(try lab.managed("audit", "list").output.contains("tried (sensitive) [string of 1 byte], "))
        for words in [["--json", "audit", "list"], ["report", "--format", "json"]] {
            let output = try lab.managed(words).output
            for size in [12, 70] {
                #expect(output.contains(#""tried":{"sensitive":true,"type":"string","size":\#(size)}"#), "\(output)")
            }
            #expect(output.contains(#""tried":"plain-typed""#), "\(output)")
        }
        // What has nothing to hide is byte for byte as it is stored, and so is the log.
        let lines = try lab.managed("audit", "export", "--format", "jsonl").output.split(separator: "\n")
        let stored = log.split(separator: "\n").filter { !$0.contains(SensitiveKeyTests.secret) }
        #expect(!stored.isEmpty && Set(lines).isSuperset(of: stored))
        #expect(try String(contentsOfFile: lab.log, encoding: .utf8).hasPrefix(log))
        #expect(try lab.managed("audit", "verify").code == 0)
    }

    @Test(arguments: ["cut", "nonsense", "loose", "folder"])
    func `what a manifest hid stays hidden when it breaks`(_ damage: String) throws {
        let lab = try lab()
        let folder = lab.path + "/etc/managed-defaults/manifests.d"
        let file = folder + "/m.n.plist"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        switch damage {
        case "cut":
            // The name of the file says nothing, and its subject is in its content.
            try FileManager.default.removeItem(atPath: file)
            try Data(text.prefix(150).utf8).write(to: URL(fileURLWithPath: folder + "/other.plist"))
            chmod(folder + "/other.plist", 0o644)
        case "nonsense": try Data("nonsense".utf8).write(to: URL(fileURLWithPath: file))
        case "loose": chmod(file, 0o666)
        default: chmod(folder, 0o777)
        }
        let commands = SensitiveKeyTests.commands.filter { $0.contains("m.n") || $0.count < 3 }
        for words in commands.map({ ["--user", "alice"] + $0 }) + [
            ["report"], ["--json", "report"], ["audit", "list"],
        ] {
            let result = try lab.managed(words)
            #expect(!result.output.contains("S3CR3T-t"), "\(damage) \(words): \(result.output)")
            #expect(!result.error.contains("S3CR3T-t"), "\(damage) \(words): \(result.error)")
        }
        let records = try lab.managed("--json", "audit", "list", "--kind", "override").objects
        #expect(records.contains { $0["key"] as? String == "Token" })
    }

    @Test func `what one side or the machine calls sensitive, diff shows of neither`() throws {
        let lab = try lab()
        let (one, other) = (lab.folder + "/one.json", lab.folder + "/other.json")
        for (path, value) in [(one, "S3CR3T-1"), (other, "S3CR3T-2")] {
            let text = "{\"Identifier\": \"org.example.x\", \"Forced\": {\"a.b\": {\"Forced\": \"\(value)\"}}}"
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        }
        let secret = "lab/etc/managed-defaults/policies.d/60-secret.json"
        for sides in [[secret, one], [one, secret], [one, other]] {
            for format in [[], ["--json"]] {
                let result = try lab.managed(["--user", "alice"] + format + ["policy", "diff"] + sides)
                #expect(result.code == 1 && !result.output.contains("S3CR3T"), "\(sides): \(result.output)")
                #expect(result.output.contains("sensitive"))
            }
        }
    }
}
