import Foundation
import MDTestSupport
import Testing

/// `policy forget`: ends what is recorded of missing directories, and a time floor ahead of the clock.
struct ForgetTests {
    /// A question about a key that the lab forces.
    private static let question = ["--user", "alice", "forced", "org.example.Browser", "HomePage"]

    /// The notes of the records about policy.
    private func notes(_ lab: Lab) throws -> [String] {
        try lab.managed("audit", "list", "--kind", "policy", "--json").objects.compactMap { $0["note"] as? String }
    }

    /// A lab whose policy is recorded, and whose own directory of policy was moved away then.
    private func bereft() throws -> Lab {
        let lab = try Lab()
        #expect(try lab.managed("policy", "apply").code == 0)
        try FileManager.default.moveItem(atPath: lab.policies, toPath: lab.folder + "/away")
        return lab
    }

    @Test func `what is recorded of a directory that is gone ends with forget alone, and is in the audit log`() throws {
        let lab = try bereft()
        let count = try FileManager.default.contentsOfDirectory(atPath: lab.folder + "/away").filter {
            $0.hasSuffix(".json") || $0.hasSuffix(".plist")
        }.count
        #expect(try lab.managed("policy", "apply").code != 0)
        #expect(try lab.managed(Self.question).code == 0)
        let result = try lab.managed("policy", "forget", "--json")
        #expect(result.code == 0, "\(result)")
        #expect(try result.object["directories"] as? [String] == ["lab/etc/managed-defaults/policies.d"])
        let changes = try result.object["changes"] as? [[String: String]] ?? []
        #expect(changes.count == count && changes.allSatisfy { $0["from"]?.count == 64 }, "\(result)")
        let ended = try notes(lab).filter { $0.hasPrefix("forgotten, because its directory is gone; from sha256 ") }
        #expect(ended.count == count)
        let free = try lab.managed(Self.question)
        #expect(free.code == 1 && free.output == "not forced\n", "\(free)")
        let again = try lab.managed("policy", "forget")
        #expect(again.code == 1 && again.output == "Nothing is recorded of a directory that is gone.\n", "\(again)")
    }

    @Test func `a directory that is there keeps what is recorded of it, also of a file that is gone`() throws {
        let lab = try Lab()
        #expect(try lab.managed("policy", "apply").code == 0)
        try FileManager.default.removeItem(atPath: lab.policies + "/20-classroom.json")
        #expect(try lab.managed("policy", "forget").code == 1)
        #expect(try lab.managed(Self.question).code == 0)
        let list = try lab.managed("--user", "alice", "policy", "list", "--json").objects
        #expect(list.filter { $0["inForce"] as? String == "removed" }.count == 1)
    }

    @Test func `nothing ends that the audit log cannot hold`() throws {
        let lab = try bereft()
        let log = lab.path + "/var/log/managed-defaults"
        try FileManager.default.removeItem(atPath: log)
        try Data("no log".utf8).write(to: URL(fileURLWithPath: log))
        let result = try lab.managed("policy", "forget")
        #expect(result.code == 4 && result.output == "", "\(result)")
        #expect(result.error.contains("Nothing was ended: it could not be recorded in the audit log."), "\(result)")
        #expect(try lab.managed(Self.question).code == 0)
    }

    @Test func `where both folders are away nothing is recorded, and forget writes an empty record`() throws {
        let lab = try Lab()
        #expect(try lab.managed("policy", "apply").code == 0)
        for name in ["etc/managed-defaults", "run/managed-defaults", "var/lib/managed-defaults"] {
            try FileManager.default.removeItem(atPath: "\(lab.path)/\(name)")
        }
        // The folder alone, which tmpfiles make, changes nothing.
        for isThere in [false, true] {
            if isThere {
                try FileManager.default.createDirectory(
                    atPath: lab.path + "/var/lib/managed-defaults", withIntermediateDirectories: true)
            }
            let apply = try lab.managed("policy", "apply")
            #expect(apply.code == 0 && apply.error.contains("There is no policy to record: neither"), "\(apply)")
        }
        let record = lab.path + "/var/lib/managed-defaults/policy.record"
        #expect(!FileManager.default.fileExists(atPath: record))
        #expect(try lab.managed("policy", "forget", "--clock").code == 1)
        #expect(try lab.managed("policy", "forget", "now").code == 2)
        #expect(!FileManager.default.fileExists(atPath: record))
        try FileManager.default.removeItem(atPath: lab.path + "/var/lib/managed-defaults")
        #expect(try lab.managed("policy", "forget").code == 0)
        #expect(FileManager.default.fileExists(atPath: record))
        #expect(try notes(lab).contains("was gone; what running programs retained ends"))
        #expect(try lab.managed("policy", "forget").code == 1)
    }

    @Test func `a recorded time far ahead of the clock is said by apply, and ends with a record`() throws {
        let lab = try Lab()
        #expect(try lab.managed("policy", "apply").code == 0)
        #expect(try lab.managed("policy", "forget", "--clock").code == 1)
        let waiver = [
            "policy", "grant", "--for", "5m", "--user", "bob", "--reason", "x", "org.example.Browser", "HomePage",
        ]
        let record = "/var/lib/managed-defaults/policy.record"
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 3 * 86_400)], ofItemAtPath: lab.path + record)
        let apply = try lab.managed("policy", "apply")
        #expect(apply.code == 1 && apply.error.contains("more than a day ahead of the clock"), "\(apply)")
        #expect(try lab.managed(waiver).code == 1)
        // What is recorded meanwhile does not make the clock right.
        try lab.add(policy: "99-new.json", #"{"Identifier":"org.example.new","Forced":{"a.b":{"c":1}}}"#)
        #expect(try lab.managed("policy", "apply").code == 1)
        let result = try lab.managed("policy", "forget", "--clock", "--json")
        #expect(result.code == 0, "\(result)")
        #expect(try (result.object["files"] as? [String])?.contains("lab\(record)") == true, "\(result)")
        #expect(try notes(lab).contains("the recorded time lay ahead of the clock, and ends"))
        #expect(try lab.managed("policy", "apply").code == 0)
        #expect(try lab.managed(waiver).code == 0)
        #expect(try lab.managed("policy", "forget", "--clock").code == 1)
    }

    /// Verbs that record, with words that would have them look at policy.
    private static let recording = [
        "policy apply", "policy rollback", "policy forget", "policy forget --clock", "policy exam stop",
        "policy exam start math --for 1h", "policy grant revoke --user bob kCFPreferencesAnyApplication K",
        "policy grant --for 5m --user bob --reason x kCFPreferencesAnyApplication K",
    ]

    @Test(.enabled(if: UserIdentityTests.isRoot, "needs root"), arguments: recording)
    func `who may not record policy is told so before anything of it is read`(_ words: String) throws {
        let lab = try Lab()
        // A file that each policy-reading command mentions.
        try lab.add(policy: "90-new.json", "{}")
        chmod(lab.folder, 0o755)
        let command =
            ["--reuid", "2002", "--regid", "2002", "--clear-groups", MDefaultsProcess.path, "--root", lab.path]
            + words.split(separator: " ").map(String.init)
        let result = try SpawnedProgram.run("/usr/bin/setpriv", command, folder: lab.folder)
        #expect(result.code == 4 && result.output == "", "\(result)")
        #expect(result.error.hasPrefix("mdefaults: Only the owner of \(lab.path) may "), "\(result)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result)")
    }
}
