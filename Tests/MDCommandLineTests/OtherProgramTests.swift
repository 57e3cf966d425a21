import Foundation
import MDTestSupport
import MDTestTimes
import Testing

/// `policy convert`: the policy file that it writes, and the losses that it reports.
@Suite(.timed)
struct ConversionTests {
    /// A folder with a keyfile of dconf and its locks.
    private func lab() throws -> Lab {
        let lab = try Lab()
        let folder = lab.folder + "/local.d"
        try FileManager.default.createDirectory(atPath: folder + "/locks", withIntermediateDirectories: true)
        try "[org/gnome/desktop/session]\nidle-delay=uint32 300\n[org/a]\nb='x'\nc=(1, 2)\n"
            .write(toFile: folder + "/00-desk", atomically: false, encoding: .utf8)
        try "/org/gnome/desktop/session/idle-delay\n/org/a/b \n"
            .write(toFile: folder + "/locks/desk", atomically: false, encoding: .utf8)
        return lab
    }

    @Test func `converts a folder of dconf, names what got lost, and lint accepts the result`() throws {
        let lab = try lab()
        let result = try lab.run(["policy", "convert", "local.d", "-o", "out.json"])
        #expect(result.code == 1)
        #expect(result.output == "")
        let lines = result.error.split(separator: "\n").map { String($0) }
        #expect(
            lines == [
                "mdefaults: local.d/locks/desk:2:1: the lock ends in a blank, so it locks no key that there is; nothing is"
                    + " forced by it.",
                "mdefaults: local.d/00-desk:5:1: \"c\": a tuple became an array.",
                "mdefaults: local.d/00-desk:2:1: no program obeys what is said of org.gnome.desktop.session, org.a: GSettings"
                    + " does not ask this library and reads the databases of dconf.",
            ])
        let lint = try lab.run(["policy", "lint", "out.json"])
        #expect(lint.code == 0 && lint.output.contains("no program obeys what is said of org.gnome.desktop.session: "))
        #expect(lint.output.hasSuffix("[not-obeyed]\n") && lint.output.split(separator: "\n").count == 1)
        let text = try String(contentsOfFile: lab.folder + "/out.json", encoding: .utf8)
        #expect(text.contains("\"idle-delay\": 300,") && text.contains("\"Recommended\""))
    }

    @Test func `reads the folders of Chromium, and names those that it does not read`() throws {
        let lab = try Lab()
        let places = [
            "policies/managed/a.json", "policies/recommended/b.json", "Managed Preferences/org.x.plist",
            "Managed Preferences/bob/org.y.plist", "Managed Preferences/.hidden.plist",
        ]
        for place in places {
            let url = URL(fileURLWithPath: lab.folder + "/" + place)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(#"{ "\#(url.deletingPathExtension().lastPathComponent)": 1 }"#.utf8).write(to: url)
        }
        let browser = try lab.run(["policy", "convert", "policies"])
        #expect(browser.code == 1)
        #expect(
            browser.error == "mdefaults: policies/managed/a.json:1:3: no program obeys what is said of"
                + " org.chromium.Chromium: Chromium does not ask this library and reads /etc/chromium/policies.\n")
        let parts = browser.output.components(separatedBy: "\"Recommended\"")
        #expect(parts.count == 2 && parts[0].contains("\"a\": 1") && parts[1].contains("\"b\": 1"), "\(browser)")
        let mac = try lab.run(["policy", "convert", "Managed Preferences"])
        #expect(mac.code == 1 && mac.output.contains("\"org.x\": 1"), "\(mac)")
        #expect(
            mac.error.split(separator: "\n")
                == [".hidden.plist", "bob"].map {
                    "mdefaults: Managed Preferences/\($0): this was not read; name it if it is policy."
                } + [
                    "mdefaults: Managed Preferences/org.x.plist:1:3: no program obeys what is said of org.chromium.Chromium:"
                        + " Chromium does not ask this library and reads /etc/chromium/policies."
                ], "\(mac.error)")
    }

    @Test func `refuses what is policy already, and a folder without any file`() throws {
        let lab = try Lab()
        let text = #"{ "Identifier": "a.b", "Forced": { "org.x": { "A": 1 } } }"#
        try Data(text.utf8).write(to: URL(fileURLWithPath: lab.folder + "/own.json"))
        try FileManager.default.createDirectory(atPath: lab.folder + "/empty", withIntermediateDirectories: true)
        let own = try lab.run(["policy", "convert", "own.json"])
        #expect(own.code == 5 && own.output == "" && own.error.contains("this is a policy file already"), "\(own)")
        let empty = try lab.run(["policy", "convert", "empty"])
        #expect(empty.code == 5 && empty.output == "" && empty.error.contains("empty has no file"), "\(empty)")
    }

    @Test(arguments: [
        (["policy", "convert", "--domain", "a/b", "x"], Int32(2), "The domain \"a/b\""),
        (["policy", "convert"], Int32(2), "The file to convert is missing."),
        (["policy", "convert", "/nonexistent"], 4, "No such file or directory"),
        (["policy", "convert", "--from", "ini", "x"], 2, "There is no kind ini; there are profile, plist, fragment"),
        (["policy", "convert", "/etc/hostname"], 5, "--from says it"),
        (["policy", "convert", "/dev/null", "--from", "profile"], 4, "/dev/null"),
    ]) func `says what is wrong`(_ words: [String], _ code: Int32, _ message: String) throws {
        let result = try Lab().run(words)
        #expect(result.code == code)
        #expect(result.error.contains(message), "\(result.error)")
    }
}

/// `forced` and `report` about keys of programs that do not use this library.
@Suite(.timed)
struct OtherProgramTests {
    /// A lab that forces keys of Chromium, and one that is everybody's.
    private func lab() throws -> Lab {
        let lab = try Lab()
        try lab.add(
            policy: "70-browser.json",
            #"""
            { "Identifier": "edu.example.browser", "Forced": { "org.chromium.Chromium": { "A": 1, "B": 2 },
              "org.example.Own": { "A": 1 } } }
            """#)
        return lab
    }

    /// What is said of Chromium.
    private static let sentence =
        "No program obeys what is said of org.chromium.Chromium: Chromium does not ask this library and reads"
        + " /etc/chromium/policies."

    @Test func `forced says that the program does not obey`() throws {
        let lab = try lab()
        let all = try lab.run(["forced"])
        #expect(all.code == 0 && all.error == "mdefaults: \(Self.sentence)\n")
        #expect(all.output.contains("org.chromium.Chromium A = 1\n"))
        let key = try lab.run(["forced", "org.chromium.Chromium", "A"])
        #expect(key.code == 0 && key.output == "forced\n" && key.error == "mdefaults: \(Self.sentence)\n")
        let free = try lab.run(["forced", "org.chromium.Chromium", "Free"])
        #expect(free.code == 1 && free.error == "")
        let own = try lab.run(["forced", "org.example.Own", "A"])
        #expect(own.code == 0 && own.error == "")
    }

    @Test func `forced says it to programs as well`() throws {
        let lab = try lab()
        let all = try lab.run(["forced", "--json"])
        #expect(all.error == "")
        let entries = try #require(try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]])
        let said = entries.filter { $0["notObeyed"] != nil }
        #expect(said.map { $0["key"] as? String } == ["A", "B"])
        #expect(said.allSatisfy { $0["notObeyed"] as? String == Self.sentence })
        let key = try lab.run(["forced", "org.chromium.Chromium", "A", "--json"])
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(key.output.utf8)) as? [String: Any])
        #expect(answer["forced"] as? Bool == true && answer["notObeyed"] as? String == Self.sentence)
    }

    @Test func `report says it beside its result`() throws {
        let result = try lab().run(["report"])
        #expect(result.code == 0)
        let words = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(
            words.contains(
                "COMPLIANT. Policy is in force as written; no program obeys what is said of 1 domain, see the warnings below."
            ))
        #expect(words.contains("70-browser.json:1:79: no program obeys what is said of org.chromium.Chromium: "))
    }
}
