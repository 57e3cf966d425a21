import MDCare
import MDEngine
import MDPlatform
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import MDTools
import Testing

@testable import MDPrograms

/// Common settings become programs' own keys, before policy is matched, behind what a file says itself.
struct CommonSettingsTests {
    let machine: TemporaryMachine

    init() throws {
        machine = try TemporaryMachine(.classroom)
        for name in ["browsers.json", "desktops.json", "services.json"] {
            let path = "\(CommonSettingsTests.repository)/Policies/programs/\(name)"
            let bytes = try Root.system.read(path, limit: 1 << 20).bytes
            try machine.write("usr/share/managed-defaults/programs/\(name)", String(decoding: bytes, as: UTF8.self))
        }
    }

    private static let repository = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()

    private var opened: PolicyInForce {
        PolicyMachine(root: machine.root, expanding: .commonSettings(of: machine.root)).policy()
    }

    /// Writes a policy file with fields.
    private func policy(_ name: String, _ fields: String) throws {
        try machine.policy("\(name).json", "{ \"Identifier\": \"p.\(name)\", \(fields) }")
    }

    private func common(_ keys: String) -> String { "\"Forced\": { \"org.manageddefaults.common\": { \(keys) } }" }

    /// What a user gets, as `domain key`.
    private func entries(_ user: String = "alice") throws -> [String: Value] {
        let machine = opened
        let resultant = machine.resultant(for: try machine.account(named: user))
        return Dictionary(
            resultant.entries.map { ("\($0.domain.string) \($0.key.string)", $0.value ?? .string("(absent)")) }
        ) { $1 }
    }

    @Test func `one line forces the home page in every browser`() throws {
        try policy("10", common("\"HomePage\": \"https://${user}.example/\""))
        let entries = try entries()
        for domain in ["org.chromium.Chromium", "com.google.Chrome", "com.microsoft.Edge", "com.brave.Browser"] {
            #expect(entries["\(domain) HomepageLocation"] == .string("https://alice.example/"))
            #expect(entries["\(domain) ShowHomeButton"] == .boolean(true))
        }
        #expect(entries["org.mozilla.firefox Homepage__URL"] == .string("https://alice.example/"))
        // The setting stays in force in its own domain.
        #expect(entries["org.manageddefaults.common HomePage"] == .string("https://alice.example/"))
        let opened = opened
        let resultant = opened.resultant(for: try opened.account(named: "alice"))
        #expect(Set(resultant.entries.map(\.origin.position)).count == 1)
        #expect(Set(resultant.entries.map(\.origin.policy)) == ["p.10"])
    }

    @Test func `what a file says itself counts more`() throws {
        try policy(
            "10",
            "\"Forced\": { \"org.manageddefaults.common\": { \"HomePage\": \"common\" },"
                + "\"org.chromium.Chromium\": { \"HomepageLocation\": \"own\" } }")
        #expect(try entries()["org.chromium.Chromium HomepageLocation"] == .string("own"))
        #expect(try entries()["com.google.Chrome HomepageLocation"] == .string("common"))
        // A later file is later, whatever its words.
        try policy("20", common("\"HomePage\": \"later\""))
        #expect(try entries()["org.chromium.Chromium HomepageLocation"] == .string("later"))
    }

    @Test func `targets, waivers and combinations work as everywhere`() throws {
        try policy(
            "10",
            "\"Target\": { \"Groups\": [\"students\"] }, "
                + common("\"BlockedSites\": [\"a.example\"], \"Terminal\": false")
                + ", \"Combine\": { \"org.manageddefaults.common\": { \"BlockedSites\": \"union\" } }, \"Waivers\": [{"
                + "\"Users\": [\"bob\"], \"Domain\": \"org.manageddefaults.common\", \"Key\": \"Terminal\","
                + "\"Reason\": \"r\" }]")
        try policy(
            "20",
            common("\"BlockedSites\": [\"b.example\"]")
                + ", \"Combine\": { \"org.manageddefaults.common\": { \"BlockedSites\": \"union\" } }")
        #expect(
            try entries()["org.chromium.Chromium URLBlocklist"]
                == .array([.string("a.example"), .string("b.example")]))
        #expect(try entries()["org.kde.kdeglobals KDE Action Restrictions/shell_access"] == .boolean(false))
        #expect(try entries("bob")["org.kde.kdeglobals KDE Action Restrictions/shell_access"] == nil)
    }

    @Test func `levels stay and absent is absent`() throws {
        try policy(
            "10",
            "\"Recommended\": { \"org.manageddefaults.common\": { \"Telemetry\": false, \"ScreenLock\": true } },"
                + "\"Absent\": { \"org.manageddefaults.common\": [\"HomePage\"] }")
        let machine = opened
        let resultant = machine.resultant(for: try machine.account(named: "alice"))
        #expect(
            Set(resultant.entries.filter { $0.domain == "com.google.Chrome" }.map(\.level)) == [.recommended, .absent])
        // A lock of KDE's group is no recommendation.
        #expect(!resultant.entries.contains { $0.key == "Daemon/*" })
    }

    @Test(arguments: [
        ("\"HomPage\": 1", "there is no such common setting; HomePage is near"),
        ("\"Macros\": \"nver\"", "the value is none of ask, never, signed, trusted"),
        (
            "\"Proxy\": { \"Mode\": \"manaul\", \"Host\": \"h\", \"Port\": 1 }",
            "Mode is none of detect, manual, none, script, system"
        ),
        ("\"Printing\": \"no\"", "this setting is a boolean, and here it is string"),
        ("\"BlockedSites\": [1]", "this setting is an array of strings, and here it is array"),
        ("\"Macros\": {}", "this setting is a string, and here it is dictionary"),
        ("\"Bookmarks\": [\"x\"]", "this setting is an array of dictionaries, and here it is array"),
    ])
    func `what means nothing is a finding at its line`(_ keys: String, _ message: String) throws {
        try policy("10", common(keys))
        let result = try MachinePrograms(machine: opened).preview()
        let finding = try #require(result.findings.first)
        #expect(finding.message == message)
        #expect(finding.origin?.file == "/etc/managed-defaults/policies.d/10.json")
        #expect(result.plan.files.isEmpty)
    }

    @Test func `what cannot be carried over is a finding`() throws {
        try policy(
            "10",
            common("\"HomePage\": \"h\"") + ", \"Sealed\": [\"org.manageddefaults.common\"], \"Constraints\": {"
                + "\"org.manageddefaults.common\": { \"ScreenLockMinutes\": { \"Maximum\": 5 } } }")
        let messages = Set(try MachinePrograms(machine: opened).preview().findings.map(\.message))
        #expect(messages.contains("common settings cannot be sealed: seal the programs' own domains"))
        #expect(messages.contains("common settings have no limits: name the programs' own keys"))
    }

    @Test func `a program that is not there is no finding`() throws {
        try policy("10", "\"Recommended\": { \"org.manageddefaults.common\": { \"Telemetry\": false } }")
        #expect(try MachinePrograms(machine: opened).preview().findings.isEmpty)
        try machine.write("usr/bin/thunderbird", "")
        #expect(try MachinePrograms(machine: opened).preview().findings.map(\.program) == ["thunderbird"])
    }

    @Test func `administrators add and replace`() throws {
        try machine.write(
            "etc/managed-defaults/programs/10-own.json",
            """
            { "Groups": { "Ours": ["org.kde.ours", "org.kde.others"] },
              "Settings": {
                "HomePage": { "Programs": { "org.chromium.Chromium": { "Own": ["$(value)", "x $(value)"] } } },
                "Zoom": { "Type": "integer", "Programs": {
                    "Ours": { "Percent": { "$times": 100 }, "Word": { "$case": { "1": "one" }, "$else": "many" } },
                    "org.kde.others": { "Only": "$(value)" } } } } }
            """)
        try policy("10", common("\"HomePage\": \"h\", \"Zoom\": 2"))
        let entries = try entries()
        #expect(entries["org.chromium.Chromium Own"] == .array([.string("h"), .string("x h")]))
        #expect(entries["org.chromium.Chromium HomepageLocation"] == nil)
        #expect(entries["com.google.Chrome HomepageLocation"] == .string("h"))
        #expect(entries["org.kde.ours Percent"] == .integer(200))
        #expect(entries["org.kde.ours Word"] == .string("many"))
        #expect(entries["org.kde.others Only"] == .integer(2))
        #expect(entries["org.kde.others Word"] == nil)
    }

    @Test(arguments: [
        ("{", "1:2"), ("[]", "1:1"), ("{ \"Else\": {} }", "1:3"), ("{ \"Settings\": [] }", "1:15"),
        ("{ \"Settings\": { \"X\": {} } }", "1:17"),
        ("{ \"Settings\": { \"X\": { \"Type\": \"number\" } } }", "1:32"),
        ("{ \"Settings\": { \"HomePage\": { \"Type\": \"boolean\" } } }", "1:39"),
        ("{ \"Settings\": { \"HomePage\": { \"Else\": 1 } } }", "1:31"), ("{ \"Groups\": { \"G\": [1] } }", "1:21"),
        ("{ \"Settings\": { \"HomePage\": null } }", "1:29"), ("{ \"Settings\": {}, \"Settings\": {} }", "1:19"),
        (
            "{ \"Settings\": { \"HomePage\": { \"Programs\": {\n \"org.example.Viewer\": { \"K\": \"$(value)\" } } } } }",
            "2:2"
        ),
        (
            "{ \"Settings\": { \"HomePage\": { \"Programs\": { \"org.chromium.Chromium\": {\n"
                + " \"HomepageLocation\": \"$(valu)\", \"ShowHomeButton\": true } } } } }", "2:22"
        ),
    ])
    func `a mistake in a data file costs its own line`(_ text: String, _ place: String) throws {
        try policy("10", common("\"HomePage\": \"h\""))
        try machine.write("etc/managed-defaults/programs/10-own.json", text)
        #expect(opened.knowledge.isDecisive)
        let entries = try entries()
        #expect(entries["org.chromium.Chromium HomepageLocation"] == .string("h"))
        #expect(entries["com.google.Chrome ShowHomeButton"] == .boolean(true))
        #expect(entries["org.example.Viewer K"] == nil)
        let findings = try MachinePrograms(machine: opened).write().findings
        #expect(
            findings.compactMap(\.origin).map(\.description) == ["/etc/managed-defaults/programs/10-own.json:\(place)"],
            "\(findings)")
        let errors = Lint.run(root: machine.root, judge: .catalog(machine.root)).filter { $0.severity == .error }
        #expect(
            errors.map { "\($0.file):\($0.position)" } == [
                machine("etc/managed-defaults/programs/10-own.json:\(place)")
            ])
    }

    @Test(arguments: [
        "\"$(other)\"", "\"$(value\"", "\"${user}\"", "\"a $(value.) b\"", "[\"$absent\"]",
        "{ \"$each\": 1, \"$join\": 2 }",
        "{ \"$of\": \"value\" }", "{ \"$join\": 1 }", "{ \"$times\": 1.5 }", "{ \"$case\": [] }",
        "{ \"$else\": 1, \"$each\": 1 }",
        "{ \"$new\": 1 }", "{ \"$of\": \"x\", \"$each\": 1 }", "{ \"$each\": 1, \"b\": 2 }",
    ])
    func `a template is strict`(_ template: String) {
        let text =
            "{ \"Settings\": { \"X\": { \"Type\": \"string\", \"Programs\": { \"org.kde.d\": { \"k\": \(template) } } } } }"
        #expect(CommonSettings([(name: "f", bytes: Array(text.utf8))]).problems.count == 1)
    }

    @Test func `a desktop whose schemas are not installed is no finding`() throws {
        try machine.write("usr/libexec/dconf-service", "")
        try policy("10", common("\"Terminal\": false"))
        try policy("20", "\"Forced\": { \"org.mate.lockdown\": { \"disable-printing\": true } }")
        let plan = ProgramsPlan(
            root: machine.root, everybody: opened.resultant(for: try opened.account(named: "alice")), people: [])
        let findings = plan.findings.filter { $0.program == "gsettings" }
        #expect(findings.filter { !$0.isIdle(in: machine.root) }.map(\.key) == ["disable-printing"])
        #expect(findings.count { $0.kind == .idle } == 3)
    }

    @Test func `every shipped setting has a meaning in a program that there is`() throws {
        let settings = try CommonSettings(root: machine.root).settings
        #expect(settings.count >= 22)
        for (key, setting) in settings {
            let domains = setting.programs.keys.filter { !$0.string.hasPrefix("org.gnome.") }
            #expect(key == "Wallpaper" || !domains.isEmpty)
            for domain in domains { #expect(!ProgramCatalog.programs(taking: domain).isEmpty, "\(domain)") }
        }
    }

    @Test func `the compiled table is not used for them`() throws {
        try policy("10", common("\"HomePage\": \"h\""))
        _ = try machine.mdefaults(["policy", "apply"])
        #expect(try entries()["org.chromium.Chromium HomepageLocation"] == .string("h"))
    }

    @Test(arguments: ["classroom", "exam", "library-kiosk", "office-baseline"])
    func `everything in a ready set is for some program`(_ set: String) throws {
        let folder = "\(CommonSettingsTests.repository)/Policies/\(set)"
        var count = 0
        for name in try Root.system.names(in: folder) where name.hasSuffix(".json") {
            let text = String(decoding: try Root.system.read("\(folder)/\(name)", limit: 1 << 20).bytes, as: UTF8.self)
            try machine.policy(name, text)
            count += 1
        }
        #expect(count > 0)
        let loaded = opened
        #expect(loaded.knowledge.isDecisive)
        for policy in loaded.policies.files.compactMap(\.policy) {
            for domain in Set(policy.entries.map(\.domain)).subtracting([CommonSettings.domain])
            where !domain.string.hasPrefix("org.gnome.") {
                #expect(!ProgramCatalog.programs(taking: domain).isEmpty, "\(domain)")
            }
        }
        #expect(CommonSettings.findings(in: loaded.policies, of: machine.root).map(\.message) == [])
        let unsupported = try MachinePrograms(machine: loaded).preview().findings.filter { $0.kind == .unsupported }
        // A home page with the user's name is for each user, and not for everybody together; there are no schemas here.
        #expect(
            unsupported.filter { !$0.message.contains("a variable in it is unknown") && $0.program != "gsettings" }.map(
                \.message) == [])
    }
}
