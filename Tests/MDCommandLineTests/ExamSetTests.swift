import Foundation
import MDTestSupport
import Testing

/// Grants and exams if policy has to be signed.
@Suite(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/ssh-keygen"), "ssh-keygen is not installed"))
struct SignedTemporaryPolicyTests {
    /// A lab that asks for signatures, all of whose files are signed.
    private final class SignedLab {
        /// The machine.
        let lab: Lab
        /// The key of a signer that the machine trusts.
        var key: String { lab.folder + "/admin" }
        /// The key of somebody else.
        var strange: String { lab.folder + "/stranger" }
        /// The directory of the sets.
        var sets: String { lab.path + "/etc/managed-defaults/sets.d" }

        init() throws {
            lab = try Lab()
            for path in [key, strange] { try Self.run(["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", path]) }
            let words = try String(contentsOfFile: key + ".pub", encoding: .utf8).split(separator: " ")
            let list = "admin@example.org \(words[0]) \(words[1])"
            let path = lab.path + "/etc/managed-defaults/trusted-signers"
            try Data(list.utf8).write(to: URL(fileURLWithPath: path))
            chmod(path, 0o644)
            for folder in [lab.policies, lab.path + "/run/managed-defaults/policies.d"] {
                for name in try FileManager.default.contentsOfDirectory(atPath: folder)
                where name.hasSuffix(".json") || name.hasSuffix(".plist") {
                    try sign("\(folder)/\(name)")
                }
            }
            let applied = try lab.managed("policy", "apply")
            try #require(applied.code == 0, "\(applied.output)\(applied.error)")
        }

        /// Signs a file.
        func sign(_ path: String, with other: String? = nil) throws {
            try? FileManager.default.removeItem(atPath: path + ".sig")
            try Self.run(["-q", "-Y", "sign", "-n", "managed-defaults", "-f", other ?? key, path])
            chmod(path + ".sig", 0o644)
        }

        /// Writes a file of the set `math`.
        func write(_ name: String, version: Int? = nil) throws {
            try FileManager.default.createDirectory(atPath: sets + "/math", withIntermediateDirectories: true)
            let text =
                "{\"Identifier\": \"org.example.math\", \(version.map { "\"Version\": \($0), " } ?? "")\"Forced\": {\"org.example.Browser\": {\"HomePage\": \"exam\"}}}"
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(sets)/math/\(name)"))
            for folder in [sets, sets + "/math"] { chmod(folder, 0o755) }
            chmod("\(sets)/math/\(name)", 0o644)
        }

        /// The names of temporary policy that begin with a text.
        func names(_ prefix: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: lab.path + "/run/managed-defaults/policies.d").filter {
                $0.hasPrefix(prefix)
            }
        }

        /// Runs the tool.
        private static func run(_ arguments: [String]) throws {
            let result = try SpawnedProgram.run("/usr/bin/ssh-keygen", arguments)
            try #require(result.code == 0)
        }
    }

    /// A grant to bob.
    private static let grant = [
        "policy", "grant", "--for", "45m", "--user", "bob", "--reason", "thesis", "org.example.Browser", "HomePage",
    ]
    /// A question about bob.
    private static let question = ["--user", "bob", "forced", "org.example.Browser", "HomePage"]

    @Test func `a grant is trusted by its place, and any other file of run is not`() throws {
        let machine = try SignedLab()
        #expect(try machine.lab.managed(Self.question).code == 0)
        let grant = try machine.lab.managed(Self.grant)
        #expect(grant.code == 0, "\(grant.error)")
        #expect(try machine.lab.managed(Self.question).code == 1)
        let name = try #require(try machine.names("00-grant-").first)
        let folder = machine.lab.path + "/run/managed-defaults/policies.d"
        // Its good copy counts, too, where the file breaks.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))
        try Data("{".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        #expect(try machine.lab.managed(Self.question).code == 1)
        try bytes.write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        #expect(
            try machine.lab.managed(["policy", "grant", "revoke"] + Self.question.filter { $0 != "forced" }).code == 0)
        #expect(try machine.lab.managed(Self.question).code == 0)
        // Without the field, or in the other directory, it has to be signed.
        let plain = try #require(String(data: bytes, encoding: .utf8)).replacing(
            #/"Temporary": \{[^}]*\},/#, with: "")
        for (path, text) in [
            ("\(folder)/\(name)", Data(plain.utf8)), ("\(machine.lab.policies)/\(name)", bytes),
        ] {
            try text.write(to: URL(fileURLWithPath: path))
            chmod(path, 0o644)
            #expect(try machine.lab.managed(Self.question).code == 0)
            let lint = try machine.lab.managed("policy", "lint").output
            #expect(lint.contains("\(name):1:1: error: the file is not obeyed, because it has no signature"), "\(lint)")
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `an exam is started of files that a trusted key signed`() throws {
        let machine = try SignedLab()
        try machine.write("10-a.json")
        let start = ["policy", "exam", "start", "--yes", "math", "--for", "1h"]
        let unsigned = try machine.lab.managed(start)
        #expect(unsigned.code == 1 && unsigned.error.contains("10-a.json is not signed as it must be"))
        #expect(unsigned.error.contains("it has no signature beside it"))
        try machine.sign(machine.sets + "/math/10-a.json")
        let signed = try machine.lab.managed(start)
        #expect(signed.code == 0, "\(signed.error)")
        #expect(!signed.error.contains("is not read"))
        #expect(try machine.names("00-exam-math-") == ["00-exam-math-10-a.json"])
        let list = try machine.lab.managed("--user", "bob", "policy", "list", "--json").objects
        let item = try #require(list.first { ($0["file"] as? String)?.contains("00-exam-math-") == true })
        #expect(item["inForce"] as? String == "current" && item["signature"] == nil)
        #expect(item["enforced"] as? Bool == true && item["ends"] != nil)
        // The content is that of the set: a file that was changed after it was signed starts no exam.
        let path = machine.sets + "/math/10-a.json"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try Data((text + " ").utf8).write(to: URL(fileURLWithPath: path))
        let changed = try machine.lab.managed(start)
        #expect(changed.code == 1 && changed.error.contains("10-a.json is not signed as it must be"))
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try machine.sign(path, with: machine.strange)
        let strange = try machine.lab.managed(start)
        #expect(strange.code == 1 && strange.error.contains("has the key that signed it"), "\(strange.error)")
        #expect(try machine.lab.managed("policy", "exam", "stop", "math").code == 0)
        #expect(try machine.names("00-exam-math-").isEmpty)
    }
}

/// Old files with good signatures, in sets and to be installed.
extension SignedTemporaryPolicyTests {
    @Test func `an exam is not started of an older set, and an older file is not installed`() throws {
        let machine = try SignedLab()
        let path = "\(machine.sets)/math/10-a.json"
        let start = ["policy", "exam", "start", "--yes", "math", "--for", "1h"]
        for version in [3, 2] {
            try machine.write("10-a.json", version: version)
            try machine.sign(path)
            let started = try machine.lab.managed(start)
            #expect(started.code == (version == 3 ? 0 : 1), "\(started.error)")
            guard version == 2 else { continue }
            let place = "math/10-a.json:1:47: its Version 2 is lower than 3"
            #expect(started.error.contains("Nothing was put in force") && started.error.contains(place))
        }
        let installed = try machine.lab.managed("policy", "install", path, "--yes")
        #expect(installed.code == 1)
        #expect(installed.error.contains("math/10-a.json:1:47: error: its Version 2 is lower than 3"))
        #expect(installed.error.contains("[old-version]"), "\(installed.error)")
        #expect(!FileManager.default.fileExists(atPath: machine.lab.policies + "/10-a.json"))
    }
}

/// Sets of policy files that are unreadable, or whose place is taken.
struct ExamSetTests {
    @Test func `a link of a set that leads to nothing is named, and the set is there`() throws {
        let lab = try Lab()
        let sets = lab.path + "/etc/managed-defaults/sets.d"
        let manager = FileManager.default
        try manager.createDirectory(atPath: sets + "/mix", withIntermediateDirectories: true)
        let policy = Data("{\"Identifier\": \"org.example.a\", \"Forced\": {\"a.b\": {\"c\": 1}}}".utf8)
        try policy.write(to: URL(fileURLWithPath: sets + "/mix/10-a.json"))
        for (path, word) in [("mix/20-b.json", "mix"), ("alone", "alone"), ("single.json", "single")] {
            for target in ["/dev/null", "nowhere", (path as NSString).lastPathComponent, "../.."] {
                let link = "\(sets)/\(path)"
                try manager.createSymbolicLink(atPath: link, withDestinationPath: target)
                defer { try? manager.removeItem(atPath: link) }
                // A folder is a set, whatever is in it.
                if target == "../.." && path != "mix/20-b.json" { continue }
                let result = try lab.managed("policy", "exam", "start", "--yes", word, "--for", "1h")
                #expect(result.code == 4 && !result.error.contains("There is no set"), "\(path) \(target) \(result)")
                #expect(
                    result.error.contains("sets.d/\(path): it is a link to \(target)"), "\(path) \(target) \(result)")
            }
        }
        #expect(try lab.managed("policy", "exam", "start", "--yes", "mix", "--for", "1h").code == 0)
    }

    @Test func `an exam does not replace a file of something else`() throws {
        let lab = try Lab()
        let folder = lab.path + "/etc/managed-defaults/sets.d"
        for (path, key) in [("a/b-c.json", "one"), ("a-b/c.json", "two")] {
            let file = "\(folder)/\(path)"
            try FileManager.default.createDirectory(
                atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
            let text = "{\"Identifier\": \"org.example.\(key)\", \"Forced\": {\"a.b\": {\"\(key)\": 1}}}"
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        }
        #expect(try lab.managed("policy", "exam", "start", "--yes", "a", "--for", "1h").code == 0)
        let other = try lab.managed("policy", "exam", "start", "--yes", "a-b", "--for", "1h")
        #expect(other.code == 1 && other.error.contains("00-exam-a-b-c.json is there already"), "\(other.error)")
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "one").code == 0)
        #expect(try lab.managed("policy", "exam", "start", "--yes", "a", "--for", "2h").code == 0)
        try FileManager.default.moveItem(atPath: folder + "/a/b-c.json", toPath: folder + "/a/b.plist")
        try FileManager.default.copyItem(atPath: folder + "/a-b/c.json", toPath: folder + "/a/b.plist.json")
        try Data("{ Identifier = \"org.example.p\"; Forced = { \"a.b\" = { d = x; }; }; }".utf8).write(
            to: URL(fileURLWithPath: folder + "/a/b.plist"))
        let twice = try lab.managed("policy", "exam", "start", "--yes", "a", "--for", "1h")
        #expect(twice.code == 1 && twice.error.contains("becomes 00-exam-a-b.plist.json"), "\(twice.error)")
    }
}
