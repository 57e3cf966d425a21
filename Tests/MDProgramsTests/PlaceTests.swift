import MDCare
import MDEngine
import MDPlatform
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// Where Flatpaks and snaps read policy, and what other products have in the same files.
struct PlaceTests {
    let machine: TemporaryMachine
    private static let chromium =
        "var/lib/flatpak/extension/org.chromium.Chromium.Extension.managed-defaults/\(architecture)/1/policies/managed"
    private static let firefox =
        "var/lib/flatpak/extension/org.mozilla.firefox.systemconfig/\(architecture)/stable/policies/policies.json"
    private static let snap = "etc/chromium-browser/policies/managed"
    private static let own = "zz-managed-defaults.json"

    private static var architecture: String {
        #if arch(arm64)
            "aarch64"
        #else
            "x86_64"
        #endif
    }

    init() throws {
        machine = try TemporaryMachine(.classroom)
    }

    private var programs: MachinePrograms { MachinePrograms(machine: PolicyMachine(root: machine.root).policy()) }

    private func force(_ forced: String, recommended: String = "{}", target: String = "{}") throws {
        try machine.policy(
            "10.json",
            "{ \"Identifier\": \"p\", \"Target\": \(target), \"Forced\": \(forced), \"Recommended\": \(recommended) }")
    }

    @Test func `a Flatpak and a snap get files of their own while they are there`() throws {
        try force(#"{ "org.chromium.Chromium": { "A": 1 }, "org.mozilla.firefox": { "B": true } }"#)
        let paths = ["\(Self.chromium)/\(Self.own)", "\(Self.snap)/\(Self.own)", Self.firefox]
        _ = try programs.write()
        #expect(!paths.contains(where: machine.exists))
        for folder in ["app/org.chromium.Chromium", "app/org.mozilla.firefox"] {
            try machine.makeDirectory("var/lib/flatpak/\(folder)")
        }
        for name in ["chromium", "firefox"] { try machine.makeDirectory("snap/\(name)") }
        _ = try programs.write()
        #expect(paths.allSatisfy(machine.exists))
        #expect(try machine.text(paths[0]) == machine.text("etc/chromium/policies/managed/\(Self.own)"))
        let states = try programs.enforcements().enforcements(domain: "org.chromium.Chromium", key: "A", of: "bob")
        #expect(
            states.map { "\($0.program.name) \($0.state.rawValue)" }
                == ["chromium not installed", "chromium-snap written", "chromium-flatpak written"])
        try machine.remove("var/lib/flatpak/app")
        try machine.remove("snap")
        _ = try programs.write()
        #expect(!paths.contains(where: machine.exists) && !machine.exists("var/lib/flatpak/extension"))
    }

    @Test func `a snap looks past login sessions, and a Flatpak does not`() throws {
        try force(#"{ "org.chromium.Chromium": { "A": 1 } }"#, target: #"{ "Users": ["alice"] }"#)
        try machine.makeDirectory("var/lib/flatpak/app/org.chromium.Chromium")
        try machine.makeDirectory("snap/chromium")
        try LoginInstances.setEnabled(true, in: machine.root)
        _ = try programs.write()
        let states = try programs.enforcements().enforcements(domain: "org.chromium.Chromium", key: "A", of: "alice")
        #expect(
            states.map { "\($0.program.name) \($0.state.rawValue) \($0.readers?.rawValue ?? "-")" }
                == [
                    "chromium not installed -", "chromium-snap not enforced -",
                    "chromium-flatpak written login sessions",
                ])
        let findings = try programs.preview().findings
        #expect(findings.map { "\($0.program) \($0.kind.rawValue)" } == ["chromium-snap not enforced"])
    }

    @Test func `a Flatpak of Chrome reads what the machine has`() throws {
        try force(#"{ "com.google.Chrome": { "A": 1 } }"#)
        try machine.makeDirectory("var/lib/flatpak/app/com.google.Chrome")
        _ = try programs.write()
        let states = try programs.enforcements().enforcements(domain: "com.google.Chrome", key: "A", of: "bob")
        #expect(states.map(\.state) == [.written])
        #expect(try programs.inquiries(about: nil, changed: true).asked.isEmpty, "it cannot be asked")
    }

    // MARK: Other products

    /// The findings about foreign files, as `KIND KEY MESSAGE`.
    private func rivals() throws -> [String] {
        try programs.preview().findings.map { "\($0.kind.rawValue) \($0.key?.string ?? "-") \($0.message)" }
    }

    @Test func `what policy takes from another product in the folder is named`() throws {
        let folder = "etc/chromium/policies"
        try machine.write(
            "\(folder)/managed/sso.json",
            """
            {"ExtensionInstallForcelist": ["sso;u", "both"], "Same": 1, "Only": 2, "Recommended": 7,
             "3rdparty": {"extensions": {"abcd": {"K": "theirs", "L": 1}, "efgh": {"M": 1}}}}
            """)
        try machine.write("\(folder)/managed/zzz.json", #"{"Late": ["x"]}"#)
        try machine.write("\(folder)/recommended/a.json", #"{"Weak": 1}"#)
        try force(
            """
            { "org.chromium.Chromium": { "ExtensionInstallForcelist": ["both", "mine"], "Same": 1, "Late": ["y"], "Weak": 2 },
              "org.chromium.Chromium.extensions.abcd": { "K": "ours" } }
            """, recommended: #"{ "org.chromium.Chromium": { "Recommended": 8 } }"#)
        let list = #"["both","mine"], not ["sso;u","both"]; lost: "sso;u""#
        let has = "policy decides, and the file has it too"
        let expected = [
            "displaced ExtensionInstallForcelist \(has): \(list)",
            #"rival Late the file decides, because its name sorts last: ["x"], not ["y"]; lost: "y""#,
            "rival Recommended the file decides, because it forces what policy only recommends: 7, not 8",
            "displaced Weak \(has): 2, not 1", #"displaced K \#(has): "ours", not "theirs""#,
        ]
        #expect(try rivals() == expected)
        _ = try programs.write()
        #expect(try rivals() == expected, "the same afterwards")
        // Chromium joins lists that policy names.
        try machine.write(
            "\(folder)/managed/a.json",
            #"{"PolicyListMultipleSourceMergeList": ["ExtensionInstallForcelist", "Late"]}"#)
        #expect(try rivals() == Array(expected[2...]))
    }

    @Test func `what policy takes from another product in the only file is named`() throws {
        try machine.write(
            "etc/firefox/policies/policies.json",
            #"{"policies": {"ExtensionSettings": {"sso@x": {"a": 1}, "*": {}}, "Same": true, "Only": 1}}"#)
        try force(
            #"{ "org.mozilla.firefox": { "ExtensionSettings": { "*": {} }, "Same": true } }"#,
            target: #"{ "Users": ["alice"] }"#)
        let expected = [
            #"displaced ExtensionSettings policy decides, and the file has it too: {"*":{}}, not {"*":{},"sso@x":{"a":1}}; lost: sso@x"#
        ]
        func displaced() throws -> [String] { try rivals().filter { $0.hasPrefix("displaced") } }
        #expect(try displaced() == expected)
        try LoginInstances.setEnabled(true, in: machine.root)
        _ = try programs.write()
        #expect(try displaced() == expected)
        try force(#"{ "org.mozilla.firefox": { "ExtensionSettings": { "*": {} }, "Same": true } }"#)
        _ = try programs.write()
        #expect(try displaced() == expected, "the file has what policy wrote")
    }

    @Test func `a sensitive value is not named`() throws {
        try machine.write("etc/chromium/policies/managed/a.json", #"{"Secret": ["theirs"]}"#)
        try machine.policy(
            "10.json",
            """
            { "Identifier": "p", "Forced": { "org.chromium.Chromium": { "Secret": ["ours"] } },
              "Metadata": { "org.chromium.Chromium": { "Secret": { "Sensitive": true } } } }
            """)
        #expect(try rivals() == ["displaced Secret policy decides, and the file has it too"])
    }
}
