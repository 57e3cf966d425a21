import Foundation
import MDTestSupport
import Testing

/// The formats of `policy lint`, and its fixes.
struct LintFormatTests {
    /// The fields that SARIF 2.1.0 has for each kind of object that is written, of those that are used here.
    private static let fields: [String: Set<String>] = [
        "log": ["$schema", "version", "runs"], "run": ["tool", "invocations", "columnKind", "results"],
        "driver": ["name", "version", "rules"],
        "rule": ["id", "shortDescription", "help", "defaultConfiguration", "properties"],
        "result": ["ruleId", "ruleIndex", "level", "message", "locations"],
    ]

    /// Files with findings of several kinds, an odd name and a binary file among them.
    private func examples(_ lab: Lab) throws -> [String] {
        let files: [(String, Data)] = [
            ("a b.json", Data("{ \"Identifier\": \"x\", \"Enforce\": true }".utf8)),
            ("ü.json", Data("{ \"Identifier\": \"a.b\", \"Target\": { \"Users\": [] } }".utf8)),
            (
                "binary.plist",
                try PropertyListSerialization.data(fromPropertyList: ["Version": "3"], format: .binary, options: 0)
            ),
        ]
        for (name, data) in files { try data.write(to: URL(fileURLWithPath: lab.folder + "/" + name)) }
        return files.map(\.0)
    }

    @Test func `writes SARIF with rules, regions and relative addresses`() throws {
        let lab = try Lab()
        let names = try examples(lab)
        let result = try lab.managed(["policy", "lint", "--format", "sarif", "./" + names[0]] + names.dropFirst())
        #expect(result.code == 1)
        #expect(result.error == "")
        let log = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(Set(log.keys) == Self.fields["log"])
        #expect(log["version"] as? String == "2.1.0")
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        #expect(Set(run.keys) == Self.fields["run"])
        #expect(run["columnKind"] as? String == "unicodeCodePoints")
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(Set(driver.keys) == Self.fields["driver"])
        let rules = try #require(driver["rules"] as? [[String: Any]])
        for rule in rules {
            #expect(Set(rule.keys) == Self.fields["rule"])
            #expect((rule["shortDescription"] as? [String: String])?["text"]?.hasSuffix(".") == true)
            #expect((rule["help"] as? [String: String])?["text"]?.isEmpty == false)
        }
        let results = try #require(run["results"] as? [[String: Any]])
        var seen: [String] = []
        for result in results {
            #expect(Set(result.keys) == Self.fields["result"])
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
            #expect(["error", "warning"].contains(result["level"] as? String))
            let location = try #require(
                (result["locations"] as? [[String: Any]])?.first?["physicalLocation"] as? [String: Any])
            let address = try #require((location["artifactLocation"] as? [String: Any])?["uri"] as? String)
            let region = try #require(location["region"] as? [String: Int])
            seen.append("\(address) \(region.keys.sorted()) \(result["ruleId"] ?? "")")
        }
        #expect(
            seen == [
                "a%20b.json [\"startColumn\", \"startLine\"] unknown-field",
                "binary.plist [\"byteOffset\"] wrong-type",
                "%C3%BC.json [\"startColumn\", \"startLine\"] no-entries",
                "%C3%BC.json [\"startColumn\", \"startLine\"] empty-clause",
            ])
        #expect(rules.count == 4)
    }

    @Test func `writes SARIF without findings, and says when something could not be checked`() throws {
        let lab = try Lab()
        // Beside the others of its folder it has findings.
        let folder = lab.folder + "/alone"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            atPath: lab.path + "/etc/managed-defaults/policies.d/10-site.json", toPath: folder + "/10-site.json")
        let clean = try lab.managed("policy", "lint", "--format=sarif", folder + "/10-site.json")
        #expect(clean.code == 0)
        #expect(clean.output.contains("\"executionSuccessful\": true"))
        #expect(clean.output.contains("\"results\": []"))
        let missing = try lab.managed("policy", "lint", "--format", "sarif", lab.folder + "/missing.json")
        #expect(missing.code == 4)
        #expect(missing.output.contains("\"executionSuccessful\": false"))
        #expect(missing.output.contains("\"uri\": \"file:///"))
    }

    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["SARIF_SCHEMA"] != nil && Tool.isAvailable("python3"),
            "SARIF_SCHEMA does not name the OASIS schema (Tests/Checks/PolicySchema/sarif.py fetch FILE), or python3 is missing"
        ))
    func `validates against the OASIS schema`() throws {
        let lab = try Lab()
        let names = try examples(lab)
        let result = try lab.managed(["policy", "lint", "--format", "sarif"] + names)
        let log = lab.folder + "/log.sarif"
        try Data(result.output.utf8).write(to: URL(fileURLWithPath: log))
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let check = try SpawnedProgram.run(
            try #require(Tool.path("python3")), [tests.path + "/Checks/PolicySchema/sarif.py", log])
        #expect(check.code == 0, "\(check)")
    }

    @Test func `mends files, keeps their modes and links, and says what it changed`() throws {
        let lab = try Lab()
        let path = lab.folder + "/one.json"
        try Data("{ \"Identifer\": \"a.b\", \"Banana\": 1 } // kept\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try FileManager.default.createSymbolicLink(atPath: lab.folder + "/link.json", withDestinationPath: "one.json")
        let result = try lab.managed("policy", "lint", "--fix", "link.json")
        #expect(result.code == 1)
        #expect(
            result.output == """
                link.json:1:3: fixed: replaced "Identifer" by "Identifier" [unknown-field]
                link.json:1:24: error: a policy file has no field "Banana" [unknown-field]
                    { "Identifier": "a.b", "Banana": 1 } // kept
                                           ^

                """)
        #expect(
            try String(contentsOfFile: path, encoding: .utf8) == "{ \"Identifier\": \"a.b\", \"Banana\": 1 } // kept\n")
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: lab.folder + "/link.json") == "one.json")
        // Nothing is left to mend, and JSON stays JSON.
        try Data("{ \"Identifer\": \"a.b\", \"Sealed\": [\"c.d\"] }".utf8).write(to: URL(fileURLWithPath: path))
        let json = try lab.managed("policy", "lint", "--fix", "one.json", "--json")
        #expect(json.code == 0)
        #expect(json.output == "[]\n")
        #expect(json.error == "one.json:1:3: fixed: replaced \"Identifer\" by \"Identifier\" [unknown-field]\n")
        #expect(try lab.managed("policy", "lint", "--fix", "one.json").output == "")
    }

    @Test func `mends the policy of a root, and refuses to mend at another time`() throws {
        let lab = try Lab()
        try lab.add(policy: "95-new.json", "{ \"Identifier\": \"a.new\", \"Versio\": 1 }")
        let result = try lab.managed("policy", "lint", "--fix")
        #expect(result.code == 0)
        #expect(result.output.contains("95-new.json:1:26: fixed: replaced \"Versio\" by \"Version\" [unknown-field]"))
        #expect(try lab.managed("--at", "2026-11-20T08:00:00Z", "policy", "lint", "--fix").code == 2)
    }

    @Test func `a file that is mended says that its signature does not match any more`() throws {
        let lab = try Lab()
        for name in ["signed.json", "unsigned.json"] {
            try Data("{ \"Identifier\": \"a.b\", \"Enforced\": \"true\", \"Sealed\": [\"c.d\"] }".utf8).write(
                to: URL(fileURLWithPath: "\(lab.folder)/\(name)"))
        }
        try Data("x".utf8).write(to: URL(fileURLWithPath: lab.folder + "/signed.json.sig"))
        let result = try lab.managed("policy", "lint", "--fix", "signed.json", "unsigned.json")
        #expect(result.output.contains("signed.json.sig: does not match any more; sign the file anew: ssh-keygen -Y"))
        #expect(!result.output.contains("unsigned.json.sig"))
    }
}
