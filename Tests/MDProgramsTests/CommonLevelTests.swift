import MDCare
import MDEngine
import MDPlatform
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// What a common setting is beside what the same file, or another one, says of a program's key itself.
struct CommonLevelTests {
    let machine: TemporaryMachine
    private static let chromium: Key = "org.chromium.Chromium"

    init() throws {
        machine = try TemporaryMachine(.classroom)
        let repository = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
        for name in ["browsers.json", "desktops.json", "services.json"] {
            let bytes = try Root.system.read("\(repository)/Policies/programs/\(name)", limit: 1 << 20).bytes
            try machine.write("usr/share/managed-defaults/programs/\(name)", String(decoding: bytes, as: UTF8.self))
        }
    }

    private var opened: PolicyInForce {
        PolicyMachine(root: machine.root, expanding: .commonSettings(of: machine.root)).policy()
    }

    /// Writes a policy file with fields, in which C means the common domain and P Chromium's.
    private func policy(_ name: String, _ fields: String) throws {
        try machine.policy("\(name).json", "{ \"Identifier\": \"p.\(name)\", \(CommonLevelTests.named(fields)) }")
    }

    private static func named(_ fields: String) -> String {
        fields.split(separator: "C:", omittingEmptySubsequences: false).joined(
            separator: "\"org.manageddefaults.common\":"
        ).split(separator: "P:", omittingEmptySubsequences: false).joined(separator: "\"org.chromium.Chromium\":")
    }

    /// What a user gets of a key of Chromium, the forced entry first.
    private func levels(_ key: Key, _ user: String = "alice", domain: Key = chromium) throws -> [String] {
        let machine = opened
        return machine.resultant(for: try machine.account(named: user)).entries
            .filter { $0.domain == domain && $0.key == key }
            .map { "\($0.level.rawValue) \($0.value.map(CommonLevelTests.text) ?? "-")" }
    }

    private static func text(_ value: Value) -> String {
        var json = JSONWriter()
        json.value(value)
        return json.text
    }

    @Test func `a recommended setting takes nothing away from a forced one`() throws {
        try policy("10", "\"Forced\": { C: { \"HomePage\": \"a\" } }, \"Recommended\": { C: { \"HomePage\": \"b\" } }")
        #expect(try levels("HomepageLocation") == ["forced \"a\"", "recommended \"b\""])
        _ = try MachinePrograms(machine: opened).write()
        let firefox = try machine.text("/etc/firefox/policies/policies.json")
        #expect(firefox.contains("\"a\"") && !firefox.contains("\"b\"") && firefox.contains("true"), "\(firefox)")
        try machine.write("usr/bin/chromium", "")
        let report = try machine.mdefaults(["report"])
        #expect(!report.output.contains("NOTHING TO COMPLY WITH"))
        #expect(report.output.contains("8 of 8 requirements are written"), "\(report.output)")
    }

    @Test func `a program's own recommended key leaves a forced setting in force`() throws {
        try policy(
            "10",
            "\"Forced\": { C: { \"PrivateBrowsing\": false } },"
                + "\"Recommended\": { P: { \"IncognitoModeAvailability\": 0 } }")
        #expect(try levels("IncognitoModeAvailability") == ["forced 1", "recommended 0"])
        let lint = try machine.mdefaults(["policy", "lint"]).output
        #expect(lint.contains("\"IncognitoModeAvailability\" of org.chromium.Chromium (0) is never seen"), "\(lint)")
    }

    @Test func `forced and absent are one level`() throws {
        try policy(
            "10",
            "\"Forced\": { C: { \"HomePage\": \"a\" } }, \"Absent\": { P: [\"HomepageLocation\"] }")
        #expect(try levels("HomepageLocation") == ["absent -"])
        #expect(try levels("ShowHomeButton") == ["forced true"])
        let lint = try machine.mdefaults(["policy", "lint"])
        #expect(lint.code == 0)
        #expect(
            lint.output.contains(
                "org.manageddefaults.common HomePage: never wins in org.chromium.Chromium: the file's own"),
            "\(lint.output)")
    }

    @Test func `a program's own key that says the same is no finding`() throws {
        try policy("10", "\"Forced\": { C: { \"HomePage\": \"a\" }, P: { \"HomepageLocation\": \"a\" } }")
        #expect(try machine.mdefaults(["policy", "lint"]).output == "")
    }

    @Test func `operators that disagree leave the value that wins alone`() throws {
        let own = "\"Combine\": { C: { \"ScreenLockMinutes\": \"max\" }, \"org.kde.kscreenlockerrc\": {"
        try policy(
            "10",
            "\"Forced\": { C: { \"ScreenLockMinutes\": 5 } }, \(own) \"Daemon/Timeout\": \"min\" } }")
        try policy(
            "20",
            "\"Forced\": { C: { \"ScreenLockMinutes\": 3 } },"
                + "\"Combine\": { C: { \"ScreenLockMinutes\": \"max\" } }")
        let lint = try machine.mdefaults(["policy", "lint"])
        #expect(lint.code == 1)
        #expect(lint.output.contains("\"Daemon/Timeout\" is combined by"), "\(lint.output)")
        #expect(try levels("Daemon/Timeout", domain: "org.kde.kscreenlockerrc") == ["forced 3"])
        #expect(try levels("idle-delay", domain: "org.gnome.desktop.session") == ["forced 300"])
        #expect(try levels("ScreenLockMinutes", domain: CommonSettings.domain) == ["forced 5"])
    }

    @Test func `a union of sites is one in every browser`() throws {
        for (name, site) in [("10", "a.example"), ("20", "b.example")] {
            try policy(
                name,
                "\"Forced\": { C: { \"BlockedSites\": [\"\(site)\"] } },"
                    + "\"Combine\": { C: { \"BlockedSites\": \"union\" } }")
        }
        #expect(
            try levels("WebsiteFilter__Block", domain: "org.mozilla.firefox")
                == ["forced [\"*://*.a.example/*\",\"*://*.b.example/*\"]"])
    }

    @Test func `what a setting became is listed in a sealed domain`() throws {
        try policy(
            "10",
            "\"Forced\": { C: { \"HomePage\": \"a\" } },"
                + "\"Sealed\": [\"org.chromium.Chromium\", \"org.manageddefaults.common\"]")
        let machine = opened
        let resultant = machine.resultant(for: try machine.account(named: "alice"))
        #expect(resultant.forcedEntry(domain: Self.chromium, key: "HomepageLocation")?.value == .string("a"))
        #expect(resultant.forcedEntry(domain: Self.chromium, key: "Other")?.isFromSeal == true)
        #expect(resultant.forcedEntry(domain: CommonSettings.domain, key: "Printing")?.isFromSeal == true)
        #expect(resultant.forcedEntry(domain: "com.google.Chrome", key: "Other") == nil)
    }

    @Test func `a waiver of a setting lifts what it became and nothing else`() throws {
        let waiver = "\"Users\": [\"bob\"], \"Reason\": \"r\", \"Until\": \"2099-01-01T00:00:00Z\""
        try policy(
            "10",
            "\"Forced\": { C: { \"HomePage\": \"a\", \"DeveloperTools\": true, \"ScreenLock\": true,"
                + "\"ScreenLockMinutes\": 5 } }, \"Waivers\": [{ \(waiver), \"Domain\":"
                + "\"org.manageddefaults.common\", \"Key\": \"HomePage\" }, { \(waiver), \"Domain\":"
                + "\"org.manageddefaults.common\", \"Key\": \"DeveloperTools\" }, { \(waiver), \"Domain\":"
                + "\"org.manageddefaults.common\", \"Key\": \"ScreenLockMinutes\" }]")
        try policy(
            "20",
            "\"Forced\": { P: { \"ShowHomeButton\": true }, \"org.mozilla.firefox\": { \"BlockAboutConfig\": true } }")
        #expect(try levels("HomepageLocation") == ["forced \"a\""])
        #expect(try levels("HomepageLocation", "bob") == [])
        #expect(try levels("HomePage", "bob", domain: CommonSettings.domain) == [])
        // What another file says itself stays.
        #expect(try levels("ShowHomeButton", "bob") == ["forced true"])
        #expect(try levels("BlockAboutConfig", "bob", domain: "org.mozilla.firefox") == ["forced true"])
        // Another setting says the same of the group.
        #expect(try levels("Daemon/*", "bob", domain: "org.kde.kscreenlockerrc") == ["absent -"])
        #expect(try levels("Daemon/Timeout", "bob", domain: "org.kde.kscreenlockerrc") == [])
        #expect(try machine.mdefaults(["policy", "lint"]).output == "")
    }

    @Test func `a waiver of a program's key lifts that alone`() throws {
        try policy(
            "10",
            "\"Forced\": { C: { \"HomePage\": \"a\" } }, \"Waivers\": [{ \"Users\": [\"bob\"],"
                + "\"Domain\": \"org.chromium.Chromium\", \"Key\": \"HomepageLocation\", \"Reason\": \"r\" }]")
        #expect(try levels("HomepageLocation", "bob") == [])
        #expect(try levels("ShowHomeButton", "bob") == ["forced true"])
        #expect(try levels("HomePage", "bob", domain: CommonSettings.domain) == ["forced \"a\""])
    }

    @Test func `an impossible setting is refused before it is put in force`() throws {
        try policy("10", "\"Forced\": { C: { \"HomePage\": \"a\" } }")
        _ = try machine.mdefaults(["policy", "apply"])
        try machine.write(
            "new/20.json",
            CommonLevelTests.named("{ \"Identifier\": \"n\", \"Forced\": { C: { \"HomPage\": \"a\" } } }"))
        let installed = try machine.mdefaults(["policy", "install", machine("new/20.json"), "--yes"])
        #expect(installed.code == 1)
        #expect(installed.error.contains("HomePage is near [common-setting]"), "\(installed.error)")
        for words in [["HomPage", "x"], ["HomePage", "-int", "1"], ["HomPage"]] {
            let granted = try machine.mdefaults(
                ["policy", "grant", "--for", "1h", "--user", "bob", "--reason", "r", "org.manageddefaults.common"]
                    + words)
            #expect(granted.code == 1, "\(words) \(granted)")
        }
        // A file that lies there is in force all the same.
        try policy("20", "\"Forced\": { C: { \"HomPage\": \"a\" } }")
        #expect(try levels("HomPage", domain: CommonSettings.domain) == ["forced \"a\""])
        #expect(try machine.mdefaults(["policy", "lint"]).code == 1)
    }

    @Test func `a grant of a setting frees what it became and says what stays`() throws {
        try policy("10", "\"Forced\": { C: { \"HomePage\": \"a\" } }")
        try policy("20", "\"Forced\": { P: { \"ShowHomeButton\": true } }")
        let granted = try machine.mdefaults(
            [
                "policy", "grant", "--for", "1h", "--user", "bob", "--reason", "r", "org.manageddefaults.common",
                "HomePage",
            ])
        #expect(granted.code == 0, "\(granted)")
        #expect(granted.error.contains("org.chromium.Chromium ShowHomeButton stays as"), "\(granted.error)")
        #expect(try levels("HomepageLocation", "bob") == [])
        #expect(try levels("HomePage", "bob", domain: CommonSettings.domain) == [])
        #expect(try levels("HomepageLocation") == ["forced \"a\""])
    }

    @Test func `a grant of a value counts what an enforced setting became`() throws {
        try machine.policy(
            "00-a.json",
            "{ \"Identifier\": \"a\", \"Enforced\": true, \(CommonLevelTests.named("\"Forced\": { C: { \"HomePage\": \"a\" } }")) }"
        )
        let granted = try machine.mdefaults([
            "policy", "grant", "--for", "1h", "--user", "bob", "--reason", "r", "org.chromium.Chromium",
            "HomepageLocation",
            "own",
        ])
        #expect(granted.code == 1)
        #expect(granted.error.contains("00-a.json:1:"), "\(granted.error)")
    }

    @Test func `an exam names the programs' keys that other files decide`() throws {
        let home = "etc/managed-defaults"
        try machine.write(
            "\(home)/sets.d/ex.json",
            CommonLevelTests.named(
                "{ \"Identifier\": \"ex\", \"Enforced\": true, \"Forced\": { C: { \"HomePage\": \"e\" } } }"))
        try machine.policy(
            "00-a.json",
            "{ \"Identifier\": \"a\", \"Enforced\": true, \(CommonLevelTests.named("\"Forced\": { P: { \"HomepageLocation\": \"a\" } }")) }"
        )
        let started = try machine.mdefaults(["policy", "exam", "start", "--yes", "ex", "--for", "1h", "--reason", "r"])
        #expect(started.code == 0)
        #expect(started.error.contains("org.chromium.Chromium HomepageLocation is as it says"), "\(started.error)")
    }

    @Test func `explain and policy show say what a setting is for programs`() throws {
        try policy(
            "10",
            "\"Forced\": { C: { \"HomePage\": \"a\" }, P: { \"HomepageLocation\": \"own\" } }")
        let asked = ["explain", "org.manageddefaults.common", "HomePage"]
        let text = try machine.mdefaults(["--user", "alice"] + asked).output
        #expect(text.contains("org.mozilla.firefox Homepage__URL = \"a\"  (forced)"), "\(text)")
        #expect(text.contains("org.chromium.Chromium HomepageLocation = \"own\"  (forced by"), "\(text)")
        let json = try machine.mdefaults(["--user", "alice"] + asked + ["--json"]).output
        #expect(json.contains("\"became\""))
        let shown = try machine.mdefaults(["--user", "alice", "policy", "show"]).output
        #expect(shown.contains("is for programs:"))
        #expect(
            try machine.mdefaults(["--user", "alice", "read", "org.manageddefaults.common", "HomePage"]).output == "a\n"
        )
    }

    @Test func `a difference is one of what programs get`() throws {
        try policy("10", "\"Forced\": { C: { \"HomePage\": \"a\" } }")
        try machine.write(
            "new/10.json",
            CommonLevelTests.named("{ \"Identifier\": \"p.10\", \"Forced\": { C: { \"HomePage\": \"b\" } } }"))
        let text = try machine.mdefaults(["policy", "diff", machine("new/10.json")]).output
        #expect(text.contains("~ org.mozilla.firefox Homepage__URL"), "\(text)")
        #expect(text.contains("~ org.manageddefaults.common HomePage"))
    }
}
