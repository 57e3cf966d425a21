/// Takes the signatures off a profile.
enum ProfileEnvelope {
    /// How often a profile may be signed, one signature around another.
    private static let deepest = 8

    /// What was signed, however often; the bytes themselves where they are no signed message.
    ///
    /// - Throws: why a message cannot be opened. Offsets in inner messages count from their own beginning.
    static func content(of bytes: [UInt8]) throws(CMSError) -> [UInt8] {
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

    /// What probably happened to a binary message that cannot be opened, as the end of a sentence; empty where nothing
    /// tells it.
    static func damage(to bytes: [UInt8]) -> String {
        guard bytes.first == 0x30, bytes.count > 2 else { return "" }
        // No message in binary is UTF-8 by chance: it has thousands of bytes above 0x7f.
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
