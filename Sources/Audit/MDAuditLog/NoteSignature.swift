import MDPlatform
import MDPropertyList

/// A signature line of a C2SP signed note: the signer, the key and the signature.
package struct NoteSignature: Hashable, Sendable {
    /// The name of the key: for this program's keys, the origin of the log.
    package let name: String
    /// The first bytes of the digest of name, kind and public key.
    package let keyID: UInt32
    /// The signature without the key's id.
    package let bytes: [UInt8]

    /// The beginning of the line: a dash and a space.
    private static let mark = "\u{2014} "

    /// Makes a signature.
    package init(name: String, keyID: UInt32, bytes: [UInt8]) {
        (self.name, self.keyID, self.bytes) = (name, keyID, bytes)
    }

    /// Parses a line without its line feed; `nil` for anything else.
    init?(line: Substring.UTF8View) {
        let mark = Array(NoteSignature.mark.utf8)
        guard line.starts(with: mark) else { return nil }
        let words = line.dropFirst(mark.count).split(separator: 0x20, omittingEmptySubsequences: false)
        guard words.count == 2, let name = String(words[0]), NoteSignature.isName(name),
            let decoded = try? Base64.decode(words[1]), decoded.count > 4
        else { return nil }
        self.init(
            name: name, keyID: decoded.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }, bytes: Array(decoded.dropFirst(4)))
    }

    /// The line with its line feed.
    var line: String {
        "\(NoteSignature.mark)\(name) \(Base64.encode(NoteSignature.bigEndian(keyID) + bytes))\n"
    }

    /// The id of a key: the first four bytes of the digest of its name, a line feed, its kind and the public key.
    package static func keyID(name: String, kind: [UInt8], publicKey: [UInt8]) -> UInt32 {
        SHA256.hash(Array(name.utf8) + [0x0a] + kind + publicKey).bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The bytes of a number, the highest first.
    package static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<(number.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// The id of a key in eight small hexadecimal digits.
    package static func hex(_ keyID: UInt32) -> String {
        let digits = String(keyID, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    /// Whether a text can be the name of a key: no space, no plus, no control character.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7f && $0 != "+" && !$0.properties.isWhitespace
            }
    }
}
