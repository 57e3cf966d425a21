import Foundation
import MDAuditClient
import MDPlatform
import MDTestSupport
import Testing

/// Grants and exams.
struct TemporaryPolicyTests {
    /// The directory of temporary policy.
    private static let run = "run/managed-defaults/policies.d"

    /// The names in it that begin with a text.
    private func names(_ lab: Lab, _ prefix: String) throws -> [String] {
        let folder = "\(lab.path)/\(TemporaryPolicyTests.run)"
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// The notes of records of kind `grant`, and their keys.
    private func records(_ lab: Lab) throws -> [(note: String, key: String)] {
        // Those of a waiver that is in force come with the first command that meets it.
        try lab.managed("audit", "list", "--kind", "grant", "--json").objects.map { record in
            (record["note"] as? String ?? "", record["key"] as? String ?? "")
        }.filter { !$0.note.hasPrefix("waiver ") }
    }

    /// Whether the browser's home page is forced for somebody at a time from now.
    private func isForced(_ lab: Lab, _ user: String, inSeconds seconds: Int64 = 0) throws -> Bool {
        let time = Timestamp(microseconds: Clock.now().microseconds + seconds * 1_000_000).rfc3339
        let words = ["--user", user, "--at", time, "forced", "org.example.Browser", "HomePage"]
        return try lab.managed(words).code == 0
    }

    @Test func `a grant frees a key for one user until its end`() throws {
        let lab = try Lab()
        #expect(try isForced(lab, "bob"))
        let words = ["policy", "grant", "--for", "45m", "--user", "bob", "--reason", "thesis"]
        let result = try lab.managed(words + ["org.example.Browser", "HomePage"])
        #expect(result.code == 0, "\(result.error)")
        #expect(result.output.hasPrefix("For bob, org.example.Browser HomePage is free until "))
        #expect(try names(lab, "00-grant-").count == 1)
        #expect(try !isForced(lab, "bob"))
        #expect(try isForced(lab, "alice"))
        #expect(try !isForced(lab, "bob", inSeconds: 44 * 60))
        #expect(try isForced(lab, "bob", inSeconds: 45 * 60 + 60))
        let records = try records(lab)
        #expect(records.count == 1 && records[0].key == "HomePage")
        #expect(records[0].note.contains(" granted bob org.example.Browser HomePage until "))
        #expect(records[0].note.hasSuffix(": thesis"))
        let list = try lab.managed("--user", "bob", "policy", "list")
        #expect(list.output.contains("waiver of org.example.Browser HomePage, in use, until "))
        #expect(list.output.contains("    ends: "))
    }

    @Test func `an exam and a grant write other programs' files before they end`() throws {
        let lab = try Lab()
        let file = lab.path + "/etc/chromium/policies/managed/zz-managed-defaults.json"
        let sets = lab.path + "/etc/managed-defaults/sets.d"
        try FileManager.default.createDirectory(atPath: sets, withIntermediateDirectories: true)
        try Data(#"{"Forced": {"org.chromium.Chromium": {"HomepageLocation": "https://exam.example/"}}}"#.utf8)
            .write(to: URL(fileURLWithPath: sets + "/maths.json"))
        let start = try lab.managed("policy", "exam", "start", "--yes", "maths", "--for", "90m")
        #expect(start.code == 0 && start.output.hasSuffix("zz-managed-defaults.json: chromium: written\n"), "\(start)")
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("https://exam.example/"))
        let stop = try lab.managed("policy", "exam", "stop", "--json")
        let programs = try #require(try stop.object["programs"] as? [String: Any])
        #expect((programs["changes"] as? [[String: Any]])?.count == 1, "\(stop)")
        #expect(!FileManager.default.fileExists(atPath: file))
        try lab.add(
            policy: "90-browser.json",
            #"{"Forced": {"org.chromium.Chromium": {"HomepageLocation": "https://a.example/"}}}"#)
        #expect(try lab.managed("policy", "apply").code <= 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("https://a.example/"))
        let grant = ["policy", "grant", "--for", "5m", "--user", "bob", "--reason", "demo"]
        let forced = try lab.managed(
            grant + ["org.chromium.Chromium", "HomepageLocation", "https://b.example/", "--json"])
        #expect(try forced.code == 0 && forced.object["programs"] is [String: Any], "\(forced)")
        let revoke = ["policy", "grant", "revoke", "--user", "bob", "org.chromium.Chromium", "HomepageLocation"]
        #expect(try lab.managed(revoke).code == 0)
    }

    @Test func `whoever lists the files sees the end, the keys and the reason of grants and exams of others`() throws {
        let lab = try Lab()
        let grant = ["policy", "grant", "--for", "45m", "--user", "bob", "--reason"]
        #expect(try lab.managed(grant + ["thesis", "org.example.Browser", "HomePage"]).code == 0)
        #expect(try lab.managed(grant + ["demo", "org.example.Browser", "AllowDownloads", "-bool", "true"]).code == 0)
        let set = lab.folder + "/math.json"
        let exam = """
            { "Identifier": "org.example.math", "Description": "Mathematics", "Target": { "Users": ["bob"] },
              "Forced": { "a.b": { "c": 1 } }, "Absent": { "a.b": ["gone"] }, "Sealed": ["a.c"],
              "Constraints": { "a.d": { "e": { "Maximum": 3 } } } }
            """
        try Data(exam.utf8).write(to: URL(fileURLWithPath: set))
        chmod(set, 0o644)
        let start = ["policy", "exam", "start", "--yes", set, "--for", "1h", "--reason", "mid-term"]
        #expect(try lab.managed(start).code == 0)
        let lines = try lab.managed("--user", "alice", "policy", "list").output.split(separator: "\n")
            .map { $0.drop { $0 == " " } }
        #expect(lines.count { $0.hasPrefix("ends: ") } == 3)
        #expect(
            lines.contains {
                $0.hasPrefix("waiver of org.example.Browser HomePage for user bob, until ") && $0.contains(": thesis (")
            })
        #expect(lines.contains("forces in org.example.Browser: AllowDownloads"))
        #expect(lines.contains { $0.hasPrefix("reason: demo (") })
        #expect(lines.contains { $0.hasPrefix("exam math: mid-term (") })
        for line in [
            "forces in a.b: c", "keeps without a value in a.b: gone", "limits in a.d: e", "seals: a.c",
            "description: Mathematics",
        ] { #expect(lines.contains(Substring(line)), "\(line)") }
        // The waiver is listed once for its own user.
        let own = try lab.managed("--user", "bob", "policy", "list").output
        #expect(own.components(separatedBy: "waiver of org.example.Browser HomePage").count == 2)
        let files = try lab.managed("--user", "alice", "--json", "policy", "list").objects
        let contents = files.compactMap { $0["temporary"] as? [String: Any] }
        let waivers = contents.flatMap { $0["waivers"] as? [[String: Any]] ?? [] }
        #expect(waivers.map { $0["users"] as? [String] } == [["bob"]])
        #expect(waivers.first?["reason"] as? String == "thesis")
        #expect(contents.compactMap { $0["kind"] as? String }.sorted() == ["exam", "grant", "grant"])
        #expect(contents.compactMap { $0["set"] as? String } == ["math"])
        #expect(contents.contains { $0["sealed"] as? [String] == ["a.c"] })
        #expect(contents.contains { ($0["forced"] as? [[String: String]]) == [["domain": "a.b", "key": "c"]] })
    }

    @Test func `the reason of a grant is in no file that others can read, and ends with it`() throws {
        let lab = try Lab()
        let grant = ["policy", "grant", "--for", "5m", "--user", "bob", "--reason"]
        let key = ["org.example.Browser", "HomePage"]
        let reasons = lab.path + "/var/lib/managed-defaults/reasons"
        for value in [[], ["x"]] {
            #expect(try lab.managed(grant + ["dyslexia"] + key + value).code == 0)
            try lab.apply()
            #expect(try lab.managed("policy", "grant", "list").output.contains(": dyslexia\n"))
            let files = try #require(FileManager.default.enumerator(atPath: lab.path)).compactMap { $0 as? String }
            let found = files.filter { name in
                var status = stat()
                guard stat("\(lab.path)/\(name)", &status) == 0, status.st_mode & 0o004 != 0 else { return false }
                let data = FileManager.default.contents(atPath: "\(lab.path)/\(name)") ?? Data()
                return data.range(of: Data("dyslexia".utf8)) != nil
            }
            #expect(found == [])
            // What cannot be read is said to be there.
            for name in try FileManager.default.contentsOfDirectory(atPath: reasons) {
                try FileManager.default.removeItem(atPath: "\(reasons)/\(name)")
            }
            #expect(try lab.managed("policy", "grant", "list").output.contains(": reason not public\n"))
        }
        #expect(try lab.managed(grant + ["first"] + key).code == 0)
        // The grant that is taken back leaves the reason of the one before.
        try lab.add(
            policy: "00-a.json",
            "{\"Enforced\": true, \"Forced\": {\"org.example.Browser\": {\"HomePage\": \"e\"}}}")
        #expect(try lab.managed(grant + ["second"] + key + ["y"]).code == 1)
        #expect(try lab.managed("policy", "grant", "list").output.contains(": first\n"))
        #expect(try lab.managed(["policy", "grant", "revoke", "--user", "bob"] + key).code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: reasons) == [])
    }

    @Test(.enabled(if: geteuid() == 0 && Tool.isAvailable("setpriv"), "only root becomes another user"))
    func `the person whom a grant is for may read its reason`() throws {
        let lab = try Lab()
        let line = try #require(
            String(contentsOfFile: lab.path + "/etc/passwd", encoding: .utf8).split(separator: "\n")
                .first { $0.hasPrefix("bob:") })
        let uid = String(line.split(separator: ":")[2])
        let words = ["policy", "grant", "--for", "5m", "--user", "bob", "--reason", "dyslexia"]
        #expect(try lab.managed(words + ["org.example.Browser", "HomePage"]).code == 0)
        let file = try #require(try names(lab, "00-grant-").first)
        for (user, isShown) in [(uid, true), ("54321", false)] {
            let read = try SpawnedProgram.run(
                try #require(Tool.path("setpriv")),
                [
                    "--reuid", user, "--regid", user, "--clear-groups", "cat",
                    "\(lab.path)/var/lib/managed-defaults/reasons/\(file)",
                ])
            #expect(read.output == (isShown ? "dyslexia" : ""), "\(read)")
        }
    }

    @Test func `a grant with a value forces it, and a later one takes its place`() throws {
        let lab = try Lab()
        let words = ["policy", "grant", "--for", "1h30m", "--user", "bob", "--reason", "demo", "--json"]
        let key = ["org.example.Browser", "HomePage"]
        #expect(try lab.managed(words + key + ["https://one.example/${user}"]).code == 0)
        let literal = try lab.managed(["--user", "bob", "--json", "forced"] + key).object
        #expect(literal["value"] as? String == "https://one.example/${user}")
        let result = try lab.managed(words + key + ["https://two.example"])
        #expect(result.code == 0)
        #expect(try result.object["value"] as? String == "https://two.example")
        #expect(try names(lab, "00-grant-").count == 1)
        let forced = try lab.managed(["--user", "bob", "--json", "forced"] + key).object
        #expect(forced["value"] as? String == "https://two.example")
        let stop = try lab.managed(["policy", "grant", "revoke", "--user", "bob"] + key)
        #expect(stop.code == 0)
        #expect(try names(lab, "00-grant-").isEmpty)
        #expect(try lab.managed(["policy", "grant", "revoke", "--user", "bob"] + key).code == 1)
        #expect(try records(lab).count == 3)
    }

    @Test func `a grant frees no key that NSGlobalDomain forces too, and says so`() throws {
        let lab = try Lab()
        try lab.add(
            policy: "60-both.json",
            """
            { "Identifier": "org.example.both",
              "Forced": { "org.example.d": { "K": 1 },
                "NSGlobalDomain": { "K": 2 } } }
            """)
        /// Grants a key.
        func grant(_ domain: String, _ user: String = "bob") throws -> (code: Int32, output: String, error: String) {
            let words = ["policy", "grant", "--for", "1h", "--user", user, "--reason", "x", domain, "K"]
            let result = try lab.managed(words)
            return (result.code, result.output, result.error)
        }
        let own = try grant("org.example.d")
        #expect(own.code == 1 && own.output == "", "\(own)")
        #expect(own.error.contains("60-both.json:3:25 forces K of NSGlobalDomain"), "\(own)")
        #expect(try names(lab, "00-grant") == [])
        #expect(try grant("NSGlobalDomain").code == 0)
        #expect(try grant("org.example.d").code == 0)
        #expect(try lab.managed("--user", "bob", "forced", "org.example.d", "K").code == 1)
    }

    @Test func `a grant to somebody whom no file ever binds is refused, and one in advance says so`() throws {
        let lab = try Lab()
        try lab.add(
            policy: "60-alice.json",
            """
            { "Identifier": "org.example.one", "Target": { "Users": ["alice"] },
              "Forced": { "org.example.d": { "K": 1 } } }
            """)
        try lab.add(
            policy: "61-later.json",
            """
            { "Identifier": "org.example.two", "Target": { "NotBefore": "2099-01-01T00:00:00Z" },
              "Forced": { "org.example.d": { "L": 1 } } }
            """)
        for (user, key, code, words) in [
            ("alice", "K", Int32(0), ""), ("bob", "K", 1, "constrains org.example.d K for bob."),
            ("bob", "L", 0, "Nothing forces"),
        ] {
            let result = try lab.managed(
                ["policy", "grant", "--for", "1h", "--user", user, "--reason", "x", "org.example.d", key])
            #expect(result.code == code && (words.isEmpty || result.error.contains(words)), "\(result)")
        }
    }

    @Test func `a grant that would have no effect is taken back`() throws {
        let lab = try Lab()
        try FileManager.default.createDirectory(
            atPath: "\(lab.path)/\(TemporaryPolicyTests.run)", withIntermediateDirectories: true)
        try lab.add(
            policy: "00-a.json",
            "{\"Identifier\": \"org.example.a\", \"Enforced\": true, \"Forced\": {\"a.b\": {\"c\": 1}}}")
        let words = ["policy", "grant", "--for", "5m", "--user", "bob", "--reason", "x", "a.b", "c"]
        let result = try lab.managed(words + ["-int", "2"])
        #expect(result.code == 1)
        #expect(result.error.contains("policies.d/00-a.json:1:70 decides this key"))
        #expect(try names(lab, "00-grant-").isEmpty)
        #expect(try lab.managed(words).code == 0)
        // The earlier grant stays where a later one is taken back.
        #expect(try lab.managed(words + ["-int", "3"]).code == 1)
        #expect(try names(lab, "00-grant-").count == 1)
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "c").code == 1)
    }

    @Test(arguments: [
        (["--for", "45", "--user", "bob", "--reason", "x", "a.b", "c"], "is no time such as 45m"),
        (["--for", "400d", "--user", "bob", "--reason", "x", "a.b", "c"], "is no time such as 45m"),
        (["--until", "25:00", "--user", "bob", "--reason", "x", "a.b", "c"], "--until 25:00 is no time"),
        (["--until", "2020-01-01T00:00:00Z", "--user", "bob", "--reason", "x", "a.b", "c"], "is over already"),
        (["--user", "bob", "--reason", "x", "a.b", "c"], "Say when it ends"),
        (["--for", "5m", "--until", "11:00", "--user", "bob", "--reason", "x", "a.b", "c"], "Give one of"),
        (["--for", "5m", "--reason", "x", "a.b", "c"], "Say to whom"),
        (["--for", "5m", "--user", "bob", "a.b", "c"], "Say why"),
        (["--for", "5m", "--user", "bob", "--reason", " \t", "a.b", "c"], "Say why"),
        (["--for", "5m", "--user", "nobody-here", "--reason", "x", "a.b", "c"], "nobody-here"),
        (["--for", "5m", "--user", "bob", "--reason", "x", "a.b"], "A key is missing"),
    ]) func `a grant that is not said whole is refused`(_ words: [String], _ message: String) throws {
        let lab = try Lab()
        let result = try lab.managed(["policy", "grant"] + words)
        #expect(result.code == 2)
        #expect(result.error.contains(message))
        #expect(try records(lab).isEmpty)
    }

    @Test func `an hour that is over today is asked about`() throws {
        let lab = try Lab()
        let over = Clock.now().microseconds - 120_000_000
        let text = String(Timestamp(microseconds: over).rfc3339.dropFirst(11).prefix(5))
        // In the first minutes of a day it is yesterday's.
        guard text < "23:57" else { return }
        let words = ["--user", "bob", "--reason", "x", "org.example.Browser", "HomePage"]
        for verb in [["grant"] + words, ["exam", "start", "physics"]] {
            let result = try lab.managed(["policy"] + verb + ["--until", text])
            let sentence = "\(text) is over today, and the next one is "
            #expect(result.code == 2 && result.error.contains(sentence), "\(result)")
            #expect(try names(lab, "00-grant-").isEmpty && records(lab).isEmpty)
        }
        #expect(try lab.managed(["policy", "grant", "--yes", "--until", text] + words).code == 0)
        #expect(try lab.managed(["policy", "grant", "--until", "tomorrow \(text)"] + words).code == 0)
    }

    @Test func `whoever lists temporary policy is told that it is over, whomever it is for`() throws {
        let lab = try Lab()
        let words = ["policy", "grant", "--for", "20m", "--user", "bob", "--reason", "x", "org.example.Browser"]
        #expect(try lab.managed(words + ["HomePage"]).code == 0)
        let later = Timestamp(microseconds: Clock.now().microseconds + 3_600_000_000).rfc3339
        for (user, other) in [("alice", "ended: "), ("bob", "applied until ")] {
            let now = try lab.managed("--user", user, "policy", "list").output
            #expect(now.contains("ends: ") && !now.contains("ended: "))
            let text = try lab.managed("--user", user, "--at", later, "policy", "list").output
            #expect(text.contains(other) && !text.contains("ends: "), "\(text)")
            #expect(text.contains("ended: ") == (user == "alice"))
        }
    }

    @Test func `nothing is granted in silence`() throws {
        let lab = try Lab()
        // Where the log's directory should be lies a file.
        try FileManager.default.createDirectory(atPath: lab.path + "/var/log", withIntermediateDirectories: true)
        try Data("no log".utf8).write(to: URL(fileURLWithPath: lab.path + "/var/log/managed-defaults"))
        let words = [
            "policy", "grant", "--for", "5m", "--user", "bob", "--reason", "x", "org.example.Browser", "HomePage",
        ]
        let result = try lab.managed(words)
        #expect(result.code == 4)
        #expect(result.error.contains("Nothing was changed, because it could not be recorded."))
        #expect((try? names(lab, "00-grant-")) ?? [] == [])
    }

    @Test func `an exam is in force until its end, whole, and can be stopped`() throws {
        let lab = try Lab()
        let set = Lab.repository + "/Policies/exam"
        let result = try lab.managed("policy", "exam", "start", "--yes", set, "--for", "2h", "--json")
        #expect(result.code == 0, "\(result.error)")
        let own = ["00-exam-exam-00-exam-aids.json", "00-exam-exam-01-exam.json"]
        #expect(try names(lab, "00-exam-") == own + ["00-exam-today.json"])
        let files = try lab.managed("--user", "alice", "policy", "list", "--json").objects.filter { file in
            (file["file"] as? String)?.contains("00-exam-") == true
        }
        #expect(files.count == 3)
        #expect(files.allSatisfy { $0["enforced"] as? Bool == true && $0["inForce"] as? String == "current" })
        #expect(try records(lab).map(\.note).contains { $0.contains(" started the exam exam (2 files) until ") })
        let stop = try lab.managed("policy", "exam", "stop", "exam")
        #expect(stop.code == 0 && stop.output.hasPrefix("The exam is over.\n"))
        // What somebody put there by hand stays.
        #expect(try names(lab, "00-exam-") == ["00-exam-today.json"])
        #expect(try lab.managed("policy", "exam", "stop").code == 1)
        #expect(try records(lab).count == 2)
    }

    @Test func `an exam that nobody here would be in is refused, and one that some are in says so`() throws {
        let lab = try Lab()
        let folder = lab.path + "/etc/managed-defaults/sets.d"
        /// Writes a file of a set.
        func write(_ set: String, _ name: String, _ text: String) throws {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(set)", withIntermediateDirectories: true)
            try Data("{\"Identifier\": \"org.example.\(set).\(name)\", \(text)}".utf8).write(
                to: URL(fileURLWithPath: "\(folder)/\(set)/\(name).json"))
        }
        /// Starts an exam.
        func start(_ set: String, _ time: String = "5m") throws -> MDefaultsProcess.Result {
            try lab.managed("policy", "exam", "start", "--yes", set, "--for", time)
        }
        let forced = #""Forced": {"a.b": {"c": 1}}"#
        try write("first", "x", forced)
        try write("over", "x", #""Target": {"NotAfter": "2020-01-01T00:00:00Z"}, "# + forced)
        try write("later", "x", #""Target": {"NotBefore": "2099-01-01T00:00:00Z"}, "# + forced)
        try write("elsewhere", "x", #""Target": {"Hosts": ["nope*"]}, "# + forced)
        try write("nothing", "x", #""Description": "none""#)
        try write("zlast", "x", #""Forced": {"a.b": {"c": 2}}"#)
        /// What the file forces, with a waiver of its own.
        func waived(_ clause: String, _ until: String, _ key: String) -> String {
            let waiver = #"{\#(clause)"Domain": "a.b", "Key": "\#(key)", "Until": "\#(until)", "Reason": "r"}"#
            return #""Forced": {"a.b": {"\#(key)": 1}}, "Waivers": [\#(waiver)]"#
        }
        try write("undone", "x", waived("", "2999-01-01T00:00:00Z", "u1"))
        try write("partly", "x", waived(#""Users": ["bob"], "#, "2999-01-01T00:00:00Z", "u2"))
        try write(
            "ending", "x", waived("", Timestamp(microseconds: Clock.now().microseconds + 60_000_000).rfc3339, "u3"))
        try write("mixed", "over", #""Target": {"NotAfter": "2020-01-01T00:00:00Z"}, "# + forced)
        try write("mixed", "good", #""Forced": {"a.b": {"e": 1}}"#)
        let soon = Timestamp(microseconds: Clock.now().microseconds + 60_000_000).rfc3339
        try write("mixed", "short", #""Target": {"NotAfter": "\#(soon)"}, "Forced": {"a.b": {"d": 1}}"#)
        let silent = "this file forces nothing, and nothing that is in force is lifted, combined or timed by it"
        try write("told", "x", #""Metadata": {"a.b": {"c": {"Title": "t", "Sensitive": true}}}"#)
        try write("timed", "x", #""Calendars": {"own": [{"Days": ["Mon"]}]}"#)
        try write("joined", "x", #""Combine": {"a.b": {"nobody": "union"}}"#)
        /// A waiver.
        func waiver(_ key: String, _ until: String = "2999-01-01T00:00:00Z") -> String {
            #""Waivers": [{"Domain": "a.b", "Key": "\#(key)", "Until": "\#(until)", "Reason": "r"}]"#
        }
        try write("freed", "x", waiver("nobody"))
        try write("ended", "x", waiver("c", "2020-01-01T00:00:00Z"))
        try write("lifts", "x", waiver("c"))
        try write("whole", "told", #""Metadata": {"a.b": {"w": {"Title": "t"}}}"#)
        try write("whole", "good", #""Forced": {"a.b": {"w": 1}}"#)
        #expect(try start("first", "1h").code == 0)
        for (set, words) in [
            ("told", silent), ("timed", silent), ("joined", silent), ("freed", silent), ("ended", silent),
            ("over", "is over since 2020"), ("later", "never applies"), ("elsewhere", "no host pattern of this target"),
            ("nothing", "this file says nothing"), ("zlast", "each of its keys is decided by another file"),
            ("undone", "00-exam-undone-x.json"),
            ("undone", "its own waivers name nobody, so they lift all that it says from everybody"),
        ] {
            let result = try start(set)
            #expect(result.code == 1 && result.error.contains("The exam \(set) would have no effect here."))
            #expect(result.error.contains(words), "\(result.error)")
            #expect(try names(lab, "00-exam-\(set)-").isEmpty)
        }
        #expect(try records(lab).map(\.note).contains("The exam zlast would have no effect here: it was taken back"))
        for set in ["partly", "ending", "lifts", "whole"] {
            let result = try start(set)
            #expect(result.code == 0 && !result.error.contains(silent))
            #expect(try lab.managed("policy", "exam", "stop", set).code == 0)
        }
        let mixed = try start("mixed")
        #expect(mixed.code == 0 && mixed.output.contains(", with exceptions."))
        #expect(mixed.error.contains("00-exam-mixed-over.json") && mixed.error.contains("is over since 2020"))
        #expect(mixed.error.contains("00-exam-mixed-short.json") && mixed.error.contains(", by its own NotAfter."))
        // What an earlier start left does not stand in the way of the next one.
        #expect(try start("first").error.isEmpty)
    }

    @Test func `an exam names the grants that lift its keys and the files that beat it`() throws {
        let lab = try Lab()
        /// Writes a set of one file.
        func write(_ name: String, _ text: String) throws {
            let folder = lab.path + "/etc/managed-defaults/sets.d"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try Data("{\"Identifier\": \"org.example.\(name)\", \(text)}".utf8).write(
                to: URL(fileURLWithPath: "\(folder)/\(name).json"))
        }
        try write("math", #""Forced": {"a.b": {"c": 1, "d": 1}, "org.example.Browser": {"HomePage": "x"}}"#)
        try write("phys", #""Forced": {"a.b": {"c": 2, "d": 1}}, "Constraints": {"a.b": {"e": {"Maximum": 2}}}"#)
        try write("quiet", #""Target": {"Users": ["alice"]}, "Forced": {"a.b": {"f": 2}}"#)
        let grant = ["policy", "grant", "--for", "20m", "--user", "bob", "--reason", "x", "org.example.Browser"]
        #expect(try lab.managed(grant + ["HomePage"]).code == 0)
        let math = try lab.managed("policy", "exam", "start", "--yes", "math", "--for", "1h")
        #expect(math.code == 0 && math.output.contains(", with exceptions.\n"))
        #expect(
            math.error.contains(" frees org.example.Browser HomePage for user bob until ")
                && math.error.contains("mdefaults policy grant revoke --user bob org.example.Browser HomePage"))
        #expect(try !isForced(lab, "bob") && isForced(lab, "alice"))
        let phys = try lab.managed("policy", "exam", "start", "--yes", "phys", "--for", "1h", "--json")
        #expect(phys.code == 0)
        #expect(phys.error.contains(" comes first: for whom both are, a.b c is as it says, and not as the exam does."))
        let exceptions = try #require(try phys.object["exceptions"] as? [[String: Any]])
        #expect(exceptions.map { "\($0["kind"] ?? "") \($0["key"] ?? "")" } == ["beats c"])
        #expect((exceptions.first?["file"] as? String)?.contains("00-exam-math-math.json") == true)
        let quiet = try lab.managed("policy", "exam", "start", "--yes", "quiet", "--for", "1h")
        #expect(quiet.code == 0 && quiet.error.isEmpty && !quiet.output.contains("exceptions"), "\(quiet.error)")
        // Started again, an exam is no rival of its own.
        #expect(try lab.managed("policy", "exam", "start", "--yes", "quiet", "--for", "2h").error.isEmpty)
    }

    @Test func `a set of the machine is started by name, and again with what it has then`() throws {
        let lab = try Lab()
        let folder = lab.path + "/etc/managed-defaults/sets.d/math"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        /// Writes a file of the set.
        func write(_ name: String, _ key: String, _ more: String = "") throws {
            let text = "{\"Identifier\": \"org.example.\(key)\", \(more) \"Forced\": {\"a.b\": {\"\(key)\": 1}}}"
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        try write("10-one.json", "one")
        try write("20-two.json", "two", "\"Target\": {\"NotAfter\": \"2001-01-01T00:00:00Z\"},")
        #expect(try lab.managed("policy", "exam", "start", "--yes", "math", "--until", "23:59").code == 0)
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "one").code == 0)
        // What ends earlier does so still.
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "two").code == 1)
        try FileManager.default.removeItem(atPath: folder + "/10-one.json")
        try write("15-four.json", "four")
        #expect(try lab.managed("policy", "exam", "start", "--yes", "math", "--for", "1h").code == 0)
        let left = ["00-exam-math-15-four.json", "00-exam-math-20-two.json", "00-exam-today.json"]
        #expect(try names(lab, "00-exam-") == left)
        try write("30-bad.json", "three", "\"Nonsense\": 1,")
        let bad = try lab.managed("policy", "exam", "start", "--yes", "math", "--for", "1h")
        #expect(bad.code == 5 && bad.error.contains("sets.d/math/30-bad.json"))
        #expect(try names(lab, "00-exam-") == left)
        let nowhere = try lab.managed("policy", "exam", "start", "--yes", "nowhere", "--for", "1h")
        #expect(nowhere.code == 4 && nowhere.error.contains("There is no set nowhere. There are: math, physics."))
        #expect(try lab.managed("policy", "exam", "start", "--yes", "../math", "--for", "1h").code == 4)
        #expect(try lab.managed("policy", "exam", "start", "--yes", "a b", "--for", "1h").code == 2)
    }

    @Test func `exams and grants are found by the field of their files, whatever the names are`() throws {
        let lab = try Lab()
        let folder = "\(lab.path)/\(TemporaryPolicyTests.run)"
        #expect(try lab.managed("policy", "exam", "list").code == 1)
        let set = try mathSet(in: lab)
        #expect(try lab.managed("policy", "exam", "start", "--yes", set, "--for", "1h", "--until-boot").code == 0)
        let grant = ["--user", "bob", "org.example.Browser", "HomePage"]
        #expect(try lab.managed(["policy", "grant", "--for", "1h", "--until-boot", "--reason", "x"] + grant).code == 0)
        let granted = try #require(try names(lab, "00-grant-").first)
        for (old, new) in [("00-exam-math-math.json", "01-other.json"), (granted, "02-other.json")] {
            try FileManager.default.moveItem(atPath: "\(folder)/\(old)", toPath: "\(folder)/\(new)")
        }
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "c").code == 0)
        // Until that is recorded, both names count.
        let both = try lab.managed("policy", "exam", "list", "--json").objects.first?["files"] as? [String]
        #expect(both?.count == 2)
        try lab.apply()
        let list = try lab.managed("policy", "exam", "list", "--json").objects
        #expect(list.count == 1 && list[0]["set"] as? String == "math")
        let files = list[0]["files"] as? [String]
        #expect(files?.count == 1 && files?.first?.hasSuffix("/01-other.json") == true)
        #expect(try lab.managed("policy", "exam", "list").output.hasPrefix("math, until "))
        #expect(try lab.managed("policy", "exam", "stop", "maths").code == 1)
        #expect(try lab.managed("policy", "exam", "stop", "math").code == 0)
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "c").code == 1)
        #expect(try !isForced(lab, "bob"))
        #expect(try lab.managed(["policy", "grant", "revoke"] + grant).code == 0)
        #expect(try isForced(lab, "bob"))
        #expect(try names(lab, "0").filter { $0.hasSuffix("other.json") } == [])
    }

    /// Writes a set of one file that forces `c` of `a.b`.
    private func mathSet(in lab: Lab) throws -> String {
        let set = lab.folder + "/math.json"
        try Data(#"{ "Identifier": "org.example.m", "Forced": { "a.b": { "c": 1 } } }"#.utf8).write(
            to: URL(fileURLWithPath: set))
        chmod(set, 0o644)
        return set
    }

    @Test func `an exam whose file broke or was removed by hand is stopped`() throws {
        let lab = try Lab()
        let set = try mathSet(in: lab)
        let file = "\(lab.path)/\(TemporaryPolicyTests.run)/00-exam-math-math.json"
        #expect(try lab.managed("policy", "exam", "start", "--yes", set, "--for", "1h").code == 0)
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "c").code == 0)
        #expect(try lab.managed("policy", "exam", "start", "--yes", set, "--for", "1h").code == 0)
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try lab.managed("policy", "exam", "stop", "math").code == 0)
        #expect(try lab.managed("--user", "bob", "forced", "a.b", "c").code == 1)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func `what cannot be recorded as removed is said to be in force`() throws {
        let lab = try Lab()
        let set = try mathSet(in: lab)
        #expect(try lab.managed("policy", "exam", "start", "--yes", set, "--for", "1h").code == 0)
        // Where the log's directory should be lies a file, so no change can be recorded.
        try? FileManager.default.removeItem(atPath: lab.path + "/var/log/managed-defaults")
        try Data("no log".utf8).write(to: URL(fileURLWithPath: lab.path + "/var/log/managed-defaults"))
        let stop = try lab.managed("policy", "exam", "stop", "math")
        #expect(stop.code == 4 && stop.error.contains("removed, in force until `policy apply`"), "\(stop.error)")
    }

    @Test func `a set that others can write to is none`() throws {
        let lab = try Lab()
        let set = lab.folder + "/set"
        try FileManager.default.createDirectory(atPath: set, withIntermediateDirectories: true)
        let file = set + "/10-a.json"
        try Data("{\"Identifier\": \"org.example.a\", \"Forced\": {\"a.b\": {\"c\": 1}}}".utf8).write(
            to: URL(fileURLWithPath: file))
        let start = ["policy", "exam", "start", "--yes", set, "--for", "1h"]
        for (folder, mode) in [(0o777, 0o644), (0o755, 0o666)] as [(mode_t, mode_t)] {
            chmod(set, folder)
            chmod(file, mode)
            let result = try lab.managed(start)
            #expect(result.code == 4 && result.error.contains("is writable by others"), "\(result.error)")
            let named = try lab.managed("policy", "exam", "start", "--yes", file, "--for", "1h")
            #expect(named.code == 4 && named.error.contains("is writable by others"), "\(named.error)")
        }
        chmod(file, 0o644)
        #expect(try lab.managed(start).code == 0)
    }

    @Test func `a grant of what no file speaks of is refused`() throws {
        let lab = try Lab()
        let words = ["policy", "grant", "--for", "5m", "--user", "bob", "--reason"]
        /// Checks that a grant is refused with some words, and leaves nothing.
        func refuses(_ arguments: [String], _ message: String, code: Int32 = 1) throws {
            let result = try lab.managed(words + arguments)
            #expect(result.code == code && result.error.contains(message), "\(result)")
            #expect(try names(lab, "00-grant-").isEmpty && records(lab).isEmpty)
        }
        try refuses(
            ["x", "org.example.Browsr", "HomePage"],
            "constrains org.example.Browsr HomePage for bob. No policy, manifest or program knows the domain"
                + " org.example.Browsr; org.example.Browser is near.")
        try refuses(["x", "org.example.Browser", "HomePge"], "HomePge of org.example.Browser; HomePage is near.")
        try refuses(["x", "org.example.Browsr", "HomePage", "value"], "org.example.Browser is near.")
        // Quotes that were forgotten make the domain a key, or a value.
        try refuses(
            ["broken", "keyboard", "org.example.Browser", "HomePage"],
            "knows the domain keyboard. org.example.Browser is a domain: a --reason of several words needs quotes.")
        try refuses(
            ["a", "broken", "keyboard", "org.example.Browser", "HomePage"], "Unexpected argument HomePage", code: 2)
        #expect(try lab.managed(words + ["x", "org.example.Browser", "HomePage"]).code == 0)
        // The earlier grant is not what makes the key one that policy speaks of.
        #expect(try lab.managed(words + ["x", "org.example.Browser", "HomePage"]).code == 0)
    }

    @Test func `what cannot be read is no wrong command line`() throws {
        let lab = try Lab()
        try FileManager.default.removeItem(atPath: lab.path + "/etc/passwd")
        for words in [["policy", "list"], ["--user", "bob", "forced", "a.b", "c"], ["doctor"]] {
            let result = try lab.managed(words)
            #expect(result.code == 4 && result.error.contains("No user is known: "), "\(result.error)")
        }
    }
}
