import PropertyList

/// Tells without parsing whether a manifest may describe one of some domains.
enum ManifestGlance {
    /// Whether a file may describe one of some domains; where that cannot be told at a glance, it may.
    ///
    /// Complexity: O(n), a small part of what parsing costs.
    static func mayConcern(_ domains: Set<Key>, _ bytes: [UInt8]) -> Bool {
        // Only XML in UTF-8, the usual encoding, shows its texts as they are.
        guard !BinaryReader.recognizes(bytes), bytes.prefix(2).allSatisfy({ $0 != 0 && $0 < 0xfe }) else { return true }
        var index = 0
        var isFound = false
        while let place = nextName(bytes, &index) {
            isFound = true
            guard let range = place.name else { return true }
            let name = bytes[range]
            // References and CDATA stand for other characters.
            guard !name.contains(UInt8(ascii: "&")), !name.contains(UInt8(ascii: "<")) else { return true }
            let domain = Key(String(decoding: name, as: UTF8.self))
            if domains.contains(domain) { return true }
            if domains.contains("NSGlobalDomain"), ManifestParser.globalNames.contains(domain) { return true }
        }
        return !isFound
    }

    /// The domains that a manifest is probably about which cannot be read: those that stand in it, and that of its name.
    static func domains(path: String, _ bytes: [UInt8]) -> Set<Key> {
        var result: Set<Key> = []
        var index = 0
        while let place = nextName(bytes, &index) {
            if let range = place.name { result.insert(Key(String(decoding: bytes[range], as: UTF8.self))) }
        }
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
        result.insert(Key(String(Substring(name.utf8.dropLast(".plist".utf8.count)))))
        return Set(result.map { ManifestParser.globalNames.contains($0) ? "NSGlobalDomain" : $0 })
    }

    /// Where the name of a domain is told.
    private struct NamePlace {
        /// The offsets of the name; `nil` where what follows the key is no plain string.
        let name: Range<Int>?
    }

    /// Where the next name of a domain stands, from an offset on, which moves behind its key; `nil` where none is left.
    private static func nextName(_ bytes: [UInt8], _ index: inout Int) -> NamePlace? {
        let text = bytes.span
        guard let start = find("pfm_domain</key>", text, from: index) else { return nil }
        index = start
        while index < text.count, text[index] == 0x20 || (0x09...0x0d).contains(text[index]) { index += 1 }
        guard matches("<string>", text, at: index), let end = find("</string>", text, from: index) else {
            return NamePlace(name: nil)
        }
        return NamePlace(name: (index + 8)..<(end - 9))
    }

    /// Where the text behind the next occurrence of a literal begins.
    private static func find(_ literal: StaticString, _ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        let count = literal.utf8CodeUnitCount
        while index + count <= text.count {
            if matches(literal, text, at: index) { return index + count }
            index += 1
        }
        return nil
    }

    /// Whether a literal stands at an offset.
    private static func matches(_ literal: StaticString, _ text: Span<UInt8>, at offset: Int) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard offset + count <= text.count else { return false }
        for position in 0..<count {
            // The literal has this many bytes, and lives as long as the program.
            if unsafe literal.utf8Start[position] != text[offset + position] { return false }
        }
        return true
    }
}
