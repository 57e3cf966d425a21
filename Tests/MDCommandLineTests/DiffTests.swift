import Foundation
import MDTestSupport
import Testing

/// The output of `policy diff` about its two sides.
struct DiffTests {
    @Test func `a side without a policy file is named, and one with some is not`() throws {
        let lab = try Lab()
        let empty = lab.folder + "/empty"
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        let result = try lab.managed("--user", "alice", "policy", "diff", empty, "lab")
        #expect(result.code == 1 && result.output.contains("org.example.Browser"), "\(result)")
        #expect(result.error == "mdefaults: \(empty) has no policy file, so everything differs from nothing.\n")
        let same = try lab.managed("--user", "alice", "policy", "diff", "lab", "lab")
        #expect(same.code == 0 && !same.error.contains("no policy file"), "\(same)")
    }

    @Test func `folders without policy files are not called alike`() throws {
        let lab = try Lab()
        for name in ["a", "b"] {
            try FileManager.default.createDirectory(
                atPath: "\(lab.folder)/\(name)/docs", withIntermediateDirectories: true)
        }
        let none = try lab.managed("--user", "alice", "policy", "diff", "a", "b")
        #expect(none.code == 5 && none.output == "", "\(none)")
        #expect(none.error.contains("a has no policy file") && none.error.contains("b has no policy file"))
        #expect(none.error.hasSuffix("mdefaults: There is no policy to compare.\n"))
    }

    @Test func `people that the same entries and waivers are for stand together, and nobody else`() throws {
        let lab = try Lab()
        for (name, text) in [
            ("a", #"{"Forced": {"d": {"k": 1}}}"#),
            ("b", #"{"Target": {"Groups": ["students"]}, "Forced": {"d": {"k": "${home}"}}}"#),
            (
                "c",
                #"{"Forced": {"d": {"k": 2}}, "Waivers": [{"Users": ["bob"], "Domain": "d", "Key": "k", "Reason": "r"}]}"#
            ),
            ("e", #"{"Target": {"Groups": ["students"]}, "Forced": {"d": {"k": "${uid}"}}}"#),
        ] {
            try FileManager.default.createDirectory(
                atPath: "\(lab.folder)/\(name)", withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(lab.folder)/\(name)/10-a.json"))
        }
        /// The groups of people, each in one word, the largest first.
        func groups(_ side: String) throws -> [String] {
            let result = try lab.managed("policy", "diff", "a", side, "--json")
            let groups = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]]
            return try #require(groups).compactMap { ($0["users"] as? [String])?.joined(separator: " ") }
        }
        let (students, others) = ("alice bob chen dora", "root labtech weber exam01")
        #expect(try groups("b") == [others, students])
        #expect(try groups("c").contains("bob") && groups("c").count == 2)
        #expect(try groups("e") == [others, "alice", "bob", "chen", "dora"])
    }

    @Test func `of a checkout the policies beneath are meant`() throws {
        let lab = try Lab()
        for (name, value) in [("a", 1), ("b", 2)] {
            let folder = "\(lab.folder)/\(name)/policies.d"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("{\"Identifier\": \"e.a\", \"Forced\": {\"d\": {\"k\": \(value)}}}".utf8).write(
                to: URL(fileURLWithPath: "\(folder)/10-a.json"))
        }
        let differing = try lab.managed("--user", "alice", "policy", "diff", "a", "b")
        #expect(differing.code == 1 && differing.error == "", "\(differing)")
        #expect(
            differing.output.hasPrefix("For alice on room1-pc03:\n~ d k\n")
                && differing.output.contains("a/policies.d/10-a.json"))
        #expect(try lab.managed("--user", "alice", "policy", "diff", "a", "a/policies.d").code == 0)
        try FileManager.default.removeItem(atPath: lab.folder + "/a/policies.d")
        try FileManager.default.createSymbolicLink(
            atPath: lab.folder + "/a/policies.d", withDestinationPath: "policies.d")
        let obstructed = try lab.managed("--user", "alice", "policy", "diff", "a", "b")
        #expect(obstructed.code == 4 && obstructed.error.contains("a/policies.d: Too many levels"), "\(obstructed)")
    }

    /// Whether the machine that runs the tests has policy of its own.
    private static let hasPolicy = ["/etc", "/run"].contains {
        FileManager.default.fileExists(atPath: $0 + "/managed-defaults")
    }

    @Test(.enabled(if: !hasPolicy, "this machine has policy"))
    func `the top of the machine is a machine, whatever lies there`() throws {
        let lab = try Lab()
        for word in ["/", "//", "/.", "/etc/.."] {
            let result = try lab.managed("--user", "alice", "policy", "diff", word, "lab")
            #expect(result.code == 1 && result.output.contains("org.example.Browser"), "\(result)")
            #expect(result.error == "mdefaults: \(word) has no policy file, so everything differs from nothing.\n")
        }
    }

    /// What `policy diff` says of two policy files, as text and as JSON.
    private static func diff(
        _ before: String, _ after: String
    ) throws -> (text: MDefaultsProcess.Result, before: [String: Any], after: [String: Any]) {
        let lab = try Lab()
        for (name, body) in [("x", before), ("y", after)] {
            try Data("{\"Identifier\": \"e.a\", \(body)}".utf8).write(
                to: URL(fileURLWithPath: "\(lab.folder)/\(name).json"))
        }
        let json = try lab.managed("--user", "alice", "policy", "diff", "x.json", "y.json", "--json").output
        let items = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        let item = try #require(items?.first, "\(json)")
        #expect(items?.count == 1)
        return (
            try lab.managed("--user", "alice", "policy", "diff", "x.json", "y.json"),
            try #require(item["before"] as? [String: Any]), try #require(item["after"] as? [String: Any])
        )
    }

    @Test func `what becomes of a write is shown where it differs`() throws {
        let body = #""Forced": {"d": {"k": 5}}"#
        let (text, before, after) = try Self.diff(body, body + #", "OnOverride": "shadow""#)
        #expect(text.code == 1)
        #expect(text.output.contains("\n  - forced = 5\n") && text.output.contains("\n  + forced = 5, shadow\n"))
        #expect(before["onOverride"] as? String == "refuse" && after["onOverride"] as? String == "shadow")
    }

    @Test func `a new version of what is set once is a difference`() throws {
        let body = #""SetOnce": {"d": {"k": 5}}, "Version": "#
        let (text, before, after) = try Self.diff(body + "1", body + "2")
        #expect(text.code == 1)
        #expect(text.output.hasPrefix("For alice on room1-pc03:\n~ d k\n"))
        #expect(text.output.contains("\n  - setOnce = 5, version 1 of e.a\n"))
        #expect(text.output.contains("\n  + setOnce = 5, version 2 of e.a\n"))
        #expect(before["occasion"] as? String == "version 1 of e.a")
        #expect(after["occasion"] as? String == "version 2 of e.a")
        #expect(before["onOverride"] == nil)
    }
}
