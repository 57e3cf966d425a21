import Foundation
import MDTestSupport
import Testing

/// `policy install`, `edit`, `new`, `rollback --dry-run`: policy rolled out with the difference in sight.
struct InstallTests {
    /// A copy of the lab's policy beside it, to edit.
    private static func checkout(_ lab: Lab) throws -> String {
        let folder = lab.folder + "/new"
        try FileManager.default.copyItem(atPath: lab.path + "/etc/managed-defaults/policies.d", toPath: folder)
        return folder
    }

    private static func names(_ lab: Lab) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: lab.path + "/etc/managed-defaults/policies.d").sorted()
    }

    @Test func `a folder becomes the directory in one step, with a generation of before and of after`() throws {
        let lab = try Lab()
        let folder = try Self.checkout(lab)
        try FileManager.default.removeItem(atPath: folder + "/45-cad.plist")
        try Data(#"{"Forced": {"org.example.New": {"k": 1}}}"#.utf8).write(
            to: URL(fileURLWithPath: folder + "/90-new.json"))
        let before = try Self.names(lab)
        let dry = try lab.managed("policy", "install", "new", "--dry-run")
        #expect(dry.code == 0 && dry.output.contains("\nFor root and labtech:\n+ org.example.New k\n"), "\(dry)")
        #expect(dry.output.contains("Files: 90-new.json added, 45-cad.plist removed."), "\(dry)")
        #expect(dry.output.hasSuffix("nothing was written\n"))
        #expect(
            try Self.names(lab) == before
                && !FileManager.default.fileExists(atPath: lab.path + "/var/lib/managed-defaults/generations"))
        let asked = try lab.managed("policy", "install", "new")
        #expect(asked.code == 2 && asked.error.contains("--yes says so"), "\(asked)")
        #expect(try Self.names(lab) == before)
        let done = try lab.managed("policy", "install", "new", "--yes", "--reason", "new term", "--json")
        #expect(done.code == 0, "\(done)")
        let answer = try done.object
        #expect(answer["changed"] as? Bool == true && answer["saved"] as? Int == 1 && answer["generation"] as? Int == 2)
        let groups = try #require(answer["groups"] as? [[String: Any]])
        #expect((groups.first?["users"] as? [String])?.count ?? 0 > 1)
        #expect(try Self.names(lab) == (before.filter { $0 != "45-cad.plist" } + ["90-new.json"]).sorted())
        #expect(try lab.managed("--user", "alice", "forced", "org.example.New", "k").code == 0)
        // A locked control is answered in one step.
        let why = ["--user", "alice", "explain", "org.example.New", "k"]
        let told = try lab.managed(why).output
        #expect(told.contains("\n  Generation 2 brought it "), "\(told)")
        #expect(told.contains(": install of new: new term.\n"), "\(told)")
        let history = try lab.managed("policy", "history").output
        #expect(history.contains("install of new: new term") && history.contains("found before install of new"))
        let log = try lab.managed("audit", "list", "--kind", "policy").output
        #expect(log.contains("install of new: new term begins"), "\(log)")
        // The same once more is nothing to do.
        let again = try lab.managed("policy", "install", "new", "--yes", "--json")
        let answered = try again.object
        #expect(again.code == 0 && answered["changed"] as? Bool == false, "\(again)")
        try Data(#"{"Forced": {"org.example.New": {"k": 2}}}"#.utf8).write(
            to: URL(fileURLWithPath: lab.path + "/etc/managed-defaults/policies.d/90-new.json"))
        #expect(try lab.managed(why).output.contains("Not by install: no generation has the file as it is."))
    }

    @Test func `a file from standard input is checked beside others, and installed unless it was changed`() throws {
        let lab = try Lab()
        try lab.apply()
        /// Runs a verb with a text on standard input.
        func say(_ text: String, _ words: String...) throws -> MDefaultsProcess.Result {
            try MDefaultsProcess(folder: lab.folder).run(["--root", "lab", "policy"] + words, input: text)
        }
        let (install, name) = (["install", "-", "--as", "90-new.json", "--yes"], "90-new.json")
        func put(_ value: Int, _ words: String...) throws -> MDefaultsProcess.Result {
            try MDefaultsProcess(folder: lab.folder).run(
                ["--root", "lab", "policy"] + install + words,
                input: #"{"Forced": {"org.example.New": {"k": \#(value)}}}"#)
        }
        let begun = try MDefaultsProcess(folder: lab.folder).run(["policy", "new", "--as", name])
        #expect(begun.output.contains(#""Identifier": "90-new","#), "\(begun)")
        // An entry of another file loses, which only a check beside the others can find.
        let beaten = #"{"Forced": {"org.example.Browser": {"HomePage": "https://a.example/"}}}"#
        let alone = try say(beaten, "lint", "-")
        let beside = try say(beaten, "lint", "-", "--as", name)
        #expect(alone.output.isEmpty && beside.output.contains("90-new.json:1:"), "\(beside)")
        #expect(try say("{", "lint", "-", "--as", name).code == 1)
        #expect(try say("{", "install", "-", "--as", name, "--yes").code == 1)
        #expect(try say("{}", "lint", "-", "--as", "a/b.json").code == 2)
        #expect(try say("{}", "install", "-", "--yes").code == 2)
        let first = try put(1, "--if-unchanged", "none", "--reason", "r")
        #expect(first.code == 0, "\(first)")
        #expect(try lab.managed("policy", "history").output.contains("edit of 90-new.json: r"))
        let files = try #require(
            try JSONSerialization.jsonObject(with: Data(lab.managed("policy", "list", "--json").output.utf8))
                as? [[String: Any]])
        let seen = try #require(
            files.first { ($0["file"] as? String)?.hasSuffix("/\(name)") == true }?["sha256"] as? String)
        #expect(try put(2, "--if-unchanged", seen).code == 0)
        for late in [seen, "none"] {
            let refused = try put(3, "--if-unchanged", late)
            #expect(refused.code == 1, "\(refused)")
            #expect(refused.error.contains("90-new.json was changed since it was read"), "\(refused)")
        }
        // A mask and a file that others may write are there, too, though their bytes are not known.
        let file = lab.path + "/etc/managed-defaults/policies.d/95-there.json"
        let new = ["install", "-", "--as", "95-there.json", "--yes", "--if-unchanged", "none"]
        for mode in [0o120_777, 0o666] {
            try? FileManager.default.removeItem(atPath: file)
            if mode == 0o666 {
                try "{}".write(toFile: file, atomically: false, encoding: .utf8)
                #expect(chmod(file, 0o666) == 0)
            } else {
                try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/null")
            }
            let refused = try MDefaultsProcess(folder: lab.folder).run(
                ["--root", "lab", "policy"] + new, input: #"{"Forced": {"a.b": {"k": 1}}}"#)
            #expect(refused.code == 1 && refused.error.contains("is a link or not to be trusted"), "\(refused)")
        }
        try FileManager.default.removeItem(atPath: file)
        // What lies there already is no conflict.
        #expect(try put(2, "--if-unchanged", seen).code == 0)
        #expect(try lab.managed("--user", "alice", "read", "org.example.New", "k").output == "2\n")
    }

    @Test func `the reason of an installation names the commit of the git checkout that a folder lies in`() throws {
        let lab = try Lab()
        _ = try Self.checkout(lab)
        let commits = (0..<5).map { number in String(repeating: "\(number)", count: 40) }
        /// Writes a file beside the folder.
        func write(_ name: String, _ text: String) throws {
            let file = URL(fileURLWithPath: "\(lab.folder)/\(name)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data((text + "\n").utf8).write(to: file)
        }
        /// Installs the folder, and compares the reason in the history.
        func expect(_ commit: String?, _ number: Int) throws {
            try write("new/90-new.json", #"{"Forced": {"org.example.New": {"k": \#(number)}}}"#)
            #expect(try lab.managed("policy", "install", "new", "--yes", "--reason", "r\(number)").code == 0)
            let shown = commit.map { " (git commit \($0))" } ?? ""
            let history = try lab.managed("policy", "history").output
            #expect(history.contains("  install of new\(shown): r\(number)  "), "\(history)")
        }
        try write(".git/HEAD", "ref: refs/heads/main")
        try write(".git/refs/heads/main", commits[0])
        try expect(commits[0], 0)
        try FileManager.default.removeItem(atPath: "\(lab.folder)/.git/refs/heads/main")
        try write(".git/packed-refs", "# pack-refs\n\(commits[1]) refs/heads/main\n^\(commits[0])")
        try expect(commits[1], 1)
        try write(".git/HEAD", "not a commit")
        try expect(nil, 2)
        // A linked work tree inside of that checkout, whose branches lie in the folder that both have.
        try write("new/.git", "gitdir: ../.git/worktrees/new")
        try write(".git/worktrees/new/HEAD", "ref: refs/heads/term")
        try write(".git/worktrees/new/commondir", "../..")
        try write(".git/refs/heads/term", commits[3])
        try expect(commits[3], 3)
        // A branch that cannot be found is not the one of the checkout around it.
        try write(".git/HEAD", commits[0])
        try write(".git/worktrees/new/HEAD", "ref: refs/heads/other")
        try expect(nil, 4)
    }

    @Test func `names that the machine does not know are said before anything is put in place`() throws {
        let lab = try Lab()
        try Data(#"{"Target": {"Groups": ["studnets"]}, "Forced": {"org.example.New": {"k": 1}}}"#.utf8).write(
            to: URL(fileURLWithPath: lab.folder + "/90-new.json"))
        let dry = try lab.managed("policy", "install", "90-new.json", "--dry-run")
        #expect(dry.code == 0)
        #expect(
            dry.error.contains(
                #"90-new.json:1:24: warning: this machine has no group "studnets", so the file applies to nobody on it; this machine has "students" [matches-nobody]"#
            ), "\(dry)")
    }

    @Test func `what an installation wrote into another program's file, a rollback takes out`() throws {
        let lab = try Lab()
        let file = lab.path + "/etc/chromium/policies/managed/zz-managed-defaults.json"
        for (keys, reason) in [(#""HomepageLocation": "https://a.example/""#, "a"), (#""URLBlocklist": ["*"]"#, "b")] {
            try Data(#"{"Forced": {"org.chromium.Chromium": {\#(keys)}}}"#.utf8).write(
                to: URL(fileURLWithPath: lab.folder + "/90-browser.json"))
            #expect(try lab.managed("policy", "install", "90-browser.json", "--yes", "--reason", reason).code == 0)
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("URLBlocklist"))
        let result = try lab.managed("policy", "rollback", "--yes")
        #expect(result.code == 0 && result.output.contains("zz-managed-defaults.json: chromium: "), "\(result)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains("HomepageLocation") && !text.contains("URLBlocklist"), "\(text)")
        #expect(try lab.managed("programs", "status").code == 0)
    }

    @Test func `a link that leads out of the folder is refused before anything is installed`() throws {
        let lab = try Lab()
        let folder = try Self.checkout(lab)
        let files = FileManager.default
        let secret = lab.folder + "/secret.json"
        try Data(#"{"Forced": {"org.example.New": {"k": "secret"}}}"#.utf8).write(to: URL(fileURLWithPath: secret))
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: secret)
        let before = try Self.names(lab)
        // A signature is a file too, and so is what a link in the folder leads to.
        for (name, target) in [
            ("90-new.json", secret), ("90-new.json", "../secret.json"), ("90-new.json", "way/../../secret.json"),
            ("90-new.json", "hop"), ("10-exam.json.sig", "../secret.json"),
        ] {
            try files.createDirectory(atPath: folder + "/way", withIntermediateDirectories: true)
            try? files.createSymbolicLink(atPath: folder + "/hop", withDestinationPath: "../secret.json")
            let signed = try #require(before.first { $0.hasSuffix(".json") })
            let place = name.hasSuffix(".sig") ? "\(folder)/\(signed).sig" : "\(folder)/\(name)"
            try files.createSymbolicLink(atPath: place, withDestinationPath: target)
            let result = try lab.managed("policy", "install", "new", "--yes")
            #expect(
                result.code == 5 && result.error.contains("it is a link that leads out of \(folder), to \(secret)")
                    && result.error.contains("so nothing was changed"), "\(target): \(result)")
            #expect(try Self.names(lab) == before)
            try files.removeItem(atPath: place)
        }
        // Links within the folder and links that switch a file off are what they were.
        try Data(#"{"Forced": {"org.example.New": {"k": 1}}}"#.utf8).write(
            to: URL(fileURLWithPath: folder + "/way/x.json"))
        for (name, target) in [
            ("90-near.json", "way/x.json"), ("91-far.json", folder + "/way/x.json"), ("92-off.json", "/dev/null"),
        ] { try files.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: target) }
        let done = try lab.managed("policy", "install", "new", "--yes")
        #expect(done.code == 0, "\(done)")
        #expect(try lab.managed("--user", "alice", "forced", "org.example.New", "k").code == 0)
        let installed = lab.path + "/etc/managed-defaults/policies.d/"
        #expect(try files.destinationOfSymbolicLink(atPath: installed + "92-off.json") == "/dev/null")
        #expect((try? files.destinationOfSymbolicLink(atPath: installed + "91-far.json")) == nil)
        // A link that the command line names is read, and its target's mode is mentioned.
        try files.createSymbolicLink(atPath: lab.folder + "/93-named.json", withDestinationPath: secret)
        let named = try lab.managed("policy", "install", "93-named.json", "--yes")
        #expect(
            named.code == 0
                && named.error.contains("93-named.json is not readable by every user; what is installed is."),
            "\(named)")
    }

    @Test(.enabled(if: getuid() == 0, "only root can give files away"))
    func `owners who are neither root nor the caller are named, and stand in the history`() throws {
        let lab = try Lab()
        let folder = try Self.checkout(lab)
        let quiet = try lab.managed("policy", "install", "new", "--dry-run")
        #expect(quiet.code == 0 && !quiet.error.contains("belong"), "\(quiet)")
        let file = folder + "/90-new.json"
        try Data(#"{"Forced": {"org.example.New": {"k": 1}}}"#.utf8).write(to: URL(fileURLWithPath: file))
        #expect(lchown(file, 54_321, 54_321) == 0)
        let one = try lab.managed("policy", "install", "new", "--dry-run")
        let sentence = "belongs to uid 54321, neither root nor the caller."
        #expect(one.code == 0 && one.error.contains("new/90-new.json \(sentence)"), "\(one)")
        #expect(lchown(folder, 54_321, 54_321) == 0)
        let done = try lab.managed("policy", "install", "new", "--yes", "--reason", "term")
        #expect(done.code == 0 && done.error.contains("new and 1 more belong to uid 54321"), "\(done)")
        let history = try lab.managed("policy", "history").output
        #expect(history.contains("install of new of uid 54321: term"), "\(history)")
    }

    @Test func `single files go beside the others, and an error in one changes nothing`() throws {
        let lab = try Lab()
        let before = try Self.names(lab)
        let path = lab.folder + "/90-new.json"
        try Data(#"{"Forced": {"org.example.New": {"k": 1}}, "Foced": {}}"#.utf8).write(to: URL(fileURLWithPath: path))
        let broken = try lab.managed("policy", "install", "90-new.json", "--yes")
        #expect(
            broken.code == 1 && broken.error.contains("90-new.json:1:43: error: a policy file has no field"),
            "\(broken)")
        #expect(try Self.names(lab) == before)
        try Data(#"{"Forced": {"org.example.New": {"k": 1}}}"#.utf8).write(to: URL(fileURLWithPath: path))
        #expect(try lab.managed("policy", "install", "90-new.json", "--yes").code == 0)
        #expect(try Self.names(lab) == (before + ["90-new.json"]).sorted())
        for (words, code, sentence) in [
            (["90-new.json", "lab"], Int32(2), "a folder is what the whole directory becomes"),
            (["lab/home"], 5, "There is no policy file in lab/home"), (["none.json"], 4, "No such file"),
            (["lab/etc/hostname"], 5, "is no policy file by its name"),
        ] {
            let result = try lab.managed(["policy", "install", "--yes"] + words)
            #expect(result.code == code && result.error.contains(sentence), "\(result)")
        }
    }

    @Test func `a rollback is shown for everybody before it is done`() throws {
        let lab = try Lab()
        let folder = try Self.checkout(lab)
        try FileManager.default.removeItem(atPath: folder + "/45-cad.plist")
        #expect(try lab.managed("policy", "install", "new", "--yes").code == 0)
        let dry = try lab.managed("policy", "rollback", "--dry-run")
        #expect(
            dry.code == 0 && dry.output.hasPrefix("Generation 1 would be in place.\nFor weber, alice and 4 more"),
            "\(dry)")
        #expect(dry.output.contains("+ org.example.CAD LicenceServer") && dry.output.hasSuffix("nothing was written\n"))
        #expect(try !Self.names(lab).contains("45-cad.plist"))
        let json = try lab.managed("policy", "rollback", "--dry-run", "--json").object
        #expect(json["target"] as? Int == 1 && (json["groups"] as? [Any])?.count == 1)
        let unasked = try lab.managed("policy", "rollback")
        #expect(unasked.code == 2 && unasked.error.contains("--yes says so, and --dry-run only looks"), "\(unasked)")
        #expect(unasked.output.contains("+ org.example.CAD LicenceServer"), "\(unasked)")
        #expect(try !Self.names(lab).contains("45-cad.plist"))
        let done = try lab.managed("policy", "rollback", "--yes", "--json").object
        #expect(done["target"] as? Int == 1 && (done["groups"] as? [Any])?.count == 1)
        #expect(try Self.names(lab).contains("45-cad.plist"))
    }

    @Test func `an editor does not let a mistake through`() throws {
        let lab = try Lab()
        // An editor that is wrong at first, and right the second time.
        let editor = lab.folder + "/editor"
        let text = """
            #!/bin/sh
            if [ -e "$0.twice" ]; then echo '{"Forced": {"org.example.New": {"k": 2}}}' > "$1"
            else touch "$0.twice"; echo '{"Forced": {"org.example.New": {"k": 2}' > "$1"; fi
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: editor))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: editor)
        let process = MDefaultsProcess(folder: lab.folder)
        // The file itself is not executed: a process that was forked meanwhile may still hold it open.
        let own = ["EDITOR": "sh \(editor)", "PATH": "/usr/bin:/bin"]
        let left = try process.run(
            ["--root", lab.path, "policy", "edit", "90-new", "--yes"], environment: own, input: "n\n")
        #expect(
            left.code == 5 && left.error.contains("90-new.json:2:1: error: the text ends")
                && left.error.contains("left as it was"), "\(left)")
        #expect(try !Self.names(lab).contains("90-new.json"))
        try FileManager.default.removeItem(atPath: editor + ".twice")
        let done = try process.run(
            ["--root", lab.path, "policy", "edit", "90-new", "--yes"], environment: own, input: "\n")
        #expect(done.code == 0 && done.error.contains("Edit again?"), "\(done)")
        #expect(try lab.managed("--user", "alice", "forced", "org.example.New", "k").code == 0)
        let same = try process.run(["--root", lab.path, "policy", "edit", "90-new.json"], environment: own)
        #expect(same.code == 0 && same.output == "90-new.json is as it was.\n", "\(same)")
        #expect(try lab.managed("policy", "edit", "../x").code == 2)
    }

    @Test func `a first file is sound, and is not written over another`() throws {
        let lab = try Lab()
        let made = try lab.managed("policy", "new", "10-first.json")
        #expect(made.code == 0 && made.output.contains("policy install 10-first.json"), "\(made)")
        let lint = try lab.managed("policy", "lint", "10-first.json", "--strict")
        #expect(lint.code == 0, "\(lint)")
        #expect(try lab.managed("policy", "new", "10-first.json").code == 4)
        #expect(try lab.managed("policy", "new", "10-first.txt").code == 2)
        #expect(try lab.managed("policy", "new").output.contains("\"Identifier\": \"first\""))
    }

    @Test func `many machines are answered at once, those with equal answers together`() throws {
        let lab = try Lab()
        let facts = try lab.managed("policy", "facts").output
        try FileManager.default.createDirectory(atPath: lab.folder + "/facts", withIntermediateDirectories: true)
        for number in 1...6 {
            let own = facts.replacingOccurrences(of: "room1-pc03", with: "room\(number % 2 + 1)-pc0\(number)")
            try Data(own.utf8).write(to: URL(fileURLWithPath: lab.folder + "/facts/\(number).json"))
        }
        let folder = try Self.checkout(lab)
        let path = folder + "/40-room1.json"
        let text = try String(contentsOfFile: path, encoding: .utf8).replacingOccurrences(
            of: "room1.png", with: "x.png")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let result = try lab.managed("policy", "diff", "new/40-room1.json", "--hosts", "facts")
        #expect(result.code == 1, "\(result)")
        #expect(
            result.output.contains("on room1-pc02, room1-pc04 and room1-pc06:\n~ org.example.Desktop Wallpaper\n"),
            "\(result)")
        #expect(
            result.output.contains("No difference for all 8 users on room2-pc01, room2-pc03 and room2-pc05."),
            "\(result)")
        let json = try lab.managed("policy", "diff", "new/40-room1.json", "--hosts", "facts", "--json").objects
        #expect(json.count == 1 && (json.first?["hosts"] as? [String])?.count == 3)
        #expect(try lab.managed("policy", "diff", "new", "--hosts", "lab/home").code == 5)
        #expect(try lab.managed("--user", "alice", "policy", "diff", "new", "--hosts", "facts").code == 2)
    }

    @Test func `each machine is compared with what its facts say is in force there`() throws {
        let lab = try Lab()
        let before = try lab.managed("policy", "facts").output
        let folder = try Self.checkout(lab)
        try FileManager.default.removeItem(atPath: folder + "/45-cad.plist")
        #expect(try lab.managed("policy", "install", "new", "--yes").code == 0)
        let after = try lab.managed("policy", "facts").output
        #expect(before.contains("45-cad.plist") && !after.contains("45-cad.plist"))
        try FileManager.default.createDirectory(atPath: lab.folder + "/facts", withIntermediateDirectories: true)
        func write(_ number: Int, _ facts: some StringProtocol) throws {
            let own = facts.replacingOccurrences(of: "room1-pc03", with: "room1-pc0\(number)")
            try Data(own.utf8).write(to: URL(fileURLWithPath: lab.folder + "/facts/\(number).json"))
        }
        try write(4, after)
        let none = try lab.managed("policy", "diff", "new", "--hosts", "facts")
        #expect(none.code == 0 && none.output == "No difference for all 8 users on room1-pc04.\n", "\(none)")
        try write(3, before)
        // A content that nobody here has, facts of an earlier version, and a file that does not read.
        let digest = try #require(after.range(of: "\"SHA256\": \""))
        try write(
            5,
            after.replacingCharacters(in: digest.upperBound..<after.index(digest.upperBound, offsetBy: 4), with: "0000")
        )
        let policy = try #require(after.range(of: ",\n  \"Policy\""))
        try write(6, after[..<policy.lowerBound] + "}")
        try write(7, "{\n")
        let result = try lab.managed("policy", "diff", "new", "--hosts", "facts")
        #expect(result.code == 1, "\(result)")
        #expect(result.output.contains("on room1-pc03:\n- org.example.CAD LicenceServer\n"), "\(result)")
        #expect(result.output.contains("No difference for all 8 users on room1-pc04."), "\(result)")
        let unknown = "It is unknown what changes on room1-pc05: "
        #expect(result.output.contains(unknown) && result.output.contains("not known here"), "\(result)")
        #expect(result.output.contains("on room1-pc06: the facts do not say what is in force there."), "\(result)")
        #expect(result.error.contains("facts/7.json:2:1: "), "\(result)")
        let json = try lab.managed("policy", "diff", "new", "--hosts", "facts", "--json").objects
        #expect(json.compactMap { $0["hosts"] as? [String] } == [["room1-pc03"], ["room1-pc05"], ["room1-pc06"]])
        #expect(json.count { $0["unknown"] is String } == 2 && json.count { $0["error"] is String } == 1, "\(json)")
    }

    @Test func `a difference says for whom and when`() throws {
        let lab = try Lab()
        _ = try Self.checkout(lab)
        let none = try lab.managed("policy", "diff", "new")
        #expect(none.code == 0 && none.output == "No difference for all 8 users on room1-pc03.\n", "\(none)")
        try FileManager.default.removeItem(atPath: lab.folder + "/new/45-cad.plist")
        let one = try lab.managed("--user", "alice", "--at", "2026-11-23T09:30:00Z", "policy", "diff", "new")
        #expect(one.output.hasPrefix("For alice on room1-pc03, Mon 2026-11-23"), "\(one)")
    }

    @Test func `grants are listed by what their files say`() throws {
        let lab = try Lab()
        #expect(try lab.managed("policy", "grant", "list").code == 1)
        let words = ["--for", "2h", "--user", "alice", "--reason", "thesis", "org.example.Browser", "HomePage"]
        #expect(try lab.managed(["policy", "grant"] + words).code == 0)
        let list = try lab.managed("policy", "grant", "list")
        #expect(list.code == 0 && list.output.hasPrefix("alice: org.example.Browser HomePage free until "), "\(list)")
        let json = try lab.managed("policy", "grant", "list", "--json").objects
        #expect(json.first?["user"] as? String == "alice" && json.first?["free"] as? Bool == true)
    }

    /// Every path below a folder with what a write would change.
    private static func state(of folder: String) throws -> [String: String] {
        var result: [String: String] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
            let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            result[path] = "\(time) \(attributes[.systemFileNumber] ?? 0) \(attributes[.size] ?? 0)"
        }
        return result
    }

    @Test func `the administrator's questions write nothing`() throws {
        let lab = try Lab()
        let before = try Self.state(of: lab.path)
        for words in [
            "policy lint", "policy list", "policy show", "policy diff 1", "policy diff lab lab", "policy history",
            "policy digest", "policy facts", "policy exam list", "policy grant list", "policy apply --dry-run",
            "policy rollback --dry-run", "forced", "explain org.example.Browser HomePage", "report", "doctor",
            "audit verify", "audit list", "programs status", "read org.example.Browser",
        ] {
            _ = try lab.run(words.split(separator: " ").map(String.init))
            #expect(try Self.state(of: lab.path) == before, "\(words)")
        }
    }
}
