import Foundation
import MDPlatform
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// What people put around a profile, and what transfers do to one that is signed.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl"), "openssl is not installed"))
struct ProfileEnvelopeTests {
    /// The profile in the envelopes.
    private static let profile = Array(ProfileVariantTests.text.utf8)

    /// The error of a profile that cannot be read.
    private static func mistake(in bytes: [UInt8]) -> String {
        let result = PolicyFile.parse(bytes: bytes, path: "p.mobileconfig")
        return result.file == nil ? result.diagnostics.first?.message ?? "" : "it is read"
    }

    /// Runs openssl on `in` of a signer's folder and returns what it wrote.
    private static func output(of signer: SignedProfileTests.Signer, _ arguments: [String]) throws -> [UInt8] {
        let result = try Subprocess.run(
            "/usr/bin/openssl", arguments + ["-in", signer.path("in"), "-out", signer.path("out")],
            timeoutMilliseconds: 60_000, limit: 1 << 20)
        try #require(result.status == 0)
        return Array(try Data(contentsOf: URL(fileURLWithPath: signer.path("out"))))
    }

    @Test func `opens PEM behind a byte order mark, text, certificates and keys`() throws {
        let signer = try SignedProfileTests.Signer()
        let message = try signer.sign(Self.profile, ["-nodetach", "-outform", "PEM"])
        let certificate = Array(try Data(contentsOf: URL(fileURLWithPath: signer.path("cert"))))
        let key = Array(try Data(contentsOf: URL(fileURLWithPath: signer.path("key"))))
        let crlf = message.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }
        let expected = ProfileVariantTests.entries(Self.profile)
        for bytes in [
            [0xef, 0xbb, 0xbf] + message, Array("\n\n".utf8) + message,
            Array("Bag Attributes\n  a: b\n".utf8) + message,
            certificate + message, key + certificate + message + certificate, crlf, message + [0, 0, 0],
        ] {
            #expect(ProfileVariantTests.entries(bytes) == expected)
        }
        #expect(Self.mistake(in: certificate).contains("a certificate or a key by itself is none"))
    }

    /// A file in JSON or a property list must never pass for signed because of the content of a comment or a string.
    @Test(arguments: [
        "/*\n", "// a\n", "{ \"a\": \"\n", "<!--\n", "(\n", "\"\n", "#\n", "[\n", "bplist00\n", "\u{feff}/*\n",
    ])
    func `takes no message out of another file`(_ start: String) throws {
        let signer = try SignedProfileTests.Signer()
        let message = try signer.sign(Self.profile, ["-nodetach", "-outform", "PEM"])
        #expect(!CMSMessage.recognizes(Array(start.utf8) + message))
    }

    @Test func `opens a signature within a signature, to a depth`() throws {
        let signer = try SignedProfileTests.Signer()
        var message = Self.profile
        for count in 1...9 {
            message = try signer.sign(message, ["-nodetach", "-outform", count == 2 ? "PEM" : "DER"])
            if count < 9 {
                #expect(ProfileVariantTests.entries(message) == ProfileVariantTests.entries(Self.profile))
            } else {
                #expect(Self.mistake(in: message).contains("is signed more than 8 times"))
            }
        }
    }

    @Test func `says what a message is that is none with a profile`() throws {
        let signer = try SignedProfileTests.Signer()
        _ = try signer.sign(Self.profile, ["-nodetach", "-outform", "DER"])
        let certificate = signer.path("cert")
        let encrypted = try Self.output(of: signer, ["cms", "-encrypt", "-outform", "DER", "-recip", certificate])
        #expect(Self.mistake(in: encrypted).hasPrefix("the profile is encrypted"))
        let within = try signer.sign(encrypted, ["-nodetach", "-outform", "DER"])
        #expect(Self.mistake(in: within).hasPrefix("the profile is encrypted"))
        let alone = try Subprocess.run(
            "/usr/bin/openssl", ["crl2pkcs7", "-nocrl", "-certfile", certificate, "-outform", "DER"],
            timeoutMilliseconds: 60_000, limit: 1 << 20)
        #expect(Self.mistake(in: alone.output).hasSuffix("the message holds certificates and no profile"))
        let data = try Self.output(of: signer, ["cms", "-data_create", "-outform", "DER"])
        #expect(Self.mistake(in: data).hasSuffix("the message is not signed: it holds data without a signature"))
        let digest = try Self.output(of: signer, ["cms", "-digest_create", "-outform", "DER"])
        #expect(Self.mistake(in: digest).hasSuffix("the message is not signed: it holds a digest in place of one"))
    }

    @Test func `names mail and Base64`() throws {
        let signer = try SignedProfileTests.Signer()
        for options in [["-nodetach", "-outform", "SMIME"], ["-outform", "SMIME"]] {
            let mail = try signer.sign(Self.profile, options)
            #expect(Self.mistake(in: mail).hasPrefix("the profile is in a mail message (S/MIME)"))
        }
        let message = try signer.sign(Self.profile, ["-nodetach", "-outform", "DER"])
        for bytes in [message, Self.profile, [0xef, 0xbb, 0xbf] + Self.profile] {
            let text = Data(bytes).base64EncodedString(options: [.lineLength76Characters, .endLineWithLineFeed])
            #expect(Self.mistake(in: Array(text.utf8)).hasPrefix("the profile is written in Base64"))
        }
        #expect(!Self.mistake(in: Array("MII is no Base64, as its blanks tell".utf8)).contains("Base64"))
    }

    @Test func `tells a binary message that was copied as text`() throws {
        let signer = try SignedProfileTests.Signer()
        // Long enough for line ends among the digits of the signature not to matter.
        let message = try signer.sign(SignedProfileTests.long, ["-nodetach", "-outform", "DER"])
        let crlf = message.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }
        #expect(Self.mistake(in: crlf).hasSuffix("as after a copy as text: get it once more, as binary"))
        let latin = Array(String(String.UnicodeScalarView(message.map { Unicode.Scalar($0) })).utf8)
        #expect(Self.mistake(in: latin).hasSuffix("written it again, so get it once more, as binary"))
        let replaced = Array(String(decoding: message, as: UTF8.self).utf8)
        #expect(Self.mistake(in: replaced).hasSuffix("written it again, so get it once more, as binary"))
        #expect(!Self.mistake(in: Array(message.dropLast())).contains("once more"))
    }
}
