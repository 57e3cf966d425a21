extension XMLParser {
    /// Reads everything before `<plist>`: XML declaration, comments, DOCTYPE.
    mutating func readProlog() throws(PropertyListError) {
        let hasDeclaration = isTolerant ? try forgiveDeclaration() : try readDeclaration()
        try skipMisc()
        var doctypes = 0
        while scanner.looksAt("<!") {
            if doctypes > 0 {
                let mistake = scanner.mistake(.syntax, "only one DOCTYPE can stand before <plist>", at: scanner.index)
                // Each place costs time; nobody forgives more.
                guard isTolerant, doctypes < 10 else { throw mistake }
                builder.warn(mistake)
            }
            try isTolerant ? forgiveDoctype() : readDoctype()
            doctypes += 1
            try skipMisc()
        }
        guard scanner.isAtEnd else { return }
        guard hasDeclaration || doctypes > 0 else {
            throw scanner.mistake(.empty, "the file holds no property list", at: 0)
        }
        throw scanner.truncated("the file ends before <plist>")
    }

    /// Checks that nothing but comments follows `</plist>`.
    mutating func readEpilog() throws(PropertyListError) {
        guard !isTolerant else { return forgiveEpilog() }
        try skipMisc()
        guard scanner.isAtEnd else {
            throw scanner.mistake(.trailingContent, "something follows </plist>", at: scanner.index)
        }
    }

    /// Steps over blanks, comments and processing instructions.
    mutating func skipMisc() throws(PropertyListError) {
        while true {
            scanner.skipBlanks()
            if isTolerant { forgivePadding() }
            guard scanner.current == UInt8(ascii: "<") else { return }
            switch scanner.byte(ahead: 1) {
            case UInt8(ascii: "!"):
                if scanner.looksAt("<!--") {
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

    /// Steps over `<!-- … -->`.
    mutating func skipComment() throws(PropertyListError) {
        let offset = scanner.index
        scanner.index += 4
        while !scanner.isAtEnd {
            if scanner.looksAt("--") {
                if scanner.take("-->") { return }
                if scanner.endsWithin("-->") { break }
                guard !isTolerant else {
                    scanner.index += 1
                    continue
                }
                throw scanner.mistake(.syntax, "\"--\" cannot stand within a comment", at: scanner.index)
            }
            try stepOverCharacter()
        }
        throw scanner.truncated(
            "the file ends within the comment that begins at \(scanner.source.position(at: offset))")
    }

    /// Steps over `<?target …?>`, which tells other programs something.
    private mutating func skipInstruction() throws(PropertyListError) {
        let offset = scanner.index
        scanner.index += 2
        let start = scanner.index
        while let byte = scanner.current, XMLParser.isNameByte(byte) { scanner.index += 1 }
        let target = scanner.string(start..<min(scanner.index, start + 4))
        guard target.lowercased() != "xml" || scanner.index - start > 3 else {
            let message = "<?xml can stand only at the very beginning of a file"
            guard isTolerant else { throw scanner.mistake(.syntax, message, at: offset) }
            builder.warn(.syntax, message, at: offset)
            return try skipToEndOfInstruction(from: offset)
        }
        guard scanner.index > start || scanner.isAtEnd else {
            throw scanner.mistake(.syntax, "a processing instruction begins with a name", at: scanner.index)
        }
        try skipToEndOfInstruction(from: offset)
    }

    /// Steps over the rest of a processing instruction, which begins at `offset`.
    private mutating func skipToEndOfInstruction(from offset: Int) throws(PropertyListError) {
        while !scanner.isAtEnd {
            if scanner.take("?>") { return }
            try stepOverCharacter()
        }
        throw scanner.truncated(
            "the file ends within the processing instruction that begins at \(scanner.source.position(at: offset))")
    }

    /// Reads `<!DOCTYPE plist PUBLIC "…" "…">`; what it names is never fetched.
    mutating func readDoctype() throws(PropertyListError) {
        let offset = scanner.index
        let tag = "<!DOCTYPE>"
        guard scanner.take("<!DOCTYPE") else {
            if scanner.endsWithin("<!DOCTYPE") { throw scanner.truncated("the file ends within a DOCTYPE") }
            throw scanner.mistake(.syntax, "\"<!\" begins neither a comment nor a DOCTYPE here", at: offset)
        }
        guard scanner.skipBlanks() else { throw tagDoesNotEnd(tag, at: offset) }
        let nameOffset = scanner.index
        guard scanner.take("plist"), scanner.current.map(XMLParser.isNameByte) != true else {
            if scanner.endsWithin("plist") { throw scanner.truncated("the file ends within a DOCTYPE") }
            throw scanner.mistake(.syntax, "the DOCTYPE of a property list names plist", at: nameOffset)
        }
        let hasBlanks = scanner.skipBlanks()
        if hasBlanks, scanner.take("PUBLIC") {
            try takeIdentifier(tag, at: offset)
            try takeIdentifier(tag, at: offset)
        } else if hasBlanks, scanner.take("SYSTEM") {
            try takeIdentifier(tag, at: offset)
        }
        scanner.skipBlanks()
        if scanner.current == UInt8(ascii: "[") {
            throw scanner.mistake(
                .unsupported, "declarations within the DOCTYPE are refused; write the text of each entity out",
                at: scanner.index)
        }
        guard scanner.take(UInt8(ascii: ">")) else {
            if scanner.endsWithin("PUBLIC") || scanner.endsWithin("SYSTEM") {
                throw scanner.truncated("the file ends within a DOCTYPE")
            }
            throw tagDoesNotEnd(tag, at: offset)
        }
    }

    /// Reads a quoted identifier after at least one blank.
    private mutating func takeIdentifier(_ tag: String, at offset: Int) throws(PropertyListError) {
        guard scanner.skipBlanks(), try takeQuoted() != nil else { throw tagDoesNotEnd(tag, at: offset) }
    }
}
