import MDCare
import MDPlatform
import MDPolicyAdministration
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import Testing

@testable import MDPrograms

/// The domains of policy that probably no program reads.
struct KnownDomainTests {
    private static let meant: [(name: String, meant: String?)] = [
        ("org.chromium.chromium", "org.chromium.Chromium"), ("org.chromium.Chrome", "org.chromium.Chromium"),
        ("org.chromium.Chromum", "org.chromium.Chromium"), ("com.google.chrome", "com.google.Chrome"),
        ("org.google.Chrome", "com.google.Chrome"), ("com.mozilla.firefox", "org.mozilla.firefox"),
        ("firefox", "org.mozilla.firefox"), ("org.libreofice.Office.Common", "org.libreoffice.Office.Common"),
        ("org.Gnome.desktop.interface", "org.gnome.desktop.interface"), ("com.microsoft.Code", "com.microsoft.VSCode"),
        ("org.chromium.Chromium", nil), ("org.gnome.desktop.interface", nil), ("NSGlobalDomain", nil),
        ("org.example.Browser", nil), ("com.google.Drive", nil), ("com.microsoft.Word", nil), ("org.demo.Editor", nil),
        ("org.kds.editor", nil), ("", nil), (".", nil), (String(repeating: "a.", count: 500), nil),
    ]

    @Test(arguments: meant) func `A domain like that of a program is probably that one`(name: String, meant: String?) {
        let doubt = KnownDomains(root: nil).doubt(about: Key(name))
        #expect(doubt == meant.map { .misspelt($0) })
    }

    private func lab(opened: [String]) throws -> TemporaryMachine {
        let machine = try TemporaryMachine(.classroom)
        try machine.policy(
            "10.json",
            """
            { "Identifier": "p.one", "Forced": { "org.chromium.chromium": { "A": 1, "B": 2 }, "org.x.Heard": { "A": 1 },
              "org.x.Browsr": { "A": 1 } } }
            """)
        try machine.policy(
            "20.json",
            """
            { "Identifier": "p.two", "Forced": { "org.chromium.chromium": { "C": 1 }, "ch.y.One": { "A": 1 } },
              "Sealed": ["ch.y.Two"], "Recommended": { "org.z.Described": { "A": 1 } } }
            """)
        try machine.write(
            "etc/managed-defaults/manifests.d/org.z.Described.plist",
            """
            <plist><dict><key>pfm_domain</key><string>org.z.Described</string><key>pfm_subkeys</key><array>
            <dict><key>pfm_name</key><string>A</string></dict></array></dict></plist>
            """)
        if !opened.isEmpty {
            let lines = opened.map { #"{"uid":1000,"domain":"\#($0)"}"# }
            try machine.write(
                "run/mdefaultsd/opened",
                (["boot \(Machine.bootID(root: machine.root) ?? "unknown")"] + lines).joined(separator: "\n") + "\n")
        }
        return machine
    }

    private func findings(_ machine: TemporaryMachine) -> [String] {
        Lint.run(root: machine.root, judge: .catalog(machine.root)).filter { $0.code == "unknown-domain" }.map {
            "\($0.severity.rawValue) \($0.position.line) \($0.message)"
        }
    }

    @Test func `Lint names each misspelt domain once, and all that nobody is known to read together`() throws {
        let machine = try lab(opened: ["org.x.Heard", "org.x.Browser", "org.chromium.chromium"])
        #expect(
            findings(machine) == [
                "warning 1 no program here is known to read org.chromium.chromium; org.chromium.Chromium is probably meant",
                "warning 2 no program here is known to read org.x.Browsr; org.x.Browser is probably meant",
                "warning 1 no program here is known to read ch.y.One, ch.y.Two",
            ])
    }

    @Test func `Lint says nothing of unlike domains as long as it is not known what programs opened`() throws {
        let machine = try lab(opened: [])
        #expect(
            findings(machine) == [
                "warning 1 no program here is known to read org.chromium.chromium; org.chromium.Chromium is probably meant"
            ])
    }
}
