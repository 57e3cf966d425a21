/// Reads values in the Basic Encoding Rules (X.690), including those of indefinite length.
///
/// Only single-byte tags are read, which is all that CMS uses. Each length is checked against the bytes that are left,
/// and nesting is limited to ``deepest``.
struct BERReader {
    /// The tag and the length of a value.
    struct Head: Hashable {
        /// The byte of the tag: class, whether it is constructed, number.
        let tag: UInt8
        /// The offset of the end; `nil` if two zero bytes end the value.
        let end: Int?
        /// The offset of the tag.
        let offset: Int

        /// Whether the value consists of other values.
        var isConstructed: Bool { tag & 0x20 != 0 }
    }

    /// The deepest nesting.
    static let deepest = 64

    let bytes: [UInt8]
    /// The offset of the next byte.
    private(set) var index = 0

    /// Makes a reader of a whole message.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the tag and the length of a value inside another one.
    mutating func head(within end: Int) throws(CMSError) -> Head {
        let offset = index
        let tag = try byte(within: end)
        guard tag & 0x1f != 0x1f else { throw CMSError("the tag has several bytes, and CMS has none such", at: offset) }
        let first = try byte(within: end)
        if first < 0x80 { return try head(tag, offset, length: Int(first), within: end) }
        if first == 0x80 {
            guard tag & 0x20 != 0 else {
                throw CMSError("a value of indefinite length is made of other values, and this one is not", at: offset)
            }
            return Head(tag: tag, end: nil, offset: offset)
        }
        // A length of more than four bytes exceeds the largest file.
        guard first <= 0x84 else { throw CMSError("the length has more than four bytes", at: offset + 1) }
        var length = 0
        for _ in 0..<(first & 0x7f) { length = length << 8 | Int(try byte(within: end)) }
        return try head(tag, offset, length: length, within: end)
    }

    /// Makes the head of a value with a known length.
    private func head(_ tag: UInt8, _ offset: Int, length: Int, within end: Int) throws(CMSError) -> Head {
        guard length <= end - index else {
            throw CMSError("the message ends before a value of \(length) bytes does", at: offset)
        }
        return Head(tag: tag, end: index + length, offset: offset)
    }

    /// Reads a head that must have a given tag.
    mutating func head(_ tag: UInt8, _ what: String, within end: Int) throws(CMSError) -> Head {
        let head = try head(within: end)
        guard head.tag == tag else { throw CMSError("a signed message has \(what) here", at: head.offset) }
        return head
    }

    /// Whether every value of a constructed one is read; skips the zero bytes that end it.
    mutating func isAtEnd(of head: Head, within end: Int) throws(CMSError) -> Bool {
        if let own = head.end { return index >= own }
        guard index + 1 < end else {
            throw CMSError("the message ends within the value that begins at byte \(head.offset)", at: bytes.count)
        }
        guard bytes[index] == 0, bytes[index + 1] == 0 else { return false }
        index += 2
        return true
    }

    /// Skips the rest of a value, whatever its content.
    mutating func skip(_ head: Head, within end: Int, depth: Int = 0) throws(CMSError) {
        if let own = head.end {
            index = own
            return
        }
        try check(depth, at: head.offset)
        while try !isAtEnd(of: head, within: end) {
            let inner = try self.head(within: end)
            try skip(inner, within: end, depth: depth + 1)
        }
    }

    /// Appends the bytes of an OCTET STRING, which may consist of parts.
    mutating func octets(
        _ head: Head, within end: Int, into content: inout [UInt8], depth: Int = 0
    ) throws(CMSError) {
        guard head.tag & 0xdf == 0x04 else {
            throw CMSError("a signed message has its content here, an OCTET STRING", at: head.offset)
        }
        if !head.isConstructed, let own = head.end {
            content += bytes[index..<own]
            index = own
            return
        }
        try check(depth, at: head.offset)
        let inside = head.end ?? end
        while try !isAtEnd(of: head, within: inside) {
            let piece = try self.head(within: inside)
            try octets(piece, within: inside, into: &content, depth: depth + 1)
        }
    }

    /// Skips a value with known bytes; throws an error if other bytes follow.
    mutating func expect(_ known: [UInt8], _ message: String, within end: Int) throws(CMSError) {
        guard known.count <= end - index, bytes[index..<(index + known.count)].elementsEqual(known) else {
            throw CMSError(message, at: index)
        }
        index += known.count
    }

    /// Throws an error if values are nested too deeply.
    private func check(_ depth: Int, at offset: Int) throws(CMSError) {
        guard depth < BERReader.deepest else {
            throw CMSError("values are nested more than \(BERReader.deepest) deep", at: offset)
        }
    }

    /// Reads one byte.
    private mutating func byte(within end: Int) throws(CMSError) -> UInt8 {
        guard index < end, index < bytes.count else { throw CMSError("the message ends within a value", at: index) }
        defer { index += 1 }
        return bytes[index]
    }
}
