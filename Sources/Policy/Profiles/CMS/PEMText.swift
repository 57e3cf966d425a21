import PropertyList

/// Finds the message that a text in PEM (RFC 7468) holds.
enum PEMText {
    /// How far somebody looks for a message behind certificates and other text, in bytes.
    private static let farthest = 1 << 16
    /// What the first line of a block begins with.
    private static let opening = "-----BEGIN "
    /// What blocks are called that hold a signed message.
    private static let names = ["PKCS7", "CMS", "PKCS #7 SIGNED DATA"]

    /// Where the digits of a message begin; `nil` where a file is no PEM.
    ///
    /// A byte order mark and blanks may stand before the first block, and so may text that begins with a letter, which
    /// no policy file does: none may pass for signed because of what stands in a comment. Of several blocks, the first
    /// that is called a message counts; else the first of all.
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
    /// - Throws: where they end too early, or are none.
    static func binary(_ bytes: [UInt8], from start: Int) throws(CMSError) -> [UInt8] {
        let body = bytes[start...].prefix { $0 != UInt8(ascii: "-") }
        guard bytes[body.endIndex...].starts(with: "-----END ".utf8) else {
            throw CMSError("the file ends before \"-----END\"", at: 0)
        }
        do throws(Base64.Mistake) {
            return try Base64.decode(body, ignoringWhitespace: true)
        } catch {
            throw CMSError(error.message, at: 0)
        }
    }

    /// Whether a block begins at an offset.
    private static func isOpening(at offset: Int, in bytes: [UInt8]) -> Bool {
        bytes[offset...].starts(with: opening.utf8)
    }

    /// Whether the block that begins at an offset is called a message.
    private static func isMessage(at offset: Int, in bytes: [UInt8]) -> Bool {
        let rest = bytes[offset...].dropFirst(opening.utf8.count)
        return names.contains { rest.starts(with: ($0 + "-----").utf8) }
    }

    /// The end of the line that an offset is on; `nil` where the file ends with it.
    private static func end(of offset: Int, in bytes: [UInt8]) -> Int? {
        bytes[offset...].firstIndex { $0 == 0x0a || $0 == 0x0d }
    }
}
