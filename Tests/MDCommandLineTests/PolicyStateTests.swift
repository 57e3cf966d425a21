import Foundation
import MDPlatform
import MDTestSupport
import Testing

/// The answers of commands while policy is broken, hostile, missing or unreadable.
struct PolicyStateTests {
    /// The verbs that open the machine.
    static let verbs = [
        "forced", "forced org.example.Browser HomePage", "explain org.example.Browser HomePage", "policy list",
        "policy show", "audit list", "audit verify",
    ]

    /// The words of a verb, asked for alice where it asks for anybody.
    private static func words(_ verb: String) -> [String] {
        let list = verb.split(separator: " ").map(String.init)
        return Lab.option(ofUser: "alice", for: list) + list
    }

    @Test(arguments: verbs)
    func `every verb says once where a file broke, and its values stay`(_ verb: String) throws {
        let lab = try Lab()
        let words = PolicyStateTests.words(verb)
        try lab.apply()
        #expect(try lab.edit("etc/managed-defaults/policies.d/20-classroom.json", "\"Version\": 7,", "\"Version\": 7"))
        let result = try lab.managed(words)
        #expect(result.code == 0)
        let place = "mdefaults: lab/etc/managed-defaults/policies.d/20-classroom.json:4:"
        #expect(result.error.components(separatedBy: place).count == 2)
        #expect(result.error.contains("Its last good copy stays in force until the file is mended or removed."))
        let value = try lab.managed("--user", "alice", "--json", "forced", "org.example.Browser", "HomePage").object
        #expect(value["value"] as? String == "https://start.school.example/class?who=alice")
        #expect(value["lastGood"] as? Bool == true)
    }

    @Test(arguments: verbs)
    func `every verb says that a file which never was good forces nothing`(_ verb: String) throws {
        let lab = try Lab()
        try lab.add(policy: "90-new.json", "{\n  \"Identifier\": \"org.example.new\",\n  \"Forcd\": {}\n}\n")
        let result = try lab.managed(PolicyStateTests.words(verb))
        #expect(result.error.contains("policies.d/90-new.json:3:3: "))
        #expect(result.error.contains("Nothing of this file is in force, and there is no good copy of it."))
    }

    @Test func `a file that only another version reads is unknown in its domains, and in every verb about them`() throws
    {
        let lab = try Lab()
        let name = "90-next.json"
        try lab.add(policy: name, "{ \"Forced\": { \"org.example.Mail\": { \"Server\": \"a\" } }, \"Nearly\": true }")
        #expect(try lab.managed("policy", "apply").code == 1)
        // The engine of next year records what it finds good.
        let bytes = try lab.read("etc/managed-defaults/policies.d/\(name)")
        let digest = SHA256.hash(bytes).hex
        try lab.write("var/lib/managed-defaults/good/\(digest)", bytes)
        let record = String(decoding: try lab.read("var/lib/managed-defaults/policy.record"), as: UTF8.self)
        let lines = record.split(separator: "\n").dropLast().map { line in
            line.hasPrefix("engine ")
                ? "engine 9.1 0.1.0"
                : line.hasPrefix("file etc \(name) ") ? "file etc \(name) current \(digest)" : "\(line)"
        }
        let text = lines.joined(separator: "\n") + "\n"
        try lab.write(
            "var/lib/managed-defaults/policy.record", text + "sha256 \(SHA256.hash(Array(text.utf8)).hex)\n")
        let need = "needs ManagedDefaults 9.1, which recorded it, and this is ManagedDefaults 0.1.0"
        for words in [
            "forced org.example.Mail Server", "forced org.example.Mail", "read org.example.Mail Server", "forced",
            "explain org.example.Mail Other", "write org.example.Mail Other 1", "policy show",
        ] {
            let result = try lab.managed(["--user", "alice"] + words.split(separator: " ").map(String.init))
            #expect(result.code == 4, "\(words)")
            #expect(result.error.contains("/policies.d/\(name) \(need)."), "\(words)")
        }
        for (words, code) in [
            ("forced org.example.Browser HomePage", 0), ("read org.example.Browser HomePage", 0),
            ("forced org.example.Browser Nothing", 1), ("explain org.example.Browser HomePage", 0),
            ("write org.example.Browser HomePage other", 3), ("write org.example.Browser Own 1", 0),
        ] {
            let result = try lab.managed(["--user", "alice"] + words.split(separator: " ").map(String.init))
            #expect(result.code == code, "\(words): \(result.error)")
            if words.hasPrefix("forced") { #expect(result.error.contains("This file \(need): what is forced in")) }
        }
        #expect(try lab.managed("policy", "apply").code == 4)
        let files = try lab.managed("--user", "alice", "policy", "list", "--json").objects
        #expect(files.contains { $0["inForce"] as? String == "unknown" && $0["applies"] as? Bool != true })
        let report = try lab.managed("report")
        #expect(report.code == 1)
        #expect(report.output.contains("NOT COMPLIANT. It cannot be told what is forced."))
        #expect(try lab.managed("--user", "alice", "doctor").output.contains("every key of org.example.Mail for"))
    }

    @Test func `policy list and lint tell current, last good and nothing apart`() throws {
        let lab = try Lab()
        try lab.apply()
        #expect(try lab.edit("etc/managed-defaults/policies.d/10-site.json", "\"Version\": 12", "\"Version\": twelve"))
        try lab.add(policy: "90-new.json", "{}")
        let files = try lab.managed("--user", "alice", "policy", "list", "--json").objects
        let states = files.compactMap { file in
            (file["inForce"] as? String).map {
                "\($0) \(file["valid"] as? Bool == true) \(file["applies"] as? Bool == true)"
            }
        }
        #expect(states.filter { $0 == "last good false true" }.count == 1)
        #expect(states.filter { $0 == "not recorded yet false false" }.count == 1)
        #expect(states.filter { $0.hasPrefix("current true") }.count == 9)
        let text = try lab.managed("--user", "alice", "policy", "list").output
        #expect(text.contains("last good") && text.contains("not recorded yet"))
        let rows = text.split(separator: "\n").filter { !$0.hasPrefix("    ") && !$0.contains("policies.d") }
        #expect(rows.allSatisfy { $0.count <= 100 })
        let lint = try lab.managed("policy", "lint")
        #expect(lint.code == 1)
        #expect(lint.output.contains("lab/etc/managed-defaults/policies.d/10-site.json:5:14: error: "))
    }

    @Test func `a removed file shows as removed, and ends with apply`() throws {
        let lab = try Lab()
        try lab.apply()
        let name = "20-classroom.json"
        try FileManager.default.removeItem(atPath: "\(lab.policies)/\(name)")
        let list = try lab.managed("--user", "alice", "policy", "list")
        let row = list.output.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        #expect(row.contains(" removed "), "\(list)")
        #expect(list.error.contains("It is not there; what was recorded of it is in force until policy apply."))
        let json = try lab.managed("--user", "alice", "policy", "list", "--json").objects
        let states = json.filter { ($0["file"] as? String)?.hasSuffix(name) == true }.map { $0["inForce"] as? String }
        #expect(states == ["removed"])
        let question = ["--user", "alice", "--json", "forced", "org.example.Browser", "HomePage"]
        #expect(try lab.managed(question).object["value"] as? String == "https://start.school.example/class?who=alice")
        try lab.apply()
        #expect(try lab.managed(question).object["value"] as? String == "https://start.school.example/")
        #expect(try !lab.managed("--user", "alice", "policy", "list").output.contains(name + " "))
    }

    @Test func `apply exits 1 while a directory of what is in force is missing, or a name is found nowhere`() throws {
        let lab = try Lab()
        try lab.add(
            policy: "90-new.json",
            #"{"Identifier":"a.b","Target":{"Users":["zoe"],"Groups":["guests"]},"Forced":{"a.b":{"c":1}}}"#)
        let names = try lab.managed("policy", "apply")
        #expect(names.code == 1, "\(names)")
        #expect(names.error.contains("applies to nobody: user zoe, group guests."), "\(names)")
        try FileManager.default.removeItem(atPath: "\(lab.policies)/90-new.json")
        try lab.apply()
        try FileManager.default.moveItem(atPath: lab.policies, toPath: lab.folder + "/away")
        let apply = try lab.managed("policy", "apply")
        #expect(apply.code == 1, "\(apply)")
        let states = try lab.managed("--user", "alice", "policy", "list", "--json").objects
            .filter { ($0["file"] as? String)?.contains("/etc/") == true }.compactMap { $0["inForce"] as? String }
        #expect(states.count > 5 && states.allSatisfy { $0 == "removed" })
        try FileManager.default.moveItem(atPath: lab.folder + "/away", toPath: lab.policies)
        try lab.apply()
    }

    @Test func `a good file without a copy is not recorded yet`() throws {
        let lab = try Lab()
        let words = ["--user", "alice", "--host", "room2-pc01", "policy", "list"]
        let text = try lab.managed(words).output
        #expect(text.components(separatedBy: "not recorded yet").count == 11)
        #expect(try lab.managed(words + ["--json"]).objects.allSatisfy { $0["recorded"] as? Bool != true })
        #expect(!FileManager.default.fileExists(atPath: lab.path + "/var"))
    }

    @Test func `an untrusted directory is said once, not for each of its files`() throws {
        let lab = try Lab()
        let key = ["--user", "bob", "forced", "org.example.Browser", "HomePage"]
        try lab.apply()
        let directory = lab.path + "/etc/managed-defaults/policies.d"
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: directory)
        let result = try lab.managed(key)
        #expect(result.output == "forced\n")
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(result.error.contains("policies.d is not trusted: it is writable by others (mode 0777)"))
        let doctor = try lab.managed("--user", "bob", "doctor")
        #expect(doctor.code == 1)
        #expect(doctor.output.contains("lab/etc/") && !doctor.output.contains("Lab/etc/"))
    }

    @Test func `a directory that is a link in a circle leaves in force what was recorded of it`() throws {
        let lab = try Lab()
        try lab.apply()
        let before = try lab.managed("--user", "alice", "forced", "--json").output
        try FileManager.default.moveItem(atPath: lab.policies, toPath: lab.folder + "/policies.old")
        try FileManager.default.createSymbolicLink(atPath: lab.policies, withDestinationPath: "policies.d")
        let forced = try lab.managed("--user", "alice", "forced", "--json")
        let values = try JSONSerialization.jsonObject(with: Data(before.utf8)) as? [[String: Any]] ?? []
        let keys = values.map { "\($0["domain"] ?? "") \($0["key"] ?? "") \($0["value"] ?? "")" }
        #expect(!keys.isEmpty && forced.code == 0)
        #expect(try forced.objects.map { "\($0["domain"] ?? "") \($0["key"] ?? "") \($0["value"] ?? "")" } == keys)
        #expect(forced.error.contains("nothing in it is used, and what was recorded of it stays in force"), "\(forced)")
        #expect(try lab.managed("--user", "alice", "forced", "org.example.Browser", "Zoom").code == 1)
        let apply = try lab.managed("policy", "apply")
        #expect(apply.code == 1 && apply.error.contains("stays in force"), "\(apply)")
        // Nothing ends with a look at what cannot be looked at.
        #expect(try lab.managed("policy", "forget").code == 1)
        #expect(try lab.managed("--user", "alice", "forced", "--json").output == forced.output)
    }

    @Test func `every command says that it cannot be told what is forced`() throws {
        let lab = try Lab()
        try FileManager.default.moveItem(atPath: lab.policies, toPath: lab.folder + "/policies.old")
        try FileManager.default.createSymbolicLink(atPath: lab.policies, withDestinationPath: "policies.d")
        let sentence = "It cannot be told what is forced, because policy could not be read: cannot open lab/etc/"
        for words in [
            ["policy", "apply"], ["policy", "apply", "--dry-run"], ["--user", "alice", "policy", "list"],
            ["--user", "alice", "policy", "digest"], ["--user", "alice", "policy", "show"],
            ["--user", "alice", "forced"], ["--user", "alice", "read", "org.example.Browser"],
        ] {
            let result = try lab.managed(words)
            #expect(result.code == 4 && result.error.contains(sentence), "\(words) \(result)")
        }
        let apply = try lab.managed("policy", "apply", "--json")
        #expect(apply.code == 4 && apply.output.contains("\"unknown\": \"\(sentence)"), "\(apply)")
        let grant = [
            "policy", "grant", "--for", "1h", "--user", "bob", "--reason", "x", "org.example.Browser", "HomePage",
        ]
        let granted = try lab.managed(grant)
        #expect(granted.code == 4 && granted.output == "" && granted.error.contains(sentence), "\(granted)")
        let exam = try lab.managed("policy", "exam", "start", "--yes", "./policies.old/10-site.json", "--for", "1h")
        #expect(exam.code == 4 && exam.error.contains(sentence), "\(exam)")
        let report = try lab.managed("report")
        #expect(report.code == 1 && report.output.contains("NOT COMPLIANT. It cannot be told what is forced."))
        let doctor = try lab.managed("--user", "alice", "doctor")
        #expect(doctor.code == 1 && doctor.output.contains("✗ \(sentence)"), "\(doctor)")
        #expect(!doctor.output.contains("keys are forced for") && !doctor.output.contains("Every policy file has"))
    }

    @Test func `what is wrong with a whole file names the file once`() throws {
        let lab = try Lab()
        let key = ["--user", "bob", "forced", "org.example.Browser", "HomePage"]
        #expect(try lab.managed(key).code == 0)
        let file = lab.path + "/etc/managed-defaults/policies.d/20-classroom.json"
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file)
        let untrusted = try lab.managed(key).error
        #expect(untrusted.contains("20-classroom.json:1:1: the file is not trusted: it is writable by others"))
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        let unreadable = try lab.managed(key).error
        #expect(unreadable.contains("20-classroom.json:1:1: the file cannot be read: it is a directory"))
    }

    @Test func `lint reads files by the shell's paths, and exits 0, 1 or 4`() throws {
        let lab = try Lab()
        let site = "lab/etc/managed-defaults/policies.d/10-site.json"
        let beside = try lab.managed("policy", "lint", site)
        #expect(beside.code == 0)
        // What it does to the others of its folder, and nothing that they do to each other.
        #expect(beside.output == "", "narrower targets are meant: \(beside)")
        let room = "lab/etc/managed-defaults/policies.d/20-classroom.json"
        let crossing = try lab.managed("policy", "lint", room)
        #expect(crossing.output.contains("40-room1.json:15:30: warning: this file (\"/usr/share/backgrounds"))
        #expect(crossing.output.split(separator: "\n").allSatisfy { $0.contains(room) }, "\(crossing)")
        try FileManager.default.copyItem(atPath: "\(lab.folder)/\(site)", toPath: lab.folder + "/alone.json")
        let good = try lab.managed("policy", "lint", "alone.json")
        #expect(good.code == 0)
        #expect(good.output == "")
        #expect(good.error == "mdefaults: 0 errors and 0 warnings.\n")
        try Data("{ \"Identifier\": 3 }".utf8).write(to: URL(fileURLWithPath: lab.folder + "/bad.json"))
        let bad = try lab.managed("policy", "lint", "bad.json")
        #expect(bad.code == 1)
        #expect(bad.output.hasPrefix("bad.json:1:"))
        #expect(bad.output.contains(": error: "))
        let missing = try lab.managed("policy", "lint", "bad.json", "missing.json", "--json")
        #expect(missing.code == 4)
        #expect(try missing.objects.contains { $0["code"] as? String == "unreadable" })
        let folder = try lab.managed("policy", "lint", "lab")
        #expect(folder.code == 0)
        #expect(folder.output.contains("20-classroom.json~:1:1: warning: a file of this name is not read"))
    }

    @Test func `hostile text is escaped and nothing is coloured`() throws {
        let lab = try Lab()
        try lab.add(
            policy: "90-hostile.json",
            """
            { "Identifier": "org.example.hostile", "Description": "\\u202egood\\u001b[31m",
              "Contact": "\\u2066me\\u0007",
              "Forced": { "org.example.Browser": {
                "Key\\u202eyek": "value\\u001b]0;title\\u0007", "List": ["\\u200f", "\\u009b1m"] } } }
            """)
        try lab.add(policy: "95-\u{202e}nosj.json", "{\n \"Forced\": 1 }")
        try lab.recordAttempts()
        let harmful: Set<UInt32> = [0x1b, 0x07, 0x9b, 0x202e, 0x2066, 0x200f]
        for verb in [
            "forced", "forced --json", "explain org.example.Browser List", "explain org.example.Browser List --json",
            "explain org.example.Browser Key\u{202e}yek", "explain a\u{202e} b", "forced a \u{1b}", "policy list",
            "policy list --json", "policy show", "policy show --json", "policy lint", "policy lint --json",
            "policy lint no\u{1b}file", "audit list", "audit list --json", "audit verify", "audit verify \u{1b}",
            "policy \u{1b}", "audit list --kind \u{202e}", "audit list --since \u{1b}",
        ] {
            let result = try lab.managed(PolicyStateTests.words(verb))
            #expect(!(result.output + result.error).unicodeScalars.contains { harmful.contains($0.value) }, "\(verb)")
            #expect(!(result.output + result.error).isEmpty, "\(verb)")
        }
        let forced = try lab.managed("--user", "alice", "explain", "org.example.Browser", "Key\u{202e}yek")
        #expect(
            forced.output.hasPrefix("org.example.Browser Key\\u{202e}yek = \"value\\u001b]0;title\\u0007\"  (forced)"))
    }

    @Test func `a damaged preference file is said, and never counts as empty`() throws {
        let lab = try Lab()
        let nothing = try lab.managed("--user", "dora", "explain", "org.example.Player", "Nothing")
        #expect(nothing.code == 5)
        #expect(nothing.error.contains("lab/home/dora/.config/org.example.Player.plist:"))
        #expect(nothing.error.contains("damaged"))
        let recommended = try lab.managed("--user", "dora", "explain", "org.example.Player", "Volume")
        #expect(recommended.code == 0)
        #expect(recommended.output.contains("cannot be read: "))
    }

    @Test func `a machine without policy answers no, and says so`() throws {
        let lab = try Lab()
        for folder in ["/etc/managed-defaults", "/run/managed-defaults"] {
            try FileManager.default.removeItem(atPath: lab.path + folder)
        }
        #expect(try lab.managed("--user", "alice", "forced").output == "")
        #expect(try lab.managed("--user", "alice", "forced", "org.example.Browser", "HomePage").code == 1)
        #expect(try lab.managed("--user", "alice", "policy", "list").output.contains("not managed"))
        #expect(try lab.managed("--user", "alice", "policy", "list", "--json").output == "[]\n")
        let lint = try lab.managed("policy", "lint")
        #expect(lint.code == 0)
        #expect(lint.error.contains("There is no policy to check"))
        let explained = try lab.managed("--user", "alice", "explain", "org.example.Browser", "HomePage")
        #expect(
            explained.output.hasPrefix("org.example.Browser HomePage = \"https://games.example/tetris\"  (application)")
        )
    }

    @Test(.enabled(if: UserIdentityTests.hasMounts, "needs root and a mount namespace"))
    func `without the record or a copy users' programs need good files, and apply mends the modes`() throws {
        let lab = try Lab()
        chmod(lab.folder, 0o755)
        let script =
            UserIdentityTests.machine + """
                policies=/etc/managed-defaults/policies.d
                store=/var/lib/managed-defaults
                rm $policies/*
                mkdir -p /run/managed-defaults/policies.d
                echo '{"Identifier":"a.b","Forced":{"d":{"k":1}}}' > $policies/10.json
                "$program" policy apply > apply
                alice() { setpriv --reuid 2002 --regid 2002 --init-groups "$program" "$@" 2> said; echo "[$?]"; }
                root() { "$program" --user alice "$@" 2> said; echo "[$?]"; }
                both() { echo "$*:" $(alice "$@"), root: $(root "$@"); }
                for folder in $store $store/good; do
                    chmod 700 $folder
                    echo '{"Identifier":"a.b","Forced":{"d":{"k":1}}}' > $policies/10.json
                    both forced d k; both forced e k
                    alice doctor | grep -o '✗ .*(mode 0700)'
                    echo 'broken' > $policies/10.json
                    both forced d k; both forced e k
                    stat -c %a $folder
                    "$program" policy apply 2>&1 | grep -o 'it has the mode.*'
                    both forced d k; both forced e k
                    stat -c %a $folder
                done
                """
        let run = try SpawnedProgram.run(
            "/bin/sh",
            [
                "-c", "exec unshare -m sh -c \"$1\" sh \"$2\" \"$3\"", "sh", script, MDefaultsProcess.path, lab.folder,
            ])
        let free = "not forced [1], root: not forced [1]"
        let forced = "forced [0], root: forced [0]"
        #expect(
            run.output == """
                forced d k: \(forced)
                forced e k: \(free)
                ✗ /var/lib/managed-defaults: users' programs cannot read what is kept in this folder (mode 0700)
                forced d k: [4], root: forced [0]
                forced e k: [4], root: not forced [1]
                700
                it has the mode 0755 again.
                forced d k: \(forced)
                forced e k: \(free)
                755
                forced d k: \(forced)
                forced e k: \(free)
                ✗ /var/lib/managed-defaults/good: users' programs cannot read what is kept in this folder (mode 0700)
                forced d k: [4], root: forced [0]
                forced e k: [4], root: not forced [1]
                700
                it has the mode 0755 again.
                forced d k: \(forced)
                forced e k: \(free)
                755

                """, "\(run.error)")
    }
}
