package import MDAuditLog
package import MDPlatform
import MDPropertyList

/// Why a checkpoint could not be signed, or a signature not be checked.
package enum CheckpointSigningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A file could not be read, or openssl not be run.
    case system(SystemError)
    /// Others than its owner can read the key.
    case exposed(path: String)
    /// The file holds no private Ed25519 key.
    case badKey(path: String)
    /// openssl did not sign.
    case unsigned

    /// A clause for people, without a full stop.
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .exposed(let path):
            "\(Printable.escape(path)) was not used, because others than its owner can read it"
        case .badKey(let path): "\(Printable.escape(path)) is no private Ed25519 key in PEM"
        case .unsigned: "openssl did not sign the checkpoint"
        }
    }
}

/// Signs checkpoints with the machine's Ed25519 key, if root has one, by running openssl.
///
/// The audit service cannot do that: it reads no key of root's and starts no program. So the signature is made when
/// somebody who may read the key asks for a checkpoint.
package struct CheckpointSigner {
    /// The private key in PEM, under the root.
    package static let path = "/etc/managed-defaults/audit-key.pem"
    /// The most bytes of the file.
    private static let limit = 16_384

    /// The private key.
    private let key: [UInt8]
    /// The public key.
    package let publicKey: [UInt8]

    /// Reads the key of a machine.
    ///
    /// - Returns: `nil` if there is none, or if this process may not read it.
    /// - Throws: if others can read it, it is no Ed25519 key, or openssl cannot be run.
    package init?(of root: Root) throws(CheckpointSigningError) {
        let file: (bytes: [UInt8], status: FileStatus)
        do {
            file = try root.read(CheckpointSigner.path, limit: CheckpointSigner.limit)
        } catch {
            if error.isMissing || error.isForbidden { return nil }
            throw .system(error)
        }
        let shown = root.display(CheckpointSigner.path)
        guard file.status.owner == root.owner, file.status.mode & 0o077 == 0 else { throw .exposed(path: shown) }
        key = file.bytes
        let output = try Ed25519.run(
            ["pkey", "-in", Subprocess.filePath(0), "-pubout", "-outform", "DER"], files: [file.bytes])
        guard let output, let publicKey = Ed25519.publicKey(ofDER: output) else { throw .badKey(path: shown) }
        self.publicKey = publicKey
    }

    /// Signs a checkpoint.
    package func signature(of checkpoint: Checkpoint) throws(CheckpointSigningError) -> NoteSignature {
        let output = try Ed25519.run(
            ["pkeyutl", "-sign", "-inkey", Subprocess.filePath(0), "-rawin", "-in", Subprocess.filePath(1)],
            files: [key, Array(checkpoint.body.utf8)])
        guard let output, output.count == Ed25519.signatureSize else { throw .unsigned }
        return NoteSignature(name: checkpoint.origin, keyID: keyID(of: checkpoint.origin), bytes: output)
    }

    /// The id of the key under the name of a log.
    package func keyID(of origin: String) -> UInt32 { Ed25519.keyID(of: publicKey, origin) }

    /// The public key behind the byte of its kind, as verifiers of signed notes take it.
    package var typedPublicKey: [UInt8] { Ed25519.kind + publicKey }

    /// The public key in PEM, for a holder that checks signatures.
    package var publicKeyPEM: [UInt8] { Ed25519.pem(of: publicKey) }
}

/// Checks the Ed25519 signatures that a machine made of its checkpoints, by running openssl.
package struct CheckpointVerifier: Hashable, Sendable {
    /// The public key.
    private let publicKey: [UInt8]

    /// Parses a public key in PEM; `nil` if it is no Ed25519 key.
    package init?(publicKeyPEM: [UInt8]) {
        guard let key = Ed25519.publicKey(ofPEM: publicKeyPEM) else { return nil }
        publicKey = key
    }

    /// Checks the signature that a checkpoint has of this key.
    ///
    /// - Returns: whether it is genuine; `nil` if there is none of this key.
    /// - Throws: if openssl cannot be run.
    package func verifies(_ checkpoint: Checkpoint) throws(CheckpointSigningError) -> Bool? {
        let id = Ed25519.keyID(of: publicKey, checkpoint.origin)
        // An id has 32 bits, so that another key can have it; the length tells the HMAC's apart.
        let own = checkpoint.signatures.first {
            $0.keyID == id && $0.bytes.count == Ed25519.signatureSize
                && $0.name.utf8.elementsEqual(checkpoint.origin.utf8)
        }
        guard let own else { return nil }
        let output = try Ed25519.run(
            [
                "pkeyutl", "-verify", "-pubin", "-inkey", Subprocess.filePath(0), "-rawin", "-in",
                Subprocess.filePath(1), "-sigfile", Subprocess.filePath(2),
            ], files: [Ed25519.pem(of: publicKey), Array(checkpoint.body.utf8), own.bytes])
        return output != nil
    }
}
