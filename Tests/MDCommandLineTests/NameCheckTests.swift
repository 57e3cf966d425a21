import Foundation
import MDTestSupport
import Testing

/// Answers that are the wrong comfort for a misspelt name, and messages for those who can do something about them.
struct NameCheckTests {
    @Test(arguments: [
        ("org.exmple.Browser", "HomePage", "the domain org.exmple.Browser; org.example.Browser is near"),
        ("org.example.Browser", "HomePge", "the key HomePge of org.example.Browser; HomePage is near"),
        ("org.example.Browser", "Qqqqqqqqq", "the key Qqqqqqqqq of org.example.Browser"),
    ])
    func `a name that nothing knows is said, with the one that is near`(
        _ domain: String, _ key: String, _ words: String
    ) throws {
        let lab = try Lab()
        for verb in ["forced", "explain"] {
            let result = try lab.managed("--user", "alice", verb, domain, key)
            #expect(result.code == 1)
            #expect(result.error == "mdefaults: No policy, manifest or stored file knows \(words).\n", "\(result)")
        }
    }

    @Test func `a name that something knows is not`() throws {
        let lab = try Lab()
        for (domain, key) in [
            // Only a teacher's file, only alice's own file, a browser's own domain, everything in a sealed domain.
            ("org.example.Browser", "Bookmarks"), ("org.example.Browser", "ZoomLevel"),
            ("org.chromium.Chromium", "AnythingAtAll"),
        ] {
            let result = try lab.managed("--user", "alice", "forced", domain, key)
            if result.code == 1 { #expect(result.error == "", "\(domain) \(key) \(result)") }
        }
    }

    @Test func `many broken files are one line, and none for who only reads`() throws {
        let lab = try Lab()
        for number in 1...3 { try lab.add(policy: "9\(number).json", "{") }
        let forced = try lab.managed("--user", "alice", "forced", "org.example.Browser", "HomePage")
        #expect(forced.error.split(separator: "\n").count == 1)
        #expect(forced.error.contains("Policy is not in force as written in 3 places"), "\(forced)")
        // The owner of the folder may mend them.
        #expect(try lab.managed("--user", "alice", "read", "org.example.Browser", "HomePage").error == forced.error)
    }

    @Test func `a syntax error shows its line with a caret`() throws {
        let lab = try Lab()
        let result = try MDefaultsProcess(folder: lab.folder).run(
            ["policy", "lint", "-"], input: "{\n  \"Forced\": {\"a\": {\"k\": tru}}\n}\n")
        #expect(result.code == 1)
        #expect(
            result.output.hasSuffix(
                "[syntax]\n      \"Forced\": {\"a\": {\"k\": tru}}\n                            ^\n"),
            "\(result)")
    }

    @Test func `lint reads standard input and files without suffix, warns strictly, and asks other manifests`() throws {
        let lab = try Lab()
        let process = MDefaultsProcess(folder: lab.folder)
        let good = #"{"Forced": {"org.example.New": {"FontSzie": 1}}}"#
        #expect(try process.run(["policy", "lint", "-", "--strict"], input: good).code == 0)
        try Data(good.utf8).write(to: URL(fileURLWithPath: lab.folder + "/.ansible_tmp"))
        #expect(try process.run(["policy", "lint", ".ansible_tmp", "--strict"]).code == 0)
        let folder = lab.folder + "/ProfileManifests/Manifests/Apps"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let manifest = """
            <plist version="1.0"><dict><key>pfm_domain</key><string>org.example.New</string><key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>FontSize</string><key>pfm_type</key><string>integer</string></dict>
            </array></dict></plist>
            """
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: folder + "/org.example.New.plist"))
        let words = ["policy", "lint", "-", "--manifests", "ProfileManifests"]
        let found = try process.run(words, input: good)
        #expect(found.code == 0 && found.output.contains("FontSize is probably meant"), "\(found)")
        #expect(try process.run(words + ["--strict"], input: good).code == 1)
        // A key that is meant as well, or newer than the manifest, is no misspelling.
        let both = #"{"Forced": {"org.example.New": {"FontSzie": 1, "FontSize": 2, "FontSizes2": 1, "FontStyle": 3}}}"#
        #expect(try process.run(words + ["--strict"], input: both).code == 0)
        #expect(try process.run(["policy", "lint", "--manifests", "x"]).code == 2)
    }
}
