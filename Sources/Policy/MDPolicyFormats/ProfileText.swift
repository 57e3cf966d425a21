import MDPolicyModel
package import MDPropertyList

/// Converts the bytes of a profile to a property list, tolerating common encoding errors.
package enum ProfileText {
    /// Reads an XML or binary property list.
    ///
    /// Zero bytes at the end are dropped; UTF-16 may lack its byte order mark; Latin-1 is read if the XML declaration
    /// names it and the bytes are not UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - limits: the limits of the property list.
    ///   - noun: the expected kind of file, in messages.
    /// - Returns: the property list, with the tolerated errors.
    /// - Throws: the first error.
    package static func read(
        _ bytes: [UInt8], limits: Limits, as noun: String = "profile"
    ) throws(PropertyListError) -> TolerantReading {
        let reading = try readOn(bytes, limits: limits, as: noun)
        if let error = reading.referenceErrors.first { throw error }
        return reading
    }

    /// Reads an XML or binary property list, continuing after an `&` that begins no reference; the caller reports
    /// those.
    ///
    /// - Throws: the first error that leaves the meaning open.
    static func readOn(
        _ bytes: [UInt8], limits: Limits, as noun: String = "profile"
    ) throws(PropertyListError) -> TolerantReading {
        if BinaryReader.recognizes(bytes) { return try binary(bytes, limits: limits) }
        if isUTF32(bytes) {
            throw PropertyListError(.encoding, "the file is in UTF-32, which is not read; save it as UTF-8", at: .start)
        }
        var content = bytes
        if let order = missingOrder(bytes) { content = order + bytes }
        if isUTF16(content) {
            while content.count >= 4, content.count % 2 == 0, content.suffix(2).allSatisfy({ $0 == 0 }) {
                content.removeLast(2)
            }
        } else {
            while content.last == 0 { content.removeLast() }
            if String(validating: content, as: UTF8.self) == nil, saysLatin1(content) {
                content = String(String.UnicodeScalarView(content.map(windowsScalar))).utf8.map { $0 }
            }
        }
        let source: SourceText
        do throws(PropertyListError) {
            source = try SourceText(decoding: content)
        } catch {
            throw isUTF16(content) ? error : undecodable(error, content, noun)
        }
        // A byte order mark may follow blanks, or occur twice.
        let isPadding = { (byte: UInt8) in
            byte == 0 || byte == 0x20 || (0x09...0x0d).contains(byte) || [0xef, 0xbb, 0xbf].contains(byte)
        }
        guard let first = source.utf8.first(where: { !isPadding($0) }) else {
            throw PropertyListError(.empty, "the file holds no property list", at: .start)
        }
        guard first == UInt8(ascii: "<") else { throw PropertyListError(.syntax, foreign(source, noun), at: .start) }
        return try XMLReader.readTolerantly(source, limits: limits)
    }

    /// The error of bytes that are not UTF-8: how to correct a text, or that the file is not a text.
    private static func undecodable(
        _ error: PropertyListError, _ bytes: [UInt8], _ noun: String
    ) -> PropertyListError {
        let start = bytes.first { $0 != 0x20 && !(0x09...0x0d).contains($0) && ![0xef, 0xbb, 0xbf].contains($0) }
        guard start == UInt8(ascii: "<") else { return PropertyListError(.syntax, neither(noun), at: .start) }
        let named = declaredEncoding(bytes).flatMap { $0 == "utf-8" ? nil : $0 }
        let advice =
            named.map { "save the file as UTF-8, because the encoding that it names, \($0), is not read" }
            ?? "save the file as UTF-8, or name its encoding in the first line"
        return PropertyListError(error.code, "\(error.message); \(advice)", at: error.position)
    }

    /// Reads a binary property list; zero bytes and line ends after its trailer are dropped.
    private static func binary(_ bytes: [UInt8], limits: Limits) throws(PropertyListError) -> TolerantReading {
        do {
            return TolerantReading(document: try BinaryReader.read(bytes, limits: limits))
        } catch {
            // The trailer ends with an offset of eight bytes, whose last ones may be zero themselves.
            let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
            for count in end..<min(end + 8, bytes.count) where count < bytes.count {
                if let document = try? BinaryReader.read(Array(bytes[..<count]), limits: limits) {
                    return TolerantReading(document: document)
                }
            }
            // An editor, or git, may have added a line end.
            var text = bytes[...]
            while let last = text.last, [0x0a, 0x0d].contains(last), bytes.count - text.count < 4 {
                text = text.dropLast()
                if let document = try? BinaryReader.read(Array(text), limits: limits) {
                    return TolerantReading(document: document)
                }
            }
            throw error
        }
    }

    /// The byte order mark that a text in UTF-16 lacks, recognized by its initial `<`.
    private static func missingOrder(_ bytes: [UInt8]) -> [UInt8]? {
        switch (bytes.first, bytes.dropFirst().first) {
        case (UInt8(ascii: "<"), 0): [0xff, 0xfe]
        case (0, UInt8(ascii: "<")): [0xfe, 0xff]
        default: nil
        }
    }

    /// Whether a text is in UTF-32, recognized by its byte order mark or its initial `<`.
    private static func isUTF32(_ bytes: [UInt8]) -> Bool {
        let starts: [[UInt8]] = [[0xff, 0xfe, 0, 0], [0, 0, 0xfe, 0xff], [0x3c, 0, 0, 0], [0, 0, 0, 0x3c, 0, 0, 0]]
        return starts.contains { bytes.starts(with: $0) }
    }

    /// Whether a text begins with a byte order mark of UTF-16.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
    }

    /// Whether the first line of a text names one of the encodings that are read as Latin-1.
    private static func saysLatin1(_ bytes: [UInt8]) -> Bool {
        declaredEncoding(bytes).map(["iso-8859-1", "latin1", "windows-1252", "cp1252"].contains) ?? false
    }

    /// The encoding that the first line of a text names, in lower case; `nil` if it names none.
    private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
        let head = Array(String(decoding: bytes.prefix(200), as: UTF8.self).lowercased().utf8)
        let word = "encoding="
        guard let start = offset(of: word, in: head) else { return nil }
        let name = head.dropFirst(start + word.utf8.count + 1).prefix {
            $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'")
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The characters of windows-1252 from 0x80 to 0x9f; those of Latin-1 for undefined bytes.
    private static let windowsScalars: [UInt16] = [
        0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,
        0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
        0x0153, 0x9d, 0x017e, 0x0178,
    ]

    /// The character of a byte in windows-1252, which browsers use for texts that declare Latin-1.
    private static func windowsScalar(_ byte: UInt8) -> Unicode.Scalar {
        guard (0x80..<0xa0).contains(byte) else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(windowsScalars[Int(byte) - 0x80]) ?? Unicode.Scalar(byte)
    }
}

extension ProfileText {
    /// How many bytes are searched for the beginning of a property list after other text.
    private static let farthest = 1 << 16

    /// The message about a file of no supported format.
    static func neither(_ noun: String) -> String {
        let signed = noun == "profile" ? ", signed or not" : ""
        return "a \(noun) is a property list in XML or binary\(signed), and this file is neither"
    }

    /// The beginning of a property list or a signed message in Base64: `<?xml`, `<!DO`, `<plist`, `bplist`, each with a
    /// byte order mark or without, and the head of a long SEQUENCE.
    private static let encodings = ["PD94bWw", "PCFET", "PHBsaXN", "YnBsaXN", "77u/PD", "77u/PH", "MII"]

    /// Whether a text is Base64 that decodes to a property list or a signed message.
    private static func isBase64(_ bytes: [UInt8]) -> Bool {
        let text = bytes.drop { $0 == 0x20 || (0x09...0x0d).contains($0) || [0xef, 0xbb, 0xbf].contains($0) }
        guard encodings.contains(where: { text.starts(with: $0.utf8) }) else { return false }
        return text.prefix(400).allSatisfy { byte in
            Base64.isDigit(byte) || byte == UInt8(ascii: "=") || byte == 0x0a || byte == 0x0d
        }
    }

    /// Whether a text is a mail message with a signature, the default output of openssl.
    private static func isMail(_ bytes: [UInt8]) -> Bool {
        let head = String(decoding: bytes.prefix(2_000), as: UTF8.self).lowercased().utf8
        guard
            head.starts(with: "mime-version:".utf8) || head.starts(with: "content-type:".utf8)
                || head.starts(with: "to:".utf8) || head.starts(with: "from:".utf8)
        else { return false }
        return ["pkcs7-mime", "pkcs7-signature"].contains { offset(of: $0, in: Array(head)) != nil }
    }

    /// The error of a text that does not begin like XML.
    package static func foreign(_ source: SourceText, _ noun: String) -> String {
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

    /// The message about a text that is a property list in OpenStep's notation, or JSON; `nil` for any other.
    private static func otherNotation(_ source: SourceText, _ noun: String) -> String? {
        let start = source.utf8.first { $0 != 0x20 && !(0x09...0x0d).contains($0) && ![0xef, 0xbb, 0xbf].contains($0) }
        guard start == UInt8(ascii: "{") || start == UInt8(ascii: "/") else { return nil }
        let json = try? JSONReader.readForeign(source, limits: PolicyFile.limits)
        let document = json ?? (try? OpenStepReader.read(source, limits: PolicyFile.limits))
        guard let entries = document?.root.entries else { return nil }
        let notation = json == nil ? "a property list in OpenStep's notation" : "JSON"
        let error = "a \(noun) is a property list in XML or binary, and this file is \(notation)"
        if entries.contains(where: { PolicyField(rawValue: $0.key.string) == .identifier }) {
            return "\(error); a policy file in it has a name that ends in \(json == nil ? ".plist" : ".json")"
        }
        let prefixes = ["Payload", "pfm_"]
        if entries.contains(where: { entry in prefixes.contains { entry.key.string.utf8.starts(with: $0.utf8) } }) {
            return "\(error); plutil -convert xml1 on a Mac, or plistutil -f xml, makes XML of it"
        }
        guard noun == "profile" else { return error }
        return json == nil
            ? "\(error); if it is the content of one domain, mdefaults policy convert --from plist --domain NAME takes it"
            : "\(error); if these are the policies of a browser, mdefaults policy convert takes it"
    }

    /// The offset of the first occurrence of a text in bytes.
    package static func offset(of word: String, in bytes: [UInt8]) -> Int? {
        guard let first = word.utf8.first else { return nil }
        for (index, byte) in bytes.enumerated() where byte == first && bytes[index...].starts(with: word.utf8) {
            return index
        }
        return nil
    }
}
