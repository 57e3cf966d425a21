import Foundation
import MDTestSupport
import Testing

/// Questions about another host, from its facts.
struct FactsTests {
    /// A lab with its facts in a file that says something else.
    private func changed(_ lab: Lab, _ from: String, _ to: String) throws -> String {
        let facts = try lab.managed(["policy", "facts"])
        try #require(facts.code == 0)
        try #require(facts.output.contains(from))
        let path = URL(fileURLWithPath: lab.folder + "/facts.json")
        try facts.output.replacingOccurrences(of: from, with: to).write(to: path, atomically: true, encoding: .utf8)
        return path.path
    }

    @Test func `a host's own facts change no answer`() throws {
        let lab = try Lab()
        let path = try changed(lab, "\"Host\"", "\"Host\"")
        for verb in [["policy", "show"], ["forced"]] {
            let own = try lab.managed(["--user", "alice", "--json"] + verb)
            let told = try lab.managed(["--user", "alice", "--facts", path, "--json"] + verb)
            #expect(own.code == 0)
            #expect(told.output == own.output)
        }
    }

    @Test func `the zone is the one that localtime leads to`() throws {
        let lab = try Lab()
        #expect(try lab.managed(["policy", "facts"]).output.contains("\"TimeZone\": \"UTC\""))
        try FileManager.default.createSymbolicLink(
            atPath: lab.path + "/etc/localtime", withDestinationPath: "/usr/share/zoneinfo/America/Argentina/Ushuaia")
        #expect(try lab.managed(["policy", "facts"]).output.contains("\"TimeZone\": \"America/Argentina/Ushuaia\""))
    }

    @Test func `another name meets other host patterns`() throws {
        let lab = try Lab()
        let path = try changed(lab, "\"Host\": \"room1-pc03\"", "\"Host\": \"room2-pc09.lab.example\"")
        let list = try lab.managed(["--user", "alice", "--facts", path, "policy", "list"])
        #expect(list.output.contains("host glob room1-* does not match room2-pc09"))
        #expect(!list.output.contains("host glob room2-*"))
    }

    @Test func `another group meets other groups`() throws {
        let lab = try Lab()
        let own = try lab.managed(["--user", "alice", "policy", "list"])
        #expect(own.output.contains("applies to group teachers; alice is in students"))
        let facts = "{ // by hand\n\"Host\": \"room1-pc03\", \"Users\": {\"alice\": {\"Groups\": [\"teachers\"]}},}"
        let path = URL(fileURLWithPath: lab.folder + "/facts.json")
        try facts.write(to: path, atomically: true, encoding: .utf8)
        let told = try lab.managed(["--user", "alice", "--facts", path.path, "policy", "list"])
        #expect(told.code == 0)
        #expect(!told.output.contains("applies to group teachers"))
    }

    @Test func `what facts lack is not made up`() throws {
        let lab = try Lab()
        let policy = """
            { "Identifier": "edu.example.v", "Enforced": true,
              "Forced": { "org.v": { "Id": "${uid}", "Home": "${home}", "User": "${user}" } } }
            """
        try Data(policy.utf8).write(
            to: URL(fileURLWithPath: lab.path + "/etc/managed-defaults/policies.d/00-v.json"))
        let path = lab.folder + "/facts.json"
        /// What is said of a user who is all that the facts have.
        func forced(
            _ user: String, _ zone: String = ", \"TimeZone\": \"UTC\""
        ) throws -> (lines: [String], error: String) {
            try Data(#"{ "Host": "pc7"\#(zone), "Users": { "zoe": \#(user) } }"#.utf8)
                .write(to: URL(fileURLWithPath: path))
            let result = try lab.managed(["--user", "zoe", "--facts", path, "forced", "org.v"])
            return (result.output.split(separator: "\n").map(String.init), result.error)
        }
        let known = try forced(#"{ "UID": 5000, "Home": "/srv/zoe" }"#)
        #expect(known.lines.contains { $0.contains("5000") } && known.lines.contains { $0.contains("/srv/zoe") })
        #expect(!known.error.contains("TimeZone"))
        let unknown = try forced("{}", "")
        #expect(unknown.lines.contains { $0.contains("User = \"zoe\"") }, "\(unknown)")
        #expect(!unknown.lines.contains { $0.contains("42000") || $0.contains("/home") }, "\(unknown)")
        #expect(unknown.error.contains("has no TimeZone"))
    }

    @Test func `what users have stored elsewhere is not known`() throws {
        let lab = try Lab()
        let path = try changed(lab, "\"Host\"", "\"Host\"")
        let explained = try lab.managed(
            ["--user", "bob", "--facts", path, "explain", "org.example.Browser", "HomePage"])
        #expect(explained.code == 0)
        #expect(explained.output.contains("forced"))
        #expect(!explained.output.contains(".config"))
        for verb in ["read", "report", "doctor", "domains", "policy lint"] {
            let words = verb.split(separator: " ").map(String.init)
            let result = try lab.managed(["--user", "bob", "--facts", path] + words)
            #expect(result.code == 2)
            #expect(result.error.contains("--facts tells about another host"))
        }
    }

    @Test(arguments: [
        ("{}", "1:1: the field Host is missing"),
        ("{\"Host\": \"a b\"}", "1:10: Host cannot be the name of a host"),
        ("{\"Host\": \"a\", \"Host\": \"b\"}", "1:15: the field Host stands twice"),
        ("{\"Host\": \"a\",\n \"Hosts\": []}", "2:2: a facts file has no field \"Hosts\""),
        ("{\"Host\": \"a\", \"TimeZone\": \"../x\"}", "1:27: TimeZone cannot be the name of a time zone"),
        ("{\"Host\": \"a\", \"Tags\": \"x\"}", "1:23: Tags must be an array of strings"),
        ("{\"Host\": \"a\", \"Users\": {\"u\": {\"UID\": -1}}}", "1:38: UID must be a number from 0 to 4294967295"),
        ("{\"Host\": \"a\", \"Users\": {\"u\": {\"Uid\": 1}}}", "1:31: a user has no field \"Uid\""),
        ("{\"Host\": \"a\", \"Groups\": {\"g\": 4294967296}}", "1:31: the id of a group must be a number"),
        ("[]", "the root"),
    ])
    func `a mistake is told with its place`(_ text: String, _ message: String) throws {
        let lab = try Lab()
        let path = URL(fileURLWithPath: lab.folder + "/facts.json")
        try text.write(to: path, atomically: true, encoding: .utf8)
        let result = try lab.managed(["--user", "u", "--facts", path.path, "policy", "show"])
        #expect(result.code == 5)
        #expect(result.error.contains(message), "\(result.error)")
    }

    @Test func `whom the facts do not name is nobody`() throws {
        let lab = try Lab()
        let path = URL(fileURLWithPath: lab.folder + "/facts.json")
        try "{\"Host\": \"a\", \"Users\": {\"u\": {}}}".write(to: path, atomically: true, encoding: .utf8)
        let result = try lab.managed(["--user", "alice", "--facts", path.path, "policy", "show"])
        #expect(result.code == 2)
        #expect(result.error.contains("The facts file has no user alice. There are: u."))
    }
}
