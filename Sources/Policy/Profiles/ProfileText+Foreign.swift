import PropertyList

extension ProfileText {
    /// How far somebody looks for the beginning of a property list behind other text, in bytes.
    private static let farthest = 1 << 16

    /// What is said of a file that is nothing of what is read.
    static func neither(_ noun: String) -> String {
        let signed = noun == "profile" ? ", signed or not" : ""
        return "a \(noun) is a property list in XML or binary\(signed), and this file is neither"
    }

    /// What a property list or a signed message begins with in Base64: `<?xml`, `<!DO`, `<plist`, `bplist`, each with
    /// a byte order mark or without, and the head of a long SEQUENCE.
    private static let encodings = ["PD94bWw", "PCFET", "PHBsaXN", "YnBsaXN", "77u/PD", "77u/PH", "MII"]

    /// Whether a text is one in Base64 that becomes a property list or a signed message when it is decoded.
    private static func isBase64(_ bytes: [UInt8]) -> Bool {
        let text = bytes.drop { $0 == 0x20 || (0x09...0x0d).contains($0) || [0xef, 0xbb, 0xbf].contains($0) }
        guard encodings.contains(where: { text.starts(with: $0.utf8) }) else { return false }
        return text.prefix(400).allSatisfy { byte in
            Base64.isDigit(byte) || byte == UInt8(ascii: "=") || byte == 0x0a || byte == 0x0d
        }
    }

    /// Whether a text is a mail message with a signature, as openssl writes it where nobody says otherwise.
    private static func isMail(_ bytes: [UInt8]) -> Bool {
        let head = String(decoding: bytes.prefix(2_000), as: UTF8.self).lowercased().utf8
        guard
            head.starts(with: "mime-version:".utf8) || head.starts(with: "content-type:".utf8)
                || head.starts(with: "to:".utf8) || head.starts(with: "from:".utf8)
        else { return false }
        return ["pkcs7-mime", "pkcs7-signature"].contains { offset(of: $0, in: Array(head)) != nil }
    }

    /// What is wrong with a text that does not begin as XML does.
    static func foreign(_ source: SourceText, _ noun: String) -> String {
        let bytes = Array(source.utf8.prefix(farthest))
        if isBase64(bytes) { return "the \(noun) is written in Base64; decode it first, as base64 -d does" }
        if bytes.starts(with: "{\\rtf".utf8) {
            return "the \(noun) was saved as rich text (RTF) by a word processor; save it as plain text"
        }
        if isMail(bytes) {
            return "the \(noun) is in a mail message (S/MIME); sign it with -nodetach -outform DER, or get it unsigned"
        }
        for tag in ["<?xml", "<plist", "<!DOCTYPE plist", "<dict>", "<key>"] {
            guard let offset = offset(of: tag, in: bytes) else { continue }
            let place = source.position(at: offset)
            return "text stands before the property list, which begins at \(place); nothing but blanks can"
        }
        if offset(of: "&lt;plist", in: bytes) != nil || offset(of: "&lt;key", in: bytes) != nil {
            return "the tags are written with &lt; and &gt;, as they stand within other markup; a \(noun) has < and >"
        }
        return neither(noun)
    }

    /// Where a text first stands in bytes.
    static func offset(of word: String, in bytes: [UInt8]) -> Int? {
        guard let first = word.utf8.first else { return nil }
        for (index, byte) in bytes.enumerated() where byte == first && bytes[index...].starts(with: word.utf8) {
            return index
        }
        return nil
    }
}
