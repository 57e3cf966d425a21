import MDAuditLog
import MDPlatform

/// Signs checkpoints with the machine's Ed25519 key, if root has one, by running openssl.
///
/// The audit service cannot do that: it reads no key of root's and starts no program. So the signature is made when
/// somebody who may read the key asks for a checkpoint.
struct CheckpointSigner {
    /// The private key in PEM, under the root.
    static let path = "/etc/managed-defaults/audit-key.pem"
    /// The program.
    private static let openssl = "/usr/bin/openssl"
    /// The most bytes of the file, and of what openssl prints.
    private static let limit = 16_384
    /// How long openssl may run.
    private static let milliseconds = 10_000
    /// The kind of the signature in a signed note.
    private static let kind: UInt8 = 0x01
    /// What comes before the 32 bytes of an Ed25519 key in its DER form (RFC 8410).
    private static let prefix: [UInt8] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]

    /// The private key.
    private let key: [UInt8]
    /// The public key.
    let publicKey: [UInt8]

    /// Reads the key of a machine.
    ///
    /// - Returns: `nil` if there is none, or if this process may not read it.
    /// - Throws: exit 4 if others can read it or openssl cannot be run, exit 5 if it is no Ed25519 key.
    init?(of root: Root) throws(Failure) {
        let file: (bytes: [UInt8], status: FileStatus)
        do {
            file = try root.read(CheckpointSigner.path, limit: CheckpointSigner.limit)
        } catch {
            if error.isMissing || error.isForbidden { return nil }
            throw .of(error)
        }
        let shown = Printable.escape(root.display(CheckpointSigner.path))
        guard file.status.owner == root.owner, file.status.mode & 0o077 == 0 else {
            throw Failure(
                code: .inputOutput, message: "\(shown) was not used, because others than its owner can read it.")
        }
        key = file.bytes
        let output = try CheckpointSigner.run(
            ["pkey", "-in", Subprocess.filePath(0), "-pubout", "-outform", "DER"], files: [file.bytes])
        guard let output, output.starts(with: CheckpointSigner.prefix),
            output.count == CheckpointSigner.prefix.count + 32
        else {
            throw Failure(code: .badInput, message: "\(shown) is no private Ed25519 key in PEM.")
        }
        publicKey = Array(output.dropFirst(CheckpointSigner.prefix.count))
    }

    /// Signs a checkpoint.
    func signature(of checkpoint: Checkpoint) throws(Failure) -> NoteSignature {
        let output = try CheckpointSigner.run(
            ["pkeyutl", "-sign", "-inkey", Subprocess.filePath(0), "-rawin", "-in", Subprocess.filePath(1)],
            files: [key, Array(checkpoint.body.utf8)])
        guard let output, output.count == 64 else {
            throw Failure(code: .inputOutput, message: "openssl did not sign the checkpoint.")
        }
        return NoteSignature(name: checkpoint.origin, keyID: keyID(of: checkpoint.origin), bytes: output)
    }

    /// The id of the key under the name of a log.
    func keyID(of origin: String) -> UInt32 {
        NoteSignature.keyID(name: origin, kind: [CheckpointSigner.kind], publicKey: publicKey)
    }

    /// The public key behind the byte of its kind, as verifiers of signed notes take it.
    var typedPublicKey: [UInt8] { [CheckpointSigner.kind] + publicKey }

    /// Runs openssl; `nil` if it refuses.
    private static func run(_ arguments: [String], files: [[UInt8]]) throws(Failure) -> [UInt8]? {
        do {
            let result = try Subprocess.run(
                openssl, arguments, files: files, timeoutMilliseconds: milliseconds, limit: limit)
            return result.status == 0 ? result.output : nil
        } catch {
            throw .of(error)
        }
    }
}
