import MDPropertyList

/// A public key that signs documents of a fleet: a line as ssh-keygen(1) writes it, `TYPE BASE64 COMMENT`.
///
/// Two keys are equal if type and content are; the comment says nothing.
package struct SigningKey: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of keys, those on a token included.
    private static let kinds = [
        "ssh-ed25519", "sk-ssh-ed25519@openssh.com", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
        "ecdsa-sha2-nistp521", "sk-ecdsa-sha2-nistp256@openssh.com", "ssh-rsa",
    ]
    /// The most bytes of a line.
    package static let longest = 4_096

    private let kind: String
    private let content: String

    /// Parses a line; `nil` if it is not one such key.
    package init?(_ line: String) {
        let line = line.utf8.last == 0x0a ? String(line.dropLast()) : line
        guard line.utf8.count <= SigningKey.longest, line.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            return nil
        }
        let words = line.split(separator: " ")
        guard words.count >= 2, let kind = SigningKey.kinds.first(where: { $0.utf8.elementsEqual(words[0].utf8) }),
            let blob = try? Base64.decode(Array(words[1].utf8)), Base64.encode(blob) == String(words[1])
        else { return nil }
        // A key repeats its kind in its own first field.
        let head = [0, 0, 0, UInt8(kind.utf8.count)] + Array(kind.utf8)
        guard blob.starts(with: head), blob.count > head.count else { return nil }
        (self.kind, content) = (kind, String(words[1]))
    }

    /// The key without a comment.
    package var description: String { "\(kind) \(content)" }
}
