extension XMLParser {
    /// Reads everything before `<plist>`: XML declaration, comments, DOCTYPE.
    mutating func readProlog() throws(PropertyListError) {
        let hasDeclaration = isTolerant ? try readDeclarationTolerantly() : try readDeclaration()
        try skipMisc()
        var doctypes = 0
        while scanner.isAt("<!") {
            if doctypes > 0 {
                let error = scanner.error(.syntax, "only one DOCTYPE can stand before <plist>", at: scanner.index)
                // Computing each position costs time, so the number is limited.
                guard isTolerant, doctypes < 10 else { throw error }
                builder.warn(error)
            }
            try isTolerant ? readDoctypeTolerantly() : readDoctype()
            doctypes += 1
            try skipMisc()
        }
        guard scanner.isAtEnd else { return }
        guard hasDeclaration || doctypes > 0 else {
            throw scanner.error(.empty, "the file holds no property list", at: 0)
        }
        throw scanner.truncated("the file ends before <plist>")
    }

    /// Checks that nothing but comments follows `</plist>`.
    mutating func readEpilog() throws(PropertyListError) {
        guard !isTolerant else { return warnOfEpilog() }
        try skipMisc()
        guard scanner.isAtEnd else {
            throw scanner.error(.trailingContent, "something follows </plist>", at: scanner.index)
        }
    }

    /// Skips blanks, comments and processing instructions.
    mutating func skipMisc() throws(PropertyListError) {
        while true {
            scanner.skipBlanks()
            if isTolerant { skipPadding() }
            guard scanner.current == UInt8(ascii: "<") else { return }
            switch scanner.byte(ahead: 1) {
            case UInt8(ascii: "!"):
                if scanner.isAt("<!--") {
                    try skipComment()
                } else if scanner.endsWithin("<!--") {
                    throw scanner.truncated("the file ends within a comment")
                } else {
                    return
                }
            case UInt8(ascii: "?"): try skipInstruction()
            default: return
            }
        }
    }

    /// Skips `<!-- … -->`.
    mutating func skipComment() throws(PropertyListError) {
        let offset = scanner.index
        scanner.index += 4
        while !scanner.isAtEnd {
            if scanner.isAt("--") {
                if scanner.skip("-->") { return }
                if scanner.endsWithin("-->") { break }
                guard !isTolerant else {
                    scanner.index += 1
                    continue
                }
                throw scanner.error(.syntax, "\"--\" cannot stand within a comment", at: scanner.index)
            }
            try stepOverCharacter()
        }
        throw scanner.truncated(
            "the file ends within the comment that begins at \(scanner.source.position(at: offset))")
    }

    /// Skips `<?target …?>`, an instruction for other programs.
    private mutating func skipInstruction() throws(PropertyListError) {
        let offset = scanner.index
        scanner.index += 2
        let start = scanner.index
        while let byte = scanner.current, XMLParser.isNameByte(byte) { scanner.index += 1 }
        let target = scanner.string(start..<min(scanner.index, start + 4))
        guard target.lowercased() != "xml" || scanner.index - start > 3 else {
            let message = "<?xml can stand only at the very beginning of a file"
            guard isTolerant else { throw scanner.error(.syntax, message, at: offset) }
            builder.warn(.syntax, message, at: offset)
            return try skipToEndOfInstruction(from: offset)
        }
        guard scanner.index > start || scanner.isAtEnd else {
            throw scanner.error(.syntax, "a processing instruction begins with a name", at: scanner.index)
        }
        try skipToEndOfInstruction(from: offset)
    }

    /// Skips the rest of a processing instruction, which begins at `offset`.
    private mutating func skipToEndOfInstruction(from offset: Int) throws(PropertyListError) {
        while !scanner.isAtEnd {
            if scanner.skip("?>") { return }
            try stepOverCharacter()
        }
        throw scanner.truncated(
            "the file ends within the processing instruction that begins at \(scanner.source.position(at: offset))")
    }

    /// Reads `<!DOCTYPE plist PUBLIC "…" "…">`; its identifiers are never fetched.
    mutating func readDoctype() throws(PropertyListError) {
        let offset = scanner.index
        let tag = "<!DOCTYPE>"
        guard scanner.skip("<!DOCTYPE") else {
            if scanner.endsWithin("<!DOCTYPE") { throw scanner.truncated("the file ends within a DOCTYPE") }
            throw scanner.error(.syntax, "\"<!\" begins neither a comment nor a DOCTYPE here", at: offset)
        }
        guard scanner.skipBlanks() else { throw tagDoesNotEnd(tag, at: offset) }
        let nameOffset = scanner.index
        guard scanner.skip("plist"), scanner.current.map(XMLParser.isNameByte) != true else {
            if scanner.endsWithin("plist") { throw scanner.truncated("the file ends within a DOCTYPE") }
            throw scanner.error(.syntax, "the DOCTYPE of a property list names plist", at: nameOffset)
        }
        let hasBlanks = scanner.skipBlanks()
        if hasBlanks, scanner.skip("PUBLIC") {
            try readIdentifier(tag, at: offset)
            try readIdentifier(tag, at: offset)
        } else if hasBlanks, scanner.skip("SYSTEM") {
            try readIdentifier(tag, at: offset)
        }
        scanner.skipBlanks()
        if scanner.current == UInt8(ascii: "[") {
            throw scanner.error(
                .unsupported, "declarations within the DOCTYPE are refused; write the text of each entity out",
                at: scanner.index)
        }
        guard scanner.skip(UInt8(ascii: ">")) else {
            if scanner.endsWithin("PUBLIC") || scanner.endsWithin("SYSTEM") {
                throw scanner.truncated("the file ends within a DOCTYPE")
            }
            throw tagDoesNotEnd(tag, at: offset)
        }
    }

    /// Reads a quoted identifier after at least one blank.
    private mutating func readIdentifier(_ tag: String, at offset: Int) throws(PropertyListError) {
        guard scanner.skipBlanks(), try readQuoted() != nil else { throw tagDoesNotEnd(tag, at: offset) }
    }
}

extension XMLParser {
    /// Reads `<?xml version="1.0" encoding="UTF-8"?>`, and returns whether it is there.
    mutating func readDeclaration() throws(PropertyListError) -> Bool {
        guard scanner.isAt("<?xml"), scanner.byte(ahead: 5).map(XMLParser.isNameByte) != true else { return false }
        scanner.index += 5
        let names = ["version", "encoding", "standalone"]
        var next = 0
        while true {
            let hasBlanks = scanner.skipBlanks()
            if scanner.skip("?>") { break }
            guard hasBlanks, let position = names[next...].firstIndex(where: { scanner.isAt($0) }) else {
                throw declarationDoesNotEnd(names[next...])
            }
            try readDeclared(names[position])
            next = position + 1
            guard next > 0 else { break }
        }
        guard next > 0 else {
            throw scanner.error(.syntax, "the XML declaration says no version", at: 0)
        }
        return true
    }

    /// Reads one attribute of the XML declaration and checks its value.
    private mutating func readDeclared(_ name: String) throws(PropertyListError) {
        scanner.index += name.utf8.count
        scanner.skipBlanks()
        guard scanner.skip(UInt8(ascii: "=")) else { throw declarationDoesNotEnd([]) }
        scanner.skipBlanks()
        let offset = scanner.index
        guard let range = try readQuoted() else { throw declarationDoesNotEnd([]) }
        let value = scanner.string(range.lowerBound..<min(range.upperBound, range.lowerBound + 100))
        switch name {
        case "version":
            guard value == "1.0" || value == "1.1" else {
                throw scanner.error(.syntax, "XML \(Excerpt.quote(value)) is not read, only \"1.0\"", at: offset)
            }
        case "encoding": try checkEncoding(value, at: offset)
        default:
            guard value == "yes" || value == "no" else {
                throw scanner.error(.syntax, "standalone is \"yes\" or \"no\"", at: offset)
            }
        }
    }

    /// The encodings whose text the caller of a tolerant reading decodes.
    private static let westernEncodings: Set<String> = ["iso-8859-1", "latin1", "windows-1252", "cp1252"]

    /// Checks that the bytes have the declared encoding.
    private func checkEncoding(_ name: String, at offset: Int) throws(PropertyListError) {
        let isUTF16 = scanner.source.encoding == .utf16
        switch name.lowercased() {
        case "utf-16" where isUTF16, "utf-8" where !isUTF16: return
        case "utf-16", "utf-8", "us-ascii", "ascii":
            if isUTF16 || name.lowercased() == "utf-16" {
                throw scanner.error(
                    .encoding,
                    "the file says \(Excerpt.quote(name)), but its bytes are \(isUTF16 ? "UTF-16" : "no UTF-16")",
                    at: offset)
            }
            if let other = scanner.bytes.firstIndex(where: { $0 >= 0x80 }) {
                throw scanner.error(
                    .encoding, "the file says \(Excerpt.quote(name)), but this character is not ASCII", at: other)
            }
        case let lower where isTolerant && XMLParser.westernEncodings.contains(lower):
            guard let other = scanner.bytes.firstIndex(where: { $0 >= 0x80 }) else { return }
            throw scanner.error(
                .encoding, "the file says \(Excerpt.quote(name)); it is read so only where it is no valid UTF-8",
                at: other)
        case _ where isTolerant:
            throw scanner.error(
                .encoding, "the file says \(Excerpt.quote(name)), and is read as UTF-8", at: offset)
        default:
            throw scanner.error(
                .encoding, "the encoding \(Excerpt.quote(name)) is not read; convert the file to UTF-8", at: offset)
        }
    }

    /// The error for an invalid declaration, or for a text that ends within it.
    private func declarationDoesNotEnd(_ names: ArraySlice<String>) -> PropertyListError {
        if scanner.endsWithin("?>") || names.contains(where: { scanner.endsWithin($0) }) {
            return scanner.truncated("the file ends within the XML declaration")
        }
        return tagDoesNotEnd("<?xml?>", at: 0)
    }
}
