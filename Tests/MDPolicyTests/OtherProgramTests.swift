import Foundation
import MDPolicyAdministration
import MDPolicyCore
import MDPolicyModel
import MDPropertyList
import MDTestSupport
import MDTestTimes
import Testing

/// Programs that do not ask this library are known by their domains.
@Suite(.timed)
struct OtherProgramTests {
    @Test(
        arguments: [
            ("org.chromium.Chromium", "Chromium"), ("com.google.Chrome", "Chrome"), ("com.microsoft.Edge", "Edge"),
            ("com.brave.Browser", "Brave"), ("com.vivaldi.Vivaldi", "Vivaldi"), ("org.mozilla.firefox", "Firefox"),
            ("org.mozilla.thunderbird", "Thunderbird"), ("com.microsoft.VSCode", "VS Code"),
            ("org.gnome.desktop.background", "GSettings"), ("org.kde.kdeglobals", "KDE"),
            ("org.libreoffice.Office.Common", "LibreOffice"), ("com.google.Chrome.extensions.abc", "Chrome"),
            ("org.example.Browser", nil), ("NSGlobalDomain", nil), ("com.google.Chrome.canary", nil),
            ("com.google.chrome", nil), ("org.gnome", nil), ("org.mozilla.firefoxx", nil),
        ] as [(String, String?)]) func `a domain is that of a program`(_ domain: String, _ name: String?)
    {
        #expect(OtherProgram(owning: Key(domain))?.name == name)
    }

    @Test func `many domains are counted`() {
        let domains = (0..<5).map { Key("org.gnome.d\($0)") }
        let sentence = OtherProgram(owning: domains[0])?.sentence(about: domains)
        #expect(
            sentence == "No program obeys what is said of org.gnome.d0, org.gnome.d1, org.gnome.d2 and 2 more domains:"
                + " GSettings does not ask this library and reads the databases of dconf.")
    }

    @Test func `lint warns at the first line of each such domain`() throws {
        let machine = try TemporaryMachine()
        try machine.write(
            "/etc/managed-defaults/policies.d/1.json",
            """
            { "Identifier": "a.b",
              "Recommended": { "org.mozilla.firefox": { "A": 1,
                "B": 2 } },
              "Forced": { "org.example.Own": { "A": 1 }, "org.mozilla.firefox": { "A": 1 } },
              "Sealed": ["org.kde.kdeglobals"],
              "Constraints": { "com.microsoft.VSCode": { "A": { "Maximum": 3 } } } }
            """)
        let found = Lint.run(root: machine.root).filter { $0.code == LintCode.notObeyed.rawValue }
        #expect(found.map { "\($0.position) \($0.severity)" } == ["2:45 warning", "5:14 warning", "6:46 warning"])
        #expect(
            found.first?.message
                == "no program obeys what is said of org.mozilla.firefox: Firefox does not ask this library"
                + " and reads /etc/firefox/policies/policies.json")
    }
}
