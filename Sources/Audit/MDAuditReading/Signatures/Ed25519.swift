import MDAuditLog
import MDPlatform
import MDPropertyList

/// Ed25519 keys of signed notes, and the program that computes with them.
enum Ed25519 {
    /// The kind of the signature in a signed note.
    static let kind: [UInt8] = [0x01]
    /// The bytes of a signature.
    static let signatureSize = 64
    /// The bytes of a public key.
    private static let keySize = 32
    /// What comes before a public key in its DER form (RFC 8410).
    private static let prefix: [UInt8] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00]
    /// The lines around a public key in PEM.
    private static let (begin, end) = ("-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----")
    /// The program.
    private static let openssl = "/usr/bin/openssl"
    /// The most bytes that openssl prints, and of a public key in PEM.
    private static let limit = 16_384
    /// How long openssl may run.
    private static let milliseconds = 10_000

    /// The id of a public key under the name of a log.
    static func keyID(of publicKey: [UInt8], _ origin: String) -> UInt32 {
        NoteSignature.keyID(name: origin, kind: kind, publicKey: publicKey)
    }

    /// A public key from its DER form; `nil` if it is none of Ed25519.
    static func publicKey(ofDER bytes: [UInt8]) -> [UInt8]? {
        guard bytes.starts(with: prefix), bytes.count == prefix.count + keySize else { return nil }
        return Array(bytes.dropFirst(prefix.count))
    }

    /// A public key from PEM; `nil` if it is none of Ed25519.
    static func publicKey(ofPEM bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= limit else { return nil }
        let lines = bytes.split { $0 == 0x0a || $0 == 0x0d }
        guard lines.count == 3, lines[0].elementsEqual(begin.utf8), lines[2].elementsEqual(end.utf8),
            let decoded = try? Base64.decode(lines[1])
        else { return nil }
        return publicKey(ofDER: decoded)
    }

    /// A public key in PEM.
    static func pem(of publicKey: [UInt8]) -> [UInt8] {
        Array("\(begin)\n\(Base64.encode(prefix + publicKey))\n\(end)\n".utf8)
    }

    /// Runs openssl; `nil` if it refuses.
    static func run(_ arguments: [String], files: [[UInt8]]) throws(CheckpointSigningError) -> [UInt8]? {
        do {
            let result = try Subprocess.run(
                openssl, arguments, files: files, timeoutMilliseconds: milliseconds, limit: limit)
            return result.status == 0 ? result.output : nil
        } catch {
            throw .system(error)
        }
    }
}
