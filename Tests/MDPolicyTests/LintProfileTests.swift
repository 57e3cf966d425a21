import Foundation
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyFormats
@testable import MDPolicyModel

/// Profiles as schools have them, written for this test: what lint says of them is true, and nothing else is said.
struct LintProfileTests {
    @Test func `says of twenty profiles only what somebody should look at`() throws {
        let folder = ResolverGoldenTests.fixtures.appendingPathComponent("Lint").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 20)
        let found = Lint.run(files: [folder]).map { finding in
            "\(LintInput.name(of: finding.file)) \(finding.severity.rawValue) \(finding.code)"
        }
        #expect(
            found == [
                // Management of users by a directory is not carried out here.
                "06-mcx-user.mobileconfig warning unknown-field",
                // The type of the payloads is written at the top, as an old tool did.
                "07-array.mobileconfig warning invalid-value",
                // Two marks that were not filled in.
                "19-template.mobileconfig warning placeholder", "19-template.mobileconfig warning placeholder",
                // A network is not joined here.
                "20-wifi.mobileconfig warning not-applicable",
            ])
    }

    @Test(arguments: [
        ("mcx_targets", "array"), ("mcx_targets", "string"),
    ])
    func `whom a directory manages does not refuse a file of good keys`(_ name: String, _ type: String) {
        let text = """
            <plist><dict><key>PayloadIdentifier</key><string>3F1C9A5E-7B2D-4C60-8E91-A7D05B64F2C3</string>
            <key>PayloadType</key><string>Configuration</string><key>PayloadContent</key><array><dict>
            <key>PayloadType</key><string>com.apple.ManagedClient.preferences</string><key>PayloadContent</key><dict>
            <key>\(name)</key>\(type == "array" ? "<array/>" : "<string>user</string>")<key>org.x</key><dict>
            <key>Forced</key><array><dict><key>mcx_preference_settings</key><dict><key>A</key><true/></dict></dict></array>
            </dict></dict></dict></array></dict></plist>
            """
        let parsed = PolicyFile.parse(bytes: Array(text.utf8), path: "a.mobileconfig")
        #expect(parsed.file?.entries.count == 1)
        #expect(parsed.diagnostics.map(\.code) == ["unknown-field"])
    }

    @Test func `the ready sets give no finding`() {
        let sets = ResolverGoldenTests.fixtures.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Policies").path
        for name in ["classroom", "exam", "library-kiosk", "office-baseline"] {
            #expect(Lint.run(files: ["\(sets)/\(name)"]).map(\.description) == [])
        }
    }
}
