import Foundation
import MDPlatform
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// Whether openssl is there.
private let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

/// Profiles that openssl signed are opened, and damaged ones are refused.
@Suite(.enabled(if: hasOpenSSL, "openssl is not installed"))
struct SignedProfileTests {
    /// A folder with a key, a certificate and a profile.
    final class Signer {
        /// The folder.
        let folder: TemporaryFolder

        /// Makes the key and the certificate.
        init() throws {
            folder = try TemporaryFolder()
            try openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                path("key"),
                "-out", path("cert"), "-subj", "/CN=School", "-days", "2")
        }

        /// The path of a file in the folder.
        func path(_ name: String) -> String { folder(name) }

        /// Runs openssl.
        func openssl(_ arguments: String...) throws {
            let result = try Subprocess.run("/usr/bin/openssl", arguments, timeoutMilliseconds: 60_000, limit: 1 << 20)
            try #require(result.status == 0)
        }

        /// Signs some bytes.
        func sign(_ bytes: [UInt8], _ options: [String]) throws -> [UInt8] {
            try Data(bytes).write(to: URL(fileURLWithPath: path("in")))
            let arguments =
                ["cms", "-sign", "-binary", "-in", path("in"), "-signer", path("cert"), "-inkey", path("key"), "-out"]
                + [path("out")] + options
            let result = try Subprocess.run("/usr/bin/openssl", arguments, timeoutMilliseconds: 60_000, limit: 1 << 20)
            try #require(result.status == 0)
            return Array(try Data(contentsOf: URL(fileURLWithPath: path("out"))))
        }
    }

    /// A profile that is long enough to be signed in pieces.
    static let long: [UInt8] = {
        let keys = (0..<2_000).map { "<key>K\($0)</key><integer>\($0)</integer>" }.joined(separator: "\n")
        let payload = "<dict><key>PayloadType</key><string>org.example.App</string>\n\(keys)</dict>"
        let text = """
            <plist><dict><key>PayloadIdentifier</key><string>a.b</string>
            <key>PayloadType</key><string>Configuration</string>
            <key>PayloadContent</key><array>\(payload)</array></dict></plist>
            """
        return Array(text.utf8)
    }()

    @Test(arguments: [
        ["-nodetach", "-outform", "DER"], ["-nodetach", "-outform", "PEM"],
        ["-nodetach", "-stream", "-outform", "DER"],
        ["-nodetach", "-stream", "-outform", "PEM"], ["-nodetach", "-noattr", "-nocerts", "-outform", "DER"],
    ])
    func `opens what openssl signed`(_ options: [String]) throws {
        let signer = try Signer()
        for bytes in [Array(ProfileVariantTests.text.utf8), Self.long] {
            let message = try signer.sign(bytes, options)
            #expect(CMSMessage.content(of: message) == bytes)
            #expect(try CMSMessage(message).signatures == 1)
            #expect(CMSMessage.content(of: message + [0, 0, 0x0a]) == bytes)
            #expect(ProfileVariantTests.entries(message) == ProfileVariantTests.entries(bytes))
        }
    }

    @Test func `refuses a signature without its content, and what is encrypted`() throws {
        let signer = try Signer()
        let bytes = Array(ProfileVariantTests.text.utf8)
        let detached = try signer.sign(bytes, ["-outform", "DER"])
        let result = PolicyFile.parse(bytes: detached, path: "p.mobileconfig")
        #expect(result.file == nil)
        #expect(result.diagnostics.first?.description.contains("only a signature") == true)
        try signer.openssl(
            "cms", "-encrypt", "-binary", "-in", signer.path("in"), "-outform", "DER", "-out", signer.path("out"),
            signer.path("cert"))
        let encrypted = Array(try Data(contentsOf: URL(fileURLWithPath: signer.path("out"))))
        let finding = PolicyFile.parse(bytes: encrypted, path: "p.mobileconfig").diagnostics.first
        #expect(finding?.code == "signed-message")
        #expect(finding?.message.hasPrefix("the profile is encrypted and cannot be read here") == true)
        #expect(finding?.severity == .error)
    }

    @Test(arguments: [["-nodetach", "-outform", "DER"], ["-nodetach", "-stream", "-outform", "DER"]])
    func `refuses a message that ends early, and never traps on one that is changed`(_ options: [String]) throws {
        let content = Array("<plist><dict/></plist>".utf8)
        let message = try Signer().sign(content, options)
        for count in 0..<message.count { #expect(CMSMessage.content(of: Array(message[..<count])) == nil) }
        for index in message.indices {
            for change: UInt8 in [0x01, 0x20, 0x80, 0xff] {
                var changed = message
                changed[index] ^= change
                guard let opened = CMSMessage.content(of: changed) else { continue }
                #expect(opened.count <= message.count)
            }
        }
        #expect(CMSMessage.content(of: message + [0x30]) == nil)
    }

    @Test func `bounds lengths and depth`() {
        let header: [UInt8] = [
            0x30, 0x80, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02, 0xa0, 0x80,
        ]
        let start = header + [0x30, 0x80, 0x02, 0x01, 0x01, 0x31, 0x00, 0x30, 0x80]
        let data: [UInt8] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01, 0xa0, 0x80]
        let nested = (0..<10_000).flatMap { _ -> [UInt8] in [0x24, 0x80] }
        #expect(CMSMessage.content(of: start + data + nested) == nil)
        let sets = (0..<10_000).flatMap { _ -> [UInt8] in [0x31, 0x80] }
        #expect(CMSMessage.content(of: header + [0x30, 0x80, 0x02, 0x01, 0x01] + sets) == nil)
        #expect(CMSMessage.content(of: [0x30, 0x88] + [UInt8](repeating: 0xff, count: 8)) == nil)
        #expect(CMSMessage.content(of: [0x30, 0x84, 0xff, 0xff, 0xff, 0xff]) == nil)
        #expect(CMSMessage.content(of: Array("<plist/>".utf8)) == nil)
        #expect(CMSMessage.content(of: Array("-----BEGIN CMS-----\nMIIB\n".utf8)) == nil)
    }
}
