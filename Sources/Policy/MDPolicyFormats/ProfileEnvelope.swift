import MDPolicyModel
import MDPropertyList

/// Removes the signatures of a profile.
package enum ProfileEnvelope {
    /// The most signatures of one profile, one around another.
    private static let deepest = 8

    /// The signed content, after any number of signatures; the bytes themselves if they are not a signed message.
    ///
    /// - Throws: an error if a message cannot be read. Offsets in inner messages count from their own beginning.
    package static func content(of bytes: [UInt8]) throws(CMSError) -> [UInt8] {
        var content = bytes
        for _ in 0..<deepest {
            guard CMSMessage.recognizes(content) else { return content }
            content = try CMSMessage(content).content
        }
        guard !CMSMessage.recognizes(content) else {
            throw CMSError("the profile is signed more than \(deepest) times", at: 0)
        }
        return content
    }

    /// The probable damage of a binary message that cannot be read, as the end of a sentence; empty if it is unknown.
    static func damage(to bytes: [UInt8]) -> String {
        guard bytes.first == 0x30, bytes.count > 2 else { return "" }
        // A binary message is never valid UTF-8 by chance: it has thousands of bytes above 0x7f.
        if bytes[1] >= 0x80, String(validating: bytes, as: UTF8.self) != nil {
            return "; a program has read the file as text and written it again, so get it once more, as binary"
        }
        var reader = BERReader(bytes)
        guard let head = try? reader.head(within: bytes.count), let end = head.end, end < bytes.count else { return "" }
        let lines = bytes.indices.filter { bytes[$0] == 0x0a }
        guard lines.count > 3, lines.allSatisfy({ $0 > 0 && bytes[$0 - 1] == 0x0d }) else { return "" }
        return "; the file is longer than its message and all its line ends are CR LF, as after a copy as text: get it"
            + " once more, as binary"
    }
}

/// Finds the message in a text in PEM (RFC 7468).
enum PEMText {
    /// How many bytes are searched for a message after certificates and other text.
    private static let farthest = 1 << 16
    /// The beginning of the first line of a block.
    private static let opening = "-----BEGIN "
    /// The labels of blocks with a signed message.
    private static let names = ["PKCS7", "CMS", "PKCS #7 SIGNED DATA"]

    /// The offset of the digits of a message; `nil` if a file is not PEM.
    ///
    /// A byte order mark and blanks may precede the first block, and so may text that begins with a letter, which no
    /// policy file does: otherwise a comment could make a file pass for signed. Of several blocks, the first with a
    /// message label counts; else the first of all.
    static func start(of bytes: [UInt8]) -> Int? {
        let mark = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
        guard let first = bytes[mark...].firstIndex(where: { !CMSMessage.isBlank($0) }) else { return nil }
        let isBlock = isOpening(at: first, in: bytes)
        let isText = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(bytes[first] | 0x20)
        guard isBlock || isText && !BinaryReader.recognizes(bytes) else { return nil }
        var line = first
        while line < min(farthest, bytes.count) {
            if isOpening(at: line, in: bytes), isMessage(at: line, in: bytes) { return end(of: line, in: bytes) }
            guard let next = bytes[line...].firstIndex(where: { $0 == 0x0a || $0 == 0x0d }) else { break }
            line = next + 1
        }
        return isBlock ? end(of: first, in: bytes) : nil
    }

    /// Decodes the digits that begin at an offset.
    ///
    /// - Throws: an error if they are malformed or end too early.
    static func binary(_ bytes: [UInt8], from start: Int) throws(CMSError) -> [UInt8] {
        let body = bytes[start...].prefix { $0 != UInt8(ascii: "-") }
        guard bytes[body.endIndex...].starts(with: "-----END ".utf8) else {
            throw CMSError("the file ends before \"-----END\"", at: 0)
        }
        do throws(Base64.FormatError) {
            return try Base64.decode(body, ignoringWhitespace: true)
        } catch {
            throw CMSError(error.message, at: 0)
        }
    }

    /// Whether a block begins at an offset.
    private static func isOpening(at offset: Int, in bytes: [UInt8]) -> Bool {
        bytes[offset...].starts(with: opening.utf8)
    }

    /// Whether the block that begins at an offset has a message label.
    private static func isMessage(at offset: Int, in bytes: [UInt8]) -> Bool {
        let rest = bytes[offset...].dropFirst(opening.utf8.count)
        return names.contains { rest.starts(with: ($0 + "-----").utf8) }
    }

    /// The end of the line at an offset; `nil` if the file ends with that line.
    private static func end(of offset: Int, in bytes: [UInt8]) -> Int? {
        bytes[offset...].firstIndex { $0 == 0x0a || $0 == 0x0d }
    }
}
