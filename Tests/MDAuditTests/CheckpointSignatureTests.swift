import MDAuditLog
import MDAuditReading
import MDPlatform
import MDTestSupport
import Testing

/// Ed25519 signatures of checkpoints, made and checked by openssl.
@Suite struct CheckpointSignatureTests {
    private static let origin = "managed-defaults/pc01/" + String(repeating: "0a", count: 16)

    /// A machine with a new key, of which others than its owner may have a right.
    private static func machine(mode: UInt32 = 0o600) throws -> TemporaryMachine {
        let machine = try TemporaryMachine()
        let made = try Subprocess.run(
            "/usr/bin/openssl", ["genpkey", "-algorithm", "ed25519"], timeoutMilliseconds: 10_000, limit: 4_096)
        try machine.root.createDirectory("/etc/managed-defaults", mode: 0o755)
        try machine.root.replace(CheckpointSigner.path, with: made.output, mode: mode)
        return machine
    }

    private static func checkpoint(_ line: String) -> Checkpoint {
        var tree = MerkleTree()
        tree.append(line: Array(line.utf8))
        return Checkpoint(origin: origin, tree: tree)
    }

    @Test func `a signature is genuine for its checkpoint, false for another, and nil of another key`() throws {
        let machine = try CheckpointSignatureTests.machine()
        let signer = try #require(try CheckpointSigner(of: machine.root))
        let verifier = try #require(CheckpointVerifier(publicKeyPEM: signer.publicKeyPEM))
        var signed = CheckpointSignatureTests.checkpoint("one")
        #expect(try verifier.verifies(signed) == nil)
        signed.signatures = [try signer.signature(of: signed)]
        #expect(try verifier.verifies(signed) == true)
        var other = CheckpointSignatureTests.checkpoint("two")
        other.signatures = signed.signatures
        #expect(try verifier.verifies(other) == false)
        let second = try CheckpointSignatureTests.machine()
        let another = try #require(try CheckpointSigner(of: second.root))
        let stranger = try #require(CheckpointVerifier(publicKeyPEM: another.publicKeyPEM))
        #expect(try stranger.verifies(signed) == nil)
    }

    @Test func `a key that others can read is not used`() throws {
        let machine = try CheckpointSignatureTests.machine(mode: 0o644)
        let path = machine.root.display(CheckpointSigner.path)
        #expect(throws: CheckpointSigningError.exposed(path: path)) { try CheckpointSigner(of: machine.root) }
    }

    @Test(arguments: ["", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "MCowBQYDK2Vw"])
    func `what is no public key in PEM checks nothing`(text: String) {
        #expect(CheckpointVerifier(publicKeyPEM: Array(text.utf8)) == nil)
    }
}
