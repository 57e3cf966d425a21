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

/// Manifests say what values of a key are like.
struct ManifestTests {
    /// A manifest with one key of each kind.
    static let text = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict>
        <key>pfm_domain</key><string>org.example.Player</string>
        <key>pfm_title</key><string>Player</string>
        <key>pfm_new</key><dict/>
        <key>pfm_subkeys</key><array>
        <dict><key>pfm_name</key><string>PayloadUUID</string><key>pfm_type</key><string>string</string></dict>
        <dict><key>pfm_name</key><string>PFC_SegmentedControl_0</string></dict>
        <dict><key>pfm_name</key><string>Volume</string><key>pfm_type</key><string>integer</string>
          <key>pfm_title</key><string>Volume</string><key>pfm_range_min</key><integer>0</integer>
          <key>pfm_range_max</key><integer>100</integer><key>pfm_default</key><integer>50</integer></dict>
        <dict><key>pfm_name</key><string>Mode</string><key>pfm_type</key><string>string</string>
          <key>pfm_range_list</key><array><string>quiet</string><string>loud</string></array></dict>
        <dict><key>pfm_name</key><string>Skin</string><key>pfm_type</key><string>string</string>
          <key>pfm_range_list_allow_custom_value</key><true/>
          <key>pfm_range_list</key><array><string>dark</string></array></dict>
        <dict><key>pfm_name</key><string>Speed</string><key>pfm_type</key><string>float</string></dict>
        <dict><key>pfm_name</key><string>Odd</string><key>pfm_type</key><string>union policy</string></dict>
        <dict><key>pfm_name</key><string>Server</string><key>pfm_type</key><string>string</string>
          <key>pfm_format</key><string>^https://</string></dict>
        <dict><key>pfm_name</key><string>Secret</string><key>pfm_type</key><string>string</string>
          <key>pfm_sensitive</key><true/><key>pfm_format</key><string>^[0-9]+$</string>
          <key>pfm_description</key><string/><key>pfm_description_reference</key><string>A number</string></dict>
        <dict><key>pfm_name</key><string>Sources</string><key>pfm_type</key><string>array</string>
          <key>pfm_subkeys</key><array><dict><key>pfm_type</key><string>dictionary</string>
            <key>pfm_subkeys</key><array>
              <dict><key>pfm_name</key><string>Name</string><key>pfm_type</key><string>string</string>
                <key>pfm_require</key><string>always</string></dict>
              <dict><key>pfm_name</key><string>Port</string><key>pfm_type</key><string>integer</string>
                <key>pfm_range_max</key><integer>65535</integer></dict>
            </array></dict></array></dict>
        <dict><key>pfm_name</key><string>Limits</string><key>pfm_type</key><string>dictionary</string>
          <key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>{{key}}</string><key>pfm_type</key><string>string</string></dict>
            <dict><key>pfm_name</key><string>{{value}}</string><key>pfm_type</key><string>integer</string></dict>
          </array></dict>
        <dict><key>pfm_name</key><string>Twice</string><key>pfm_type</key><string>string</string></dict>
        <dict><key>pfm_name</key><string>Twice</string><key>pfm_type</key><string>integer</string>
          <key>pfm_range_max</key><integer>3</integer></dict>
        <dict><key>pfm_name</key><string>Level</string><key>pfm_type</key><string>integer</string>
          <key>pfm_range_list</key><array><string>1</string><string>2</string></array></dict>
        <dict><key>pfm_name</key><string>Rows</string><key>pfm_type</key><string>array</string>
          <key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>On</string><key>pfm_type</key><string>boolean</string></dict>
            <dict><key>pfm_name</key><string>Word</string><key>pfm_type</key><string>string</string></dict>
          </array></dict>
        <dict><key>pfm_name</key><string>Excluded</string><key>pfm_type</key><string>dictionary</string>
          <key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>A</string><key>pfm_type</key><string>string</string>
              <key>pfm_require</key><string>always</string><key>pfm_exclude</key><array/></dict>
          </array></dict>
        </array></dict></plist>
        """

    /// The set of this manifest.
    static var set: ManifestSet {
        var set = ManifestSet()
        set.add(bytes: Array(text.utf8), shownPath: "player.plist")
        return set
    }

    /// A value from JSON.
    private func value(_ json: String) throws -> Value {
        let document = try Document.read(Array("{ \"V\": \(json) }".utf8), as: .json)
        return try #require(try document.rootEntries().first?.value.value)
    }

    @Test(
        arguments: [
            ("Volume", "70", nil), ("Volume", "\"70\"", "must be an integer, not a string"),
            ("Volume", "170", "must be at most 100, and is 170"), ("Volume", "-1", "must be at least 0, and is -1"),
            ("Volume", "7.5", "must be an integer, not a real"), ("Speed", "2", nil), ("Speed", "2.5", nil),
            ("Mode", "\"quiet\"", nil), ("Mode", "\"Quiet\"", "must be one of \"quiet\", \"loud\", and is \"Quiet\""),
            ("Skin", "\"pink\"", nil), ("Odd", "[true]", nil), ("Server", "\"https://a\"", nil),
            ("Server", "\"http://a\"", "must match ^https://, and is \"http://a\""),
            ("Secret", "\"abc\"", "must match ^[0-9]+$"), ("Secret", "\"123\"", nil), ("Sources", "[]", nil),
            ("Sources", "[{\"Name\":\"a\",\"Port\":80,\"More\":1}]", nil),
            (
                "Sources", "[{\"Name\":\"a\"},{\"Name\":\"b\",\"Port\":70000}]",
                "[1] .Port must be at most 65535, and is 70000"
            ),
            ("Sources", "[{\"Port\":80}]", "[0] must have the key Name"),
            ("Sources", "[1]", "[0] must be a dictionary, not an integer"), ("Limits", "{\"a\":1,\"b\":2}", nil),
            ("Twice", "7", nil), ("Twice", "\"a\"", nil), ("Level", "7", nil), ("Excluded", "{}", nil),
            ("Rows", "[{\"On\":true,\"Word\":\"a\"}]", nil),
            ("Rows", "[{\"On\":1}]", "[0] .On must be a boolean, not an integer"),
            ("Limits", "{\"a\":1,\"b\":true}", ".b must be an integer, not a boolean"),
        ] as [(String, String, String?)])
    func `says what is against a value`(_ key: String, _ json: String, _ expected: String?) throws {
        let known = try #require(Self.set.key(domain: "org.example.Player", key: Key(key)))
        #expect(known.objection(to: try value(json)) == expected)
    }

    @Test func `names keys for people and leaves the fields of payloads out`() throws {
        let set = Self.set
        #expect(set.diagnostics.isEmpty)
        let volume = try #require(set.key(domain: "org.example.Player", key: "Volume"))
        #expect(volume.title == "Volume")
        #expect(volume.defaultValue == .integer(Integer(50)))
        let secret = try #require(set.key(domain: "org.example.Player", key: "Secret"))
        #expect(secret.isSensitive && secret.description == "A number")
        for key: Key in ["PayloadUUID", "PFC_SegmentedControl_0", "volume"] {
            #expect(set.key(domain: "org.example.Player", key: key) == nil)
        }
        #expect(set.describes("org.example.Player") && !set.describes("org.example.player"))
        #expect(set.suggestion(domain: "org.example.Player", key: "volume") == "Volume")
    }

    @Test func `reads what can be read and reports the rest`() throws {
        let machine = try TemporaryMachine()
        let folder = ManifestSet.directory
        try machine.write("\(folder)/10-player.plist", Self.text)
        try machine.write("\(folder)/20-broken.plist", "<plist><dict><key>a</key></plist>")
        try machine.write("\(folder)/30-nobody.plist", "<plist><dict/></plist>")
        try machine.write("\(folder)/40-open.plist", Self.text)
        try machine.setMode("\(folder)/40-open.plist", 0o666)
        try machine.write("\(folder)/README", "no manifest")
        let odd = """
            <plist><dict><key>pfm_domain</key><string>org.example.Player</string>
            <key>pfm_subkeys</key><array><string/>
            <dict><key>pfm_name</key><string>Mode</string><key>pfm_format</key><string>^(?!x)$</string></dict>
            <dict><key>pfm_name</key><string>Volume</string><key>pfm_subkeys</key><dict/></dict>
            </array></dict></plist>
            """
        try machine.write("\(folder)/50-odd.plist", odd)
        let set = ManifestSet(root: machine.root)
        let findings = set.diagnostics.map {
            $0.description.replacingOccurrences(of: machine.directory.path + folder + "/", with: "")
        }
        #expect(findings.allSatisfy { $0.contains(": warning: ") })
        #expect(findings.count { $0.hasSuffix("[manifest]") } == findings.count - 1)
        let places = findings.map { $0.prefix { $0 != " " } }
        #expect(
            places == [
                "20-broken.plist:1:26:", "30-nobody.plist:1:8:", "40-open.plist:1:1:", "50-odd.plist:2:30:",
                "50-odd.plist:3:68:", "50-odd.plist:4:71:", "README:1:1:",
            ])
        #expect(set.manifests.count == 2)
        #expect(set.key(domain: "org.example.Player", key: "Mode")?.oneOf == nil)
        #expect(set.key(domain: "org.example.Player", key: "Skin") != nil)
    }

    @Test func `parses only the manifests of the domains that are asked about`() throws {
        let machine = try TemporaryMachine()
        try machine.write("\(ManifestSet.directory)/10-player.plist", Self.text)
        try machine.write("\(ManifestSet.directory)/20-broken.plist", "<plist><dict><key>a</key></plist>")
        let global = Self.text.replacingOccurrences(of: "org.example.Player", with: ".GlobalPreferences")
        try machine.write("\(ManifestSet.directory)/30-global.plist", global)
        let odd = Self.text.replacingOccurrences(of: "org.example.Player", with: "org.example.Odd&#46;Player")
        try machine.write("\(ManifestSet.directory)/40-odd.plist", odd)
        let value = try Document.read(Array(Self.text.utf8), as: .xml).root.value
        try machine.write("\(ManifestSet.directory)/50-binary.plist", try BinaryWriter.write(value))
        for (domain, count) in [("org.example.Player", 3), ("NSGlobalDomain", 3), ("org.example.Odd.Player", 2)] {
            let set = ManifestSet(root: machine.root, of: [Key(domain)])
            #expect(set.manifests.count == count, "\(domain)")
            #expect(set.describes(Key(domain)))
        }
        #expect(ManifestSet(root: machine.root, of: []).isEmpty)
        #expect(ManifestSet(root: machine.root).manifests.count == 4)
    }

    @Test func `The administrator's manifest replaces that of a package with the same name`() throws {
        let machine = try TemporaryMachine()
        let (own, packages) = (ManifestSet.directories[0], ManifestSet.directories[1])
        let louder = Self.text.replacingOccurrences(of: "<integer>100</integer>", with: "<integer>200</integer>")
        try machine.write("\(packages)/player.plist", Self.text)
        #expect(
            ManifestSet(root: machine.root).key(domain: "org.example.Player", key: "Volume")?.maximum == .integer(100))
        try machine.write("\(own)/player.plist", louder)
        let set = ManifestSet(root: machine.root)
        #expect(set.manifests.map(\.shownPath) == [machine.root.display("\(own)/player.plist")])
        #expect(set.key(domain: "org.example.Player", key: "Volume")?.maximum == .integer(200))
        // Other names of a package do not count before the administrator's.
        try machine.write("\(packages)/z.plist", Self.text)
        #expect(
            ManifestSet(root: machine.root).key(domain: "org.example.Player", key: "Volume")?.maximum == .integer(200))
        // What cannot be read, and what others may write, replaces none.
        for isDamaged in [true, false] {
            try machine.write("\(own)/z.plist", isDamaged ? "<plist>" : louder)
            if !isDamaged { #expect(chmod(machine.root.display("\(own)/z.plist"), 0o666) == 0) }
            let shown = ManifestSet(root: machine.root).manifests.map(\.shownPath)
            #expect(shown.contains(machine.root.display("\(packages)/z.plist")), "\(shown)")
        }
    }

    @Test func `A key that a manifest of all keys lacks is a finding`() throws {
        let machine = try TemporaryMachine()
        let manifest = Self.text.replacingOccurrences(
            of: "<key>pfm_title</key><string>Player</string>", with: "<key>md_all_keys</key><true/>")
        try machine.write("\(ManifestSet.directories[1])/player.plist", manifest)
        try machine.write(
            "/etc/managed-defaults/policies.d/1.json",
            #"{ "Identifier": "a.b", "Forced": { "org.example.Player": { "Speed": 1.5, "Sped": 2, "Tabs": 4 } } }"#)
        let found = Lint.run(root: machine.root).filter { $0.code == LintCode.outsideManifest.rawValue }
        let words = "by its word, the program reads no other keys"
        #expect(
            found.map(\.message) == [
                "the manifest of org.example.Player has no key \"Sped\"; \(words), and Speed is near",
                "the manifest of org.example.Player has no key \"Tabs\"; \(words)",
            ])
        #expect(found.map(\.position.column) == [74, 85])
    }

    @Test func `is empty where there are no manifests`() throws {
        let machine = try TemporaryMachine()
        let set = ManifestSet(root: machine.root)
        #expect(set.isEmpty && set.diagnostics.isEmpty)
        #expect(set.key(domain: "a.b", key: "c") == nil)
    }

    @Test func `stands behind the metadata of policy files`() throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "/etc/managed-defaults/policies.d/10-a.json",
            """
            { "Identifier": "a.b", "Forced": { "org.example.Player": { "Volume": 7, "Secret": "1", "Other": 2 } },
              "Constraints": { "org.example.Player": { "Speed": { "Maximum": 2 } } } }
            """)
        try machine.write("\(ManifestSet.directory)/player.plist", Self.text)
        let subject = try machine.subject("alice", host: nil)
        let plain = machine.load().resolve(for: subject)
        let set = plain.described(by: ManifestSet(root: machine.root))
        let entries = try #require(set.forced["org.example.Player"])
        #expect(entries["Volume"]?.metadata.title == "Volume")
        #expect(entries["Secret"]?.metadata.isSensitive == true)
        #expect(entries["Secret"]?.metadata.description == "A number")
        #expect(entries["Other"]?.metadata.isEmpty == true)
        #expect(entries["Volume"]?.value == plain.forced["org.example.Player"]?["Volume"]?.value)
        #expect(set.metadata["org.example.Player"]?["Secret"]?.isSensitive == true)
        #expect(set.constraints.count == 1)
        let own = KeyMetadata(title: "Own", controls: ["C1"], isSensitive: true)
        let both = own.completed(by: KeyMetadata(title: "Theirs", description: "D"))
        #expect(both == KeyMetadata(title: "Own", description: "D", controls: ["C1"], isSensitive: true))
    }

    @Test func `bounds the depth`() {
        let deep = String(
            repeating: "<dict><key>pfm_name</key><string>a</string><key>pfm_subkeys</key><array>", count: 200)
        let text =
            "<plist><dict><key>pfm_domain</key><string>a.b</string><key>pfm_subkeys</key><array>" + deep
            + String(repeating: "</array></dict>", count: 200) + "</array></dict></plist>"
        let result = Manifest.parse(bytes: Array(text.utf8), shownPath: "m")
        #expect(result.manifest?.keys.count == 1)
        #expect(result.diagnostics.map(\.code) == ["manifest"])
    }
}
