extension XMLParser {
    /// Steps over zero bytes and blanks, with which some programs fill a file up, and over misplaced byte order marks.
    ///
    /// Within an array or a dictionary a zero byte is no padding, and is left as the error that it is.
    mutating func forgivePadding() {
        while let byte = scanner.current {
            if (byte == 0 && !builder.isInContainer) || TextScanner.isBlank(byte) {
                scanner.index += 1
            } else if !scanner.take("\u{feff}") {
                return
            }
        }
    }

    /// Reads the XML declaration also where something stands before it, or where it says what cannot be.
    ///
    /// The text was decoded before, so that what the declaration says of its encoding changes nothing any more.
    mutating func forgiveDeclaration() throws(PropertyListError) -> Bool {
        forgivePadding()
        let start = scanner.index
        do throws(PropertyListError) {
            let isThere = try readDeclaration()
            if isThere, start > 0 {
                builder.warn(.syntax, "something stands before the XML declaration", at: start)
            }
            return isThere
        } catch {
            scanner.index = start
            while let byte = scanner.current, byte != UInt8(ascii: ">") { scanner.index += 1 }
            guard scanner.take(UInt8(ascii: ">")) else { throw error }
            builder.warn(error)
            return true
        }
    }

    /// Reads a DOCTYPE, or steps over one that is not that of a property list, with the declarations in it.
    mutating func forgiveDoctype() throws(PropertyListError) {
        let start = scanner.index
        do throws(PropertyListError) {
            try readDoctype()
        } catch {
            let word = "<!doctype"
            let length = word.utf8.count
            guard scanner.string(start..<min(start + length, scanner.bytes.count)).lowercased() == word else {
                throw error
            }
            scanner.index = start + length
            var depth = 0
            while let byte = scanner.current {
                scanner.index += 1
                if byte == UInt8(ascii: "[") { depth += 1 }
                if byte == UInt8(ascii: "]") { depth = max(0, depth - 1) }
                guard byte == UInt8(ascii: ">"), depth == 0 else { continue }
                builder.warn(error)
                return
            }
            throw error
        }
    }

    /// Steps over attributes, and gives whether the tag closes itself.
    ///
    /// What is no attribute, one without quotation marks for instance, is stepped over with a warning: attributes say
    /// nothing that anybody needs.
    mutating func forgiveAttributes(of element: XMLElement, at offset: Int) throws(PropertyListError) -> Bool {
        while true {
            scanner.skipBlanks()
            if scanner.take(UInt8(ascii: ">")) { return false }
            if scanner.take("/>") { return true }
            if (try? takeAttribute()) == true { continue }
            builder.warn(
                .syntax, "this within the tag \(element.tag) is no attribute, and is passed over", at: scanner.index)
            while let byte = scanner.current, byte != UInt8(ascii: ">") {
                guard byte != UInt8(ascii: "<") else { throw tagDoesNotEnd(element.tag, at: offset) }
                scanner.index += 1
            }
            guard !scanner.isAtEnd, scanner.index > 0 else { throw tagDoesNotEnd(element.tag, at: offset) }
            let isEmpty = scanner.bytes[scanner.index - 1] == UInt8(ascii: "/")
            scanner.index += 1
            return isEmpty
        }
    }

    /// Steps over a comment within a text, of a tolerant reading, with a warning; says whether one stands here.
    mutating func forgiveComment(in element: XMLElement) throws(PropertyListError) -> Bool {
        guard isTolerant, scanner.looksAt("<!--") else { return false }
        builder.warn(.syntax, "a comment within \(element.tag) is not part of it", at: scanner.index)
        try skipComment()
        return true
    }

    /// Reads a reference; of one that stands for nothing, a tolerant reading remembers the mistake and takes the `&` as
    /// it is, so that all of them can be told at once.
    mutating func forgiveReference() throws(PropertyListError) -> Unicode.Scalar {
        let offset = scanner.index
        do throws(PropertyListError) {
            return try readReference()
        } catch {
            guard isTolerant, error.code == .syntax, mistakes.count < XMLParser.mostMistakes else { throw error }
            mistakes.append(error)
            scanner.index = offset + 1
            return "&"
        }
    }

    /// The most references without a meaning that a tolerant reading goes on behind; each place costs time.
    private static let mostMistakes = 1000

    /// Reads `<plist>`; in a tolerant reading, does without it where values stand there instead.
    mutating func readRoot() throws(PropertyListError) {
        guard isTolerant else { return try readRootTag() }
        let offset = scanner.index
        if opens(.key) {
            frame = .fragment
            builder.warn(.syntax, "<plist> and <dict> are missing before the first <key>", at: offset)
            try builder.open(dictionary: true, at: offset)
        } else if opens(.dict) || opens(.array) {
            frame = .bare
            builder.warn(.syntax, "<plist> is missing before the root value", at: offset)
        } else {
            try readRootTag()
        }
    }

    /// Whether a tag of an element stands here.
    private func opens(_ element: XMLElement) -> Bool {
        let name = "<\(element.rawValue)"
        return scanner.looksAt(name) && scanner.byte(ahead: name.utf8.count).map(XMLParser.isNameByte) != true
    }

    /// Warns of anything but comments after the root.
    mutating func forgiveEpilog() {
        try? skipMisc()
        guard !scanner.isAtEnd else { return }
        let end = frame == .propertyList ? "</plist>" : "the root value"
        builder.warn(.trailingContent, "what follows \(end) here is not read", at: scanner.index)
    }
}
