import Foundation
import MDPropertyList
import MDTestSupport
import Testing

/// Writes to keys that policy forces.
struct ForcedWriteTests {
    /// The sentence for a person about the forced home page.
    private func refusal(_ lab: Lab) -> String {
        "HomePage of org.example.Browser is set by policy and cannot be changed here; "
            + "to have it changed, ask: Lab office, room 12."
    }

    @Test func `a user reads a title and whom to ask, in the user's language, and an administrator file and line`()
        throws
    {
        let lab = try Lab()
        let words = ["--root", lab.path, "--user", "bob", "write", "org.example.Browser", "HomePage", "x"]
        let process = MDefaultsProcess(folder: lab.folder)
        let verbose = try process.run(["--verbose"] + words)
        #expect(
            verbose.error == "mdefaults: HomePage in org.example.Browser is forced by the policy "
                + "edu.example.school.classroom (\(lab.path)/etc/managed-defaults/policies.d/20-classroom.json:27:7); "
                + "to have it changed, ask: Lab office, room 12.\n"
                + "mdefaults: The attempt is record 1 of the audit log.\n")
        let german = try process.run(words, environment: ["LC_ALL": "de_CH.UTF-8", "LANG": "en"])
        #expect(
            german.error
                == "mdefaults: HomePage von org.example.Browser ist durch eine Richtlinie festgelegt und lässt "
                + "sich hier nicht ändern; wer es ändern kann: Lab office, room 12.\n")
        try lab.add(
            policy: "95-title.json",
            #"{"Metadata":{"org.example.Browser":{"HomePage":{"Title":"First page"}}},"Constraints":{"org.example.Editor":{"FontSize":{"Minimum":8,"Maximum":24}}}}"#
        )
        #expect(
            try process.run(words).error == "mdefaults: “First page” (HomePage) is set by policy and cannot be changed "
                + "here; to have it changed, ask: Lab office, room 12.\n")
        let outside = ["--root", lab.path, "--user", "bob", "write", "org.example.Editor", "FontSize", "-int", "70"]
        #expect(
            try process.run(outside).error.contains("FontSize of org.example.Editor must be from 8 to 24, by policy."))
        #expect(
            try process.run(outside, environment: ["LANG": "de"]).error.contains(
                "FontSize von org.example.Editor ist durch eine Richtlinie begrenzt: 8 bis 24."))
    }

    @Test func `a write to a forced key changes nothing and is recorded`() throws {
        let lab = try Lab()
        let file = lab.file(of: "bob", "org.example.Browser")
        let before = FileManager.default.contents(atPath: file)
        let result = try lab.run(as: "bob", ["write", "org.example.Browser", "HomePage", "https://games.example"])
        #expect(result.error == "mdefaults: \(refusal(lab))\n")
        #expect(result.output == "")
        #expect(result.code == 3)
        #expect(FileManager.default.contents(atPath: file) == before)
        #expect(try lab.attempts() == ["bob cli refused org.example.Browser HomePage value"])
    }

    /// What lies in the place of a preference file that cannot be opened.
    enum Obstacle: CaseIterable {
        /// A named pipe without a writer.
        case pipe
        /// A folder.
        case folder
        /// A link to itself.
        case circle

        /// Puts it there.
        func place(at path: String) throws {
            try? FileManager.default.removeItem(atPath: path)
            switch self {
            case .pipe: try #require(mkfifo(path, 0o600) == 0)
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            case .circle: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
            }
        }
    }

    @Test(arguments: Obstacle.allCases)
    func `policy is asked before a file that cannot be opened`(_ obstacle: Obstacle) throws {
        let lab = try Lab()
        try obstacle.place(at: lab.file(of: "bob", "org.example.Browser"))
        let domain = "org.example.Browser"
        let written = try lab.run(as: "bob", ["write", domain, "HomePage", "https://games.example"])
        #expect(written.error == "mdefaults: \(refusal(lab))\n")
        #expect(written.code == 3)
        let extended = try lab.run(as: "bob", ["write", domain, "Extensions", "-array-add", "games"])
        #expect(extended.code == 3)
        let replaced = try lab.run(as: "bob", ["write", domain, "{ HomePage = x; Free = y; }"])
        #expect(replaced.code == 3)
        // What policy lets pass fails because of the file; a removal was tried as well.
        #expect(try lab.run(as: "bob", ["write", domain, "Free", "y"]).code == 4)
        #expect(try lab.run(as: "bob", ["delete", domain, "HomePage"]).code == 4)
        #expect(
            try lab.attempts() == [
                "bob cli refused org.example.Browser HomePage value",
                "bob cli refused org.example.Browser Extensions value",
                "bob cli refused org.example.Browser HomePage value",
                "bob cli refused org.example.Browser HomePage removal",
            ])
    }

    @Test func `the forced value itself is no attempt and stores nothing`() throws {
        let lab = try Lab()
        let result = try lab.run(as: "weber", ["write", "org.example.Chat", "Server", "chat.school.example"])
        #expect(result.code == 0)
        #expect(result.error == "")
        #expect(try lab.stored("weber", "org.example.Chat") == nil)
        #expect(try lab.attempts() == [])
    }

    @Test func `a key that NSGlobalDomain forces is forced in every domain`() throws {
        let lab = try Lab()
        let result = try lab.run(as: "bob", ["write", "org.example.New", "NSQuitAlwaysKeepsWindows", "-bool", "yes"])
        #expect(result.code == 3)
        #expect(result.error.contains("NSQuitAlwaysKeepsWindows of NSGlobalDomain is set by policy"))
        #expect(try lab.stored("bob", "org.example.New") == nil)
        #expect(try lab.attempts() == ["bob cli refused org.example.New NSQuitAlwaysKeepsWindows value"])
    }

    @Test func `a key that is forced to be absent takes no value`() throws {
        let lab = try Lab()
        let result = try lab.run(as: "exam01", ["write", "org.example.Browser", "Proxy", "x"])
        #expect(result.code == 3)
        #expect(result.error.contains("Proxy of org.example.Browser is kept without a value by policy"))
        #expect(try lab.attempts() == ["exam01 cli refused org.example.Browser Proxy value"])
    }

    @Test func `under shadow the value is stored without effect`() throws {
        let lab = try Lab()
        let name = "etc/managed-defaults/policies.d/20-classroom.json"
        #expect(try lab.edit(name, "\"Version\": 7,", "\"Version\": 8, \"OnOverride\": \"shadow\","))
        let result = try lab.run(as: "bob", ["write", "org.example.Browser", "HomePage", "https://games.example"])
        #expect(result.code == 3)
        #expect(result.error.hasPrefix("mdefaults: The value is stored, but it has no effect now. HomePage of"))
        #expect(try lab.stored("bob", "org.example.Browser")?["HomePage"] == .string("https://games.example"))
        let read = try lab.run(as: "bob", ["read", "org.example.Browser", "HomePage"])
        #expect(read.output == "https://start.school.example/class?who=bob\n")
        #expect(try lab.attempts() == ["bob cli shadowed org.example.Browser HomePage value"])
    }

    @Test func `extending a forced list is an attempt`() throws {
        let lab = try Lab()
        let result = try lab.run(as: "bob", ["write", "org.example.Browser", "Extensions", "-array-add", "games"])
        #expect(result.code == 3)
        #expect(try lab.stored("bob", "org.example.Browser")?["Extensions"] == nil)
        #expect(try lab.attempts() == ["bob cli refused org.example.Browser Extensions value"])
    }

    @Test func `one forced key refuses a whole dictionary, naming each`() throws {
        let lab = try Lab()
        let before = try lab.stored("bob", "org.example.Browser")
        let words = ["write", "org.example.Browser", "{ HomePage = x; Free = 1; Proxy = y; SafeSearch = <*BY>; }"]
        let result = try lab.run(as: "bob", words)
        #expect(result.code == 3)
        let lines = result.error.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first == "mdefaults: Nothing was written, because these keys are forced to other values:")
        #expect(result.error.contains(refusal(lab)))
        #expect(result.error.contains("Proxy of org.example.Browser is set by policy"))
        #expect(try lab.stored("bob", "org.example.Browser") == before)
        #expect(
            try lab.attempts() == [
                "bob cli refused org.example.Browser HomePage value",
                "bob cli refused org.example.Browser Proxy value",
            ])
    }

    @Test func `removing a forced key removes the hidden value only`() throws {
        let lab = try Lab()
        #expect(try lab.stored("alice", "org.example.Browser")?["HomePage"] != nil)
        let result = try lab.run(as: "alice", ["delete", "org.example.Browser", "HomePage"])
        #expect(result.code == 3)
        #expect(result.error.contains("deleted; the key keeps what policy says. \(refusal(lab))"))
        let after = try #require(try lab.stored("alice", "org.example.Browser"))
        #expect(after["HomePage"] == nil && after["ZoomLevel"] != nil)
        let read = try lab.run(as: "alice", ["read", "org.example.Browser", "HomePage"])
        #expect(read.output == "https://start.school.example/class?who=alice\n")
        #expect(try lab.attempts() == ["alice cli hidden org.example.Browser HomePage removal"])
    }

    @Test func `removing a domain records each forced key of it`() throws {
        let lab = try Lab()
        let result = try lab.run(as: "alice", ["remove", "org.example.Browser"])
        #expect(result.code == 3)
        #expect(result.error.contains(refusal(lab)))
        #expect(try lab.stored("alice", "org.example.Browser") == nil)
        #expect(try lab.attempts() == ["alice cli hidden org.example.Browser HomePage removal"])
    }

    @Test func `an import with a forced key imports nothing`() throws {
        let lab = try Lab()
        let list = "{ \"HomePage\": \"x\", \"Free\": 1 }"
        try list.write(toFile: lab.folder + "/in.json", atomically: false, encoding: .utf8)
        let before = try lab.stored("bob", "org.example.Browser")
        let result = try lab.run(as: "bob", ["import", "org.example.Browser", "in.json"])
        #expect(result.code == 3)
        #expect(result.error.contains(refusal(lab)))
        #expect(try lab.stored("bob", "org.example.Browser") == before)
        #expect(try lab.attempts() == ["bob import refused org.example.Browser HomePage value"])
    }

    @Test func `the domains of this host are under policy as well`() throws {
        let lab = try Lab()
        let domain = "org.example.Browser"
        #expect(try lab.run(as: "bob", ["-currentHost", "write", domain, "HomePage", "x"]).code == 3)
        #expect(try lab.run(as: "bob", ["-currentHost", "write", domain, "Free", "y"]).code == 0)
        try "{ HomePage = z; }".write(toFile: lab.folder + "/in.plist", atomically: false, encoding: .utf8)
        #expect(try lab.run(as: "bob", ["-currentHost", "import", domain, "in.plist"]).code == 3)
        #expect(try lab.run(as: "bob", ["-currentHost", "read", domain, "HomePage"]).output.contains("school.example"))
        #expect(
            try lab.attempts() == [
                "bob cli refused org.example.Browser HomePage value",
                "bob import refused org.example.Browser HomePage value",
            ])
    }

    @Test func `renaming to a forced key changes nothing`() throws {
        let lab = try Lab()
        let before = try lab.stored("alice", "org.example.Browser")
        let result = try lab.run(as: "alice", ["rename", "org.example.Browser", "ZoomLevel", "HomePage"])
        #expect(result.code == 3)
        #expect(try lab.stored("alice", "org.example.Browser") == before)
        #expect(try lab.attempts() == ["alice cli refused org.example.Browser HomePage value"])
    }

    @Test func `renaming a forced key moves the hidden value only`() throws {
        let lab = try Lab()
        let result = try lab.run(as: "alice", ["rename", "org.example.Browser", "HomePage", "Mine"])
        #expect(result.code == 3)
        #expect(result.error.contains("The user's own value is renamed; the key keeps what policy says. HomePage of"))
        let stored = try #require(try lab.stored("alice", "org.example.Browser"))
        #expect(stored["Mine"] == .string("https://games.example/tetris") && stored["HomePage"] == nil)
        #expect(try lab.attempts() == ["alice cli hidden org.example.Browser HomePage removal"])
    }

    @Test(arguments: ["home/bob/.config/org.example.Browser", "link", "hard.plist"])
    func `a path that is a user's preference file is under policy`(_ name: String) throws {
        let lab = try Lab()
        let file = lab.file(of: "bob", "org.example.Browser")
        try FileManager.default.createSymbolicLink(atPath: lab.path + "/link.plist", withDestinationPath: file)
        try FileManager.default.linkItem(atPath: file, toPath: lab.path + "/hard.plist")
        let before = FileManager.default.contents(atPath: file)
        let result = try lab.run(as: "weber", ["write", "./lab/" + name, "HomePage", "x"])
        #expect(result.error == "mdefaults: \(refusal(lab))\n")
        #expect(result.code == 3)
        #expect(FileManager.default.contents(atPath: file) == before)
        #expect(try lab.attempts() == ["bob cli refused org.example.Browser HomePage value"])
    }

    @Test func `an absolute path begins at the root of the machine`() throws {
        let lab = try Lab()
        let words = ["/home/bob/.config/org.example.Browser.plist", "HomePage"]
        let read = try lab.run(as: "weber", ["read"] + words)
        #expect(read.output == "https://start.school.example/class?who=bob\n")
        #expect(try lab.run(as: "weber", ["write"] + words + ["x"]).code == 3)
    }
}
