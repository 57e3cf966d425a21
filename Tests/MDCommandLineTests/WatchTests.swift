import Foundation
import MDTestSupport
import Testing

/// `watch`: a line now, and one for each change.
struct WatchTests {
    /// A key of the next line.
    private static func setting(_ watch: FollowingProgram, _ key: String) throws -> [String: Any] {
        let settings = try #require(try watch.object()["settings"] as? [String: [String: Any]])
        return settings[key] ?? [:]
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `prints all settings at once, and again when policy or a user changes one`(_ signal: Int32) throws {
        let lab = try Lab()
        let watch = try FollowingProgram(lab, ["--user", "alice", "watch", "a.b", "--json"])
        #expect(try Self.setting(watch, "Zoom").isEmpty)
        #expect(try lab.run(["write", "a.b", "Zoom", "-int", "3"]).code == 0)
        let own = try Self.setting(watch, "Zoom")
        #expect(own["value"] as? Int == 3 && own["forced"] as? Bool == false && own["origin"] == nil, "\(own)")
        try lab.add(
            policy: "95-zoom.json", #"{"Identifier":"z","Forced":{"a.b":{"Zoom":5}},"Absent":{"a.b":["Gone"]}}"#)
        let line = try #require(try watch.object()["settings"] as? [String: [String: Any]])
        #expect(line["Zoom"]?["value"] as? Int == 5 && line["Zoom"]?["forced"] as? Bool == true, "\(line)")
        #expect((line["Zoom"]?["origin"] as? [String: Any])?["line"] as? Int == 1)
        #expect(line["Gone"]?["forced"] as? Bool == true && line["Gone"]?["value"] == nil)
        watch.program.send(signal)
        #expect(try watch.program.code(within: 120) == 0)
    }

    @Test func `prints lines for people, each key that differs`() throws {
        let lab = try Lab()
        try lab.add(policy: "95-zoom.json", #"{"Identifier":"z","Forced":{"a.b":{"Zoom":5}},"Sealed":["a.b"]}"#)
        let watch = try FollowingProgram(lab, ["--user", "alice", "watch", "a.b", "Zoom"])
        #expect(try watch.line() == "Zoom = 5 (forced by lab/etc/managed-defaults/policies.d/95-zoom.json:1:36)\n")
        try lab.add(policy: "95-zoom.json", #"{"Identifier":"z","Forced":{"a.b":{"Other":5}}}"#)
        #expect(try watch.line() == "Zoom has no value\n")
        watch.program.send(SIGTERM)
        #expect(try watch.program.code(within: 120) == 0)
    }

    @Test func `policy that went without a record stays in force`() throws {
        let lab = try Lab()
        try lab.add(policy: "95-zoom.json", #"{"Identifier":"z","Forced":{"a.b":{"Zoom":5}}}"#)
        #expect(try lab.managed("policy", "apply").code == 0)
        let watch = try FollowingProgram(lab, ["--user", "alice", "watch", "a.b", "Zoom", "--json"])
        #expect(try watch.object()["value"] as? Int == 5)
        // The machine looks as if it never had policy.
        for folder in ["etc/managed-defaults", "var/lib/managed-defaults"] {
            try FileManager.default.moveItem(atPath: "\(lab.path)/\(folder)", toPath: "\(lab.path)/\(folder).away")
        }
        #expect(try lab.run(["write", "a.b", "Other", "1"]).code == 0)
        try FileManager.default.moveItem(
            atPath: lab.path + "/var/lib/managed-defaults.away", toPath: lab.path + "/var/lib/managed-defaults")
        try lab.add(policy: "95-zoom.json", #"{"Identifier":"z","Forced":{"a.b":{"Zoom":6}}}"#)
        #expect(try watch.object()["value"] as? Int == 6)
        watch.program.send(SIGTERM)
        #expect(try watch.program.code(within: 120) == 0)
    }

    @Test func `unknown policy is said, and every key counts as forced`() throws {
        let lab = try Lab()
        let folder = lab.path + "/etc/managed-defaults"
        try FileManager.default.removeItem(atPath: folder)
        // A loop of links: whether there is policy is unknown.
        try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "managed-defaults")
        for words in [["Zoom"], []] {
            let watch = try FollowingProgram(lab, ["--user", "alice", "watch", "a.b"] + words + ["--json"])
            let line = try watch.object()
            #expect(line["unknown"] != nil && line["settings"] == nil && line["value"] == nil, "\(line)")
            #expect(line["forced"] as? Bool == (words.isEmpty ? nil : true), "\(line)")
            watch.program.send(SIGTERM)
            #expect(try watch.program.code(within: 120) == 0)
            try FileManager.default.removeItem(atPath: lab.folder + "/out")
        }
    }

    @Test func `ends when its reader has gone, without a change`() throws {
        let lab = try Lab()
        let script = "( \"$0\" --root lab --user alice watch a.b --json; echo $? > code ) | head -n 1"
        let result = try SpawnedProgram.run(
            "/bin/bash", ["-c", script, MDefaultsProcess.path], environment: ["PATH": "/usr/bin:/bin"],
            folder: lab.folder)
        #expect(result.code == 0 && result.output.hasPrefix(#"{"domain":"a.b","settings":{"#), "\(result)")
        #expect(try String(contentsOfFile: lab.folder + "/code", encoding: .utf8) == "0\n")
    }
}
