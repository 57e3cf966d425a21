import Foundation
import MDTestSupport
import Testing

/// The checks of `doctor`.
struct DoctorTests {
    /// The checks that are not passed, by name.
    private func failed(_ output: String) throws -> [String] {
        let checks = try #require(try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [[String: Any]])
        for check in checks {
            #expect(check["check"] is String && check["ok"] is Bool && check["detail"] is String)
            #expect(
                (check["remedy"] is String) == (check["ok"] as? Bool == false), "a remedy exactly where it is needed")
        }
        return checks.filter { $0["ok"] as? Bool == false }.compactMap { $0["check"] as? String }
    }

    @Test func `the shipped lab is sound`() throws {
        let lab = try Lab()
        try lab.apply()
        let brief = try lab.run(as: "alice", ["doctor"])
        #expect(brief.output == "All 30 checks are passed; -v shows each.\n")
        let result = try lab.run(as: "alice", ["doctor", "-v"])
        #expect(result.code == 0)
        #expect(result.error == "")
        #expect(!result.output.contains("✗"))
        #expect(result.output.contains("All 30 checks are passed."))
        #expect(result.output.contains("copied program of another name is another application"))
        #expect(try failed(try lab.run(as: "alice", ["doctor", "--json"]).output) == [])
    }

    @Test func `the command that doctor names mends what it found`() throws {
        let lab = try Lab()
        let checks = try lab.managed("--user", "alice", "doctor", "--json").objects
        let check = try #require(checks.first { $0["check"] as? String == "good-copies" && $0["ok"] as? Bool == false })
        let command = try #require(check["command"] as? [String])
        #expect(command.first == "mdefaults" && command.suffix(2) == ["policy", "apply"])
        #expect(try MDefaultsProcess(folder: lab.folder).run(Array(command.dropFirst())).code == 0)
        #expect(try lab.managed("--user", "alice", "doctor", "--json").objects.allSatisfy { $0["ok"] as? Bool == true })
    }

    @Test func `where systemd runs, the units that record policy have to be there, enabled and not masked`() throws {
        let lab = try Lab()
        try lab.apply()
        let system = URL(fileURLWithPath: lab.path + "/etc/systemd/system")
        let files = FileManager.default
        try files.createDirectory(atPath: lab.path + "/run/systemd/system", withIntermediateDirectories: true)
        try files.createDirectory(at: system, withIntermediateDirectories: true)
        /// What doctor says that is wrong.
        func said() throws -> String {
            let output = try lab.run(as: "alice", ["doctor"]).output
            return output.split(separator: "\n").first { $0.hasPrefix("✗") }.map(String.init) ?? ""
        }
        #expect(try said().contains("✗ managed-defaults-apply.path is not installed: "))
        #expect(try failed(try lab.run(as: "alice", ["doctor", "--json"]).output) == ["renewal"])
        let units = URL(fileURLWithPath: Lab.repository + "/Sources/Commands/mdefaults/systemd")
        let names = try files.contentsOfDirectory(atPath: units.path).filter { $0.hasPrefix("managed-defaults-apply.") }
        for unit in names {
            try files.copyItem(at: units.appendingPathComponent(unit), to: system.appendingPathComponent(unit))
        }
        for (name, target) in [("path", "paths"), ("timer", "timers")] {
            let wants = system.appendingPathComponent("\(target).target.wants")
            try files.createDirectory(at: wants, withIntermediateDirectories: true)
            let unit = "managed-defaults-apply.\(name)"
            #expect(try said().contains("✗ \(unit) is not enabled: "))
            try files.createSymbolicLink(
                atPath: wants.appendingPathComponent(unit).path, withDestinationPath: "/etc/systemd/system/\(unit)")
        }
        #expect(try failed(try lab.run(as: "alice", ["doctor", "--json"]).output) == [])
        for unit in names {
            let file = system.appendingPathComponent(unit)
            try files.removeItem(at: file)
            #expect(try said().contains("✗ \(unit) is not installed: "))
            try files.createSymbolicLink(atPath: file.path, withDestinationPath: "/dev/null")
            #expect(try said().contains("✗ \(unit) is masked: "))
            try files.removeItem(at: file)
            try files.copyItem(at: units.appendingPathComponent(unit), to: file)
        }
        #expect(try said() == "")
    }

    @Test func `where something is set once, a log service is missed that would keep the trace`() throws {
        let lab = try Lab()
        #expect(try !lab.run(as: "alice", ["doctor"]).output.contains("log service"))
        try lab.add(
            policy: "70-once.json",
            #"{"Identifier":"edu.example.once","SetOnce":{"org.example.Once":{"Size":14}}}"#)
        try lab.apply()
        let socket = lab.path + "/dev/log"
        do {
            let service = try FakeLogService(at: socket)
            #expect(try failed(try lab.run(as: "alice", ["doctor", "--json"]).output) == [])
            #expect(try lab.run(as: "alice", ["doctor", "-v"]).output.contains("log service keeps a trace"))
            withExtendedLifetime(service) {}
        }
        try FileManager.default.removeItem(atPath: socket)
        #expect(try failed(try lab.run(as: "alice", ["doctor", "--json"]).output) == ["log-service"])
    }

    @Test func `policy that was moved away is missed, and stays in force until it is forgotten`() throws {
        let lab = try Lab()
        try lab.apply()
        let etc = lab.path + "/etc/managed-defaults"
        try FileManager.default.moveItem(atPath: etc, toPath: etc + ".away")
        try FileManager.default.removeItem(atPath: lab.path + "/run/managed-defaults")
        let words = ["forced", "org.example.Browser", "HomePage"]
        let sentence = "Policy is not in force as written in 2 places, \(etc)/policies.d:1:1 among them"
        for _ in 1...2 {
            let forced = try lab.run(as: "alice", words)
            #expect(forced.output == "forced\n" && forced.error.contains(sentence), "\(forced)")
            #expect(try failed(try lab.run(as: "alice", ["doctor", "--json"]).output) != [])
            #expect(try lab.run(["report"]).code == 1)
            #expect(try lab.run(["policy", "apply"]).code == 1)
        }
        #expect(try lab.run(["policy", "forget"]).code == 0)
        let free = try lab.run(as: "alice", words)
        #expect(free.output == "not forced\n" && free.error == "", "\(free)")
        try FileManager.default.removeItem(atPath: lab.path + "/var/lib/managed-defaults")
        #expect(try failed(try lab.run(as: "alice", ["doctor", "--json"]).output) == [])
    }

    /// Something that is broken in the lab, and the checks that find it.
    struct Case: Sendable, CustomTestStringConvertible {
        /// The user.
        var user = "alice"
        /// The file that is changed; `nil` for none.
        var file: String?
        /// What is replaced in it, and by what.
        var edit = ("", "")
        /// The checks that are not passed.
        let failed: [String]
        /// A sentence of the answer.
        let sentence: String

        var testDescription: String { sentence }
    }

    static let cases: [Case] = [
        Case(user: "dora", failed: ["preferences"], sentence: "org.example.Player.plist:15:15: the preference file is"),
        Case(
            file: "etc/managed-defaults/policies.d/10-site.json", edit: ("\"Version\": 12,", "\"Version\": 12"),
            failed: ["policy-file", "lint", "table"], sentence: "its last good copy is in force"),
        Case(
            file: "etc/managed-defaults/policies.d/20-classroom.json", edit: ("[\"students\"]", "[\"studentz\"]"),
            failed: ["names", "good-copies", "table"], sentence: "group studentz"),
        Case(file: "etc/passwd", edit: ("bob:x:1003", "bob:x:none"), failed: ["accounts"], sentence: "passwd:14"),
        Case(
            file: "var/log/managed-defaults/current.jsonl", edit: ("\"policy\"", "\"police\""), failed: ["audit-log"],
            sentence: "The audit log was altered."),
    ]

    @Test(arguments: cases) func `what is wrong is named, with what to do`(_ example: Case) throws {
        let lab = try Lab()
        try lab.apply()
        if let file = example.file { #expect(try lab.edit(file, example.edit.0, example.edit.1)) }
        let result = try lab.run(as: example.user, ["doctor"])
        #expect(result.code == 1)
        let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains(example.sentence))
        #expect(result.output.contains("✗ ") && result.output.contains("  → "))
        let json = try lab.run(as: example.user, ["doctor", "--json"])
        #expect(json.code == 1)
        let names = try failed(json.output)
        #expect(names.allSatisfy { example.failed.contains($0) } && names.contains(example.failed[0]))
    }

    @Test func `a file that others can write is named`() throws {
        let lab = try Lab()
        #expect(try lab.run(["forced"]).code == 0)
        let path = lab.path + "/etc/managed-defaults/policies.d/10-site.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
        let result = try lab.run(["doctor"])
        #expect(result.code == 1)
        #expect(result.output.contains("take the right to write away"))
    }

    @Test func `records in a spool and old temporary files are named`() throws {
        let lab = try Lab()
        try lab.apply()
        let spool = lab.path + "/home/alice/.local/state/managed-defaults"
        try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: true)
        try Data("x\n".utf8).write(to: URL(fileURLWithPath: spool + "/spool.jsonl"))
        let result = try lab.run(["doctor", "--json"])
        #expect(result.code == 1)
        #expect(try failed(result.output) == ["spool"])
        // A file that may be written at this moment does not count as left behind.
        for folder in ["/etc/managed-defaults/policies.d", "/home/alice/.config"] {
            let path = "\(lab.path)\(folder)/.10-a.json.abcdefghij.tmp"
            #expect(FileManager.default.createFile(atPath: path, contents: Data()))
            #expect(!(try failed(try lab.run(["doctor", "--json"]).output).contains("leftovers")))
            let old = Date(timeIntervalSinceNow: -3_600)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
            #expect(try failed(try lab.run(["doctor", "--json"]).output) == ["spool", "leftovers"])
            try FileManager.default.removeItem(atPath: path)
        }
    }

    @Test func `a file that adds a language is checked, and the first line that cannot be used is said`() throws {
        let lab = try Lab()
        try lab.apply()
        let name = "usr/share/managed-defaults/messages.fr"
        try lab.write(name, "hidden = ce que dit la règle\n")
        let whole = try lab.managed("--user", "alice", "doctor", "-v")
        #expect(whole.code == 0 && whole.output.contains("✓ lab/\(name) has 1 of 14 texts; the others are English.\n"))
        try lab.write(name, "hidden = ce que dit la règle\nask = demander\nand\n")
        let broken = try lab.managed("--user", "alice", "doctor")
        #expect(broken.code == 1)
        #expect(broken.output.hasPrefix("✗ lab/\(name):2: ask lacks %contact%. There is 1 more.\n"), "\(broken)")
        #expect(try failed(try lab.managed("--user", "alice", "doctor", "--json").output) == ["messages"])
    }

    @Test func `a machine without policy is not ill`() throws {
        let lab = try Lab()
        for name in ["etc/managed-defaults", "run/managed-defaults", "var"] {
            try? FileManager.default.removeItem(atPath: lab.path + "/" + name)
        }
        let result = try lab.run(["doctor", "-v"])
        #expect(result.code == 0)
        #expect(result.output.contains("This machine is unmanaged"))
        let brief = try lab.run(["doctor"])
        #expect(brief.output.contains("This machine has no policy yet. To begin:"), "\(brief)")
        #expect(try lab.run(["report"]).error.contains("mdefaults policy new 10-first.json"))
        #expect(try lab.run(["doctor", "extra"]).code == 2)
    }
}
