extension XMLParser {
    /// Skips zero bytes and blanks, with which some programs pad a file, and misplaced byte order marks.
    ///
    /// Within an array or a dictionary a zero byte is not padding but an error.
    mutating func skipPadding() {
        while let byte = scanner.current {
            if (byte == 0 && !builder.isInContainer) || TextScanner.isBlank(byte) {
                scanner.index += 1
            } else if !scanner.skip("\u{feff}") {
                return
            }
        }
    }

    /// Reads the XML declaration even if something comes before it, or if its content is invalid.
    ///
    /// The text is decoded already, so its declared encoding has no effect.
    mutating func readDeclarationTolerantly() throws(PropertyListError) -> Bool {
        skipPadding()
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
            guard scanner.skip(UInt8(ascii: ">")) else { throw error }
            builder.warn(error)
            return true
        }
    }

    /// Reads a DOCTYPE, or skips another one with the declarations in it.
    mutating func readDoctypeTolerantly() throws(PropertyListError) {
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

    /// Skips attributes, and returns whether the tag closes itself.
    ///
    /// Anything that is not an attribute, for example one without quotation marks, is skipped with a warning, because
    /// no attribute is needed.
    mutating func skipAttributes(of element: XMLElement, at offset: Int) throws(PropertyListError) -> Bool {
        while true {
            scanner.skipBlanks()
            if scanner.skip(UInt8(ascii: ">")) { return false }
            if scanner.skip("/>") { return true }
            if (try? readAttribute()) == true { continue }
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

    /// Skips a comment within a text with a warning, in a tolerant reading; `false` if there is none.
    mutating func skipTextComment(in element: XMLElement) throws(PropertyListError) -> Bool {
        guard isTolerant, scanner.isAt("<!--") else { return false }
        builder.warn(.syntax, "a comment within \(element.tag) is not part of it", at: scanner.index)
        try skipComment()
        return true
    }

    /// Reads a reference.
    ///
    /// If it is undefined, a tolerant reading stores the error and uses the `&` verbatim, so that all such errors are
    /// reported at once.
    mutating func readReferenceTolerantly() throws(PropertyListError) -> Unicode.Scalar {
        let offset = scanner.index
        do throws(PropertyListError) {
            return try readReference()
        } catch {
            guard isTolerant, error.code == .syntax, referenceErrors.count < XMLParser.maximumReferenceErrors else {
                throw error
            }
            referenceErrors.append(error)
            scanner.index = offset + 1
            return "&"
        }
    }

    /// The maximum number of undefined references in a tolerant reading; computing each position costs time.
    private static let maximumReferenceErrors = 1000

    /// Reads `<plist>`; in a tolerant reading it may be missing before the values.
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

    /// Whether a tag of an element comes next.
    private func opens(_ element: XMLElement) -> Bool {
        let name = "<\(element.rawValue)"
        return scanner.isAt(name) && scanner.byte(ahead: name.utf8.count).map(XMLParser.isNameByte) != true
    }

    /// Warns of anything but comments after the root.
    mutating func warnOfEpilog() {
        try? skipMisc()
        guard !scanner.isAtEnd else { return }
        let end = frame == .propertyList ? "</plist>" : "the root value"
        builder.warn(.trailingContent, "what follows \(end) here is not read", at: scanner.index)
    }
}
