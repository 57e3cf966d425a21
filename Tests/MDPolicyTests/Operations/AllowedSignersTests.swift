import Foundation
import MDPlatform
import MDTestSupport
import Testing

@testable import MDPolicyAdministration
@testable import MDPolicyCore
@testable import MDPolicyFormats
@testable import MDPolicyModel
@testable import MDPolicyStore

/// The lines that are read of a list of signers.
struct AllowedSignersTests {
    /// The first moments of some years after 2020, in universal time.
    private static func year(_ year: Int) -> Timestamp? { Timestamp(rfc3339: "\(year)-01-01T00:00:00Z") }

    /// The zone of a machine whose clocks are ahead of universal time.
    private static func zones() throws -> ZoneDatabase {
        let machine = try TemporaryMachine()
        return ZoneDatabase(root: machine.root, localZone: "Asia/Tokyo")
    }

    @Test(arguments: [
        ("", []), ("# admin ssh-ed25519 AAAA\n", []), ("garbage\n", []), ("admin ssh-ed25519\n", []),
        ("admin ssh-ed25519 AAAA\n", ["admin"]), ("a,b sk-ssh-ed25519@openssh.com AAAA comment\r\n", ["a,b"]),
        ("\"a b\" namespaces=\"x, y\",valid-before=\"2030\" ecdsa-sha2-nistp256 AAAA\n", ["a b"]),
        ("a cert-authority ssh-rsa AAAA\n\n  b   ssh-rsa\tAAAA", ["a", "b"]),
    ]) func `lines that name a key count`(_ text: String, _ names: [String]) {
        #expect(AllowedSigners(Array(text.utf8)).lines.map(\.principals) == names)
        #expect(SignatureVerifier.ssh.namesSigner(Array(text.utf8)) == !names.isEmpty)
    }

    @Test(
        arguments: [
            ("valid-before=\"20300101Z\"", "2030-01-01T00:00:00Z"), ("valid-before=20300101Z", "2030-01-01T00:00:00Z"),
            ("namespaces=\"managed-defaults\",Valid-Before=\"203001010203Z\"", "2030-01-01T02:03:00Z"),
            ("valid-before=\"20300101020304Z\",valid-after=\"20200101Z\"", "2030-01-01T02:03:04Z"),
            // Nine hours ahead, the day begins earlier.
            ("valid-before=\"20300101\"", "2029-12-31T15:00:00Z"),
            ("valid-before=\"tomorrow\"", "1970-01-01T00:00:00Z"),
            ("valid-before=\"20301301Z\"", "1970-01-01T00:00:00Z"), ("valid-after=\"20200101Z\"", nil),
            ("cert-authority", nil),
        ] as [(String, String?)]) func `the end of a key is read`(_ options: String, _ end: String?) throws
    {
        let list = AllowedSigners(
            Array("admin \(options) ssh-ed25519 AAAA\n".utf8), zones: try AllowedSignersTests.zones())
        let line = try #require(list.lines.first)
        #expect(line.validBefore == end.flatMap(Timestamp.init(rfc3339:)))
    }

    @Test func `the next end of a name's keys counts`() throws {
        let text =
            (2030...2032).map { "a valid-before=\($0)0101Z ssh-ed25519 AAAA\n" }.joined() + "b ssh-ed25519 AAAA\n"
        let list = AllowedSigners(Array(text.utf8))
        let now = try #require(AllowedSignersTests.year(2031))
        #expect(list.end(of: "a", after: now) == AllowedSignersTests.year(2032))
        #expect(list.end(of: "b", after: now) == nil)
        #expect(list.end(of: "c", after: now) == nil)
    }
}
