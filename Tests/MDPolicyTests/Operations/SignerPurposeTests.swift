import Foundation
import MDPlatform
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Whose certificate may sign a profile.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
struct SignerPurposeTests {
    /// The state of a signed profile whose signer has a certificate with given extensions, issued by an authority that
    /// the machine trusts.
    private func signer(_ extensions: String) throws -> Result<SignatureVerifier.Signer, SignatureVerifier.Refusal> {
        let authority = try SignedProfileTests.Signer()
        let leaf = authority.path("leaf")
        try authority.openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=Lab",
            "-keyout", "\(leaf).key", "-out", "\(leaf).csr")
        try Data("basicConstraints=CA:FALSE\n\(extensions)\n".utf8).write(to: URL(fileURLWithPath: "\(leaf).ext"))
        try authority.openssl(
            "x509", "-req", "-in", "\(leaf).csr", "-CA", authority.path("cert"), "-CAkey", authority.path("key"),
            "-CAcreateserial", "-days", "2", "-extfile", "\(leaf).ext", "-out", leaf)
        try Data(ProfileVariantTests.text.utf8).write(to: URL(fileURLWithPath: authority.path("in")))
        try authority.openssl(
            "cms", "-sign", "-binary", "-nodetach", "-outform", "DER", "-in", authority.path("in"), "-signer", leaf,
            "-inkey", "\(leaf).key", "-out", authority.path("out"))
        let message = Array(try Data(contentsOf: URL(fileURLWithPath: authority.path("out"))))
        let anchors = Array(try Data(contentsOf: URL(fileURLWithPath: authority.path("cert"))))
        do throws(SignatureVerifier.Refusal) {
            return .success(try SignatureVerifier.cms.signer(of: message, signature: [], trust: anchors))
        } catch {
            return .failure(error)
        }
    }

    @Test(arguments: [
        "", "extendedKeyUsage=codeSigning\nkeyUsage=critical,digitalSignature", "extendedKeyUsage=emailProtection",
        "extendedKeyUsage=critical,1.2.840.113635.100.4.13", "extendedKeyUsage=serverAuth,codeSigning",
        "keyUsage=nonRepudiation",
    ]) func `a certificate for signing, or for nothing in particular, may`(_ extensions: String) throws {
        let found = try signer(extensions).get()
        #expect(found.name == "CN=Lab")
        let hours =
            (try #require(found.until).microseconds - Int64(Date().timeIntervalSince1970 * 1_000_000)) / 3_600_000_000
        #expect((46...48).contains(hours))
    }

    @Test(arguments: [
        ("extendedKeyUsage=serverAuth", "is for TLS Web Server Authentication, and not for code signing"),
        (
            "extendedKeyUsage=serverAuth,clientAuth",
            "is for TLS Web Server Authentication, TLS Web Client Authentication"
        ),
        ("extendedKeyUsage=timeStamping", "is for Time Stamping"), ("extendedKeyUsage=1.2.3.4", "is for 1.2.3.4"),
        ("keyUsage=keyEncipherment", "key is for Key Encipherment, and not for digital signatures"),
        ("extendedKeyUsage=codeSigning\nkeyUsage=keyAgreement", "key is for Key Agreement"),
    ]) func `a certificate for something else may not`(_ extensions: String, _ reason: String) throws {
        guard case .failure(let refusal) = try signer(extensions) else { return #expect(Bool(false), "not refused") }
        #expect(refusal.reason.contains(reason), "\(refusal.reason)")
        #expect(!refusal.isUnknown)
    }

    @Test func `a message of two signers is refused`() throws {
        let (first, second) = (try SignedProfileTests.Signer(), try SignedProfileTests.Signer())
        let message = try first.sign(
            Array(ProfileVariantTests.text.utf8),
            ["-nodetach", "-outform", "DER", "-signer", second.path("cert"), "-inkey", second.path("key")])
        let anchors = try Data(contentsOf: URL(fileURLWithPath: first.path("cert")))
        let others = try Data(contentsOf: URL(fileURLWithPath: second.path("cert")))
        #expect(throws: SignatureVerifier.Refusal.self) {
            try SignatureVerifier.cms.signer(of: message, signature: [], trust: Array(anchors + others))
        }
    }
}
