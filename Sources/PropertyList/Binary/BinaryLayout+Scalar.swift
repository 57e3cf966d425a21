extension BinaryLayout {
    /// An integer: unsigned with 1, 2 and 4 bytes, signed with 8, and with 16 bytes as CoreFoundation writes what is
    /// above `Int64.max`.
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
            throw mistake(.number, "the integer does not fit 64 bits", at: offset - 1)
        default: throw mistake(.number, "an integer has 1, 2, 4, 8 or 16 bytes, not \(width)", at: offset - 1)
        }
    }

    /// A floating-point number of 4 or 8 bytes.
    func real(at offset: Int, width: Int) throws(PropertyListError) -> Value {
        let bits = BinaryLayout.number(in: bytes, at: offset, width: min(width, 8))
        switch width {
        case 4: return .real(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))
        case 8: return .real(Double(bitPattern: bits))
        default: throw mistake(.number, "a real has 4 or 8 bytes, not \(width)", at: offset - 1)
        }
    }

    /// A date: seconds since 2001 as a floating-point number of 8 bytes.
    ///
    /// Any number of seconds is one, as CoreFoundation has it: applications store `Date.distantPast`, which is in the
    /// year before 1, and a file that we wrote must be one that we read.
    func date(at offset: Int) throws(PropertyListError) -> Value {
        let seconds = Double(bitPattern: BinaryLayout.number(in: bytes, at: offset, width: 8))
        guard seconds.isFinite else { throw mistake(.date, "the date is no number of seconds", at: offset - 1) }
        return .date(seconds)
    }

    /// A text of one byte a character.
    ///
    /// - Throws: `encoding` at a byte beyond ASCII, which different programs would read as different text.
    func ascii(_ range: Range<Int>) throws(PropertyListError) -> String {
        if let offset = range.first(where: { bytes[$0] > 0x7f }) {
            throw mistake(.encoding, "the byte here is not ASCII, as this string's type says", at: offset)
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
        throw mistake(
            .encoding, "the code unit here is half of a surrogate pair, and the other half is missing",
            at: range.lowerBound + 2 * index)
    }
}
