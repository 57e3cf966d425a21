import MDAuditRecord
package import MDPlatform
import MDPropertyList

/// A commitment of the log to its records: a C2SP checkpoint (tlog-checkpoint), which is a signed note.
///
/// The text has three lines and an empty one: the origin, the size in decimal, the root in Base64; then a line for each
/// signature. Checkpoints of the first version of this program have none.
package struct Checkpoint: Hashable, Sendable {
    /// The most bytes of the text: 16 signatures of 3,000 bytes.
    package static let longestText = 65_536
    /// The most signatures.
    private static let mostSignatures = 16

    /// The name of the log: `managed-defaults/HOST/LOG-ID`, the id being 32 hexadecimal digits.
    package let origin: String
    /// The number of records that it covers.
    package let size: Int
    /// The root of the tree of these records.
    package let root: Digest
    /// The signatures of ``body``, in their order; they are not checked.
    package var signatures: [NoteSignature] = []

    /// Makes a checkpoint without signatures.
    package init(origin: String, size: Int, root: Digest) {
        self.origin = origin
        self.size = size
        self.root = root
    }

    /// Makes the checkpoint of a tree.
    package init(origin: String, tree: MerkleTree) {
        self.init(origin: origin, size: tree.size, root: tree.root)
    }

    /// Parses the text of a checkpoint; `nil` for any other than ``text`` makes.
    package init?(text bytes: [UInt8]) {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let lines = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false)
        guard (5...5 + Checkpoint.mostSignatures).contains(lines.count), lines[3].isEmpty, lines.last?.isEmpty ?? false,
            let origin = String(lines[0]), Checkpoint.isOrigin(origin),
            let size = Checkpoint.size(lines[1]),
            let decoded = try? Base64.decode(lines[2]), let root = Digest(bytes: decoded)
        else { return nil }
        self.init(origin: origin, size: size, root: root)
        for line in lines[4..<(lines.count - 1)] {
            guard let signature = NoteSignature(line: line) else { return nil }
            signatures.append(signature)
        }
        guard self.text.utf8.elementsEqual(bytes) else { return nil }
    }

    /// What the signatures sign.
    package var body: String { "\(origin)\n\(size)\n\(Base64.encode(root.bytes))\n" }

    /// The content of the file.
    package var text: String {
        signatures.reduce(into: "\(body)\n") { $0 += $1.line }
    }

    /// Whether both commit to the same records of the same log; signatures do not count.
    package func isSameCommitment(as other: Checkpoint) -> Bool {
        size == other.size && root == other.root && origin.utf8.elementsEqual(other.origin.utf8)
    }

    /// The last part of the origin, which no other log has.
    package var logID: String {
        String(origin.split(separator: "/").last ?? "")
    }

    /// Makes the origin of a new log, with 128 random bits as its id.
    ///
    /// A character of the host name that the key name of a signed note cannot have becomes `_`.
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
    package static func isOrigin(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].elementsEqual("managed-defaults".utf8) && !parts[1].isEmpty
            && parts[1].allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "+") }
            && parts[2].count == 32
            && parts[2].allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// Parses a size: decimal digits without leading zeros.
    static func size(_ digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count == 1 || digits.first != UInt8(ascii: "0"),
            digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let size = Int(String(decoding: digits, as: UTF8.self)), size <= AuditRecord.largestNumber
        else { return nil }
        return size
    }
}

/// A checkpoint without the origin, as one line of the history.
package struct CheckpointEntry: Hashable {
    /// The number of records that it covers.
    package let size: Int
    /// The root of their tree.
    package let root: Digest

    /// Makes an entry.
    package init(size: Int, root: Digest) {
        self.size = size
        self.root = root
    }

    /// Parses a line; `nil` for anything else.
    package init?(line: some Collection<UInt8>) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 2, let size = Checkpoint.size(parts[0]), parts[1].count == 44,
            let bytes = try? Base64.decode(parts[1]), let root = Digest(bytes: bytes)
        else { return nil }
        self.init(size: size, root: root)
    }

    /// The entry as a line with its line feed.
    var line: String { "\(size) \(Base64.encode(root.bytes))\n" }
}

/// The first and the last line of the history: the file of all checkpoints that a log has had, which has the origin,
/// then a line of size and root in Base64 for each.
///
/// The history proves no more than the newest checkpoint does. It shows *which* record was changed, because the first
/// entry that does not match and the last that does enclose it. It also reveals that a log was replaced by an older
/// state together with its checkpoint.
struct CheckpointHistoryEnds {
    /// The most bytes of the first line.
    private static let longestOrigin = 1_024
    /// The number of bytes at the end of the file that contain its last whole line.
    private static let tail = 256

    /// The origin in the first line; `nil` if the line is not an origin.
    let origin: String?
    /// The last whole line, if it is an entry.
    let last: CheckpointEntry?
    /// The number of bytes up to the last line feed.
    let wholeSize: Int

    /// Reads the first and the last line.
    ///
    /// - Parameters:
    ///   - size: the size of the file.
    ///   - read: reads bytes at an offset.
    /// - Throws: what `read` throws.
    init(size: Int, read: (Int, Int) throws(SystemError) -> [UInt8]) throws(SystemError) {
        let head = try read(0, CheckpointHistoryEnds.longestOrigin)
        let first = head.firstIndex(of: 0x0a).flatMap { String(validating: head[..<$0], as: UTF8.self) }
        origin = first.flatMap { Checkpoint.isOrigin($0) ? $0 : nil }
        let start = max(0, size - CheckpointHistoryEnds.tail)
        let tail = try read(start, size - start)
        guard let end = tail.lastIndex(of: 0x0a) else {
            (last, wholeSize) = (nil, 0)
            return
        }
        wholeSize = start + end + 1
        let line = tail[..<end].split(separator: 0x0a, omittingEmptySubsequences: false).last ?? []
        last = CheckpointEntry(line: line)
    }
}

extension Checkpoint {
    /// Reads the newest checkpoint of a machine's log.
    ///
    /// - Parameter root: the machine.
    /// - Returns: the checkpoint; `nil` if there is none, or if it cannot be read.
    package static func newest(of root: Root) -> Checkpoint? {
        (try? root.read(LogFiles.current.checkpoint, limit: longestText).bytes).flatMap { Checkpoint(text: $0) }
    }
}
