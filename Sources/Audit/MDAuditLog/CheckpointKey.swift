import MDPlatform
import MDPropertyList

/// The key of the signature that each checkpoint has: HMAC-SHA-256 with a key that is replaced by its digest after each
/// checkpoint, so that an attacker on the machine cannot sign in place of an earlier key.
///
/// A holder of the first key, which is given out when it is made, computes each later one. The signature has the number
/// of its key, so that a checkpoint is checked without any other.
package struct CheckpointKey: Hashable, Sendable {
    /// The kind of the signature, in the form of C2SP for kinds without a number.
    private static let kind = [0xff] + Array("managed-defaults/evolving-hmac-sha256".utf8)
    /// What is hashed before a key to make the next one.
    private static let step = Array("managed-defaults/next-checkpoint-key\n".utf8)
    /// The first line of the file.
    private static let header = "managed-defaults checkpoint key 1"
    /// The number of bytes of a key.
    package static let byteCount = 32
    /// The largest number of a key: some years of one in each second.
    private static let largest = 1 << 28
    /// How many keys may be used for checkpoints that could not be written or cover nothing new.
    private static let spare = 65_536
    /// The most bytes of the file.
    private static let limit = 4_096

    /// The id of the first key, which all that follow share.
    package let id: UInt32
    /// The number of the key: the first one has 0.
    package private(set) var number: Int
    /// The key.
    private var secret: [UInt8]

    /// Makes the first key of a log from 32 bytes; `nil` for any other count.
    package init?(first bytes: [UInt8], origin: String) {
        guard bytes.count == CheckpointKey.byteCount else { return nil }
        id = NoteSignature.keyID(name: origin, kind: CheckpointKey.kind, publicKey: SHA256.hash(bytes).bytes)
        (number, secret) = (0, bytes)
    }

    /// Random bytes for a first key.
    package static func randomBytes() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Parses the file; `nil` for anything that ``text`` did not make.
    package init?(text bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false)
        guard lines.count == 3, lines[0].elementsEqual(CheckpointKey.header.utf8), lines[2].isEmpty else { return nil }
        let words = lines[1].split(separator: 0x20, omittingEmptySubsequences: false).compactMap { String($0) }
        guard words.count == 3, let id = UInt32(words[0], radix: 16), let number = Checkpoint.size(words[1].utf8),
            number <= CheckpointKey.largest, let key = Digest(hex: words[2])
        else { return nil }
        (self.id, self.number, secret) = (id, number, key.bytes)
        guard self.text.utf8.elementsEqual(bytes) else { return nil }
    }

    /// The content of the file.
    package var text: String {
        "\(CheckpointKey.header)\n\(NoteSignature.hex(id)) \(number) \(Digest(bytes: secret)?.hex ?? "")\n"
    }

    /// The key after this one.
    package var next: CheckpointKey {
        var next = self
        next.secret = SHA256.hash(CheckpointKey.step + secret).bytes
        next.number += 1
        return next
    }

    /// Signs a checkpoint: the number of the key in eight bytes, and the authentication code.
    package func signature(of checkpoint: Checkpoint) -> NoteSignature {
        let code = SHA256.hmac(key: secret, Array(checkpoint.body.utf8)).bytes
        return NoteSignature(name: checkpoint.origin, keyID: id, bytes: NoteSignature.bigEndian(UInt64(number)) + code)
    }

    /// Whether a signature is one of this kind, by its length.
    package static func isOwn(_ signature: NoteSignature, of checkpoint: Checkpoint) -> Bool {
        signature.bytes.count == 8 + byteCount && signature.name.utf8.elementsEqual(checkpoint.origin.utf8)
    }

    /// Checks the signature of a checkpoint by the first key, from which the right one is computed.
    ///
    /// Complexity: O(n) in the number of checkpoints that the log has had.
    ///
    /// - Returns: `nil` if no signature has the id of this key.
    package func verifies(_ checkpoint: Checkpoint) -> Bool? {
        let own = checkpoint.signatures.first { $0.keyID == id && CheckpointKey.isOwn($0, of: checkpoint) }
        guard let own else { return nil }
        let wanted = own.bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // Each checkpoint covers new records, so that a number far beyond theirs would only cost time.
        let most = min(CheckpointKey.largest, 2 * checkpoint.size + CheckpointKey.spare)
        guard wanted >= UInt64(number), wanted <= UInt64(most) else { return false }
        var key = self
        while key.number < Int(wanted) { key = key.next }
        return key.signature(of: checkpoint) == own
    }

    /// Reads the key of the next checkpoint.
    ///
    /// - Returns: `nil` if there is none, or if it is damaged.
    static func read(_ root: Root, _ path: String) throws(SystemError) -> CheckpointKey? {
        let bytes = try LogFiles.ifPresent { () throws(SystemError) in try root.read(path, limit: limit).bytes }
        return bytes.flatMap { CheckpointKey(text: $0) }
    }
}
