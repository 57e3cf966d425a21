/// An object of a binary property list, with unresolved references.
struct BinaryObject {
    /// What an object holds.
    enum Content {
        /// A value without parts.
        case scalar(Value)
        /// The UID of a keyed archive.
        case uid(UInt64)
        /// The references of an array, `count` of them.
        case array(count: Int)
        /// The references of a dictionary: `count` keys, then `count` values.
        case dictionary(count: Int)
    }

    /// The key under which property lists without UIDs write a UID.
    static let uidKey: Key = "CF$UID"

    /// What the object holds.
    let content: Content
    /// The offset of its first reference, its text or its bytes.
    let payload: Int
    /// The offset after its last byte.
    let end: Int
}

extension BinaryLayout {
    /// Reads the object at an offset.
    ///
    /// - Parameter offset: below ``tableOffset``.
    /// - Returns: the object, all of it before the table.
    /// - Throws: `unsupported` for objects that are not allowed in a property list; `truncated`, `number`, `date`,
    ///   `encoding` or `syntax` for invalid objects.
    func object(at offset: Int) throws(PropertyListError) -> BinaryObject {
        let marker = bytes[offset]
        let low = Int(marker & 0x0f)
        switch marker >> 4 {
        case 0x0:
            guard marker == 0x08 || marker == 0x09 else { throw unsupported(marker, at: offset) }
            return BinaryObject(content: .scalar(.boolean(marker == 0x09)), payload: offset + 1, end: offset + 1)
        case 0x1:
            return try fixed(1 << low, at: offset) { () throws(PropertyListError) in
                try integer(at: offset + 1, width: 1 << low)
            }
        case 0x2:
            return try fixed(1 << low, at: offset) { () throws(PropertyListError) in
                try real(at: offset + 1, width: 1 << low)
            }
        case 0x3:
            guard low == 3 else { throw error(.date, "a date has 8 bytes", at: offset) }
            return try fixed(8, at: offset) { () throws(PropertyListError) in try date(at: offset + 1) }
        case 0x4:
            let (count, start) = try count(at: offset)
            let end = try end(of: count, width: 1, from: start, object: offset)
            return BinaryObject(content: .scalar(.data(Array(bytes[start..<end]))), payload: start, end: end)
        case 0x5:
            let (count, start) = try count(at: offset)
            let end = try end(of: count, width: 1, from: start, object: offset)
            return BinaryObject(content: .scalar(.string(try ascii(start..<end))), payload: start, end: end)
        case 0x6:
            let (count, start) = try count(at: offset)
            let end = try end(of: count, width: 2, from: start, object: offset)
            return BinaryObject(content: .scalar(.string(try utf16(start..<end))), payload: start, end: end)
        case 0x8 where readsUIDs:
            guard low < 8, low + 1 < tableOffset - offset else { throw objectTruncated(offset) }
            let uid = BinaryLayout.number(in: bytes, at: offset + 1, width: low + 1)
            return BinaryObject(content: .uid(uid), payload: offset + 1, end: offset + low + 2)
        case 0xa:
            let (count, start) = try count(at: offset)
            let end = try end(of: count, width: referenceWidth, from: start, object: offset)
            return BinaryObject(content: .array(count: count), payload: start, end: end)
        case 0xd:
            let (count, start) = try count(at: offset)
            let end = try end(of: count, width: 2 * referenceWidth, from: start, object: offset)
            return BinaryObject(content: .dictionary(count: count), payload: start, end: end)
        default: throw unsupported(marker, at: offset)
        }
    }

    /// The count in an object's marker or in the integer after it, and the offset that follows.
    private func count(at offset: Int) throws(PropertyListError) -> (count: Int, payload: Int) {
        let low = Int(bytes[offset] & 0x0f)
        guard low == 0x0f else { return (low, offset + 1) }
        let place = offset + 1
        guard place < tableOffset else { throw objectTruncated(offset) }
        let marker = bytes[place]
        guard marker & 0xf0 == 0x10, marker & 0x0f <= 3 else {
            throw error(.syntax, "a count is an integer of 1 to 8 bytes", at: place)
        }
        let width = 1 << Int(marker & 0x0f)
        guard width < tableOffset - place else { throw objectTruncated(offset) }
        let count = BinaryLayout.number(in: bytes, at: place + 1, width: width)
        // No object has more parts than the file has bytes; this also prevents overflows below.
        guard count <= UInt64(bytes.count) else { throw objectTruncated(offset) }
        return (Int(count), place + 1 + width)
    }

    /// The end of a payload, checked to lie before the table.
    private func end(of count: Int, width: Int, from start: Int, object: Int) throws(PropertyListError) -> Int {
        guard count <= (tableOffset - start) / width else { throw objectTruncated(object) }
        return start + count * width
    }

    /// An object with a payload of fixed size.
    private func fixed(
        _ width: Int, at offset: Int, _ decode: () throws(PropertyListError) -> Value
    ) throws(PropertyListError) -> BinaryObject {
        guard width < tableOffset - offset else { throw objectTruncated(offset) }
        return BinaryObject(content: .scalar(try decode()), payload: offset + 1, end: offset + 1 + width)
    }

    /// The error for an object that reaches into the table.
    private func objectTruncated(_ offset: Int) -> PropertyListError {
        error(.truncated, "the object here is longer than what is left for it", at: offset)
    }

    /// The error for an object that is not allowed in a property list, with its name.
    private func unsupported(_ marker: UInt8, at offset: Int) -> PropertyListError {
        let name: String? =
            switch marker {
            case 0x00: "a null"
            case 0x0c, 0x0d: "a URL"
            case 0x0e: "a UUID"
            case 0x70...0x7f: "a UTF-8 string of a later version"
            case 0x80...0x8f: "a UID of a keyed archive"
            case 0xb0...0xbf: "an ordered set"
            case 0xc0...0xcf: "a set"
            default: nil
            }
        guard let name else {
            let digits = String(marker, radix: 16)
            return error(
                .syntax, "no object begins with the byte 0x\(marker < 16 ? "0" : "")\(digits)", at: offset)
        }
        return error(.unsupported, "\(name) is no value of a property list", at: offset)
    }

    /// An error at an offset.
    func error(_ code: PropertyListError.Code, _ message: String, at offset: Int) -> PropertyListError {
        PropertyListError(code, message, at: Position(byte: offset))
    }
}

extension BinaryLayout {
    /// An integer: unsigned with 1, 2 and 4 bytes, signed with 8, and with 16 bytes for values above `Int64.max`, as in
    /// CoreFoundation.
    func integer(at offset: Int, width: Int) throws(PropertyListError) -> Value {
        switch width {
        case 1, 2, 4: return .integer(Integer(BinaryLayout.number(in: bytes, at: offset, width: width)))
        case 8:
            let bits = BinaryLayout.number(in: bytes, at: offset, width: 8)
            return .integer(Integer(Int64(bitPattern: bits)))
        case 16:
            let high = BinaryLayout.number(in: bytes, at: offset, width: 8)
            let low = BinaryLayout.number(in: bytes, at: offset + 8, width: 8)
            if high == 0 { return .integer(Integer(low)) }
            if high == .max, low > UInt64(Int64.max) { return .integer(Integer(Int64(bitPattern: low))) }
            throw error(.number, "the integer does not fit 64 bits", at: offset - 1)
        default: throw error(.number, "an integer has 1, 2, 4, 8 or 16 bytes, not \(width)", at: offset - 1)
        }
    }

    /// A floating-point number of 4 or 8 bytes.
    func real(at offset: Int, width: Int) throws(PropertyListError) -> Value {
        let bits = BinaryLayout.number(in: bytes, at: offset, width: min(width, 8))
        switch width {
        case 4: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case 8: return .real(Double(bitPattern: bits))
        default: throw error(.number, "a real has 4 or 8 bytes, not \(width)", at: offset - 1)
        }
    }

    /// A date: seconds since 2001 as a floating-point number of 8 bytes.
    ///
    /// Any finite number is allowed, as in CoreFoundation: applications store `Date.distantPast`, which is before year
    /// 1, and every written file must be readable.
    func date(at offset: Int) throws(PropertyListError) -> Value {
        let seconds = Double(bitPattern: BinaryLayout.number(in: bytes, at: offset, width: 8))
        guard seconds.isFinite else { throw error(.date, "the date is no number of seconds", at: offset - 1) }
        return .date(seconds)
    }

    /// An ASCII text.
    ///
    /// - Throws: `encoding` at a byte beyond ASCII, which programs interpret differently.
    func ascii(_ range: Range<Int>) throws(PropertyListError) -> String {
        if let offset = range.first(where: { bytes[$0] > 0x7f }) {
            throw error(.encoding, "the byte here is not ASCII, as this string's type says", at: offset)
        }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    /// A text of big-endian UTF-16.
    ///
    /// - Throws: `encoding` at a lone surrogate.
    func utf16(_ range: Range<Int>) throws(PropertyListError) -> String {
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map { offset in
            UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
        }
        if let text = String(validating: units, as: UTF16.self) { return text }
        var index = 0
        while index < units.count {
            let isPair =
                UTF16.isLeadSurrogate(units[index]) && index + 1 < units.count
                && UTF16.isTrailSurrogate(units[index + 1])
            guard isPair || !UTF16.isSurrogate(units[index]) else { break }
            index += isPair ? 2 : 1
        }
        throw error(
            .encoding, "the code unit here is half of a surrogate pair, and the other half is missing",
            at: range.lowerBound + 2 * index)
    }
}
