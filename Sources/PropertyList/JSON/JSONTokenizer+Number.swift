extension JSONTokenizer {
    /// Takes a number, whose minus sign or first digit is the next byte.
    ///
    /// - Throws: `number`, where it is badly formed or out of range.
    mutating func number() throws(PropertyListError) -> JSONToken.Kind {
        let start = offset
        if next == UInt8(ascii: "-") { offset += 1 }
        let digits = offset
        try skipDigits("a minus sign is followed by digits", from: start)
        if utf8[digits] == UInt8(ascii: "0"), offset - digits > 1 {
            throw mistake(.number, "a number does not begin with 0 and another digit", at: start)
        }
        var isReal = false
        if next == UInt8(ascii: ".") {
            isReal = true
            offset += 1
            try skipDigits("a decimal point is followed by digits", from: start)
        }
        if let byte = next, byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            isReal = true
            offset += 1
            if let sign = next, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset += 1 }
            try skipDigits("the e of a number is followed by the digits of its exponent", from: start)
        }
        if let byte = next, JSONTokenizer.isWordByte(byte) || byte == UInt8(ascii: ".") {
            let isHexadecimal = byte | 0x20 == UInt8(ascii: "x")
            throw mistake(
                .number,
                isHexadecimal ? "a number is written in decimal digits" : "this does not belong to the number before",
                at: offset)
        }
        return isReal ? .real(try real(start..<offset)) : .integer(try integer(start..<offset))
    }

    /// Skips at least one digit.
    private mutating func skipDigits(_ message: String, from start: Int) throws(PropertyListError) {
        let first = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        if offset > first { return }
        if utf8[first...].starts(with: "Infinity".utf8) {
            throw mistake(.number, "-Infinity is no number of JSON; write {\"$real\":\"-inf\"}", at: start)
        }
        throw mistake(.number, message, at: start)
    }

    /// The value of a well-formed number that is no integer.
    private func real(_ range: Range<Int>) throws(PropertyListError) -> Double {
        guard let value = Double(String(decoding: utf8[range], as: UTF8.self)), value.isFinite else {
            throw mistake(
                .number, "the number is too large for a real, which ends at about 1.8e308", at: range.lowerBound)
        }
        return value
    }

    /// The value of a well-formed integer.
    private func integer(_ range: Range<Int>) throws(PropertyListError) -> Integer {
        let isNegative = utf8[range.lowerBound] == UInt8(ascii: "-")
        var magnitude: UInt64 = 0
        var overflows = false
        for byte in utf8[range].dropFirst(isNegative ? 1 : 0) where !overflows {
            let (product, first) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            magnitude = sum
            overflows = first || second
        }
        if !overflows, !isNegative { return Integer(magnitude) }
        guard !overflows, magnitude <= UInt64(Int64.max) + 1 else {
            throw mistake(
                .number,
                "the integer is out of range: -9223372036854775808 to 18446744073709551615; with .0 it is a real",
                at: range.lowerBound)
        }
        return Integer(Int64(truncatingIfNeeded: 0 &- magnitude))
    }
}
