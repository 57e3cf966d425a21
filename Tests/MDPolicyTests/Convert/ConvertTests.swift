import Foundation
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Every folder in `Fixtures/Convert` becomes the policy file `NAME.json` beside it.
struct ConvertTests {
    /// The folder of the fixtures.
    static let folder = ResolverGoldenTests.fixtures.appendingPathComponent("Convert")

    /// The names of the cases.
    static var names: [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { !$0.contains(".") }.sorted()
    }

    /// The files of a case in byte order, those in folders last.
    static func inputs(_ name: String) throws -> [ConversionInput] {
        let folder = folder.appendingPathComponent(name)
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
        return try paths.compactMap { path in
            let url = folder.appendingPathComponent(path)
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
            return isFolder.boolValue
                ? nil : ConversionInput(path: "\(name)/\(path)", bytes: Array(try Data(contentsOf: url)))
        }
    }

    /// What a policy file says, without places.
    static func entries(_ bytes: [UInt8], _ path: String) -> Set<String> {
        let file = PolicyFile.parse(bytes: bytes, path: path, refusing: .none).file
        return Set(
            (file?.entries ?? []).map { entry in
                let variables = entry.hasVariables ? (try? expanded(entry)) ?? entry.value?.value : entry.value?.value
                return "\(entry.level) \(entry.domain) \(entry.key) \(String(describing: variables))"
            } + (file?.combine ?? []).map { "\($0.combine) \($0.domain) \($0.key)" })
    }

    /// The value of an entry whose variables are only escapes.
    private static func expanded(_ entry: PolicyEntry) throws -> Value? {
        let machine = try TemporaryMachine()
        return entry.value(for: try machine.subject("alice", host: nil))
    }

    @Test func `finds its fixtures`() {
        #expect(
            Self.names == [
                "chromium", "complete", "dconf", "export", "firefox", "intune", "payload", "preferences", "profile",
                "rootless", "stamps",
            ])
    }

    @Test(arguments: names) func `converts as the golden file says, and lint finds nothing in it`(_ name: String) throws
    {
        let conversion = try Conversion(try Self.inputs(name), ConversionOptions())
        let bytes = try conversion.policyFile()
        let golden = Self.folder.appendingPathComponent("\(name).json")
        if ProcessInfo.processInfo.environment["WRITE_GOLDEN"] == "1" { try Data(bytes).write(to: golden) }
        #expect(String(decoding: bytes, as: UTF8.self) == (try String(contentsOf: golden, encoding: .utf8)))
        let parsed = PolicyFile.parse(bytes: bytes, path: "p.json", refusing: .none)
        #expect(parsed.file != nil)
        #expect(parsed.diagnostics.map(\.description) == [])
    }

    @Test(arguments: ["levels", "union", "domains"]) func `a converted profile says what the profile says`(
        _ name: String
    ) throws {
        let url = ProfileGoldenTests.folder.appendingPathComponent("\(name).mobileconfig")
        let bytes = Array(try Data(contentsOf: url))
        let conversion = try Conversion([ConversionInput(path: name, bytes: bytes)], ConversionOptions(kind: .profile))
        let expected = Self.entries(bytes, "p.mobileconfig")
        #expect(!expected.isEmpty)
        #expect(Self.entries(try conversion.policyFile(), "p.json") == expected)
    }

    @Test(arguments: [
        ("a.mobileconfig", "<plist><dict>", "a.mobileconfig:1:14: the file ends within <dict>, which begins at 1:8"),
        ("a.json", "{ \"a\": nul }", "a.json:1:8: text stands in double quotes"),
        ("desk", "[a/b]\nx", "desk:2:1: the line is no group, no key with its value and no comment"),
        ("desk", "# x\nx=1", "desk:2:1: the key stands before the first group"),
        (
            "desk.mobileconfig", "# made of a template\n<?xml version=\"1.0\"?><plist/>",
            "desk.mobileconfig:1:1: text stands before the property list, which begins at 2:1; nothing but blanks can"
        ),
        ("note", "hello", "note:1:1: nobody can tell what this file is; --from says it"),
        (
            "frag", "<key>a</key><true/>",
            "frag: the name of the file is not that of a domain; --domain says which it is"
        ),
        (
            "lab.json", "{ \"PayloadType\": \"Configuration\", \"PayloadContent\": [] }",
            "lab.json:1:1: a profile is a property list in XML or binary, and this file is JSON; plutil -convert xml1 on"
                + " a Mac, or plistutil -f xml, makes XML of it"
        ),
        (
            "dock.mobileconfig", "<key>a</key><true/>",
            "dock.mobileconfig: the name of the file is not that of a domain; --domain says which it is"
        ),
        (
            "a.xml", "<dict><key>PayloadType</key><string>Profile Service</string></dict>",
            "a.xml:1:29: a Profile Service asks a device what it is before it gets a profile; there are no settings in it"
        ),
        (
            "a.plist", "<plist><dict><key>a</key><string>b & c</string></dict></plist>",
            "a.plist:1:36: \"&\" begins no reference here; as a character it is written &amp;"
        ),
        (
            "a.plist", "A = 1;",
            "a.plist:1:1: a file of managed preferences is a property list in XML or binary, and this file is neither"
        ),
    ]) func `says why a file cannot be converted`(_ path: String, _ text: String, _ expected: String) throws {
        let input = ConversionInput(path: path, bytes: Array(text.utf8))
        let error = #expect(throws: ConversionError.self) { try Conversion([input], ConversionOptions()) }
        #expect(error?.description == expected)
    }

    /// A profile that forces a key of a domain, with an end if one is given.
    private static func profile(_ domain: String, end: String? = nil) -> [UInt8] {
        let end = end.map { "<key>PayloadExpirationDate</key><date>\($0)</date>" } ?? ""
        return Array(
            """
            <plist><dict><key>PayloadType</key><string>Configuration</string>\(end)
            <key>PayloadIdentifier</key><string>a.\(domain)</string><key>PayloadContent</key><array><dict>
            <key>PayloadType</key><string>\(domain)</string><key>A</key><true/></dict></array></dict></plist>
            """.utf8)
    }

    /// What becomes of profiles with these ends, and of a browser's policies, in one file.
    @Test(
        arguments: [
            (
                [nil, "2020-01-01T00:00:00Z"],
                "b.mobileconfig:1:1: it ends at 2020-01-01T00:00:00Z, and a.mobileconfig has no end"
            ),
            (
                ["2020-01-01T00:00:00Z", nil],
                "a.mobileconfig:1:1: it ends at 2020-01-01T00:00:00Z, and b.mobileconfig has no end"
            ),
            (
                ["2020-01-01T00:00:00Z", "2020-01-02T00:00:00Z"],
                "a.mobileconfig:1:1: it ends at 2020-01-01T00:00:00Z, and b.mobileconfig ends at 2020-01-02T00:00:00Z"
            ),
            (
                ["2020-01-01T00:00:00Z", "json"],
                "a.mobileconfig:1:1: it ends at 2020-01-01T00:00:00Z, and b.json has no end"
            ),
            (["2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"], nil), ([nil, nil, "json"], nil),
            (["2020-01-01T00:00:00Z"], nil),
        ] as [([String?], String?)])
    func `files with different ends are not converted into one`(_ ends: [String?], _ expected: String?) throws {
        let names = ["a", "b", "c"]
        let inputs = ends.enumerated().map { index, end in
            end == "json"
                ? ConversionInput(path: "\(names[index]).json", bytes: Array(#"{ "HomepageLocation": "x" }"#.utf8))
                : ConversionInput(
                    path: "\(names[index]).mobileconfig", bytes: Self.profile("org.\(names[index])", end: end))
        }
        guard let expected else {
            let text = String(decoding: try Conversion(inputs, ConversionOptions()).policyFile(), as: UTF8.self)
            #expect(text.contains("NotAfter") == (ends.last != "json"))
            return
        }
        let error = #expect(throws: ConversionError.self) { try Conversion(inputs, ConversionOptions()) }
        #expect(error?.description == expected + ": one policy file cannot have both, so convert them one by one")
    }

    /// Numbers in a keyfile, and whether dconf accepts them.
    @Test(arguments: [
        ("99999999999999999999", false), ("-9223372036854775809", false), ("1e400", false), ("double 1e400", false),
        ("18446744073709551615", true), ("-9223372036854775808", true), ("double 99999999999999999999", true),
        ("1e300", true), ("inf", true), ("-inf", true), ("00000000000000000017", true),
    ]) func `numbers beyond those of dconf are left out, and said`(_ number: String, _ isTaken: Bool) throws {
        let input = ConversionInput(path: "db", bytes: Array("[org/gnome/shell]\nx=1\ny=\(number)\n".utf8))
        let conversion = try Conversion([input], ConversionOptions(kind: .keyfile))
        #expect(conversion.losses.count == (isTaken ? 0 : 1), "\(conversion.losses)")
        if !isTaken { #expect(conversion.losses.first?.contains("of dconf, at character ") == true) }
        let text = String(decoding: try conversion.policyFile(), as: UTF8.self)
        #expect(text.contains("\"y\":") == isTaken)
    }

    @Test func `what was cut out of a profile is what it holds`() throws {
        let text = """
            <plist><dict><key>mcx_preference_settings</key><dict><key>A</key><integer>1</integer></dict>
            <key>mcx_data_timestamp</key><date>2020-01-01T00:00:00Z</date></dict></plist>
            """
        let conversion = try Conversion(
            [ConversionInput(path: "org.x.plist", bytes: Array(text.utf8))], ConversionOptions())
        let entries = PolicyFile.parse(bytes: try conversion.policyFile(), path: "p.json").file?.entries
        // Only set-once entries have a stamp; forced, the value would overwrite the user's later choice.
        #expect(entries?.map(\.key) == ["A"] && entries?.first?.domain == "org.x" && entries?.first?.level == .setOnce)
        #expect(conversion.version == Integer(Int64(20_200_101_000_000)))
        #expect(conversion.losses.count == 1 && conversion.losses[0].contains("over what users have chosen since"))
        #expect(conversion.notes.count == 1 && conversion.notes[0].contains("the domain org.x is the name of the file"))
        let bare = text.replacingOccurrences(
            of: "<key>mcx_data_timestamp</key><date>2020-01-01T00:00:00Z</date>", with: "")
        let forced = try Conversion(
            [ConversionInput(path: "org.x.plist", bytes: Array(bare.utf8))], ConversionOptions())
        #expect(forced.entries.map(\.level) == [.forced] && forced.losses.count == 1)
    }

    /// A profile that sets keys once, each with a stamp.
    private static func stamped(_ stamps: [String]) -> [UInt8] {
        let items = stamps.enumerated().map { index, stamp in
            "<dict><key>mcx_data_timestamp</key><date>\(stamp)</date><key>mcx_preference_settings</key><dict>"
                + "<key>K\(index)</key><integer>1</integer></dict></dict>"
        }
        return Array(
            """
            <plist><dict><key>PayloadType</key><string>Configuration</string>
            <key>PayloadIdentifier</key><string>edu.example.once</string><key>PayloadContent</key><array><dict>
            <key>PayloadType</key><string>com.apple.ManagedClient.preferences</string><key>PayloadContent</key><dict>
            <key>org.x.app</key><dict><key>Set-Once</key><array>\(items.joined())</array></dict></dict>
            </dict></array></dict></plist>
            """.utf8)
    }

    /// For what the entries of a policy file that are set once are written.
    private static func occasions(_ bytes: [UInt8], _ path: String) throws -> [String?] {
        let file = try #require(PolicyFile.parse(bytes: bytes, path: path, refusing: .none).file)
        return file.entries.map { "\(file.identifier) \($0.rule.occasion(version: file.version) ?? "")" }
    }

    @Test func `what a profile has set once is not set again by what it is converted to, or that is said`() throws {
        let profile = Self.stamped(["2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"])
        let input = ConversionInput(path: "a.mobileconfig", bytes: profile)
        let conversion = try Conversion([input], ConversionOptions())
        #expect(conversion.losses == [])
        #expect(
            try Self.occasions(conversion.policyFile(), "p.json") == Self.occasions(profile, "a.mobileconfig"))
        // Under another name it is unknown which values were set before.
        let renamed = try Conversion([input], ConversionOptions(identifier: "a.b"))
        #expect(
            renamed.losses == [
                "a.mobileconfig:4:161: \"K0\" was set once by edu.example.once, and the Identifier is another one; the value"
                    + " is set once more, over what users have chosen since",
                "a.mobileconfig:4:316: \"K1\" was set once by edu.example.once, and the Identifier is another one; the value"
                    + " is set once more, over what users have chosen since",
            ])
        let older = try Conversion(
            [
                ConversionInput(
                    path: "a.mobileconfig", bytes: Self.stamped(["2026-01-02T03:04:05Z", "2025-01-02T03:04:05Z"]))
            ], ConversionOptions())
        #expect(older.losses.count == 1 && older.losses[0].hasSuffix("over what users have chosen since"))
    }

    @Test func `the domains are known, for saying which programs obey`() throws {
        let text = """
            <plist><dict><key>com.google.Chrome</key><dict><key>Forced</key><array><dict>
            <key>mcx_preference_settings</key><dict><key>A</key><true/></dict></dict></array></dict>
            <key>org.x.app</key><dict><key>mcx_targets</key><array/><key>Forced</key><array><dict>
            <key>mcx_preference_settings</key><dict><key>A</key><true/></dict></dict></array></dict></dict></plist>
            """
        let conversion = try Conversion(
            [ConversionInput(path: "a.plist", bytes: Array(text.utf8))], ConversionOptions())
        #expect(
            conversion.losses == [
                "a.plist:3:27: \"mcx_targets\" beside the levels of a domain has no effect"
            ])
        #expect(conversion.domains == ["com.google.Chrome", "org.x.app"])
        let own = try Conversion(
            [ConversionInput(path: "a.json", bytes: Array(#"{ "A": 1 }"#.utf8))],
            ConversionOptions(kind: .chromium, domain: "org.example.Browser"))
        #expect(own.losses == [])
    }

    @Test(arguments: [
        ("ByHost/org.example.Saver.01234567-89AB-CDEF-0123-456789abcdef.plist", "org.example.Saver", true),
        ("org.example.Saver.0017f2c60d1e.plist", "org.example.Saver", true),
        (".GlobalPreferences.01234567-89AB-CDEF-0123-456789ABCDEF.plist", "NSGlobalDomain", true),
        ("org.example.Saver", "org.example.Saver", false), ("org.example.Saver.xml", "org.example.Saver", false),
        ("org.example.01234567-89AB.plist", "org.example.01234567-89AB", false),
    ]) func `knows the domain of a file by its name`(_ path: String, _ domain: String, _ isOneHost: Bool) throws {
        let input = ConversionInput(path: path, bytes: Array("<plist><dict><key>a</key><true/></dict></plist>".utf8))
        let conversion = try Conversion([input], ConversionOptions())
        let file = PolicyFile.parse(bytes: try conversion.policyFile(), path: "p.json").file
        #expect(file?.entries.map(\.domain.string) == [domain])
        #expect(conversion.losses.map { $0.contains("is that of one host") } == (isOneHost ? [true] : []))
    }

    @Test func `two files without a suffix are two policies`() throws {
        let identifiers = try ["org.example.Dock", "org.example.Saver"].map { name in
            let input = ConversionInput(
                path: name, bytes: Array("<plist><dict><key>a</key><true/></dict></plist>".utf8))
            let bytes = try Conversion([input], ConversionOptions()).policyFile()
            return try #require(PolicyFile.parse(bytes: bytes, path: "p.json").file).identifier
        }
        #expect(identifiers == ["converted.org-example-Dock", "converted.org-example-Saver"])
    }

    @Test(arguments: [
        (
            "a.plist",
            "<plist><dict><key>Command</key><dict><key>RequestType</key><string>InstallProfile</string></dict></dict></plist>",
            "a command of an MDM server"
        ),
        ("b.plist", "<plist><dict><key>pfm_domain</key><string>org.x</string></dict></plist>", "this is a manifest"),
        ("kdeglobals", "[KDE Action Restrictions][$i]\nrun_command=false\n", "a file of KDE with [$i]"),
        ("kwinrc", "[Windows]\nFocusPolicy[$i]=ClickToFocus\n", "a file of KDE with [$i]"),
        ("kdeglobals", "[KDE]\nSingleClick=false\n", "no group of this file is a folder of dconf"),
        ("appletsrc", "[Containments][1][a/b]\nplugin=1\n", "no group of this file is a folder of dconf"),
        ("kwinrc", "[org.kde.kdecoration2]\ntheme=1\n", "no group of this file is a folder of dconf"),
        ("a.js", "// a\nuser_pref(\"a\", true);\n", "a file of Firefox's preferences"),
        ("mozilla.cfg", "/* a */\n lockPref(\"a\", true);\n", "a file of Firefox's preferences"),
        ("prefs.js", "# a\npref(\"a\", true);\n", "a file of Firefox's preferences"),
    ])
    func `refuses what would be carried over wrongly`(_ path: String, _ text: String, _ reason: String) {
        let input = ConversionInput(path: path, bytes: Array(text.utf8))
        let error = #expect(throws: ConversionError.self) { try Conversion([input], ConversionOptions()) }
        #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    }

    @Test func `a domain that is guessed is said, and loses nothing where it is one`() throws {
        for (path, losses) in [("org.x.y.plist", 0), ("settings.plist", 1)] {
            let input = ConversionInput(
                path: path, bytes: Array("<plist><dict><key>a</key><true/></dict></plist>".utf8))
            let conversion = try Conversion([input], ConversionOptions())
            #expect(conversion.losses.count == losses && conversion.notes.count == 1 - losses, "\(path)")
        }
    }

    @Test func `names with a dollar sign are no special values`() throws {
        let input = ConversionInput(path: "x", bytes: Array("{ \"$A\": 1 }".utf8))
        let options = ConversionOptions(kind: .chromium, domain: "$odd")
        let file = PolicyFile.parse(bytes: try Conversion([input], options).policyFile(), path: "p.json").file
        #expect(file?.entries.map { "\($0.domain) \($0.key)" } == ["$odd $A"])
    }

    @Test func `takes identifier, domain and level from the command line`() throws {
        let input = ConversionInput(path: "x", bytes: Array("{ \"A\": 1 }".utf8))
        var options = ConversionOptions(
            kind: .chromium, identifier: "a.b", domain: "org.example.Fork", isRecommended: true)
        let file = PolicyFile.parse(bytes: try Conversion([input], options).policyFile(), path: "p.json").file
        #expect(file?.identifier == "a.b")
        #expect(file?.entries.map { "\($0.level) \($0.domain)" } == ["recommended org.example.Fork"])
        options.identifier = ""
        let error = #expect(throws: ConversionError.self) { try Conversion([input], options).policyFile() }
        #expect(error?.isUsage == true)
    }
}
