import PropertyList

/// Turns the bytes of a profile into a property list, however carelessly they were written.
enum ProfileText {
    /// Reads an XML or binary property list.
    ///
    /// Zero bytes at the end are dropped; UTF-16 may lack its byte order mark; Latin-1 is read where the XML
    /// declaration says so and the bytes are no UTF-8.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - limits: what is too much.
    ///   - noun: what the file is to be, in messages.
    /// - Returns: the property list, with what was passed over.
    /// - Throws: the first mistake.
    static func read(
        _ bytes: [UInt8], limits: Limits, as noun: String = "profile"
    ) throws(PropertyListError) -> TolerantReading {
        let reading = try readOn(bytes, limits: limits, as: noun)
        if let mistake = reading.mistakes.first { throw mistake }
        return reading
    }

    /// Reads an XML or binary property list, also behind an `&` that begins no reference; the caller reports those.
    ///
    /// - Throws: the first mistake that leaves open what is meant.
    static func readOn(
        _ bytes: [UInt8], limits: Limits, as noun: String = "profile"
    ) throws(PropertyListError) -> TolerantReading {
        if BinaryReader.recognizes(bytes) { return try binary(bytes, limits: limits) }
        if isUTF32(bytes) {
            throw PropertyListError(.encoding, "the file is in UTF-32, which is not read; save it as UTF-8", at: .start)
        }
        var content = bytes
        if let order = missingOrder(bytes) { content = order + bytes }
        if isUTF16(content) {
            while content.count >= 4, content.count % 2 == 0, content.suffix(2).allSatisfy({ $0 == 0 }) {
                content.removeLast(2)
            }
        } else {
            while content.last == 0 { content.removeLast() }
            if String(validating: content, as: UTF8.self) == nil, saysLatin1(content) {
                content = String(String.UnicodeScalarView(content.map(windowsScalar))).utf8.map { $0 }
            }
        }
        let source: SourceText
        do throws(PropertyListError) {
            source = try SourceText(decoding: content)
        } catch {
            throw isUTF16(content) ? error : undecodable(error, content, noun)
        }
        // A byte order mark may stand behind blanks, or twice.
        let isPadding = { (byte: UInt8) in
            byte == 0 || byte == 0x20 || (0x09...0x0d).contains(byte) || [0xef, 0xbb, 0xbf].contains(byte)
        }
        guard let first = source.utf8.first(where: { !isPadding($0) }) else {
            throw PropertyListError(.empty, "the file holds no property list", at: .start)
        }
        guard first == UInt8(ascii: "<") else { throw PropertyListError(.syntax, foreign(source, noun), at: .start) }
        return try XMLReader.readTolerantly(source, limits: limits)
    }

    /// The mistake of bytes that are no UTF-8: what to do in a text, and that the file is none where it is none.
    private static func undecodable(
        _ error: PropertyListError, _ bytes: [UInt8], _ noun: String
    ) -> PropertyListError {
        let start = bytes.first { $0 != 0x20 && !(0x09...0x0d).contains($0) && ![0xef, 0xbb, 0xbf].contains($0) }
        guard start == UInt8(ascii: "<") else { return PropertyListError(.syntax, neither(noun), at: .start) }
        let named = declaredEncoding(bytes).flatMap { $0 == "utf-8" ? nil : $0 }
        let advice =
            named.map { "save the file as UTF-8, because the encoding that it names, \($0), is not read" }
            ?? "save the file as UTF-8, or name its encoding in the first line"
        return PropertyListError(error.code, "\(error.message); \(advice)", at: error.position)
    }

    /// Reads a binary property list; zero bytes and line ends behind its trailer are dropped.
    private static func binary(_ bytes: [UInt8], limits: Limits) throws(PropertyListError) -> TolerantReading {
        do {
            return TolerantReading(document: try BinaryReader.read(bytes, limits: limits))
        } catch {
            // The trailer ends with an offset of eight bytes, whose last ones may be zero themselves.
            let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
            for count in end..<min(end + 8, bytes.count) where count < bytes.count {
                if let document = try? BinaryReader.read(Array(bytes[..<count]), limits: limits) {
                    return TolerantReading(document: document)
                }
            }
            // An editor, or git, may have ended the last line.
            var text = bytes[...]
            while let last = text.last, [0x0a, 0x0d].contains(last), bytes.count - text.count < 4 {
                text = text.dropLast()
                if let document = try? BinaryReader.read(Array(text), limits: limits) {
                    return TolerantReading(document: document)
                }
            }
            throw error
        }
    }

    /// The byte order mark that a text in UTF-16 lacks, told by the `<` that it begins with.
    private static func missingOrder(_ bytes: [UInt8]) -> [UInt8]? {
        switch (bytes.first, bytes.dropFirst().first) {
        case (UInt8(ascii: "<"), 0): [0xff, 0xfe]
        case (0, UInt8(ascii: "<")): [0xfe, 0xff]
        default: nil
        }
    }

    /// Whether a text is in UTF-32, told by its byte order mark or the `<` that it begins with.
    private static func isUTF32(_ bytes: [UInt8]) -> Bool {
        let starts: [[UInt8]] = [[0xff, 0xfe, 0, 0], [0, 0, 0xfe, 0xff], [0x3c, 0, 0, 0], [0, 0, 0, 0x3c, 0, 0, 0]]
        return starts.contains { bytes.starts(with: $0) }
    }

    /// Whether a text begins with a byte order mark of UTF-16.
    private static func isUTF16(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
    }

    /// Whether the first line of a text names one of the encodings that Latin-1 stands for.
    private static func saysLatin1(_ bytes: [UInt8]) -> Bool {
        declaredEncoding(bytes).map(["iso-8859-1", "latin1", "windows-1252", "cp1252"].contains) ?? false
    }

    /// The encoding that the first line of a text names, in small letters; `nil` where it names none.
    private static func declaredEncoding(_ bytes: [UInt8]) -> String? {
        let head = Array(String(decoding: bytes.prefix(200), as: UTF8.self).lowercased().utf8)
        let word = "encoding="
        guard let start = offset(of: word, in: head) else { return nil }
        let name = head.dropFirst(start + word.utf8.count + 1).prefix {
            $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'")
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The characters of windows-1252 from 0x80 to 0x9f; where it has none, those of Latin-1.
    private static let windowsScalars: [UInt16] = [
        0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,
        0x017d, 0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
        0x0153, 0x9d, 0x017e, 0x0178,
    ]

    /// The character of a byte in windows-1252, which browsers read where a text says Latin-1.
    private static func windowsScalar(_ byte: UInt8) -> Unicode.Scalar {
        guard (0x80..<0xa0).contains(byte) else { return Unicode.Scalar(byte) }
        return Unicode.Scalar(windowsScalars[Int(byte) - 0x80]) ?? Unicode.Scalar(byte)
    }
}
