import MDPropertyList

/// A signed message of the Cryptographic Message Syntax (RFC 5652), limited to what is needed to read its content.
///
/// Nothing is verified here; a tool of the system checks the signature.
package struct CMSMessage {
    /// The signed bytes.
    package let content: [UInt8]
    /// The number of signatures; 0 in a message that only carries certificates.
    package let signatures: Int

    /// The content of a signed message, in binary or PEM; `nil` if the bytes are not one, or it is damaged.
    package static func content(of bytes: [UInt8]) -> [UInt8]? {
        guard recognizes(bytes) else { return nil }
        return (try? CMSMessage(bytes))?.content
    }

    /// Whether a file begins like a signed message, in binary or PEM.
    package static func recognizes(_ bytes: [UInt8]) -> Bool { bytes.first == 0x30 || PEMText.start(of: bytes) != nil }

    /// The binary message of a file that holds it in binary or PEM.
    ///
    /// - Throws: an error if the PEM is malformed.
    package static func binary(of bytes: [UInt8]) throws(CMSError) -> [UInt8] {
        guard let start = PEMText.start(of: bytes) else { return bytes }
        return try PEMText.binary(bytes, from: start)
    }

    /// Reads a message.
    ///
    /// Blanks and zero bytes may follow it. In PEM, offsets of errors count in the decoded bytes.
    package init(_ bytes: [UInt8]) throws(CMSError) {
        var reader = BERReader(try CMSMessage.binary(of: bytes))
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
        let contentOffset = reader.index
        let content = try CMSMessage.content(&reader, within: dataEnd)
        var signatures = 0
        while try !reader.isAtEnd(of: data, within: dataEnd) {
            let head = try reader.head(within: dataEnd)
            guard [0xa0, 0xa1, 0x31].contains(head.tag) else {
                throw CMSError(
                    "a signed message has certificates, revocations or signatures here", at: head.offset)
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
        guard let content else {
            throw CMSError(
                signatures > 0
                    ? "the message holds only a signature; what it signs is missing, which openssl cms -sign"
                        + " puts into it with -nodetach"
                    : "the message holds certificates and no profile", at: contentOffset)
        }
        self.content = content
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

    /// Whether a file is an encrypted message, or a signed one with encrypted content, in binary or PEM.
    package static func isEncrypted(_ bytes: [UInt8]) -> Bool {
        guard recognizes(bytes) else { return false }
        do throws(CMSError) {
            _ = try CMSMessage(bytes)
            return false
        } catch {
            return error.isEncrypted
        }
    }

    /// The types of encrypted content (RFC 5652, RFC 5083 and PKCS #7): 1.2.840.113549.1.7.3 for others, 1.7.4 signed
    /// as well, 1.7.6 with a key alone, and 1.9.16.1.23 authenticated.
    private static let encryptedTypes: [[UInt8]] =
        [0x03, 0x04, 0x06].map { [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, $0] }
        + [[0x06, 0x0b, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x17]]

    /// Throws an error if a type of content is encrypted.
    private static func refuseEncrypted(_ reader: BERReader, within end: Int) throws(CMSError) {
        let rest = reader.bytes[reader.index..<max(reader.index, end)]
        if encryptedTypes.contains(where: { rest.starts(with: $0) }) {
            throw CMSError("the message is encrypted", at: reader.index, isEncrypted: true)
        }
    }

    /// The types of messages that are neither signed nor encrypted, with a description: 1.2.840.113549.1.7.1, 1.7.5 and
    /// 1.9.16.1.9.
    private static let otherTypes: [(type: [UInt8], words: String)] = [
        ([0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01], "it holds data without a signature"),
        ([0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x05], "it holds a digest in place of one"),
        ([0x06, 0x0b, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x09], "it is compressed"),
    ]

    /// Checks that the message is signed, not encrypted or of another type.
    private static func checkType(_ reader: inout BERReader, within end: Int) throws(CMSError) {
        try refuseEncrypted(reader, within: end)
        let rest = reader.bytes[reader.index..<max(reader.index, end)]
        if let other = otherTypes.first(where: { rest.starts(with: $0.type) }) {
            throw CMSError("the message is not signed: \(other.words)", at: reader.index)
        }
        // 1.2.840.113549.1.7.2 is signed data.
        try reader.expect(
            [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02],
            "the file is no signed message; a certificate or a key by itself is none", within: end)
    }

    /// Reads the signed content; `nil` if the message does not include it.
    private static func content(_ reader: inout BERReader, within end: Int) throws(CMSError) -> [UInt8]? {
        let info = try reader.head(0x30, "the content, a SEQUENCE,", within: end)
        let infoEnd = info.end ?? end
        try refuseEncrypted(reader, within: infoEnd)
        // 1.2.840.113549.1.7.1 is data.
        try reader.expect(
            [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01],
            "what was signed is said to be something else than data",
            within: infoEnd)
        guard try !reader.isAtEnd(of: info, within: infoEnd) else { return nil }
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

    /// Whether a byte is a blank, a tab or a line end.
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}

/// Why a signed message could not be read.
package struct CMSError: Error, Hashable, Sendable {
    /// The offset of the wrong byte in the binary message.
    package let offset: Int
    /// What is wrong, without place and without a full stop.
    package let message: String
    /// Whether the reason is that the message is encrypted.
    package let isEncrypted: Bool

    init(_ message: String, at offset: Int, isEncrypted: Bool = false) {
        self.message = message
        self.offset = offset
        self.isEncrypted = isEncrypted
    }
}
