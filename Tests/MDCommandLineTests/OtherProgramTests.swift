import Foundation
import MDTestSupport
import Testing

/// `policy convert`: the policy file that it writes, and the losses that it reports.
struct ConversionTests {
    /// What is said of Chromium.
    private static let obedience =
        "mdefaults: Chromium will obey what is said of org.chromium.Chromium, in files that policy apply writes."

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
                "mdefaults: local.d/00-desk:4:1: \"b\": no schema that is known here has keys in /org/a/, so the domain org.a is"
                    + " a guess.",
                "mdefaults: local.d/00-desk:5:1: \"c\": a tuple became an array.",
                "mdefaults: local.d/00-desk:5:1: \"c\": no schema that is known here has keys in /org/a/, so the domain org.a is"
                    + " a guess.",
                "mdefaults: GNOME and GTK programs (GSettings) will obey what is said of org.gnome.desktop.session, in files"
                    + " that policy apply writes.",
            ])
        let lint = try lab.run(["policy", "lint", "out.json"])
        #expect(lint.code == 0)
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
        #expect(browser.code == 0)
        #expect(browser.error == "\(Self.obedience)\n")
        let parts = browser.output.components(separatedBy: "\"Recommended\"")
        #expect(parts.count == 2 && parts[0].contains("\"a\": 1") && parts[1].contains("\"b\": 1"), "\(browser)")
        let mac = try lab.run(["policy", "convert", "Managed Preferences"])
        #expect(mac.code == 1 && mac.output.contains("\"org.x\": 1"), "\(mac)")
        #expect(
            mac.error.split(separator: "\n")
                == [".hidden.plist", "bob"].map {
                    "mdefaults: Managed Preferences/\($0): this was not read; name it if it is policy."
                } + [Substring(Self.obedience)], "\(mac.error)")
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
struct OtherProgramTests {
    /// A lab that forces keys of Chromium, and one that is everybody's.
    private func lab() throws -> Lab {
        let lab = try Lab()
        try lab.write("usr/bin/chromium", "#!/bin/sh\n")
        try lab.add(
            policy: "70-browser.json",
            #"""
            { "Identifier": "edu.example.browser", "Forced": { "org.chromium.Chromium": { "A": 1, "B": 2 },
              "org.example.Own": { "A": 1 } } }
            """#)
        return lab
    }

    /// What is said of a key of Chromium.
    private static func sentence(_ key: String, _ reason: String) -> String {
        "mdefaults: org.chromium.Chromium \(key) is not in force in Chromium: \(reason)."
    }

    /// What is said of keys whose effect was not looked at.
    private static func open(_ count: Int) -> String {
        "mdefaults: \(count) \(count == 1 ? "key is" : "keys are") written for Chromium; whether it obeys was not looked at:"
            + " mdefaults programs check, run by root, asks it.\n"
    }

    /// What is said before policy is applied.
    private static let notWritten = "policy apply has not written it, or the file was changed since"

    @Test func `forced says what the program does not obey yet`() throws {
        let lab = try lab()
        let all = try lab.run(["forced"])
        #expect(all.code == 0 && all.output.contains("org.chromium.Chromium A = 1\n"))
        let unheard = "mdefaults: No program here is known to read org.example.Own.\n"
        #expect(all.error == ["A", "B"].map { Self.sentence($0, Self.notWritten) + "\n" }.joined() + unheard)
        let free = try lab.run(["forced", "org.chromium.Chromium", "Free"])
        #expect(free.code == 1 && free.error == "")
        let own = try lab.run(["forced", "org.example.Own", "A"])
        // A question of one key looks at no file for that.
        #expect(own.code == 0 && own.error == "")
        #expect(try lab.run(["policy", "apply"]).code == 0)
        let key = try lab.run(["forced", "org.chromium.Chromium", "A"])
        #expect(key.code == 0 && key.output == "forced\n" && key.error == Self.open(1))
        #expect(try lab.run(["forced"]).error == Self.open(2) + unheard)
        try lab.remove("usr/bin/chromium")
        #expect(
            try lab.run(["forced"]).error
                == "mdefaults: Chromium is not installed here in the places where packages put it: 2 keys are for it.\n"
                + unheard
        )
    }

    @Test func `what everybody has is in force for a user who ought to have more`() throws {
        let lab = try lab()
        try lab.add(
            policy: "71-alice.json",
            #"""
            { "Identifier": "edu.example.alice", "Target": { "Users": ["alice"] }, "Forced": {
              "org.chromium.Chromium": { "B": 3, "C": 4 } } }
            """#)
        #expect(try lab.run(["policy", "apply"]).code == 0)
        #expect(try lab.run(["forced", "org.chromium.Chromium", "A"]).error == Self.open(1))
        for key in ["B", "C"] {
            let said = try lab.run(["forced", "org.chromium.Chromium", key])
            let reason = "Chromium gets what is not the same for all users only after mdefaults programs enable"
            #expect(said.error.contains(Self.sentence(key, reason)))
        }
        let status = try lab.run(["programs", "status"])
        #expect(status.output.contains("  for alice: 3 entries, 2 of them not enforced in this program\n"))
    }

    @Test func `forced says it to programs as well`() throws {
        let lab = try lab()
        let all = try lab.run(["forced", "--json"])
        #expect(all.error == "")
        let entries = try #require(try JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [[String: Any]])
        let said = entries.filter { $0["programs"] != nil }
        #expect(said.map { $0["key"] as? String } == ["A", "B"])
        #expect(try lab.run(["policy", "apply"]).code == 0)
        let key = try lab.run(["forced", "org.chromium.Chromium", "A", "--json"])
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(key.output.utf8)) as? [String: Any])
        let program = (answer["programs"] as? [[String: Any]])?.first
        #expect(answer["forced"] as? Bool == true && program?["program"] as? String == "chromium")
        #expect(program?["state"] as? String == "written" && program?["reason"] == nil)
        #expect(program?["for"] as? String == "everybody")
    }

    @Test func `report is not compliant while a program does not obey`() throws {
        let lab = try lab()
        let before = try lab.run(["report"])
        #expect(before.code == 1 && before.output.contains("chromium: policy apply has not written this file yet"))
        #expect(try lab.run(["policy", "apply"]).code == 0)
        let written = try lab.run(["report", "--summary"])
        #expect(written.code == 1 && written.output.contains("NOT ALL COVERED"))
        #expect(written.output.contains("org.example.Own  1 key of") && !written.output.contains("org.chromium"))
        try lab.add(
            policy: "71-browser.json",
            #"{ "Identifier": "edu.example.absent", "Absent": { "org.chromium.Chromium": ["Proxy"] } }"#)
        #expect(try lab.run(["policy", "apply"]).code == 0)
        let after = try lab.run(["report"])
        let words = after.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(after.code == 1)
        #expect(words.contains("71-browser.json:1:77: chromium Proxy: Chromium has no way to keep a setting"))
    }

    @Test func `doctor says which programs were not asked`() throws {
        let lab = try lab()
        #expect(try lab.run(["policy", "apply"]).code == 0)
        let sentence = "Whether programs obey was not looked at since policy or program changed: Chromium."
        let doctor = try lab.run(["doctor"])
        #expect(doctor.code == 1 && doctor.output.contains(sentence), "\(doctor)")
        try lab.remove("usr/bin/chromium")
        #expect(try !lab.run(["doctor"]).output.contains(sentence))
    }

    @Test func `lint names a key of a program that its manifest lacks`() throws {
        let lab = try Lab()
        let folder = lab.folder + "/lab/etc/managed-defaults/manifests.d"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let manifest = """
            <plist version="1.0"><dict><key>pfm_domain</key><string>org.mozilla.firefox</string>
            <key>pfm_subkeys</key><array><dict><key>pfm_name</key><string>Homepage</string>
            <key>pfm_type</key><string>dictionary</string></dict></array></dict></plist>
            """
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: folder + "/org.mozilla.firefox.plist"))
        try lab.add(
            policy: "72-browser.json",
            """
            { "Identifier": "edu.example.manifest", "Forced": { "org.mozilla.firefox": {
              "Homepage__URL": "https://x.example/", "NoSuchPolicy": 1 } } }
            """)
        let lint = try lab.run(["policy", "lint"]).output
        #expect(
            lint.contains(
                "72-browser.json:2:42: warning: the manifest of org.mozilla.firefox has no key \"NoSuchPolicy\"; it is written"
                    + " all the same [outside-manifest]"))
        #expect(!lint.contains("\"Homepage__URL\""))
    }

    @Test func `lint names what a program cannot carry out at its line`() throws {
        let lab = try lab()
        try lab.add(
            policy: "71-browser.json",
            #"{ "Identifier": "edu.example.absent", "Absent": { "org.chromium.Chromium": ["Proxy"] } }"#)
        let lint = try lab.run(["policy", "lint"])
        #expect(lint.code == 0 && lint.output.contains("71-browser.json:1:77: warning: chromium Proxy: "))
    }
}
