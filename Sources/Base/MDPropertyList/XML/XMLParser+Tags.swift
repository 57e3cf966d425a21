extension XMLParser {
    /// Reads an opening tag without attributes, and returns its element and whether it closes itself.
    mutating func readOpeningTag() throws(PropertyListError) -> (element: XMLElement, isEmpty: Bool) {
        let offset = scanner.index
        scanner.index += 1
        let element = try readName(at: offset)
        let hasBlanks = scanner.skipBlanks()
        if scanner.skip(UInt8(ascii: ">")) { return (element, false) }
        if scanner.skip(UInt8(ascii: "/")) {
            guard scanner.skip(UInt8(ascii: ">")) else { throw tagDoesNotEnd(element.tag, at: offset) }
            return (element, true)
        }
        guard hasBlanks, !scanner.isAtEnd else { throw tagDoesNotEnd(element.tag, at: offset) }
        let message = "\(element.tag) takes no attributes"
        guard isTolerant else { throw scanner.error(.syntax, message, at: scanner.index) }
        builder.warn(.syntax, message, at: scanner.index)
        return (element, try skipAttributes(of: element, at: offset))
    }

    /// Reads the name of an element, in a tag that begins at `offset`.
    mutating func readName(at offset: Int) throws(PropertyListError) -> XMLElement {
        let start = scanner.index
        while let byte = scanner.current, XMLParser.isNameByte(byte) { scanner.index += 1 }
        if let element = XMLElement(name: scanner.bytes[start..<scanner.index]) { return element }
        guard !scanner.isAtEnd else { throw scanner.truncated("the file ends within a tag") }
        guard scanner.index > start else {
            if scanner.bytes[offset...].starts(with: "<<<<<<<".utf8) {
                throw scanner.error(
                    .syntax, "two versions of the text stand here, from <<<<<<< to >>>>>>>, as a merge left them",
                    at: offset)
            }
            throw scanner.error(.syntax, "\"<\" begins no tag here; as a character it is written &lt;", at: offset)
        }
        let name = scanner.string(start..<min(scanner.index, start + 80))
        // Any other name may be part of a text before which a ">" is missing.
        let words = XMLElement.hint(for: name).map { "\(Excerpt.quote(name)); \($0)" } ?? "of this name"
        throw scanner.error(.syntax, "property lists have no element \(words)", at: offset)
    }

    /// Reads the closing tag of an open element; messages contain its beginning if `opening` is given.
    mutating func expectClosingTag(of element: XMLElement, at opening: Int?) throws(PropertyListError) {
        let offset = scanner.index
        scanner.index += 2
        let start = scanner.index
        while let byte = scanner.current, XMLParser.isNameByte(byte) { scanner.index += 1 }
        let name = scanner.bytes[start..<scanner.index]
        guard name.elementsEqual(element.rawValue.utf8) else {
            guard !scanner.isAtEnd else { throw scanner.truncated("the file ends within a closing tag") }
            let place = opening.map { ", which begins at \(scanner.source.position(at: $0))," } ?? ""
            // This may be part of a text in which "<" was not escaped.
            throw scanner.error(
                .syntax, "\(element.tag)\(place) is open here, and this closes something else", at: offset)
        }
        scanner.skipBlanks()
        guard scanner.skip(UInt8(ascii: ">")) else { throw tagDoesNotEnd(element.closingTag, at: offset) }
    }

    /// Reads `<plist>` with its attributes, which this reader does not need.
    mutating func readRootTag() throws(PropertyListError) {
        let offset = scanner.index
        guard scanner.skip("<plist"), scanner.current.map(XMLParser.isNameByte) != true else {
            if scanner.endsWithin("<plist") { throw scanner.truncated("the file ends before <plist>") }
            throw scanner.error(.syntax, "the root of an XML property list is <plist>\(otherRoot)", at: offset)
        }
        if isTolerant {
            guard try skipAttributes(of: .plist, at: offset) else { return }
            throw scanner.error(.syntax, "<plist> holds no value", at: offset)
        }
        while true {
            let hasBlanks = scanner.skipBlanks()
            if scanner.skip(UInt8(ascii: ">")) { return }
            if scanner.skip("/>") { throw scanner.error(.syntax, "<plist> holds no value", at: offset) }
            guard hasBlanks, try readAttribute() else { throw tagDoesNotEnd("<plist>", at: offset) }
        }
    }

    /// A description of the text found instead of `<plist>`, for a message.
    private var otherRoot: String {
        guard scanner.current == UInt8(ascii: "<") else { return "" }
        let name = scanner.bytes[(scanner.index + 1)...].prefix(40).prefix(while: XMLParser.isNameByte)
        guard !name.isEmpty else { return "" }
        let text = String(decoding: name, as: UTF8.self)
        let hint = text.lowercased() == "html" ? "; this is a page of a web site, not a file that it offers" : ""
        return ", not \(Excerpt.quote(text))\(hint)"
    }

    /// Reads an attribute, and returns whether there is one.
    mutating func readAttribute() throws(PropertyListError) -> Bool {
        let start = scanner.index
        while let byte = scanner.current, XMLParser.isNameByte(byte) { scanner.index += 1 }
        guard scanner.index > start else { return false }
        scanner.skipBlanks()
        guard scanner.skip(UInt8(ascii: "=")) else { return false }
        scanner.skipBlanks()
        return try readQuoted() != nil
    }

    /// Reads a quoted value without markup, and returns the range between the quotation marks.
    ///
    /// The result is `nil` if no quotation mark comes next, or if the text ends before the second.
    mutating func readQuoted() throws(PropertyListError) -> Range<Int>? {
        guard let quote = scanner.current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return nil }
        scanner.index += 1
        let start = scanner.index
        while let byte = scanner.current {
            if byte == quote {
                scanner.index += 1
                return start..<(scanner.index - 1)
            }
            if byte == UInt8(ascii: "<") {
                throw scanner.error(.syntax, "\"<\" cannot stand within quotation marks of a tag", at: scanner.index)
            }
            try stepOverCharacter()
        }
        return nil
    }

    /// The error for an invalid character in a tag, or for a text that ends within the tag.
    func tagDoesNotEnd(_ tag: String, at offset: Int) -> PropertyListError {
        guard let scalar = scanner.scalar(at: scanner.index) else {
            return scanner.truncated("the file ends within the tag \(tag)")
        }
        return scanner.error(
            .syntax, "\(Excerpt.character(scalar)) cannot stand within the tag \(tag)", at: scanner.index)
    }

    /// Whether a byte can be part of the name of an element or attribute.
    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: ":"), 0x80...:
            true
        default: false
        }
    }
}
