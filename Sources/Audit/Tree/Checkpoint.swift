package import Platform
import PropertyList

/// What a log has committed to: the text of a C2SP checkpoint (tlog-checkpoint), without signatures.
///
/// The text has three lines and an empty one: the origin, the size in decimal, the root in Base64.
package struct Checkpoint: Hashable, Sendable {
    /// The name of the log: `managed-defaults/HOST/LOG-ID`, the id being 32 hexadecimal digits.
    package let origin: String
    /// How many records it covers.
    package let size: Int
    /// The root of the tree of those records.
    package let root: Digest

    /// Makes a checkpoint.
    package init(origin: String, size: Int, root: Digest) {
        self.origin = origin
        self.size = size
        self.root = root
    }

    /// Makes the checkpoint of a tree.
    package init(origin: String, tree: MerkleTree) {
        self.init(origin: origin, size: tree.size, root: tree.root)
    }

    /// Reads the text of a checkpoint, byte for byte as it is written; `nil` for any other.
    package init?(text bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false)
        guard lines.count == 5, lines[3].isEmpty, lines[4].isEmpty,
            let origin = String(lines[0]), Checkpoint.isOrigin(origin),
            let size = Checkpoint.size(lines[1]),
            let decoded = try? Base64.decode(lines[2]), let root = Digest(bytes: decoded)
        else { return nil }
        self.init(origin: origin, size: size, root: root)
    }

    /// The text as it is written to disk.
    package var text: String {
        "\(origin)\n\(size)\n\(Base64.encode(root.bytes))\n\n"
    }

    /// The last part of the origin, which tells this log from all others.
    package var logID: String {
        String(origin.split(separator: "/").last ?? "")
    }

    /// Makes the origin of a new log, with 128 random bits as its id.
    ///
    /// Characters of the host name that could not stand in a signed note's key name are written as `_`.
    package static func newOrigin(host: String) -> String {
        let name = host.unicodeScalars.map { scalar -> Character in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".": Character(scalar)
            default: "_"
            }
        }
        let id = (0..<16).map { _ in UInt8.random(in: .min ... .max) }.map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        return "managed-defaults/\(name.isEmpty ? "localhost" : String(name))/\(id.joined())"
    }

    /// Whether a text is an origin of this program's logs.
    static func isOrigin(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].elementsEqual("managed-defaults".utf8) && !parts[1].isEmpty
            && parts[1].allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "+") }
            && parts[2].count == 32
            && parts[2].allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Reads a size: decimal digits without leading zeros.
    static func size(_ digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let size = Int(String(decoding: digits, as: UTF8.self)), size <= AuditRecord.largestNumber
        else { return nil }
        return size
    }
}
