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
        if let hint = otherNotation(source, noun) { return hint }
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

    /// What is said of a text that is a property list in OpenStep's notation, or JSON; `nil` for any other.
    private static func otherNotation(_ source: SourceText, _ noun: String) -> String? {
        let start = source.utf8.first { $0 != 0x20 && !(0x09...0x0d).contains($0) && ![0xef, 0xbb, 0xbf].contains($0) }
        guard start == UInt8(ascii: "{") || start == UInt8(ascii: "/") else { return nil }
        let json = try? JSONReader.readForeign(source, limits: PolicyFile.limits)
        let document = json ?? (try? OpenStepReader.read(source, limits: PolicyFile.limits))
        guard let entries = document?.root.entries else { return nil }
        let notation = json == nil ? "a property list in OpenStep's notation" : "JSON"
        let mistake = "a \(noun) is a property list in XML or binary, and this file is \(notation)"
        if entries.contains(where: { PolicyField(rawValue: $0.key.string) == .identifier }) {
            return "\(mistake); a policy file in it has a name that ends in \(json == nil ? ".plist" : ".json")"
        }
        let prefixes = ["Payload", "pfm_"]
        if entries.contains(where: { entry in prefixes.contains { entry.key.string.utf8.starts(with: $0.utf8) } }) {
            return "\(mistake); plutil -convert xml1 on a Mac, or plistutil -f xml, makes XML of it"
        }
        guard noun == "profile" else { return mistake }
        return json == nil
            ? "\(mistake); if it is the content of one domain, mdefaults policy convert --from plist --domain NAME takes it"
            : "\(mistake); if these are the policies of a browser, mdefaults policy convert takes it"
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
