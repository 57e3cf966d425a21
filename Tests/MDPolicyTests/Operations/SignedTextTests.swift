import Foundation
import MDPlatform
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Signed profiles in PEM are verified, and nothing else passes for one.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
struct SignedTextTests {
    /// A machine that asks for signatures and trusts a signer of profiles, with one policy file.
    private static func state(
        of name: String, _ bytes: [UInt8], _ signer: SignedProfileTests.Signer
    ) throws -> SignatureState {
        let machine = try TemporaryMachine()
        try machine.write("/etc/managed-defaults/policies.d/\(name)", bytes)
        try machine.write(SignatureTests.trust, "nobody ssh-ed25519 AAAA\n")
        let certificate = Array(try Data(contentsOf: URL(fileURLWithPath: signer.path("cert"))))
        try machine.write("/etc/managed-defaults/trusted-anchors.pem", certificate)
        GenerationTests.apply(machine)
        return try #require(machine.load().files.first).signature
    }

    @Test(arguments: ["", "\n\n", "\u{feff}", "Bag Attributes\n  name: lab\n"])
    func `a message in PEM is verified, whatever stands before it`(_ start: String) throws {
        let signer = try SignedProfileTests.Signer()
        let message = try signer.sign(Array(ProfileVariantTests.text.utf8), ["-nodetach", "-outform", "PEM"])
        let state = try Self.state(of: "50-p.mobileconfig", Array(start.utf8) + message, signer)
        #expect(state == .verified(signer: "CN=School"))
    }

    /// A signed profile inside another file proves nothing about that file.
    @Test(arguments: [
        ("50-a.json", "/*\n", "*/ { \"Identifier\": \"edu.example.a\", \"Sealed\": [\"org.example.A\"] }"),
        (
            "50-a.plist", "<!--\n",
            "-->\n<plist><dict><key>Identifier</key><string>edu.example.a</string></dict></plist>"
        ),
        ("50-a.plist", "/*\n", "*/ { Identifier = \"edu.example.a\"; }"),
        ("50-a.json", "", ""), ("50-a.plist", "a\n", ""),
    ])
    func `a message within another file verifies nothing`(_ name: String, _ start: String, _ end: String) throws {
        let signer = try SignedProfileTests.Signer()
        let message = try signer.sign(Array(ProfileVariantTests.text.utf8), ["-nodetach", "-outform", "PEM"])
        let state = try Self.state(of: name, Array(start.utf8) + message + Array(end.utf8), signer)
        guard case .verified = state else { return }
        Issue.record("\(name) passes for signed")
    }
}
