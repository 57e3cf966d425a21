/// An object of a binary property list as it stands in the file, its references not yet followed.
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
    /// - Throws: `unsupported` for what no property list holds; `truncated`, `number`, `date`, `encoding` or `syntax` for
    ///   what is broken.
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
            guard low == 3 else { throw mistake(.date, "a date has 8 bytes", at: offset) }
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
            guard low < 8, low + 1 < tableOffset - offset else { throw cutOff(offset) }
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
        guard place < tableOffset else { throw cutOff(offset) }
        let marker = bytes[place]
        guard marker & 0xf0 == 0x10, marker & 0x0f <= 3 else {
            throw mistake(.syntax, "a count is an integer of 1 to 8 bytes", at: place)
        }
        let width = 1 << Int(marker & 0x0f)
        guard width < tableOffset - place else { throw cutOff(offset) }
        let count = BinaryLayout.number(in: bytes, at: place + 1, width: width)
        // No object has more parts than the file has bytes; this also keeps what follows from overflowing.
        guard count <= UInt64(bytes.count) else { throw cutOff(offset) }
        return (Int(count), place + 1 + width)
    }

    /// The end of a payload, checked to lie before the table.
    private func end(of count: Int, width: Int, from start: Int, object: Int) throws(PropertyListError) -> Int {
        guard count <= (tableOffset - start) / width else { throw cutOff(object) }
        return start + count * width
    }

    /// An object with a payload of fixed size.
    private func fixed(
        _ width: Int, at offset: Int, _ decode: () throws(PropertyListError) -> Value
    ) throws(PropertyListError) -> BinaryObject {
        guard width < tableOffset - offset else { throw cutOff(offset) }
        return BinaryObject(content: .scalar(try decode()), payload: offset + 1, end: offset + 1 + width)
    }

    /// The mistake of an object that reaches into the table.
    private func cutOff(_ offset: Int) -> PropertyListError {
        mistake(.truncated, "the object here is longer than what is left for it", at: offset)
    }

    /// The mistake of an object that no property list holds, by its name.
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
            return mistake(
                .syntax, "no object begins with the byte 0x\(marker < 16 ? "0" : "")\(digits)", at: offset)
        }
        return mistake(.unsupported, "\(name) is no value of a property list", at: offset)
    }

    /// A mistake at an offset.
    func mistake(_ code: PropertyListError.Code, _ message: String, at offset: Int) -> PropertyListError {
        PropertyListError(code, message, at: Position(byte: offset))
    }
}
