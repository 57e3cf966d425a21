extension XMLParser {
    /// Reads `<?xml version="1.0" encoding="UTF-8"?>`, and says whether it is there.
    mutating func readDeclaration() throws(PropertyListError) -> Bool {
        guard scanner.looksAt("<?xml"), scanner.byte(ahead: 5).map(XMLParser.isNameByte) != true else { return false }
        scanner.index += 5
        let names = ["version", "encoding", "standalone"]
        var next = 0
        while true {
            let hasBlanks = scanner.skipBlanks()
            if scanner.take("?>") { break }
            guard hasBlanks, let position = names[next...].firstIndex(where: { scanner.looksAt($0) }) else {
                throw declarationDoesNotEnd(names[next...])
            }
            try readDeclared(names[position])
            next = position + 1
            guard next > 0 else { break }
        }
        guard next > 0 else {
            throw scanner.mistake(.syntax, "the XML declaration says no version", at: 0)
        }
        return true
    }

    /// Reads one attribute of the XML declaration and checks its value.
    private mutating func readDeclared(_ name: String) throws(PropertyListError) {
        scanner.index += name.utf8.count
        scanner.skipBlanks()
        guard scanner.take(UInt8(ascii: "=")) else { throw declarationDoesNotEnd([]) }
        scanner.skipBlanks()
        let offset = scanner.index
        guard let range = try takeQuoted() else { throw declarationDoesNotEnd([]) }
        let value = scanner.string(range.lowerBound..<min(range.upperBound, range.lowerBound + 100))
        switch name {
        case "version":
            guard value == "1.0" || value == "1.1" else {
                throw scanner.mistake(.syntax, "XML \(Excerpt.quote(value)) is not read, only \"1.0\"", at: offset)
            }
        case "encoding": try checkEncoding(value, at: offset)
        default:
            guard value == "yes" || value == "no" else {
                throw scanner.mistake(.syntax, "standalone is \"yes\" or \"no\"", at: offset)
            }
        }
    }

    /// The encodings that a tolerant reading is given the text of, decoded.
    private static let westernEncodings: Set<String> = ["iso-8859-1", "latin1", "windows-1252", "cp1252"]

    /// Checks that the bytes have the encoding that the file says.
    private func checkEncoding(_ name: String, at offset: Int) throws(PropertyListError) {
        let isUTF16 = scanner.source.encoding == .utf16
        switch name.lowercased() {
        case "utf-16" where isUTF16, "utf-8" where !isUTF16: return
        case "utf-16", "utf-8", "us-ascii", "ascii":
            if isUTF16 || name.lowercased() == "utf-16" {
                throw scanner.mistake(
                    .encoding,
                    "the file says \(Excerpt.quote(name)), but its bytes are \(isUTF16 ? "UTF-16" : "no UTF-16")",
                    at: offset)
            }
            if let other = scanner.bytes.firstIndex(where: { $0 >= 0x80 }) {
                throw scanner.mistake(
                    .encoding, "the file says \(Excerpt.quote(name)), but this character is not ASCII", at: other)
            }
        case let lower where isTolerant && XMLParser.westernEncodings.contains(lower):
            guard let other = scanner.bytes.firstIndex(where: { $0 >= 0x80 }) else { return }
            throw scanner.mistake(
                .encoding, "the file says \(Excerpt.quote(name)); it is read so only where it is no valid UTF-8",
                at: other)
        case _ where isTolerant:
            throw scanner.mistake(
                .encoding, "the file says \(Excerpt.quote(name)), and is read as UTF-8", at: offset)
        default:
            throw scanner.mistake(
                .encoding, "the encoding \(Excerpt.quote(name)) is not read; convert the file to UTF-8", at: offset)
        }
    }

    /// The mistake of a declaration that goes on wrongly, or of a text that ends within it.
    private func declarationDoesNotEnd(_ names: ArraySlice<String>) -> PropertyListError {
        if scanner.endsWithin("?>") || names.contains(where: { scanner.endsWithin($0) }) {
            return scanner.truncated("the file ends within the XML declaration")
        }
        return tagDoesNotEnd("<?xml?>", at: 0)
    }
}
