extension OpenStepParser {
    /// Reads the content of `<` and `>`: data in hexadecimal or base64, or a typed value of GNUstep.
    mutating func readAngled() throws(PropertyListError) -> Value {
        let offset = scanner.index
        scanner.index += 1
        guard let end = scanner.bytes[scanner.index...].firstIndex(of: UInt8(ascii: ">")) else {
            throw angledError(offset)
        }
        let content = scanner.bytes[scanner.index..<end]
        defer { scanner.index = end + 1 }
        switch content.first {
        case UInt8(ascii: "*"): return try typed(content.dropFirst(), at: offset)
        case UInt8(ascii: "["):
            guard content.last == UInt8(ascii: "]") else {
                throw scanner.error(.data, "\"]\" is missing before this \">\"", at: end)
            }
            let digits = content.dropFirst().dropLast()
            do throws(Base64.FormatError) {
                return .data(try Base64.decode(digits, ignoringWhitespace: true))
            } catch {
                throw scanner.error(.data, error.message, at: digits.startIndex + error.offset)
            }
        default: return .data(try hexadecimal(content))
        }
    }

    /// The error for data without an end: the first character that is not a hexadecimal digit, else the text's end.
    private func angledError(_ offset: Int) -> PropertyListError {
        let first = scanner.bytes[scanner.index...].first
        if first != UInt8(ascii: "*"), first != UInt8(ascii: "[") {
            do throws(PropertyListError) {
                _ = try hexadecimal(scanner.bytes[scanner.index...])
            } catch {
                if error.position.offset < scanner.bytes.count { return error }
            }
        }
        return scanner.truncated("the file ends within the data that begins at \(scanner.source.position(at: offset))")
    }

    /// The bytes of hexadecimal digits; blanks and line ends are skipped.
    private func hexadecimal(_ content: ArraySlice<UInt8>) throws(PropertyListError) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(content.count / 2)
        var first: UInt8?
        for (offset, byte) in zip(content.indices, content) {
            if TextScanner.isBlank(byte) { continue }
            guard let digit = Hexadecimal.digit(byte) else {
                throw scanner.error(.data, "data between \"<\" and \">\" is hexadecimal", at: offset)
            }
            if let high = first {
                result.append(high << 4 | digit)
                first = nil
            } else {
                first = digit
            }
        }
        guard first == nil else {
            throw scanner.error(.data, "the last byte of this data has a single digit", at: content.endIndex)
        }
        return result
    }

    /// A value of GNUstep: `I5`, `R1.5`, `BY`, `D2026-11-20 08:00:00 +0000`, optionally with quotation marks after the
    /// letter.
    private func typed(_ content: ArraySlice<UInt8>, at offset: Int) throws(PropertyListError) -> Value {
        var body = content.dropFirst()
        if body.count >= 2, body.first == UInt8(ascii: "\""), body.last == UInt8(ascii: "\"") {
            body = body.dropFirst().dropLast()
        }
        let text = String(decoding: body.prefix(400), as: UTF8.self)
        switch content.first {
        case UInt8(ascii: "I"):
            guard let value = Integer(decimal: text), body.count < 40 else {
                throw scanner.error(
                    .number, "this is no whole number of 64 bits", at: body.startIndex)
            }
            return .integer(value)
        case UInt8(ascii: "R"):
            guard let value = DecimalReal.parse(text), body.count < 400 else {
                throw scanner.error(.number, "this is no number", at: body.startIndex)
            }
            guard value.isFinite || DecimalReal.names[text.lowercased()] != nil else {
                throw scanner.error(
                    .number, "this does not fit into 64 bits", at: body.startIndex)
            }
            return .real(value)
        case UInt8(ascii: "B") where text == "Y": return .boolean(true)
        case UInt8(ascii: "B") where text == "N": return .boolean(false)
        case UInt8(ascii: "D"):
            guard let seconds = CalendarDate.parse(openStep: body) else {
                throw scanner.error(
                    .date, "this is no date; dates are written <*D2026-11-20 08:00:00 +0000>",
                    at: body.startIndex)
            }
            return .date(seconds)
        default:
            throw scanner.error(
                .syntax, "after \"<*\" stands I, R, BY, BN or D, for a number, a boolean or a date", at: offset)
        }
    }
}
