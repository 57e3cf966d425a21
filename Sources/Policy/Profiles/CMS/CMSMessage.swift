import PropertyList

/// A signed message of the Cryptographic Message Syntax (RFC 5652), as far as its content needs it.
///
/// Nothing is verified here: who signed it is asked of a tool that the system has.
struct CMSMessage {
    /// What was signed.
    let content: [UInt8]
    /// How many signatures there are; none in a message that only carries certificates.
    let signatures: Int

    /// The content of a signed message, in binary or PEM; `nil` where the bytes are none, or a damaged one.
    static func content(of bytes: [UInt8]) -> [UInt8]? {
        guard recognizes(bytes) else { return nil }
        return (try? CMSMessage(bytes))?.content
    }

    /// Whether a file begins as a signed message does, in binary or PEM.
    static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.first == 0x30 || pemStart(bytes) != nil }

    /// Opens a message.
    ///
    /// Blanks and zero bytes may follow it. In PEM, offsets of mistakes count in what the digits stand for.
    init(_ bytes: [UInt8]) throws(CMSError) {
        var reader = BERReader(
            try CMSMessage.pemStart(bytes).map { start throws(CMSError) in try CMSMessage.binary(bytes, from: start) }
                ?? bytes)
        let end = reader.bytes.count
        let outer = try reader.head(0x30, "a SEQUENCE", within: end)
        let outerEnd = outer.end ?? end
        try CMSMessage.checkType(&reader, within: outerEnd)
        let explicit = try reader.head(0xa0, "the signed data", within: outerEnd)
        let explicitEnd = explicit.end ?? outerEnd
        let data = try reader.head(0x30, "a SEQUENCE", within: explicitEnd)
        let dataEnd = data.end ?? explicitEnd
        for (tag, what) in [(UInt8(0x02), "the version, an INTEGER,"), (0x31, "the SET of digest algorithms")] {
            let head = try reader.head(tag, what, within: dataEnd)
            try reader.skip(head, within: dataEnd)
        }
        content = try CMSMessage.content(&reader, within: dataEnd)
        var signatures = 0
        while try !reader.isAtEnd(of: data, within: dataEnd) {
            let head = try reader.head(within: dataEnd)
            guard [0xa0, 0xa1, 0x31].contains(head.tag) else {
                throw CMSError(
                    "certificates, revocations or signatures stand here in a signed message", at: head.offset)
            }
            guard head.tag == 0x31 else {
                try reader.skip(head, within: dataEnd)
                continue
            }
            let setEnd = head.end ?? dataEnd
            while try !reader.isAtEnd(of: head, within: setEnd) {
                let signer = try reader.head(0x30, "a signature, a SEQUENCE,", within: setEnd)
                try reader.skip(signer, within: setEnd)
                signatures += 1
            }
        }
        self.signatures = signatures
        for head in [explicit, outer] {
            let within = head == outer ? end : outerEnd
            guard try reader.isAtEnd(of: head, within: within) else {
                throw CMSError("something follows the signed data", at: reader.index)
            }
        }
        if let rest = reader.bytes[reader.index...].firstIndex(where: { $0 != 0 && !CMSMessage.isBlank($0) }) {
            throw CMSError("something follows the signed message", at: rest)
        }
    }

    /// Whether a file is an encrypted message, or holds one within a signature, in binary or PEM.
    static func isEncrypted(_ bytes: [UInt8]) -> Bool {
        guard recognizes(bytes) else { return false }
        do throws(CMSError) {
            _ = try CMSMessage(bytes)
            return false
        } catch {
            return error.message == encrypted
        }
    }

    /// What is said of an encrypted message.
    private static let encrypted = "encrypted: cannot be read"

    /// The types of content that somebody encrypted (RFC 5652, RFC 5083 and PKCS #7): 1.2.840.113549.1.7.3 for others,
    /// 1.7.4 signed as well, 1.7.6 with a key alone, and 1.9.16.1.23 authenticated.
    private static let encryptedTypes: [[UInt8]] =
        [0x03, 0x04, 0x06].map { [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, $0] }
        + [[0x06, 0x0b, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x17]]

    /// Refuses a type of content that is encrypted.
    private static func refuseEncrypted(_ reader: BERReader, within end: Int) throws(CMSError) {
        let rest = reader.bytes[reader.index..<max(reader.index, end)]
        if encryptedTypes.contains(where: { rest.starts(with: $0) }) { throw CMSError(encrypted, at: reader.index) }
    }

    /// Checks that the message is signed, not encrypted or anything else.
    private static func checkType(_ reader: inout BERReader, within end: Int) throws(CMSError) {
        try refuseEncrypted(reader, within: end)
        // 1.2.840.113549.1.7.2 is signed data.
        try reader.take(
            [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02], "the file is no signed message",
            within: end)
    }

    /// Reads what was signed.
    private static func content(_ reader: inout BERReader, within end: Int) throws(CMSError) -> [UInt8] {
        let info = try reader.head(0x30, "the content, a SEQUENCE,", within: end)
        let infoEnd = info.end ?? end
        try refuseEncrypted(reader, within: infoEnd)
        // 1.2.840.113549.1.7.1 is data.
        try reader.take(
            [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01],
            "the message holds something else than data",
            within: infoEnd)
        guard try !reader.isAtEnd(of: info, within: infoEnd) else {
            throw CMSError("the message holds only a signature; what it signs is missing", at: info.offset)
        }
        let explicit = try reader.head(0xa0, "the content", within: infoEnd)
        let explicitEnd = explicit.end ?? infoEnd
        var content: [UInt8] = []
        let string = try reader.head(within: explicitEnd)
        try reader.octets(string, within: explicitEnd, into: &content)
        for (head, within) in [(explicit, infoEnd), (info, end)] {
            guard try reader.isAtEnd(of: head, within: within) else {
                throw CMSError("something follows the content within its value", at: reader.index)
            }
        }
        return content
    }

    /// Where the line behind `-----BEGIN …-----` begins; `nil` where a file is no PEM.
    private static func pemStart(_ bytes: [UInt8]) -> Int? {
        let start = bytes.firstIndex { !isBlank($0) } ?? bytes.count
        guard bytes[start...].starts(with: "-----BEGIN ".utf8) else { return nil }
        return bytes[start...].firstIndex { $0 == 0x0a || $0 == 0x0d }
    }

    /// Decodes PEM.
    private static func binary(_ bytes: [UInt8], from start: Int) throws(CMSError) -> [UInt8] {
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

    /// Whether a byte is a blank, a tab or a line end.
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
